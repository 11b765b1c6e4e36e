/* Losses. Every one but the logistic is made of hinges max(0, s):
 *     hinge                        s = 1 - y u         gain y a             on 0 <= y a <= 1
 *     squared hinge                its square          gain y a, bend 1/4   on y a >= 0
 *     epsilon insensitive          s = |y - u| - eps   gain y a - eps |a|   on |a| <= 1
 *     squared epsilon insensitive  its square          gain y a - eps |a|, bend 1/4
 *     logistic                     log(1 + exp(-y u))  gain -t log t - (1 - t) log(1 - t), t = y a
 * Vapnik, The Nature of Statistical Learning Theory (1995); Ho & Lin, Large-scale Linear Support
 * Vector Regression (2012), section 2; Yu, Huang & Lin, Dual Coordinate Descent Methods for
 * Logistic Regression and Maximum Entropy Models (2011), eq. 3.
 *
 * The hinge is smoothed as in Chapelle, Training a Support Vector Machine in the Primal (2007),
 * section 2.3:
 *
 *     0 below -h,   (s + h)^2 / (4 h) for |s| <= h,   s above h
 *     slope clip((s + h) / (2 h), 0, 1)
 *
 * It exceeds the hinge by at most h / 4, and its slope is a feasible multiplier of the hinge, which
 * therefore certifies itself at every h. The epsilon-insensitive loss is two hinges,
 *
 *     s = y - u - eps   and   s = u - y - eps,
 *
 * smoothed each for itself: where eps < h both bend at once. */
#include "loss.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "status.h"

/* ---------------------------------------------------------------- a hinge of s */

static double hinge(double s)
{
    return s > 0.0 ? s : 0.0;
}

static double soft_hinge(double s, double h)
{
    if (s <= -h) {
        return 0.0;
    }
    return s >= h ? s : (s + h) * (s + h) / (4.0 * h);
}

static double soft_hinge_slope(double s, double h)
{
    if (s <= -h) {
        return 0.0;
    }
    return s >= h ? 1.0 : (s + h) / (2.0 * h);
}

static double hinge_stiffness(double h)
{
    return 1.0 / (2.0 * h);
}

static double square_stiffness(DPS_UNUSED double h)
{
    return 2.0;
}

/* Least of max(0, s - a q) size + a^2 q / 2, and of its square's, in a. */
static double hinge_step(double s, double q, double size)
{
    return s <= 0.0 ? 0.0 : (s < size * q ? s / q : size);
}

static double square_step(double s, double q, double size)
{
    return s <= 0.0 ? 0.0 : 2.0 * size * s / (1.0 + 2.0 * size * q);
}

/* ---------------------------------------------------------------- classes */

static double margin_hinge_value(double u, double y, DPS_UNUSED double epsilon)
{
    return hinge(1.0 - y * u);
}

static double margin_hinge_gain(double a, double y, DPS_UNUSED double epsilon)
{
    return y * a >= 0.0 && y * a <= 1.0 ? y * a : -INFINITY;
}

static double margin_hinge_smoothed(double u, double y, DPS_UNUSED double epsilon, double h)
{
    return soft_hinge(1.0 - y * u, h);
}

static double margin_hinge_slope(double u, double y, DPS_UNUSED double epsilon, double h)
{
    return y * soft_hinge_slope(1.0 - y * u, h);
}

static double margin_hinge_bend(double u, double y, DPS_UNUSED double epsilon, double h)
{
    return fabs(1.0 - y * u) < h;
}

static double margin_hinge_step(double u, double y, DPS_UNUSED double epsilon, double q,
                                double size)
{
    return y * hinge_step(1.0 - y * u, q, size);
}

static double margin_square_value(double u, double y, double epsilon)
{
    const double s = margin_hinge_value(u, y, epsilon);
    return s * s;
}

static double margin_square_gain(double a, double y, DPS_UNUSED double epsilon)
{
    return y * a >= 0.0 ? y * a : -INFINITY;
}

static double margin_square_smoothed(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return margin_square_value(u, y, epsilon);
}

static double margin_square_slope(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return y * (2.0 * margin_hinge_value(u, y, epsilon));
}

static double margin_square_bend(double u, double y, DPS_UNUSED double epsilon, DPS_UNUSED double h)
{
    return y * u < 1.0;
}

