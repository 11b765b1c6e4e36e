/* Task: the dual of P(w) in coordinates of the rows by a primal-dual interior point method, in
 * double, for as many rows as an n x n matrix is cheap for.
 *
 *     min 1/2 alpha^T (K + E) alpha + sum_j q_j beta_j,   0 <= beta_j <= U_i,   K_ij = <z_i, z_j>
 *     alpha_i = sum_j s_j beta_j over the sides j of row i
 *     one side a row for classes      s = y,        q = -1
 *     two for regression              s = +1, -1,   q = eps - y, eps + y        (q_j = -gain(s_j))
 *     E_ii = 2 bend / (C c_i),   U_i = top C c_i, infinite for the squared losses
 *
 * With multipliers z, v >= 0 of the bounds (Mehrotra, On the Implementation of a
 * Primal-Dual Interior Point Method, 1992; Ferris & Munson, Interior-Point Methods for Massive
 * Support Vector Machines, 2002):
 *
 *     g = s (K + E) alpha + q,   g - z + v = 0,   beta z = mu,   (U - beta) v = mu
 *     D = z / beta + v / (U - beta),   r = -g + mu / beta - mu / (U - beta) (+ corrections)
 *     (K + E + M) d alpha = M sum_j s_j r_j / D_j,   M = 1 / sum_j 1 / D_j,
 *     d beta_j = (r_j - s_j (K + E) d alpha) / D_j
 *
 * The logistic loss has no bounds to stay away from: interior_logistic.c.
 *
 * The number of steps hardly depends on C (20 to 60), and the matrix is no worse for it: K is used
 * as it is, where H = I + C Z^T B Z of the primal loses its identity beyond C = 1e7 in float. The
 * gap watched is the sum of Fenchel-Young terms, which do not cancel. Cost: n^3 / 3 a step. Memory:
 * three n x n matrices: K of all rows, and of a model K and the factor. */
#include "interior.h"

#include <math.h>
#include <string.h>

#include "certificate.h"
#include "cholesky.h"
#include "interior_private.h"
#include "allocation.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define BOUNDARY   0.995 /* share of the way to the nearest bound */
#define AIM        0.1   /* of the tolerance: what certifies rounds differently */
#define MOST_STEPS 200
#define PATIENCE   12 /* steps without P - D that is a tenth smaller */

/* alpha, u = K alpha and g at beta. */
static void measure(dps_interior *p)
{
    const size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->alpha[i] = 0.0;
        for (size_t s = 0; s < p->sides; s++) {
            p->alpha[i] += p->sign[s * n + i] * p->beta[s * n + i];
        }
    }
    dps_interior_multiply(p, p->alpha, p->u);
    dps_interior_measure(p, p->alpha, p->u);
    for (size_t j = 0; j < p->sides * n; j++) {
        const size_t i = j % n;
        p->g[j] = p->sign[j] * (p->u[i] + p->curve[i] * p->alpha[i]) + p->linear[j];
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* D and M at beta. */
static void diagonals(dps_interior *p)
{
    for (size_t i = 0; i < p->n; i++) {
        double inverse = 0.0;
        for (size_t s = 0; s < p->sides; s++) {
            const size_t j = s * p->n + i;
            const double b = p->beta[j], left = p->top[i] - b;
            p->d[j] = p->low[j] / b + (isfinite(left) ? p->high[j] / left : 0.0);
            inverse += 1.0 / p->d[j];
        }
        p->m[i] = 1.0 / inverse;
    }
}

/* d beta from the right sides p->r. */
static void direction(dps_interior *p)
{
    const size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->x[i] = 0.0;
        for (size_t s = 0; s < p->sides; s++) {
            p->x[i] += p->m[i] * p->sign[s * n + i] * p->r[s * n + i] / p->d[s * n + i];
        }
        p->pull[i] = p->x[i];
    }
    dps_cholesky_solve(n, p->factor, n, p->x);
    for (size_t i = 0; i < n; i++) {
        p->pull[i] -= p->m[i] * p->x[i]; /* (K + E) d alpha */
        for (size_t s = 0; s < p->sides; s++) {
            const size_t j = s * n + i;
            p->step[j] = (p->r[j] - p->sign[j] * p->pull[i]) / p->d[j];
        }
        if (p->sides == 1) { /* the same, without a difference of two near numbers */
            p->step[i] = p->sign[i] * p->x[i];
        }
    }
}

/* Steps of the multipliers that go with d beta, aiming at products `mu` less the corrections. */
static void multiplier_steps(dps_interior *p, double mu, bool corrected)
{
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const double b = p->beta[j], left = p->top[j % p->n] - b;
        const double low = corrected ? p->correct_low[j] : 0.0;
        p->step_low[j] = (mu - low) / b - p->low[j] - p->low[j] / b * p->step[j];
        if (isfinite(left)) {
            const double high = corrected ? p->correct_high[j] : 0.0;
            p->step_high[j] = (mu - high) / left - p->high[j] + p->high[j] / left * p->step[j];
        }
    }
}

static void right_sides(dps_interior *p, double mu, bool corrected)
{
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const double b = p->beta[j], left = p->top[j % p->n] - b;
        p->r[j] = -p->g[j] + (mu - (corrected ? p->correct_low[j] : 0.0)) / b;
        if (isfinite(left)) {
            p->r[j] -= (mu - (corrected ? p->correct_high[j] : 0.0)) / left;
        }
    }
}

static double shorter(double length, double at, double step)
{
    return step < 0.0 ? fmin(length, -at / step) : length;
}

