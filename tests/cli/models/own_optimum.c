/* Task: what the least of P(w) = 1/2 |w|^2 + sum_i s_i loss(u_i, y_i) can be, u = Z w, s_i = C c_i.
 * With w = Z' alpha: u = G alpha, and
 *     D(alpha) = sum_i s_i gain(alpha_i / s_i) - 1/2 alpha' G alpha <= min P <= P(Z' alpha).
 * One coordinate after the other is set to its best value (Hsieh et al. 2008; Yu, Huang & Lin 2011
 * for the logistic loss), each pass in another order. Cost: rows^2 a pass. */
#include "own_optimum.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

own_loss own_loss_named(const char *name)
{
    static const char *const names[] = {"hinge", "squared_hinge", "logistic", "epsilon_insensitive",
                                        "squared_epsilon_insensitive"};
    int k = 0;
    while (k < OWN_LOSSES && strcmp(names[k], name) != 0) {
        k++;
    }
    return (own_loss)k;
}

static double above_zero(double x)
{
    return x > 0 ? x : 0;
}

static double loss_value(const own_problem *p, double u, double y)
{
    const double s =
        p->loss <= OWN_SQUARED_HINGE ? above_zero(1 - y * u) : above_zero(fabs(y - u) - p->epsilon);
    if (p->loss == OWN_LOGISTIC) {
        return log1p(exp(-fabs(y * u))) + above_zero(-y * u);
    }
    return p->loss == OWN_HINGE || p->loss == OWN_EPSILON ? s : s * s;
}

double own_losses(const own_problem *p, const double *u)
{
    double sum = 0;
    for (int i = 0; i < p->rows; i++) {
        sum += p->size[i] > 0 ? p->size[i] * loss_value(p, u[i], p->y[i]) : 0;
    }
    return sum;
}

/* x log x, 0 at 0. */
static double x_log_x(double x)
{
    return x > 0 ? x * log(x) : 0;
}

/* s gain(alpha / s); alpha is feasible. */
static double gain(const own_problem *p, int i, double alpha)
{
    const double size = p->size[i], y = p->y[i], t = fabs(alpha) / size;
    switch (p->loss) {
    case OWN_HINGE:
        return y * alpha;
    case OWN_SQUARED_HINGE:
        return y * alpha - alpha * alpha / (4 * size);
    case OWN_LOGISTIC:
        return -size * (x_log_x(t) + x_log_x(1 - t));
    case OWN_EPSILON:
        return y * alpha - p->epsilon * fabs(alpha);
    default:
        return y * alpha - p->epsilon * fabs(alpha) - alpha * alpha / (4 * size);
    }
}

/* t in (0, 1) with log((1 - t) / t) = t q + r, by s = log(t / (1 - t)): Newton, kept in a bracket.
 */
static double logistic_share(double q, double r)
{
    double low = -fabs(r) - q - 1, high = fabs(r) + 1, s = 0;
    for (int k = 0; k < 100; k++) {
        const double t = 1 / (1 + exp(-s)), value = s + t * q + r;
        if (value > 0) {
            high = s;
        } else {
            low = s;
        }
        const double step = value / (1 + t * (1 - t) * q);
        s = s - step > low && s - step < high ? s - step : (low + high) / 2;
        if (fabs(step) <= 1e-15 * (1 + fabs(s))) {
            break;
        }
    }
    return 1 / (1 + exp(-s));
}

/* The best alpha_i where the other rows give the score `rest`, q = G_ii. */
static double best_alpha(const own_problem *p, int i, double q, double rest)
{
    const double size = p->size[i], y = p->y[i];
    const double far = fabs(y - rest) - p->epsilon, sign = y > rest ? 1 : -1;
    switch (p->loss) {
    case OWN_HINGE:
        return y * (q > 0 ? fmin(above_zero(1 - y * rest) / q, size) : size);
    case OWN_SQUARED_HINGE:
        return y * above_zero(1 - y * rest) / (q + 1 / (2 * size));
    case OWN_LOGISTIC:
        return y * size * logistic_share(size * q, y * rest);
    case OWN_EPSILON:
        return far <= 0 ? 0 : sign * (q > 0 ? fmin(far / q, size) : size);
    default:
        return far <= 0 ? 0 : sign * far / (q + 1 / (2 * size));
    }
}

