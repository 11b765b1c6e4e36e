/* Task: the lines of a model's header, and their text form.
 * Why a table: writer and reader cannot disagree, and a field is one row.
 * Numbers are written in the shortest form that reads back as the same value. */
#include "model_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "number.h"

#define AT(member)  offsetof(dps_model, member)
#define SMALLEST    4.9406564584124654e-324
#define LARGEST     1.7976931348623157e308
#define MAX_INT     2147483646.0
#define MAX_COUNTER 9007199254740992.0

static const char *const or_none[] = {"none", NULL};

const dps_model_field dps_model_fields[] = {
    {"random_scheme", DPS_KIND_INT32, AT(random_scheme), 1, MAX_INT, NULL, 0},
    {"task", DPS_KIND_CHOICE, AT(task), 0, 0, dps_task_names, 0},
    {"classes", DPS_KIND_INT32, AT(classes.count), 0, MAX_INT, NULL, 0},
    {"data.columns", DPS_KIND_INT32, AT(scaler.columns), 0, MAX_INT, NULL, 0},
    {"data.scaling", DPS_KIND_CHOICE, AT(scaler.scaling), 0, 0, dps_scaling_names, 0},
    {"data.normalize", DPS_KIND_CHOICE, AT(scaler.normalize), 0, 0, dps_normalize_names, 0},
    {"data.row_factor", DPS_KIND_REAL, AT(scaler.row_factor), SMALLEST, LARGEST, NULL, 0},
    {"data.radius1", DPS_KIND_REAL, AT(scaler.radius1), 0, LARGEST, NULL, 0},
    {"data.radius2", DPS_KIND_REAL, AT(scaler.radius2), 0, LARGEST, NULL, 0},
    {"data.knots", DPS_KIND_INT32, AT(scaler.knots), 0, MAX_INT, NULL, 4},
    {"data.dense", DPS_KIND_FLAG, AT(scaler.dense), 0, 0, NULL, 0},
    {"data.table", DPS_KIND_INT32, AT(table.count), 0, MAX_INT, NULL, 0},
    {"data.table_header", DPS_KIND_FLAG, AT(table.header), 0, 0, NULL, 0},
    {"data.table_missing", DPS_KIND_FLAG, AT(table.missing_allowed), 0, 0, NULL, 0},
    {"kernel.type", DPS_KIND_KERNEL, AT(recipe.kernel.kernel), 0, 0, NULL, 0},
#define PARAM(key, type, kind, symbol, low, high, automatic, common, smoother)                     \
    {"kernel." #key,                                                                               \
     DPS_KIND_##kind,                                                                              \
     AT(recipe.kernel.key),                                                                        \
     low,                                                                                          \
     high,                                                                                         \
     (automatic) ? or_none : NULL,                                                                 \
     0},
#include "kernel_params.def"
#undef PARAM
    {"kernel.coefficients", DPS_KIND_COEFFICIENTS, AT(recipe.kernel.coefficient), 0, 1e300, NULL,
     0},
#define ASKED(key, member, type, kind, low, high, names)                                           \
    {"map." #key, DPS_KIND_##kind, AT(recipe.member), low, high, names, 0},
#define FOUND ASKED
#include "map_fields.def"
#undef FOUND
#undef ASKED
    {"map.refine", DPS_KIND_CHOICE, AT(recipe.refine), 0, 0, dps_refine_names, 4},
    {"map.moved", DPS_KIND_INT64, AT(recipe.moved_count), 0, MAX_COUNTER, NULL, 4},
    {"map.width", DPS_KIND_INT32, AT(width), 0, MAX_INT, NULL, 0},
    {"map.sparse_columns", DPS_KIND_INT32, AT(sparse_columns), 0, MAX_INT, NULL, 0},
    {"solver.bias", DPS_KIND_REAL, AT(bias), 0, 1e6, NULL, 0},
    {"solver.probability", DPS_KIND_CHOICE, AT(probability), 0, 0, dps_probability_names, 0},
    {"solver.knots", DPS_KIND_INT32, AT(knots), 0, MAX_INT, NULL, 2},
    {"self_test.rows", DPS_KIND_INT32, AT(self_test_rows), 0, 1024, NULL, 5},
    {"solver.type", DPS_KIND_WORD, AT(solver), 0, sizeof((dps_model *)0)->solver, NULL, 0},
    {"solver.loss", DPS_KIND_WORD, AT(loss), 0, sizeof((dps_model *)0)->loss, NULL, 0},
    {"solver.epsilon", DPS_KIND_REAL, AT(epsilon), 0, 1e300, NULL, 0},
    {"solver.C", DPS_KIND_REAL, AT(C), SMALLEST, LARGEST, NULL, 0},
    {"solver.tolerance", DPS_KIND_REAL, AT(tolerance), SMALLEST, 1, NULL, 0},
    {"trained.rows", DPS_KIND_INT64, AT(rows), 1, MAX_COUNTER, NULL, 0},
    {"trained.iterations", DPS_KIND_INT64, AT(iterations), 0, MAX_COUNTER, NULL, 0},
    {"trained.objective", DPS_KIND_REAL, AT(objective), 0, LARGEST, NULL, 0},
    {"trained.gap", DPS_KIND_REAL, AT(gap), 0, LARGEST, NULL, 0},
    {"trained.refine_steps", DPS_KIND_INT64, AT(refine_steps), 0, MAX_COUNTER, NULL, 4},
    {"trained.refine_rows", DPS_KIND_INT64, AT(refine_rows), 0, MAX_COUNTER, NULL, 4},
    {"trained.outcome", DPS_KIND_CHOICE, AT(outcome), 0, 0, dps_outcome_names, 0},
};
const size_t dps_model_field_count = sizeof dps_model_fields / sizeof dps_model_fields[0];

int dps_model_version_of(const dps_model *model)
{
    const dps_table *table = &model->table;
    bool words = table->missing_words != NULL;
    for (int32_t c = 0; c < table->count; c++) {
        words |= table->column[c].rest || !dps_number_form_is_plain(&table->column[c].form);
    }
    const bool bent = !dps_scaling_is_affine(model->scaler.scaling);
    return model->self_test_rows > 0                         ? 5
           : bent || model->recipe.refine != DPS_REFINE_NONE ? 4
           : words                                           ? 3
           : model->probability == DPS_PROBABILITY_ISOTONIC  ? 2
                                                             : 1;
}

/* Characters of a number's form, and their names. */
static const char form_marks[] = {',', '.', '\'', ' ', '%', '$', 0};
static const char *const form_names[] = {"comma",   "point",    "apostrophe", "blank",
                                         "percent", "currency", "none",       NULL};

static const char *mark_name(char mark)
{
    return form_names[(const char *)memchr(form_marks, mark, sizeof form_marks) - form_marks];
}

void dps_model_form_write(const dps_number_form *form, dps_text *out)
{
    dps_text_format(out, "%s %s %s", form->decimal == ',' ? "comma" : "point",
                    mark_name(form->group), mark_name(form->unit));
}

bool dps_model_form_read(const char *text, size_t length, dps_number_form *form)
{
    char mark[3];
    const char *end = text + length;
    for (size_t w = 0; w < 3; w++) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        const char *stop = blank != NULL ? blank : end;
        unsigned k;
        if (!dps_name_find(form_names, text, (size_t)(stop - text), &k) ||
            (blank == NULL) != (w == 2)) {
            return false;
        }
        mark[w] = form_marks[k];
        text = blank != NULL ? blank + 1 : end;
    }
    const bool known = (mark[0] == ',' || mark[0] == '.') && mark[1] != '%' && mark[1] != '$' &&
                       (mark[2] == '%' || mark[2] == '$' || mark[2] == 0);
    *form = (dps_number_form){mark[0] == ',' ? ',' : 0, mark[1], mark[2]};
    return known;
}

