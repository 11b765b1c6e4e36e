/* The one engine of every search: a map on some rows, scored by held-out rows along values of C. */
#ifndef DPS_TRIAL_H
#define DPS_TRIAL_H

#include "cross_validation.h"
#include "trial_rows.h"

typedef struct dps_trial {
    const dps_trial_base *base;
    const dps_labelled_rows *rows;
    size_t bytes; /* of all rows that lie beside the data */
    const int32_t *fold;
    int32_t folds;
    dps_metric metric;
    const dps_map_recipe *recipe;
    const dps_map_facts *facts;
    const double *gram; /* inner products of the rows, in place of mapped ones (kernel_gram.h);
                           with moves; NULL: none */
    int moves;          /* > 0: by squared losses on shared factors where that can be
                                     (cost_path.h), else by the settings' solver: */
    dps_solver_settings solve;
    const double *C; /* ascending */
    int32_t count;
} dps_trial;

/* What the values of C have given. */
typedef struct dps_trial_scores {
    double *record; /* C x dps_score_length */
    float *loss;    /* C x rows: 1 wrong, 0 right; regression: squared error; both times the row's
                       weight over the mean; NAN: never held out. NULL: not wanted */
} dps_trial_scores;

/* All. Plans, maps, solves. run: of the work; threads are lowered to what memory holds. */
DPS_MUST_USE dps_status dps_trial_run(const dps_trial *trial, const dps_run *run,
                                      dps_trial_scores *scores, dps_error *err);

#endif