static void note(const own_problem *p, const double *alpha, const double *u, own_bounds *bounds)
{
    double norm2 = 0, sum = 0;
    for (int i = 0; i < p->rows; i++) {
        norm2 += alpha[i] * u[i];
        sum += p->size[i] > 0 ? gain(p, i, alpha[i]) : 0;
    }
    bounds->least = fmin(bounds->least, norm2 / 2 + own_losses(p, u));
    bounds->most = fmax(bounds->most, sum - norm2 / 2);
}

/* u = G alpha, afresh, so that rounding does not gather. */
static void set_scores(const own_problem *p, const double *alpha, double *u)
{
    for (int i = 0; i < p->rows; i++) {
        u[i] = 0;
        for (int j = 0; j < p->rows; j++) {
            u[i] += p->gram[(size_t)i * (size_t)p->rows + (size_t)j] * alpha[j];
        }
    }
}

own_bounds own_optimum(const own_problem *p, double target, int passes)
{
    const size_t rows = (size_t)p->rows;
    own_bounds bounds = {INFINITY, -INFINITY};
    double *alpha = calloc(2 * rows, sizeof *alpha), *u = alpha + rows;
    uint64_t state = 1;
    if (alpha == NULL) {
        abort();
    }
    note(p, alpha, u, &bounds);
    for (int pass = 0; pass < passes && bounds.least - bounds.most > target; pass++) {
        for (int k = 0; k < p->rows; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int i = (int)((state >> 33) % (uint64_t)p->rows);
            const double *row = p->gram + (size_t)i * rows, before = alpha[i];
            if (p->size[i] == 0) {
                continue;
            }
            alpha[i] = best_alpha(p, i, row[i], u[i] - before * row[i]);
            const double step = alpha[i] - before;
            for (int j = 0; j < p->rows && step != 0; j++) {
                u[j] += step * row[j];
            }
        }
        if (pass % 10 == 9 || pass + 1 == passes) {
            set_scores(p, alpha, u);
            note(p, alpha, u, &bounds);
        }
    }
    free(alpha);
    return bounds;
}

/* ---- from scores ----------------------------------------------------------------------------- */

static double soft_slope(double s, double h)
{
    return s <= -h ? 0 : s >= h ? 1 : (s + h) / (2 * h);
}

/* Minus the derivative of the loss smoothed by h. */
static double slope(const own_problem *p, double u, double y, double h)
{
    const double over = y - u - p->epsilon, under = u - y - p->epsilon;
    switch (p->loss) {
    case OWN_HINGE:
        return y * soft_slope(1 - y * u, h);
    case OWN_SQUARED_HINGE:
        return 2 * y * above_zero(1 - y * u);
    case OWN_LOGISTIC:
        return y / (1 + exp(y * u));
    case OWN_EPSILON:
        return soft_slope(over, h) - soft_slope(under, h);
    default:
        return 2 * above_zero(over) - 2 * above_zero(under);
    }
}

static double dual_at(const own_problem *p, const double *u, double h, double *alpha)
{
    const int squared = p->loss == OWN_SQUARED_HINGE || p->loss == OWN_SQUARED_EPSILON;
    double linear = 0, square = 0;
    for (int i = 0; i < p->rows; i++) {
        const double size = p->size[i];
        alpha[i] = size > 0 ? size * slope(p, u[i], p->y[i], h) : 0;
        const double bend = squared && size > 0 ? alpha[i] * alpha[i] / (4 * size) : 0;
        linear += (size > 0 ? gain(p, i, alpha[i]) : 0) + bend;
        square += bend;
    }
    for (int i = 0; i < p->rows; i++) {
        const double *row = p->gram + (size_t)i * (size_t)p->rows;
        for (int j = 0; j < p->rows; j++) {
            square += 0.5 * alpha[i] * alpha[j] * row[j];
        }
    }
    double t = linear > 0 && square > 0 ? linear / (2 * square) : 0;
    t = t > 1 && !squared ? 1 : t;
    return t * linear - t * t * square;
}

double own_dual_of_scores(const own_problem *p, const double *u)
{
    const int smooth = p->loss != OWN_HINGE && p->loss != OWN_EPSILON;
    double *alpha = calloc((size_t)p->rows, sizeof *alpha), best = 0, unit = 0;
    if (alpha == NULL) {
        abort();
    }
    for (int i = 0; i < p->rows; i++) {
        unit += fabs(p->y[i]) / p->rows;
    }
    for (double h = unit > 0 ? unit : 1; h > 1e-16 * unit; h /= 4) {
        best = fmax(best, dual_at(p, u, h, alpha));
        if (smooth) {
            break;
        }
    }
    free(alpha);
    return best;
}
