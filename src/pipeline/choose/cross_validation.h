/* Solving on all rows but a fold's and scoring that fold, on features computed once: folds are row
 * weights of 0. */
#ifndef DPS_CROSS_VALIDATION_H
#define DPS_CROSS_VALIDATION_H

#include "score_spread.h"
#include "solver.h"

typedef struct dps_cross_validation {
    const dps_problem *problem; /* C and row_weight as for all rows; C is replaced */
    const dps_solver *solver;   /* NULL: auto */
    const dps_solver_settings *settings;
    const int32_t *fold; /* per row; < 0: always trains */
    int32_t folds;
    dps_metric metric;
    const double *gram; /* of the rows, where the source makes no tiles; NULL: it does */
} dps_cross_validation;

/* Trains without the rows of `fold` at C and scores them. solution: initialised for the problem; a
 * solver that takes warm starts begins at its w. held: models x rows doubles, of which the places
 * of the held-out rows are filled with their decision values; record (score_spread.h) gets their
 * score, *rows is how many there are. The same bits for any number of threads. All. */
DPS_MUST_USE dps_status dps_cross_validate_fold(const dps_cross_validation *cv, int32_t fold,
                                                double C, const dps_run *run,
                                                dps_solution *solution, double *held,
                                                double *record, int64_t *rows, dps_error *err);
/* Scores the rows of `fold` by weights that are there. */
DPS_MUST_USE dps_status dps_cross_validation_score(const dps_cross_validation *cv, int32_t fold,
                                                   const dps_solution *solution, const dps_run *run,
                                                   double *held, double *record, int64_t *rows,
                                                   dps_error *err);
/* The last part of it: the score of decision values that are there. All. */
DPS_MUST_USE dps_status dps_fold_score(const dps_cross_validation *cv, int32_t fold,
                                       const double *held, const dps_run *run, double *record,
                                       int64_t *rows, dps_error *err);

#endif
