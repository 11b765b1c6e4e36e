/* What theory promises of the paper's map (docs/evidence/kernel_error.md): bounds on the
 * probability that the error exceeds epsilon, and the number of features each asks for. In
 * logarithms: the numbers leave double's range. */
#ifndef DPS_BOUNDS_H
#define DPS_BOUNDS_H

#include "recipe.h"

typedef enum dps_bound_kind {
    DPS_BOUND_POINTWISE,         /* one pair of rows: Kar & Karnick 2012, equation (4) */
    DPS_BOUND_UNIFORM,           /* all pairs, Theorem 12 */
    DPS_BOUND_COMPOSED_PRINTED,  /* all pairs, Theorem 16 as printed */
    DPS_BOUND_COMPOSED_CORRECTED /* the same with pairs of centres */
} dps_bound_kind;

/* What the bounds need to know of kernel, map and rows. */
typedef struct dps_bound_terms {
    double log_c;    /* of C or C_1; INFINITY: f diverges at p R^2 */
    double log_l;    /* of L or L_1; NAN: no uniform bound (the base's map is not Lipschitz) */
    double radius;   /* R1 */
    double residual; /* of dropped degrees, equation (25) */
    int32_t columns; /* d */
    bool composed;   /* Algorithm 2 */
    bool differs;    /* the recipe is not the paper's map; the bounds are that one's */
} dps_bound_terms;

typedef struct dps_bound {
    dps_bound_kind kind;
    double log_probability; /* natural logarithm; >= 0 or INFINITY: it says nothing at this D */
    double log_features;    /* natural logarithm of the D for delta; INFINITY: no D is enough */
    bool exists;            /* false: there is no such bound for this map and epsilon */
} dps_bound;

/* recipe: not of type none or fourier. */
dps_bound_terms dps_bound_terms_of(const dps_map_recipe *recipe, double radius1, int32_t columns);
/* P[error > epsilon] with `features` random features, and how many make it at most delta.
 * 0 < epsilon, 0 < delta < 1. */
dps_bound dps_bound_at(const dps_bound_terms *terms, dps_bound_kind kind, double epsilon,
                       double delta, double features);
const char *dps_bound_name(dps_bound_kind kind);

/* log f(t), log f'(t) for t >= 0, also where f leaves double's range; INFINITY: t is not below the
 * radius of convergence. kept: NULL, or the degrees that count. */
double dps_kernel_log_value(const dps_kernel_params *kernel, const bool *kept, double t);
double dps_kernel_log_derivative(const dps_kernel_params *kernel, const bool *kept, double t);

#endif
