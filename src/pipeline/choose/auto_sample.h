/* The rows that kernel.type = auto looks at: a part of the training rows, of every class its share,
 * with columns as they were loaded and, for dense rows, standardised. */
#ifndef DPS_AUTO_SAMPLE_H
#define DPS_AUTO_SAMPLE_H

#include "training.h"

typedef struct dps_auto_view {
    dps_scaled_rows x;
    double radius1, radius2;
    bool dense;
} dps_auto_view;

typedef struct dps_auto_sample {
    int64_t rows;
    int32_t columns;
    int32_t *label;
    double *target;     /* regression, else NULL */
    double *row_weight; /* NULL: all 1 */
    int32_t *fold;      /* the caller's, 0 at first */
    int32_t views;      /* 1 or 2: as loaded, standardised */
    dps_auto_view view[2];
    size_t bytes;
} dps_auto_sample;

/* About most_rows rows at most (dps_sample_make). standard: with the second view too, where rows
 * are dense. After dps_training_load. */
DPS_MUST_USE dps_status dps_auto_sample_take(dps_auto_sample *sample, const dps_training *t,
                                             int64_t most_rows, bool standard, dps_error *err);
dps_row_source dps_auto_sample_rows(const dps_auto_sample *sample, int32_t view);
void dps_auto_sample_release(dps_auto_sample *sample);

#endif
