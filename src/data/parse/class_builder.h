/* Collecting classes while data are read. */
#ifndef DPS_CLASS_BUILDER_H
#define DPS_CLASS_BUILDER_H

#include "hash_index.h"
#include "labels.h"

typedef struct dps_class_builder {
    int32_t count;
    char **text;    /* first spelling of each class, in the order of the data */
    double *number; /* NAN: not a number */
    size_t text_capacity, number_capacity;
    dps_hash_index index;
} dps_class_builder;

/* Class of a spelling, added if it is new. -1: no memory. */
int32_t dps_class_builder_add(dps_class_builder *builder, const char *text, size_t length);
/* The classes in their final order; place[k] = final place of the builder's class k (`place` holds
 * builder->count). The builder is empty afterwards. */
DPS_MUST_USE dps_status dps_class_builder_finish(dps_class_builder *builder, dps_class_table *table,
                                                 int32_t *place, dps_error *err);
void dps_class_builder_release(dps_class_builder *builder);

#endif
