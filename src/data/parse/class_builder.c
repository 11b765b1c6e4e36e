/* Task: classes while data are read: a hash table. Spellings are added in the order of the data, so
 * that the first one is kept. */
#include "class_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"

/* FNV-1a of the number's bits or of the text. */
static size_t hash_of(double number, const char *text, size_t length)
{
    const char *bytes = isnan(number) ? text : (const char *)&number;
    const size_t count = isnan(number) ? length : sizeof number;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32));
}

/* Slot of the class, or the free slot where it belongs. */
static size_t find_slot(const dps_class_builder *builder, double number, const char *text,
                        size_t length)
{
    size_t at = hash_of(number, text, length) & (builder->slots - 1);
    for (;; at = (at + 1) & (builder->slots - 1)) {
        const int32_t class = builder->slot[at] - 1;
        if (class < 0 || dps_label_compare(number, text, length, builder->number[class],
                                           builder->text[class]) == 0) {
            return at;
        }
    }
}

/* At most half of the slots are taken. */
static bool grow_slots(dps_class_builder *builder)
{
    if (2 * ((size_t)builder->count + 1) <= builder->slots) {
        return true;
    }
    const size_t slots = builder->slots > 0 ? 4 * builder->slots : 64;
    int32_t *slot = dps_alloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    dps_free(builder->slot);
    builder->slot = slot;
    builder->slots = slots;
    for (int32_t k = 0; k < builder->count; k++) {
        const char *text = builder->text[k];
        slot[find_slot(builder, builder->number[k], text, strlen(text))] = k + 1;
    }
    return true;
}

int32_t dps_class_builder_add(dps_class_builder *builder, const char *text, size_t length)
{
    if (!grow_slots(builder)) {
        return -1;
    }
    const double number = dps_label_number(text, length);
    const size_t at = find_slot(builder, number, text, length);
    if (builder->slot[at] > 0) {
        return builder->slot[at] - 1;
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
    builder->slot[at] = class + 1;
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
    dps_free(builder->slot);
    memset(builder, 0, sizeof *builder);
}
