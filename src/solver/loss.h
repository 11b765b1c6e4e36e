/* Losses of a score u = <w, z> and a target y, as a table. For classes y is +1 or -1 and the loss a
 * function of the margin y u; for regression it is a function of the residual y - u, blind to
 * residuals of at most epsilon. */
#ifndef DPS_LOSS_H
#define DPS_LOSS_H

#include <stdbool.h>
#include <stdint.h>
#include "names.h"

typedef struct dps_loss {
    const char *name;
    bool regression;
    double (*value)(double u, double y, double epsilon);
    /* The dual: -conjugate(-a), what a row with signed multiplier a (w = sum c_i C a_i z_i) adds to
     * it over c_i C, is gain(a) - dual_bend a^2; -INFINITY outside the domain. gain is concave with
     * gain(0) = 0. Domain: |a| <= dual_top, for classes only a of the sign of y. */
    double (*gain)(double a, double y, double epsilon);
    double dual_bend;
    double dual_top;

    /* The loss smoothed by h > 0 (docs/algorithms.md, Solvers); a loss that is smooth already takes
     * no notice of h. slope is -d/du of it, and a feasible multiplier of the loss itself; its
     * second derivative is stiffness(h) bend(u). */
    bool smooth;
    bool piecewise; /* made of quadratic pieces once smoothed: bend is 0, 1 or 2, dcd's step is
                       closed */
    double (*smoothed)(double u, double y, double epsilon, double h);
    double (*slope)(double u, double y, double epsilon, double h);
    double (*bend)(double u, double y, double epsilon, double h);
    double (*stiffness)(double h);
    /* These three of rows 0 .. n-1, bit for bit; without a call a row. */
    void (*rows)(int32_t n, const double *u, const double *y, double epsilon, double h,
                 double *smoothed, double *slope, double *bend);

    /* The proximal step of one row with q = |z|^2: the a that minimises loss(u + a q) size + a^2 q
     * / 2. */
    double (*step)(double u, double y, double epsilon, double q, double size);
} dps_loss;

static inline double dps_loss_dual(const dps_loss *loss, double a, double y, double epsilon)
{
    return loss->gain(a, y, epsilon) - loss->dual_bend * a * a;
}

extern const dps_loss dps_loss_hinge, dps_loss_squared_hinge, dps_loss_logistic;
extern const dps_loss dps_loss_epsilon_insensitive, dps_loss_squared_epsilon_insensitive;
const dps_loss *dps_loss_find(const char *name);
/* All names, NULL-terminated; the first of each task is its default. */
extern const char *const dps_loss_names[];
const dps_loss *dps_loss_default(bool regression);
/* The loss itself if it is smooth, else the squared one of its task. */
const dps_loss *dps_loss_smooth(const dps_loss *loss);

#endif
