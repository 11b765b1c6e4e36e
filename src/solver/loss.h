/* Losses of the margin m = y <w, z>, as a table. Every loss here is piecewise quadratic once
 * smoothed, so that a Newton step needs only one stiffness and the set of rows that bend. */
#ifndef DPS_LOSS_H
#define DPS_LOSS_H

#include <stdbool.h>

typedef struct dps_loss {
    const char *name;
    double (*value)(double margin);
    /* -conjugate(-a): what a row with multiplier a = alpha / (c_i C) >= 0 adds to the dual, over
     * c_i C: hinge: a (0 <= a <= 1); squared hinge: a - a^2 / 4 (a >= 0). -INFINITY outside the
     * domain. */
    double (*dual)(double a);
    double dual_bend; /* q of dual(a) = a - q a^2 inside the domain */
    double dual_top;  /* largest a of the domain, INFINITY if there is none */

    /* The loss smoothed by h > 0 (docs/algorithms.md, Solvers); a loss that is smooth already takes
     * no notice of h. slope >= 0 is -d/dm of it, and a feasible multiplier of the loss itself. */
    bool smooth;
    double (*smoothed)(double margin, double h);
    double (*slope)(double margin, double h);
    bool (*bends)(double margin, double h); /* second derivative not 0 */
    double (*stiffness)(double h);          /* second derivative where it bends */
} dps_loss;

extern const dps_loss dps_loss_hinge, dps_loss_squared_hinge;
const dps_loss *dps_loss_find(const char *name);
const char *const *dps_loss_names(void);

#endif
