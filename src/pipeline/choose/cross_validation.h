/* Solving on all rows but a fold's and scoring that fold, on features computed once: folds are row
 * weights of 0. */
#ifndef DPS_CROSS_VALIDATION_H
#define DPS_CROSS_VALIDATION_H

#include "score_spread.h"
#include "solver.h"

typedef struct dps_cross_validation {
    const dps_problem *problem; /* C and row_weight as for all rows; C is replaced */
    const char *solver;
    const dps_solver_settings *settings;
    const int32_t *fold; /* per row; < 0: always trains */
    int32_t folds;
    dps_metric metric;
} dps_cross_validation;

/* One fold's outcome. */
typedef struct dps_fold_result {
    double score; /* value of the metric on the held-out rows; NAN: they say nothing of it */
    double part[DPS_SCORE_PARTS];
    int64_t rows; /* held out */
    int64_t iterations;
    double gap;
    dps_outcome outcome;
} dps_fold_result;

/* Trains without the rows of `fold` at C and scores them. solution: initialised for the problem; a
 * solver that takes warm starts begins at its w. held: NULL, or models x rows doubles of which the
 * places of the held-out rows are filled with their decision values. The same bits for any number
 * of threads. */
DPS_MUST_USE dps_status dps_cross_validate_fold(const dps_cross_validation *cv, int32_t fold,
                                                double C, const dps_run *run,
                                                dps_solution *solution, double *held,
                                                dps_fold_result *result, dps_error *err);

/* Puts a fold's score into a record; with one fold its parts too. */
void dps_score_keep(double *record, int32_t folds, int32_t fold, const dps_fold_result *result);

#endif
