/* Certificates: P, a dual value and the relative duality gap from a fresh pass over all rows. */
#ifndef DPS_CERTIFICATE_H
#define DPS_CERTIFICATE_H

#include "solver.h"

typedef enum dps_dual_kind {
    DPS_DUAL_NONE,       /* P only: dual = -INFINITY, gap = INFINITY */
    DPS_DUAL_GIVEN,      /* alpha, signed, with w = sum_i alpha_i z_i */
    DPS_DUAL_FROM_PRIMAL /* alpha_i = c_i C slope(u_i, h), scaled by the best common factor */
} dps_dual_kind;

typedef struct dps_dual_point {
    dps_dual_kind kind;
    const double *alpha;     /* rows x models */
    const double *smoothing; /* h per model; not used by smooth losses */
} dps_dual_point;

/* Certificates of the `count` models of `list` (NULL: all of them), each in its own place of
 * `certificate`; w: models of the problem x length. Non-finite P is DPS_ERROR_NUMERIC. The same
 * bits for any number of threads and any memory. */
DPS_MUST_USE dps_status dps_certify(const dps_problem *problem, const double *w,
                                    const dps_dual_point *point, const int32_t *list, int32_t count,
                                    const dps_run *run, dps_certificate *certificate,
                                    dps_error *err);

/* The same for all models from the primal alone, with the best smoothing of 1, 1/4, 1/16, ... units
 * of the score for each; scratch: one certificate and one double a model. */
DPS_MUST_USE dps_status dps_certify_primal(const dps_problem *problem, const double *w,
                                           const dps_run *run, dps_certificate *scratch,
                                           double *smoothing, dps_certificate *certificate,
                                           dps_error *err);

/* Of w = sum_i alpha_i z_i, one model, from inner products alone: out = K x by `multiply`. alpha
 * becomes feasible where that proves a smaller gap; u = K alpha. work: 2 doubles a row. */
typedef void (*dps_gram_multiply)(const void *context, const double *x, double *out);
DPS_MUST_USE dps_status dps_certify_rows(const dps_problem *problem, int32_t k,
                                         dps_gram_multiply multiply, const void *context,
                                         const dps_run *run, double *alpha, double *u, double *work,
                                         dps_certificate *certificate, dps_error *err);

/* Two values and their gap: INFINITY where the dual's overflowed, 0 where rounding has it above. */
dps_certificate dps_certificate_of(double primal, double dual);
/* max_t t linear - t^2 square, t a multiple of a dual point, at most 1 where the loss bounds it; 0,
 * which t = 0 proves, where the sums overflowed. */
double dps_best_multiple(const dps_loss *loss, double linear, double square);

/* The error of an objective that is not finite, with its remedy. */
DPS_MUST_USE dps_status dps_not_finite(const dps_problem *problem, const char *what,
                                       dps_error *err);
DPS_MUST_USE dps_status dps_stopped(dps_error *err);

/* What to report of two models: a limit before a floor before convergence. */
static inline dps_outcome dps_worse_outcome(dps_outcome a, dps_outcome b)
{
    if (a == DPS_CONVERGED || b == DPS_CONVERGED) {
        return a == DPS_CONVERGED ? b : a;
    }
    return a == DPS_NUMERICAL_FLOOR ? b : a;
}

#endif