static double margin_square_step(double u, double y, DPS_UNUSED double epsilon, double q,
                                 double size)
{
    return y * square_step(1.0 - y * u, q, size);
}

/* ---------------------------------------------------------------- logistic
 * With e = exp(-|m|) <= 1 nothing overflows, and log1p keeps what is small. */

/* 1 / (1 + exp(m)) */
static double falling(double m)
{
    const double e = exp(-fabs(m));
    return m > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}

static double logistic_value(double u, double y, DPS_UNUSED double epsilon)
{
    const double m = y * u;
    return log1p(exp(-fabs(m))) + (m < 0.0 ? -m : 0.0);
}

static double logistic_gain(double a, double y, DPS_UNUSED double epsilon)
{
    const double t = y * a;
    if (!(t >= 0.0 && t <= 1.0)) {
        return -INFINITY;
    }
    return (t > 0.0 ? -t * log(t) : 0.0) + (t < 1.0 ? -(1.0 - t) * log1p(-t) : 0.0);
}

static double logistic_smoothed(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return logistic_value(u, y, epsilon);
}

static double logistic_slope(double u, double y, DPS_UNUSED double epsilon, DPS_UNUSED double h)
{
    return y * falling(y * u);
}

static double logistic_bend(double u, DPS_UNUSED double y, DPS_UNUSED double epsilon,
                            DPS_UNUSED double h)
{
    const double e = exp(-fabs(u));
    return e / ((1.0 + e) * (1.0 + e));
}

static double logistic_stiffness(DPS_UNUSED double h)
{
    return 1.0;
}

/* a = size / (1 + exp(m + a q)), which has one solution in [0, size / (1 + exp(m))]: Newton's
 * iteration, by halves where it leaves the bracket or does not halve its steps (it may go to and
 * fro). */
static double logistic_step(double u, double y, DPS_UNUSED double epsilon, double q, double size)
{
    enum { MOST = 60 };
    const double m = y * u;
    double low = 0.0, high = size * falling(m), a = high, moved = INFINITY;
    for (int i = 0; i < MOST && high - low > 1e-12 * high; i++) {
        const double p = falling(m + a * q), f = a - size * p;
        if (f > 0.0) {
            high = a;
        } else {
            low = a;
        }
        const double next = a - f / (1.0 + size * q * p * (1.0 - p));
        if (fabs(next - a) <= 1e-12 * a) {
            break;
        }
        const bool good = next > low && next < high && fabs(next - a) <= 0.5 * moved;
        const double to = good ? next : 0.5 * (low + high);
        moved = fabs(to - a);
        a = to;
    }
    return y * a;
}

/* ---------------------------------------------------------------- regression */

static double tube_value(double u, double y, double epsilon)
{
    return hinge(fabs(y - u) - epsilon);
}

static double tube_gain(double a, double y, double epsilon)
{
    return fabs(a) <= 1.0 ? y * a - epsilon * fabs(a) : -INFINITY;
}

static double tube_smoothed(double u, double y, double epsilon, double h)
{
    return soft_hinge(y - u - epsilon, h) + soft_hinge(u - y - epsilon, h);
}

static double tube_slope(double u, double y, double epsilon, double h)
{
    return soft_hinge_slope(y - u - epsilon, h) - soft_hinge_slope(u - y - epsilon, h);
}

static double tube_bend(double u, double y, double epsilon, double h)
{
    return (fabs(y - u - epsilon) < h) + (fabs(u - y - epsilon) < h);
}

static double tube_step(double u, double y, double epsilon, double q, double size)
{
    return copysign(hinge_step(fabs(y - u) - epsilon, q, size), y - u);
}

static double tube_square_value(double u, double y, double epsilon)
{
    const double s = tube_value(u, y, epsilon);
    return s * s;
}

static double tube_square_gain(double a, double y, double epsilon)
{
    return y * a - epsilon * fabs(a);
}

static double tube_square_smoothed(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return tube_square_value(u, y, epsilon);
}

static double tube_square_slope(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return copysign(2.0 * tube_value(u, y, epsilon), y - u);
}

static double tube_square_bend(double u, double y, double epsilon, DPS_UNUSED double h)
{
    return fabs(y - u) > epsilon;
}

static double tube_square_step(double u, double y, double epsilon, double q, double size)
{
    return copysign(square_step(fabs(y - u) - epsilon, q, size), y - u);
}

