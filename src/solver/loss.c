/* Losses as a function of the margin m = y <w, z>, s = 1 - m:
 *     hinge          max(0, s)        conjugate term a         on 0 <= a <= 1
 *     squared hinge  max(0, s)^2      conjugate term a - a^2/4 on a >= 0
 * The hinge is smoothed as in Chapelle, Training a Support Vector Machine in the Primal (2007),
 * section 2.3: 0 below -h, (s + h)^2 / (4 h) for |s| <= h, s above h. It exceeds the hinge by at
 * most h / 4, and its slope clip((s + h) / (2 h), 0, 1) is a feasible multiplier of the hinge,
 * which therefore certifies itself at every h. */
#include "loss.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double hinge_value(double margin)
{
    return margin < 1.0 ? 1.0 - margin : 0.0;
}

static double hinge_dual(double a)
{
    return a >= 0.0 && a <= 1.0 ? a : -INFINITY;
}

static double hinge_smoothed(double margin, double h)
{
    const double s = 1.0 - margin;
    if (s <= -h) {
        return 0.0;
    }
    return s >= h ? s : (s + h) * (s + h) / (4.0 * h);
}

static double hinge_slope(double margin, double h)
{
    const double s = 1.0 - margin;
    if (s <= -h) {
        return 0.0;
    }
    return s >= h ? 1.0 : (s + h) / (2.0 * h);
}

static bool hinge_bends(double margin, double h)
{
    return fabs(1.0 - margin) < h;
}

static double hinge_stiffness(double h)
{
    return 1.0 / (2.0 * h);
}

static double squared_value(double margin)
{
    const double s = hinge_value(margin);
    return s * s;
}

static double squared_dual(double a)
{
    return a >= 0.0 ? a - a * a / 4.0 : -INFINITY;
}

static double squared_smoothed(double margin, double h)
{
    (void)h;
    return squared_value(margin);
}

static double squared_slope(double margin, double h)
{
    (void)h;
    return 2.0 * hinge_value(margin);
}

static bool squared_bends(double margin, double h)
{
    (void)h;
    return margin < 1.0;
}

static double squared_stiffness(double h)
{
    (void)h;
    return 2.0;
}

const dps_loss dps_loss_hinge = {
    .name = "hinge",
    .value = hinge_value,
    .dual = hinge_dual,
    .dual_bend = 0.0,
    .dual_top = 1.0,
    .smooth = false,
    .smoothed = hinge_smoothed,
    .slope = hinge_slope,
    .bends = hinge_bends,
    .stiffness = hinge_stiffness,
};

const dps_loss dps_loss_squared_hinge = {
    .name = "squared_hinge",
    .value = squared_value,
    .dual = squared_dual,
    .dual_bend = 0.25,
    .dual_top = INFINITY,
    .smooth = true,
    .smoothed = squared_smoothed,
    .slope = squared_slope,
    .bends = squared_bends,
    .stiffness = squared_stiffness,
};

static const dps_loss *const losses[] = {&dps_loss_squared_hinge, &dps_loss_hinge};
static const char *const names[] = {"squared_hinge", "hinge", NULL};

const dps_loss *dps_loss_find(const char *name)
{
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        if (strcmp(losses[i]->name, name) == 0) {
            return losses[i];
        }
    }
    return NULL;
}

const char *const *dps_loss_names(void)
{
    return names;
}
