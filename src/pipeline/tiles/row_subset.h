/* Some of the scaled rows, copied, with what is known of each: samples, shares and rounds of
 * searches. */
#ifndef DPS_ROW_SUBSET_H
#define DPS_ROW_SUBSET_H

#include "dataset.h"

/* Rows and what is known of them; borrowed. */
typedef struct dps_labelled_rows {
    dps_row_source x;
    bool dense; /* as the scaler keeps them */
    const int32_t *label;
    const double *target; /* NULL: classes */
    const double *weight; /* NULL: all 1 */
} dps_labelled_rows;
/* All training rows of a dataset, and those held out of them; it must outlive them. */
dps_labelled_rows dps_labelled_rows_of(const dps_dataset *data);
dps_labelled_rows dps_held_rows_of(const dps_dataset *data);

typedef struct dps_row_subset {
    dps_scaled_rows x;
    int32_t *label;
    double *target, *row_weight; /* NULL as above */
    size_t bytes;                /* of x */
} dps_row_subset;

/* The rows of `from` with part[i] = 0, in order; part NULL: all. comm: NULL, or the ranks that
 * share the rows: then all of them call this, and each gets the rows of all. On errors *subset is
 * empty. */
DPS_MUST_USE dps_status dps_row_subset_take(dps_row_subset *subset, const dps_labelled_rows *from,
                                            const int32_t *part, const struct dps_comm *comm,
                                            dps_error *err);
/* A view; the subset must stay where it is. */
dps_labelled_rows dps_row_subset_rows(const dps_row_subset *subset);
void dps_row_subset_release(dps_row_subset *subset); /* accepts a zeroed struct */

#endif