/* How far beta and the multipliers may go together. */
static double reach(const dps_interior *p)
{
    double length = 1.0 / BOUNDARY;
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const double left = p->top[j % p->n] - p->beta[j];
        length = shorter(length, p->beta[j], p->step[j]);
        length = isfinite(left) ? shorter(length, left, -p->step[j]) : length;
        length = shorter(length, p->low[j], p->step_low[j]);
        length = isfinite(left) ? shorter(length, p->high[j], p->step_high[j]) : length;
    }
    return length;
}

/* Mean product of a bound's distance and its multiplier after a step of this length. */
static double complementarity(const dps_interior *p, double length)
{
    double sum = 0.0, count = 0.0;
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const double left = p->top[j % p->n] - p->beta[j];
        sum += (p->beta[j] + length * p->step[j]) * (p->low[j] + length * p->step_low[j]);
        count += 1.0;
        if (isfinite(left)) {
            sum += (left - length * p->step[j]) * (p->high[j] + length * p->step_high[j]);
            count += 1.0;
        }
    }
    return sum / count;
}

/* Predictor and corrector; false: no factor, or no way to go. */
static bool take_step(dps_interior *p)
{
    diagonals(p);
    if (!dps_interior_factor(p)) {
        return false;
    }
    right_sides(p, 0.0, false);
    direction(p);
    multiplier_steps(p, 0.0, false);
    const double now = complementarity(p, 0.0);
    const double ahead = complementarity(p, fmin(1.0, reach(p)));
    const double share = ahead / now;
    for (size_t j = 0; j < p->sides * p->n; j++) {
        p->correct_low[j] = p->step[j] * p->step_low[j];
        p->correct_high[j] = -p->step[j] * p->step_high[j];
    }
    const double mu = share * share * share * now;
    right_sides(p, mu, true);
    direction(p);
    multiplier_steps(p, mu, true);
    const double length = BOUNDARY * reach(p);
    if (!(length > 0.0)) {
        return false;
    }
    for (size_t j = 0; j < p->sides * p->n; j++) {
        p->beta[j] += length * p->step[j];
        p->low[j] += length * p->step_low[j];
        p->high[j] += length * p->step_high[j];
    }
    measure(p);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Multipliers in the middle of their range, without upper bounds of the size of those of w = 0:
 * they fall a hundredfold a step, and rise slowly. z and v that fit g. */
static void start(dps_interior *p)
{
    double scale = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        scale += fabs(p->y[i]) / (double)p->n;
    }
    scale = scale > 0.0 ? scale : 1.0;
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const size_t i = j % p->n;
        p->beta[j] = isfinite(p->top[i]) ? 0.5 * p->top[i] : p->weight[i] * scale;
    }
    measure(p);
    double size = 0.0;
    for (size_t j = 0; j < p->sides * p->n; j++) {
        size = fmax(size, fabs(p->g[j]));
    }
    for (size_t j = 0; j < p->sides * p->n; j++) {
        const bool bounded = isfinite(p->top[j % p->n]);
        p->low[j] = fmax(p->g[j], 0.0) + 0.1 * size + 1e-300;
        p->high[j] = bounded ? fmax(-p->g[j], 0.0) + 0.1 * size + 1e-300 : 0.0;
    }
}

static dps_status iterate(dps_interior *p, double tolerance, const dps_run *run, int64_t *steps,
                          dps_error *err)
{
    double gained = INFINITY;
    int quiet = 0;
    if (p->problem->loss->piecewise) {
        start(p);
    } else {
        dps_interior_logistic_start(p);
    }
    for (int i = 0; i < MOST_STEPS && quiet < PATIENCE && p->best_gap > AIM * tolerance; i++) {
        if (dps_run_stopped(run)) {
            return dps_stopped(err);
        }
        const bool stepped =
            p->problem->loss->piecewise ? take_step(p) : dps_interior_logistic_step(p);
        if (!stepped || !isfinite(p->primal)) {
            break;
        }
        ++*steps;
        const double left = p->gap * p->primal; /* far from the optimum the gap stays at 1 */
        quiet = left < 0.9 * gained ? 0 : quiet + 1;
        gained = fmin(gained, left);
        dps_log_progress(run, &(dps_progress){.stage = "interior",
                                              .fraction = -1.0,
                                              .iteration = i + 1,
                                              .objective = p->primal,
                                              .gap = p->gap,
                                              .target = tolerance});
    }
    return DPS_OK;
}

dps_status dps_interior_solve(const dps_problem *problem, int32_t k, const double *gram,
                              double tolerance, const dps_run *run, double *alpha, size_t stride,
                              int64_t *steps, dps_error *err)
{
    dps_interior p = {.problem = problem, .run = run, .best_gap = INFINITY};
    dps_status status = dps_interior_init(&p, k, gram, err);
    if (status == DPS_OK && p.n > 0) {
        status = iterate(&p, tolerance, run, steps, err);
    }
    for (int64_t i = 0; status == DPS_OK && i < problem->source->rows; i++) {
        alpha[(size_t)i * stride] = 0.0; /* where the weight is 0 */
    }
    for (size_t i = 0; status == DPS_OK && i < p.n; i++) {
        alpha[(size_t)p.row[i] * stride] = isfinite(p.best_gap) ? p.best[i] : 0.0;
    }
    dps_interior_release(&p);
    return status;
}

const dps_solver dps_solver_interior = {.name = "interior", .pass = "step", .passes = "steps"};
