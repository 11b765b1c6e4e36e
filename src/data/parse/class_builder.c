/* Task: classes while data are read. Spellings are added in the order of the data, so
 * that the first one is kept. */
#include "class_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"

/* A label that is a number by the bytes of that: -0 is 0 there. */
static dps_hash_key key_of_label(const double *number, const char *text, size_t length)
{
    return isnan(*number) ? (dps_hash_key){0, text, length}
                          : (dps_hash_key){1, (const char *)number, sizeof *number};
}

static dps_hash_key key_of(const void *context, int32_t k)
{
    const dps_class_builder *builder = context;
    return key_of_label(&builder->number[k], builder->text[k], strlen(builder->text[k]));
}

int32_t dps_class_builder_add(dps_class_builder *builder, const char *text, size_t length)
{
    if (!dps_hash_grow(&builder->index, builder->count, key_of, builder)) {
        return -1;
    }
    const double number = dps_label_number(text, length);
    int32_t *at =
        dps_hash_slot(&builder->index, key_of_label(&number, text, length), key_of, builder);
    if (*at > 0) {
        return *at - 1;
    }
    const int32_t class = builder->count;
    const size_t needed = (size_t) class + 1;
    const bool ok = class < INT32_MAX - 1 &&
                    DPS_GROW(builder->text, builder->text_capacity, needed) &&
                    DPS_GROW(builder->number, builder->number_capacity, needed);
    char *copy = ok ? dps_alloc(length + 1, 1) : NULL;
    if (copy == NULL) {
        return -1;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    builder->text[class] = copy;
    builder->number[class] = number;
    *at = class + 1;
    builder->count++;
    return class;
}

typedef struct sorted_class {
    double number;
    char *text;
    int32_t from; /* place in the builder */
} sorted_class;

static int by_order(const void *a, const void *b)
{
    const sorted_class *left = a, *right = b;
    return dps_label_compare(left->number, left->text, strlen(left->text), right->number,
                             right->text);
}

dps_status dps_class_builder_finish(dps_class_builder *builder, dps_class_table *table,
                                    int32_t *place, dps_error *err)
{
    memset(table, 0, sizeof *table);
    const size_t count = (size_t)builder->count;
    sorted_class *sorted = dps_alloc(count, sizeof *sorted);
    table->text = dps_alloc(count, sizeof *table->text);
    table->number = dps_alloc(count, sizeof *table->number);
    table->rows = dps_alloc(count, sizeof *table->rows);
    if (sorted == NULL || table->text == NULL || table->number == NULL || table->rows == NULL) {
        dps_free(sorted);
        dps_class_table_release(table);
        return dps_out_of_memory(err, count, sizeof *sorted, "classes");
    }
    for (size_t k = 0; k < count; k++) {
        sorted[k] = (sorted_class){builder->number[k], builder->text[k], (int32_t)k};
    }
    qsort(sorted, count, sizeof *sorted, by_order);
    for (size_t k = 0; k < count; k++) {
        table->text[k] = sorted[k].text;
        table->number[k] = sorted[k].number;
        place[sorted[k].from] = (int32_t)k;
    }
    table->count = builder->count;
    dps_free(sorted);
    builder->count = 0; /* the texts have a new owner */
    dps_class_builder_release(builder);
    return DPS_OK;
}

void dps_class_builder_release(dps_class_builder *builder)
{
    for (int32_t k = 0; k < builder->count; k++) {
        dps_free(builder->text[k]);
    }
    dps_free(builder->text);
    dps_free(builder->number);
    dps_free(builder->index.slot);
    memset(builder, 0, sizeof *builder);
}