static void write_real(double value, dps_text *out)
{
    if (isnan(value)) {
        dps_text_add(out, "none");
    } else {
        dps_text_number(out, value);
    }
}

static void write_reals(const double *real, int32_t count, dps_text *out)
{
    if (count == 0) {
        dps_text_add(out, "none");
    }
    for (int32_t n = 0; n < count; n++) {
        if (n > 0) {
            dps_text_add(out, " ");
        }
        write_real(real[n], out);
    }
}

void dps_model_field_write(const dps_model_field *field, const dps_model *model, dps_text *out)
{
    const void *place = (const char *)model + field->offset;
    int32_t small;
    int64_t large;
    double real;
    unsigned choice;
    switch (field->kind) {
    case DPS_KIND_INT32:
        memcpy(&small, place, sizeof small);
        dps_text_format(out, "%ld", (long)small);
        break;
    case DPS_KIND_INT64:
        memcpy(&large, place, sizeof large);
        dps_text_format(out, "%lld", (long long)large);
        break;
    case DPS_KIND_REAL:
        memcpy(&real, place, sizeof real);
        write_real(real, out);
        break;
    case DPS_KIND_FLAG:
        dps_text_add(out, *(const bool *)place ? "on" : "off");
        break;
    case DPS_KIND_CHOICE:
        memcpy(&choice, place, sizeof choice);
        dps_text_add(out, dps_name_of(field->names, choice));
        break;
    case DPS_KIND_WORD:
        dps_text_add(out, place);
        break;
    case DPS_KIND_KERNEL:
        dps_text_add(out, model->recipe.kernel.kernel->name);
        break;
    case DPS_KIND_COEFFICIENTS:
        write_reals(model->recipe.kernel.coefficient, model->recipe.kernel.coefficient_count, out);
        break;
    case DPS_KIND_WEIGHTS:
        write_reals(model->recipe.weight, model->recipe.weight_count, out);
        break;
    }
}

