/* Task: arrays of numbers and texts as C. Numbers are hexadecimal (C99, 6.4.4.2), so that they are
 * read back as they are, whatever the compiler's rounding. */
#include "c_array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 100 }; /* columns of a line */

dps_c_array dps_c_array_begin_shared(dps_text *out, const char *type, const char *name)
{
    dps_text_format(out, "const %s %s[] = {\n    ", type, name);
    return (dps_c_array){.out = out, .line = out->length - 4};
}

dps_c_array dps_c_array_begin(dps_text *out, const char *type, const char *name)
{
    dps_text_add(out, "static ");
    return dps_c_array_begin_shared(out, type, name);
}

static void add_item(dps_c_array *array, const char *item, size_t length)
{
    const char *before = array->count == 0 ? "" : ", ";
    if (array->count > 0 && array->out->length - array->line + length + 4 > WIDEST) {
        before = ",\n    ";
        array->line = array->out->length + 2;
    }
    dps_text_add(array->out, before);
    dps_text_append(array->out, item, length);
    array->count++;
}

void dps_c_array_double(dps_c_array *array, double value)
{
    char item[40] = "(double)NAN";
    if (!isnan(value)) {
        snprintf(item, sizeof item, "%a", value);
    }
    add_item(array, item, strlen(item));
}

void dps_c_array_float(dps_c_array *array, float value)
{
    char item[40];
    add_item(array, item, (size_t)snprintf(item, sizeof item, "%af", (double)value));
}

void dps_c_array_int(dps_c_array *array, int64_t value)
{
    char item[40];
    add_item(array, item, (size_t)snprintf(item, sizeof item, "%lld", (long long)value));
}

void dps_c_array_word(dps_c_array *array, uint32_t value)
{
    char item[40];
    add_item(array, item, (size_t)snprintf(item, sizeof item, "0x%lxu", (unsigned long)value));
}

/* Letters, digits and a few signs as they are; all others, which might end a string or begin a
 * trigraph, by their octal number, of three digits always. */
void dps_c_array_string(dps_c_array *array, const char *text)
{
    if (text == NULL) {
        add_item(array, "0", 1);
        return;
    }
    dps_text item = {0};
    dps_text_add(&item, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        const bool plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z') ||
                           strchr(" _+-.,:;()[]<>=/*%&#$!", *at) != NULL;
        dps_text_format(&item, plain ? "%c" : "\\%03o", plain ? *at : (unsigned char)*at);
    }
    dps_text_add(&item, "\"");
    array->out->failed = array->out->failed || item.failed;
    if (!item.failed) {
        add_item(array, item.data, item.length);
    }
    dps_text_release(&item);
}

void dps_c_array_end(dps_c_array *array)
{
    if (array->count == 0) {
        add_item(array, "0", 1);
    }
    dps_text_add(array->out, "};\n");
}

void dps_c_doubles(dps_text *out, const char *name, const double *value, size_t count)
{
    dps_c_array array = dps_c_array_begin(out, "double", name);
    for (size_t i = 0; i < count; i++) {
        dps_c_array_double(&array, value[i]);
    }
    dps_c_array_end(&array);
}

void dps_c_floats(dps_text *out, const char *name, const float *value, size_t count)
{
    dps_c_array array = dps_c_array_begin(out, "float", name);
    for (size_t i = 0; i < count; i++) {
        dps_c_array_float(&array, value[i]);
    }
    dps_c_array_end(&array);
}

void dps_c_ints(dps_text *out, const char *name, const int32_t *value, size_t count)
{
    dps_c_array array = dps_c_array_begin(out, "int", name);
    for (size_t i = 0; i < count; i++) {
        dps_c_array_int(&array, value[i]);
    }
    dps_c_array_end(&array);
}

void dps_c_words(dps_text *out, const char *name, const uint32_t *value, size_t count)
{
    dps_c_array array = dps_c_array_begin(out, "uint32_t", name);
    for (size_t i = 0; i < count; i++) {
        dps_c_array_word(&array, value[i]);
    }
    dps_c_array_end(&array);
}
