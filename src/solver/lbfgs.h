/* A smooth function of many variables, made smaller step by step: limited-memory BFGS (Nocedal,
 * Updating quasi-Newton matrices with limited storage, 1980; Liu & Nocedal 1989). It knows nothing
 * of what the function is. */
#ifndef DPS_LBFGS_H
#define DPS_LBFGS_H

#include "state.h"

#define DPS_LBFGS_PAIRS 10

/* f and its gradient g (n doubles) at x. */
typedef dps_status (*dps_smooth_function)(void *context, const double *x, double *f, double *g,
                                          dps_error *err);

typedef struct dps_lbfgs {
    size_t n;
    dps_smooth_function function;
    void *context;
    double *x, *g; /* n each: where it is, and the gradient there */
    double f;
    double *moved, *turned; /* DPS_LBFGS_PAIRS x n: differences of x and g of the last steps */
    double product[DPS_LBFGS_PAIRS]; /* <moved, turned> > 0 */
    int32_t pairs, next;             /* so many there are; where the next goes */
    int64_t steps, evaluations;
    bool ended;                          /* no step makes f smaller */
    double *direction, *trial, *trial_g; /* n each */
} dps_lbfgs;

/* n, function and context are set, the rest is zero; x becomes 0. On errors to be released. */
DPS_MUST_USE dps_status dps_lbfgs_init(dps_lbfgs *l, dps_error *err);
void dps_lbfgs_release(dps_lbfgs *l);
/* f and g at x: at the beginning, and where the function has become another one, whose curvature is
 * taken to be about the same. */
DPS_MUST_USE dps_status dps_lbfgs_begin(dps_lbfgs *l, dps_error *err);
/* One step. The function is called last at the new x, unless `ended`. */
DPS_MUST_USE dps_status dps_lbfgs_step(dps_lbfgs *l, dps_error *err);
/* What a checkpoint between two steps must keep. */
void dps_lbfgs_list_state(dps_lbfgs *l, dps_state *state);

#endif