void dps_model_fields_write(const dps_model *model, const char *before, dps_text *out)
{
    const int version = dps_model_version_of(model);
    for (size_t f = 0; f < dps_model_field_count; f++) {
        if (dps_model_fields[f].since <= version) {
            dps_text_format(out, "%s%s = ", before, dps_model_fields[f].key);
            dps_model_field_write(&dps_model_fields[f], model, out);
            dps_text_add(out, "\n");
        }
    }
}

static bool is_word(const char *value, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(value, word, length) == 0;
}

static bool read_real(const dps_model_field *field, const char *value, size_t length, double *real)
{
    if (field->names != NULL && is_word(value, length, "none")) {
        *real = NAN;
        return true;
    }
    return dps_text_to_double(value, length, real) && *real >= field->low && *real <= field->high;
}

static bool read_word(const dps_model_field *field, const char *value, size_t length, char *place)
{
    if (length == 0 || (double)length >= field->high) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!(value[i] >= 'a' && value[i] <= 'z') && value[i] != '_') {
            return false;
        }
    }
    memcpy(place, value, length);
    place[length] = '\0';
    return true;
}

static bool read_kernel(const char *value, size_t length, dps_kernel_params *params)
{
    unsigned k;
    const bool known = dps_name_find(dps_kernel_names, value, length, &k);
    params->kernel = known ? dps_kernel_find(dps_kernel_names[k]) : NULL;
    return known;
}

/* At most `most` numbers, or none. */
static bool read_reals(const dps_model_field *field, const char *value, size_t length, double *real,
                       int32_t most, int32_t *count)
{
    *count = 0;
    if (is_word(value, length, "none")) {
        return true;
    }
    for (size_t begin = 0; begin <= length;) {
        size_t end = begin;
        while (end < length && value[end] != ' ') {
            end++;
        }
        if (*count == most || !read_real(field, value + begin, end - begin, &real[*count])) {
            return false;
        }
        (*count)++;
        begin = end + 1;
    }
    return true;
}

