/* Small helpers of the solver room: targets and weights of rows. */
#ifndef DPS_TILE_FETCH_H
#define DPS_TILE_FETCH_H

#include "allocation.h"
#include "solver.h"

/* y_ik: the target of row i, or +1 if it belongs to the positive side of model k, else -1. */
static inline double dps_target(const dps_problem *problem, int32_t k, int64_t i)
{
    if (problem->loss->regression) {
        return problem->target[i];
    }
    const int32_t positive = problem->classes == 2 ? 1 : k;
    return problem->label[i] == positive ? 1.0 : -1.0;
}

/* Those of rows first ... first + rows - 1. */
static inline void dps_targets(const dps_problem *problem, int32_t k, int64_t first, int32_t rows,
                               double *y)
{
    for (int32_t r = 0; r < rows; r++) {
        y[r] = dps_target(problem, k, first + r);
    }
}

static inline double dps_row_weight(const dps_problem *problem, int64_t i)
{
    const double weight =
        problem->loss->regression ? 1.0 : problem->class_weight[problem->label[i]];
    return problem->row_weight == NULL ? weight : weight * problem->row_weight[i];
}

/* The ranks that share the problem's rows; NULL: this one has them all. */
static inline const struct dps_comm *dps_problem_comm(const dps_problem *problem,
                                                      const dps_run *run)
{
    return problem->source->total_rows > 0 ? run->comm : NULL;
}

/* What the smoothing of a loss starts with, in units of the score: 1, and for regression the mean
 * |target| (1 if all are 0). All. */
double dps_score_unit(const dps_problem *problem, const dps_run *run);

static inline int32_t dps_tile_height(const dps_problem *problem, int64_t t)
{
    const int64_t left = problem->source->rows - t * DPS_TILE_ROWS;
    return (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS);
}

#endif
