/* Classes. A label is the text the user wrote; labels that parse as numbers compare as numbers (+1,
 * 1 and 1.0 are one class, the first spelling in the data wins). Order: numbers ascending, then
 * texts in byte order. Of two classes the second (larger) is the positive one. */
#ifndef DPS_LABELS_H
#define DPS_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "status.h"

typedef struct dps_class_table {
    int32_t count;
    char **text;    /* spelling shown to the user; the arrays and each text are from dps_alloc */
    double *number; /* NAN: not a number */
    int64_t *rows;  /* training rows of each class (0 in a loaded model) */
} dps_class_table;

/* Value of a label that is a finite number, else NAN. */
double dps_label_number(const char *text, size_t length);
/* Order of classes: below, at or above 0. number, other_number: as above; other ends with NUL. */
int dps_label_compare(double number, const char *text, size_t length, double other_number,
                      const char *other);
/* Class of a spelling, or -1. */
int32_t dps_class_find(const dps_class_table *table, const char *text, size_t length);
/* The same of a finite number: what dps_class_find says of its text. */
int32_t dps_class_find_number(const dps_class_table *table, double number);
/* Texts and numbers; no rows of the copy are counted yet. On errors `to`, zeroed before, must be
 * released. */
DPS_MUST_USE dps_status dps_class_table_copy(const dps_class_table *from, dps_class_table *to,
                                             dps_error *err);
void dps_class_table_release(dps_class_table *table);

#endif