bool dps_model_field_read(const dps_model_field *field, const char *value, size_t length,
                          dps_model *model)
{
    void *place = (char *)model + field->offset;
    int64_t large;
    int32_t small;
    double real;
    unsigned choice;
    switch (field->kind) {
    case DPS_KIND_INT32:
    case DPS_KIND_INT64:
        if (!dps_text_to_int64(value, length, &large) || (double)large < field->low ||
            (double)large > field->high) {
            return false;
        }
        small = (int32_t)large;
        memcpy(place, field->kind == DPS_KIND_INT32 ? (const void *)&small : (const void *)&large,
               field->kind == DPS_KIND_INT32 ? sizeof small : sizeof large);
        return true;
    case DPS_KIND_REAL:
        if (!read_real(field, value, length, &real)) {
            return false;
        }
        memcpy(place, &real, sizeof real);
        return true;
    case DPS_KIND_FLAG:
        *(bool *)place = is_word(value, length, "on");
        return *(bool *)place || is_word(value, length, "off");
    case DPS_KIND_CHOICE:
        if (!dps_name_find(field->names, value, length, &choice)) {
            return false;
        }
        memcpy(place, &choice, sizeof choice);
        return true;
    case DPS_KIND_WORD:
        return read_word(field, value, length, place);
    case DPS_KIND_KERNEL:
        return read_kernel(value, length, &model->recipe.kernel);
    case DPS_KIND_COEFFICIENTS:
        return read_reals(field, value, length, model->recipe.kernel.coefficient,
                          DPS_MAX_COEFFICIENTS, &model->recipe.kernel.coefficient_count);
    case DPS_KIND_WEIGHTS:
        return read_reals(field, value, length, model->recipe.weight, DPS_MAX_DEGREE + 1,
                          &model->recipe.weight_count);
    }
    return false;
}

void dps_model_field_expected(const dps_model_field *field, char *buffer, size_t size)
{
    char low[DPS_NUMBER_MAX], high[DPS_NUMBER_MAX];
    int used;
    switch (field->kind) {
    case DPS_KIND_INT32:
    case DPS_KIND_INT64:
    case DPS_KIND_REAL:
        dps_format_double(low, field->low);
        dps_format_double(high, field->high);
        snprintf(buffer, size, "a%s number from %s to %s%s",
                 field->kind == DPS_KIND_REAL ? "" : " whole", low, high,
                 field->names == NULL ? "" : " or none");
        break;
    case DPS_KIND_FLAG:
        snprintf(buffer, size, "on or off");
        break;
    case DPS_KIND_CHOICE:
        used = snprintf(buffer, size, "one of:");
        for (const char *const *name = field->names; *name != NULL; name++) {
            used += snprintf(buffer + used, size - (size_t)used, " %s", *name);
        }
        break;
    case DPS_KIND_WORD:
        snprintf(buffer, size, "a word of at most %d small letters", (int)field->high - 1);
        break;
    case DPS_KIND_KERNEL:
        snprintf(buffer, size, "the name of a kernel this version knows");
        break;
    case DPS_KIND_COEFFICIENTS:
        snprintf(buffer, size, "at most %d numbers >= 0, or none", DPS_MAX_COEFFICIENTS);
        break;
    case DPS_KIND_WEIGHTS:
        snprintf(buffer, size, "at most %d numbers >= 0, or none", DPS_MAX_DEGREE + 1);
        break;
    }
}

void dps_model_escape(const char *label, dps_text *out)
{
    for (const char *s = label; *s != '\0'; s++) {
        if (*s >= ' ' && *s <= '~' && *s != '\\') {
            dps_text_append(out, s, 1);
        } else {
            dps_text_format(out, "\\x%02x", (unsigned)(unsigned char)*s);
        }
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

dps_status dps_model_unescape(const char *text, size_t length, char **label)
{
    size_t n = 0;
    bool good = true;
    *label = dps_alloc(length + 1, 1);
    if (*label == NULL) {
        return DPS_ERROR_MEMORY;
    }
    for (size_t i = 0; good && i < length; i++) {
        char c = text[i];
        if (c == '\\') {
            int high = i + 3 < length && text[i + 1] == 'x' ? hex_digit(text[i + 2]) : -1;
            int low = high >= 0 ? hex_digit(text[i + 3]) : -1;
            good = low > 0 || (low == 0 && high > 0);
            c = (char)(unsigned char)(good ? 16 * high + low : 0);
            i += 3;
        } else {
            good = c >= ' ' && c <= '~';
        }
        (*label)[n++] = c;
    }
    if (!good) {
        dps_free(*label);
        *label = NULL;
    }
    return good ? DPS_OK : DPS_ERROR_DATA;
}
