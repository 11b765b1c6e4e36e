/* State of the interior point method (interior.c), as interior_state.c makes it. */
#ifndef DPS_INTERIOR_PRIVATE_H
#define DPS_INTERIOR_PRIVATE_H

#include "few_rows.h"
#include "interior.h"

typedef struct dps_interior {
    const dps_problem *problem;
    const dps_run *run;
    size_t n;      /* rows of a weight above 0 */
    size_t sides;  /* 1, of regression 2 */
    int64_t *row;  /* n: their numbers */
    void *scratch; /* of the factor */
    double *all;   /* one block; the arrays below are parts of it */

    double *k, *factor; /* n x n: inner products; Cholesky factor in the lower triangle */
    double *y, *weight, *top, *curve; /* n: target, C c_i, U_i, E_ii */
    /* n: sum of sides, K alpha, the best alpha, M, d alpha, (K + E) d alpha */
    double *alpha, *u, *best, *m, *x, *pull;
    /* sides x n */
    double *sign, *linear, *beta, *low, *high, *g, *d, *r;
    double *step, *step_low, *step_high, *correct_low, *correct_high;

    double primal, gap, best_gap;
} dps_interior;

DPS_MUST_USE dps_status dps_interior_init(dps_interior *p, int32_t k, const double *gram,
                                          dps_error *err);
void dps_interior_release(dps_interior *p);

/* out = K x */
void dps_interior_multiply(const dps_interior *p, const double *x, double *out);
/* P and the gap of a feasible alpha with u = K alpha; keeps alpha where its gap is the least. */
void dps_interior_measure(dps_interior *p, const double *alpha, const double *u);
/* Factor of K + E + M, with a greater ridge where rounding leaves it indefinite; false: not even
 * so. */
DPS_MUST_USE bool dps_interior_factor(dps_interior *p);

/* The logistic loss (interior_logistic.c). False: no way to go on. */
void dps_interior_logistic_start(dps_interior *p);
DPS_MUST_USE bool dps_interior_logistic_step(dps_interior *p);

#endif
