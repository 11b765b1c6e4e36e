/* About one training row in so many, copied. */
#ifndef DPS_THINNED_ROWS_H
#define DPS_THINNED_ROWS_H

#include "training.h"

typedef struct dps_thinned_rows {
    dps_scaled_rows x;
    int32_t *label;
    double *target, *row_weight; /* NULL: none */
} dps_thinned_rows;

/* Rows i for which the fraction of i times the golden ratio is below 1 / every: spread evenly over
 * the data, in step with no period that the data may have; of rare classes more of their rows, or
 * all. The same for any number of threads. */
DPS_MUST_USE dps_status dps_thinned_rows_init(dps_thinned_rows *rows, const dps_training *t,
                                              int64_t every, dps_error *err);
/* A view. */
dps_row_source dps_thinned_rows_source(const dps_thinned_rows *rows);
void dps_thinned_rows_release(dps_thinned_rows *rows);

#endif
