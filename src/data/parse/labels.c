/* Classes: two spellings are one class when both are numbers of equal value, or the same bytes.
 * Order of the table: numbers ascending, then texts by their bytes; dps_class_find bisects it. */
#include "labels.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "number.h"

double dps_label_number(const char *text, size_t length)
{
    double number;
    return dps_text_to_double(text, length, &number) && isfinite(number) ? number + 0.0 : NAN;
}

static int compare_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

int dps_label_compare(double number, const char *text, size_t length, double other_number,
                      const char *other)
{
    if (isnan(number) && isnan(other_number)) {
        return compare_bytes(text, length, other, strlen(other));
    }
    if (isnan(number) || isnan(other_number)) {
        return isnan(number) ? 1 : -1;
    }
    return (number > other_number) - (number < other_number);
}

static int32_t find(const dps_class_table *table, double number, const char *text, size_t length)
{
    int32_t low = 0, high = table->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int order =
            dps_label_compare(number, text, length, table->number[middle], table->text[middle]);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

int32_t dps_class_find(const dps_class_table *table, const char *text, size_t length)
{
    return find(table, dps_label_number(text, length), text, length);
}

int32_t dps_class_find_number(const dps_class_table *table, double number)
{
    return find(table, number, "", 0);
}

dps_status dps_class_table_copy(const dps_class_table *from, dps_class_table *to, dps_error *err)
{
    const size_t count = (size_t)from->count;
    to->text = dps_alloc(count, sizeof *to->text);
    to->number = dps_alloc(count, sizeof *to->number);
    to->rows = dps_alloc(count, sizeof *to->rows);
    bool ok = to->text != NULL && to->number != NULL && to->rows != NULL;
    for (size_t k = 0; k < count && ok; k++) {
        const size_t size = strlen(from->text[k]) + 1;
        to->text[k] = dps_alloc(size, 1);
        ok = to->text[k] != NULL;
        if (ok) {
            memcpy(to->text[k], from->text[k], size);
            to->number[k] = from->number[k];
            to->count = (int32_t)k + 1;
        }
    }
    return ok ? DPS_OK : dps_out_of_memory(err, count, sizeof *to->text, "classes");
}

void dps_class_table_release(dps_class_table *table)
{
    for (int32_t k = 0; table->text != NULL && k < table->count; k++) {
        dps_free(table->text[k]);
    }
    dps_free(table->text);
    dps_free(table->number);
    dps_free(table->rows);
    memset(table, 0, sizeof *table);
}