/* ---------------------------------------------------------------- many rows */

#define ROWS_OF(loss)                                                                              \
    static void loss##_rows(int32_t n, const double *restrict u, const double *restrict y,         \
                            double epsilon, double h, double *restrict smoothed,                   \
                            double *restrict slope, double *restrict bend)                         \
    {                                                                                              \
        for (int32_t i = 0; i < n; i++) {                                                          \
            smoothed[i] = loss##_smoothed(u[i], y[i], epsilon, h);                                 \
            slope[i] = loss##_slope(u[i], y[i], epsilon, h);                                       \
            bend[i] = loss##_bend(u[i], y[i], epsilon, h);                                         \
        }                                                                                          \
    }
ROWS_OF(margin_hinge)
ROWS_OF(margin_square)
ROWS_OF(logistic)
ROWS_OF(tube)
ROWS_OF(tube_square)

/* ---------------------------------------------------------------- the table */

const dps_loss dps_loss_hinge = {
    .name = "hinge",
    .value = margin_hinge_value,
    .gain = margin_hinge_gain,
    .dual_bend = 0.0,
    .dual_top = 1.0,
    .piecewise = true,
    .smoothed = margin_hinge_smoothed,
    .slope = margin_hinge_slope,
    .bend = margin_hinge_bend,
    .stiffness = hinge_stiffness,
    .rows = margin_hinge_rows,
    .step = margin_hinge_step,
};

const dps_loss dps_loss_squared_hinge = {
    .name = "squared_hinge",
    .value = margin_square_value,
    .gain = margin_square_gain,
    .dual_bend = 0.25,
    .dual_top = INFINITY,
    .smooth = true,
    .piecewise = true,
    .smoothed = margin_square_smoothed,
    .slope = margin_square_slope,
    .bend = margin_square_bend,
    .stiffness = square_stiffness,
    .rows = margin_square_rows,
    .step = margin_square_step,
};

const dps_loss dps_loss_logistic = {
    .name = "logistic",
    .value = logistic_value,
    .gain = logistic_gain,
    .dual_bend = 0.0,
    .dual_top = 1.0,
    .smooth = true,
    .smoothed = logistic_smoothed,
    .slope = logistic_slope,
    .bend = logistic_bend,
    .stiffness = logistic_stiffness,
    .rows = logistic_rows,
    .step = logistic_step,
};

const dps_loss dps_loss_epsilon_insensitive = {
    .name = "epsilon_insensitive",
    .regression = true,
    .value = tube_value,
    .gain = tube_gain,
    .dual_bend = 0.0,
    .dual_top = 1.0,
    .piecewise = true,
    .smoothed = tube_smoothed,
    .slope = tube_slope,
    .bend = tube_bend,
    .stiffness = hinge_stiffness,
    .rows = tube_rows,
    .step = tube_step,
};

const dps_loss dps_loss_squared_epsilon_insensitive = {
    .name = "squared_epsilon_insensitive",
    .regression = true,
    .value = tube_square_value,
    .gain = tube_square_gain,
    .dual_bend = 0.25,
    .dual_top = INFINITY,
    .smooth = true,
    .piecewise = true,
    .smoothed = tube_square_smoothed,
    .slope = tube_square_slope,
    .bend = tube_square_bend,
    .stiffness = square_stiffness,
    .rows = tube_square_rows,
    .step = tube_square_step,
};

static const dps_loss *const losses[] = {&dps_loss_squared_hinge, &dps_loss_hinge,
                                         &dps_loss_logistic, &dps_loss_squared_epsilon_insensitive,
                                         &dps_loss_epsilon_insensitive};
const char *const dps_loss_names[] = {
    "squared_hinge",       "hinge", "logistic", "squared_epsilon_insensitive",
    "epsilon_insensitive", NULL};

const dps_loss *dps_loss_find(const char *name)
{
    unsigned k;
    return dps_name_find(dps_loss_names, name, strlen(name), &k) ? losses[k] : NULL;
}

const dps_loss *dps_loss_smooth(const dps_loss *loss)
{
    return loss->smooth ? loss : dps_loss_default(loss->regression);
}

const dps_loss *dps_loss_default(bool regression)
{
    return regression ? &dps_loss_squared_epsilon_insensitive : &dps_loss_squared_hinge;
}
