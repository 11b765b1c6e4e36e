/* The rows that settings are tried on: a part of the training rows, of every class its share, as
 * they were loaded and in other scalings: dense rows standardised and, up to DPS_BENT_COLUMNS
 * columns and from DPS_BENT_ROWS rows on, by logarithms and by ranks, all with the statistics of
 * these rows and in the unit ball; compressed ones without scaling of columns and of unit norm. */
#ifndef DPS_TRIAL_ROWS_H
#define DPS_TRIAL_ROWS_H

#include "row_subset.h"
#include "row_view.h"
#include "settings.h"

#define DPS_BENT_COLUMNS 128
#define DPS_BENT_ROWS    1024 /* few rows choose among many scalings by chance */

/* What is to be trained. Borrowed. */
typedef struct dps_trial_base {
    const dps_options *options;
    const dps_settings *settings;
    dps_dataset *data; /* moved to a scratch file where memory demands it */
    const double *class_weight;
    const dps_run *run;
    double deadline; /* dps_now after which no trial is begun (run.time_limit); 0: none */
} dps_trial_base;

int32_t dps_trial_classes(const dps_trial_base *base); /* 1: regression */
/* The training problem of these rows, without a source. */
dps_problem dps_trial_problem(const dps_trial_base *base, const dps_labelled_rows *rows);

typedef struct dps_row_view {
    dps_view kind;
    dps_labelled_rows rows;
    double radius1, radius2; /* largest norms of a row */
} dps_row_view;

typedef struct dps_trial_rows {
    dps_row_subset own;                   /* as loaded */
    dps_scaled_rows other[DPS_VIEWS - 1]; /* of the views behind the first; DPS_VIEW_UNIT: start and
                                             column are those of own */
    int32_t *fold;                        /* the caller's, 0 at first */
    int32_t views;                        /* as loaded, and others */
    dps_row_view view[DPS_VIEWS];
    size_t bytes;
} dps_trial_rows;

/* All: about most_rows rows at most (dps_sample_make), the same on every rank. rescale: with
 * other views too. *rows must stay where it is. */
DPS_MUST_USE dps_status dps_trial_rows_take(dps_trial_rows *rows, const dps_trial_base *base,
                                            int64_t most_rows, bool rescale, dps_error *err);
void dps_trial_rows_release(dps_trial_rows *rows); /* accepts a zeroed struct */

#endif
