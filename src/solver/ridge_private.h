/* What the parts of the ridge share. */
#ifndef DPS_RIDGE_PRIVATE_H
#define DPS_RIDGE_PRIVATE_H

#include <math.h>
#include "few_rows.h"
#include "joint.h"
#include "ridge.h"
#include "tile_fetch.h"

struct dps_ridge {
    const dps_problem *problem;
    const int32_t *fold;
    int32_t folds, models;
    dps_joint *joint; /* by columns; NULL: by rows, of all ranks: */
    size_t order;
    dps_few_rows few;
    char *folds_of_all;      /* NULL: fold has them */
    const int32_t *all_fold; /* of each row */
    const double *gram;      /* order x order */
    double *own_gram;        /* that, or NULL: it is borrowed */
};

enum { DPS_RIDGE_RAISES = 12 }; /* tenfold, of a ridge that rounding spoils */

/* The nearest point to u where the loss of row i is 0. */
static inline double dps_ridge_moved(const dps_problem *problem, int32_t k, int64_t i, double u)
{
    const double y = dps_target(problem, k, i);
    if (problem->loss->regression) {
        return fmin(fmax(u, y - problem->epsilon), y + problem->epsilon);
    }
    return y > 0 ? fmax(u, 1.0) : fmin(u, -1.0);
}

/* How far the m-th step (from 1) is extrapolated. */
static inline double dps_ridge_momentum(int m)
{
    double t = 1, next = 1;
    for (int j = 0; j < m; j++) {
        t = next;
        next = (1 + sqrt(1 + 4 * t * t)) / 2;
    }
    return (t - 1) / next;
}

/* Bytes of a thread by rows. */
size_t dps_ridge_rows_bytes(size_t n, int32_t models);
/* dps_ridge_held by rows. */
DPS_MUST_USE dps_status dps_ridge_by_rows(const dps_ridge *r, double C, int moves, double *held,
                                          const dps_run *run, dps_error *err);

#endif
