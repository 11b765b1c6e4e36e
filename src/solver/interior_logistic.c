/* Task: the logistic loss in coordinates of the rows: Newton's method on P, w = sum_i alpha_i z_i,
 * u = K alpha (Lin, Weng & Keerthi 2008, with the matrix turned round):
 *
 *     M_i = 1 / (C c_i p_i (1 - p_i)),   p_i = slope(u_i),
 *     (K + M) d alpha = -M (alpha - C c p),   alpha += l d alpha
 *
 * l is halved until the derivative along the step is at most half of what it was (P is convex).
 * What is measured is alpha clipped to its feasible range: it, and not C c slope(u), whose rounding
 * grows with C. */
#include <math.h>

#include "cholesky.h"
#include "interior_private.h"

/* alpha clipped, and its gap. */
static void measure(dps_interior *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const double t = p->y[i] * p->alpha[i];
        p->beta[i] = p->y[i] * fmin(fmax(t, 0.0), p->top[i]);
    }
    dps_interior_multiply(p, p->beta, p->g);
    dps_interior_measure(p, p->beta, p->g);
}

/* Of P at alpha + length x. */
static double derivative(const dps_interior *p, double length)
{
    double sum = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        const double u = p->u[i] + length * p->pull[i];
        const double own = p->weight[i] * p->problem->loss->slope(u, p->y[i], 0.0, 1.0);
        sum += (p->alpha[i] + length * p->x[i] - own) * p->pull[i];
    }
    return sum;
}

void dps_interior_logistic_start(dps_interior *p)
{
    measure(p); /* alpha = 0 */
}

bool dps_interior_logistic_step(dps_interior *p)
{
    const dps_loss *loss = p->problem->loss;
    for (size_t i = 0; i < p->n; i++) {
        const double bend = fmax(loss->bend(p->u[i], p->y[i], 0.0, 1.0), 1e-100);
        const double own = p->weight[i] * loss->slope(p->u[i], p->y[i], 0.0, 1.0);
        p->m[i] = 1.0 / (p->weight[i] * bend);
        p->x[i] = p->m[i] * (own - p->alpha[i]);
    }
    if (!dps_interior_factor(p)) {
        return false;
    }
    dps_cholesky_solve(p->n, p->factor, p->n, p->x);
    dps_interior_multiply(p, p->x, p->pull);
    const double before = derivative(p, 0.0);
    double length = 1.0;
    for (int i = 0; i < 40 && derivative(p, length) > 0.5 * fabs(before); i++) {
        length *= 0.5;
    }
    for (size_t i = 0; i < p->n; i++) {
        p->alpha[i] += length * p->x[i];
    }
    dps_interior_multiply(p, p->alpha, p->u);
    measure(p);
    return true;
}
