/* Held-out scores along C, fold by fold: by the solver, which begins at the weights of the last C
 * where it takes them, or by squared losses on shared factors (ridge.h). */
#ifndef DPS_COST_PATH_H
#define DPS_COST_PATH_H

#include "cross_validation.h"
#include "ridge.h"

typedef struct dps_cost_path {
    const dps_cross_validation *cv;
    dps_solution *solution; /* of each fold; NULL: */
    dps_ridge *ridge;       /* instead, with */
    int moves;              /* of its targets */
    double *held;           /* models x rows: decision values of held-out rows at the last C */
    const char *stage;      /* of the progress that is shown; NULL: none */
    double steps;           /* of the path, about, for that */
    int32_t taken;
} dps_cost_path;

/* cv must outlive it. moves: > 0: on shared factors, where the source allows it. On errors to be
 * released. */
DPS_MUST_USE dps_status dps_cost_path_init(dps_cost_path *path, const dps_cross_validation *cv,
                                           int moves, const dps_run *run, dps_error *err);
/* The next C: *record gets the scores of all folds (dps_score_length). All. */
DPS_MUST_USE dps_status dps_cost_path_step(dps_cost_path *path, double C, const dps_run *run,
                                           double *record, dps_error *err);
void dps_cost_path_release(dps_cost_path *path);

#endif
