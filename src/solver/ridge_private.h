/* What the parts of the ridge share. */
#ifndef DPS_RIDGE_PRIVATE_H
#define DPS_RIDGE_PRIVATE_H

#include <math.h>
#include "cholesky.h"
#include "few_rows.h"
#include "packed_factor.h"
#include "ridge.h"
#include "tile_fetch.h"

struct dps_ridge {
    const dps_problem *problem;
    const int32_t *fold;
    int32_t folds, models;
    size_t order;  /* of the systems: columns, or rows */
    size_t stride; /* of right-hand sides and weights: order, padded */
    /* by rows, of all ranks: */
    dps_few_rows few;
    char *folds_of_all;      /* NULL: fold has them */
    const int32_t *all_fold; /* of each row */
    double *gram;            /* order x order, lower triangle */
    double *sums;            /* by columns: folds + 1 times the packed lower triangle of H_f, and
                         models x stride of sum c y z; the last of all rows */
    bool by_rows;
    /* by columns, the solve in hand: */
    size_t panels;  /* doubles of a packed factor */
    double *factor; /* folds x panels */
    double *w;      /* folds x models x stride: right-hand sides, then weights */
    float *rounded; /* those weights */
    float *u;       /* folds x models x rows: scores of the rows that train */
    char *scratch;  /* threads x dps_ridge_scratch */
};

/* Packed lower triangle. */
static inline size_t dps_ridge_packed(size_t n)
{
    return n * (n + 1) / 2;
}

enum { DPS_RIDGE_ARRAYS = 4 };  /* of a model by rows: alpha, u, t, the diagonal */
enum { DPS_RIDGE_RAISES = 12 }; /* tenfold, of a ridge that rounding spoils */

enum { DPS_RIDGE_TOGETHER = 16 }; /* right-hand sides */

/* Bytes of a thread that factors, packs or solves. */
static inline size_t dps_ridge_scratch(size_t order)
{
    const size_t factor = dps_cholesky_bytes(order);
    const size_t packed = dps_packed_factor_scratch(DPS_RIDGE_TOGETHER);
    return dps_round_up(factor > packed ? factor : packed, DPS_ALIGN);
}

/* Doubles of the sums of one fold. */
static inline size_t dps_ridge_fold_doubles(size_t order, size_t stride, size_t models)
{
    return dps_ridge_packed(order) + models * stride;
}

static inline double *dps_ridge_sums(const dps_ridge *r, int32_t fold)
{
    return r->sums + (size_t)fold * dps_ridge_fold_doubles(r->order, r->stride, (size_t)r->models);
}

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

/* dps_ridge_held, each its way. */
DPS_MUST_USE dps_status dps_ridge_by_rows(const dps_ridge *r, double C, int moves, double *held,
                                          const dps_run *run, dps_error *err);
DPS_MUST_USE dps_status dps_ridge_by_columns(dps_ridge *r, double C, int moves, double *held,
                                             const dps_run *run, dps_error *err);

#endif
