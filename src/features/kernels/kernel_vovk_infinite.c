/* vovk_infinite: f(t) = 1 / (1 - t), a_n = 1. */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    (void)p;
    return dps_power(t, n);
}

static double value(const dps_kernel_params *p, double t)
{
    (void)p;
    return fabs(t) < 1.0 ? 1.0 / (1.0 - t) : INFINITY;
}

static double derivative(const dps_kernel_params *p, double t)
{
    (void)p;
    return fabs(t) < 1.0 ? 1.0 / ((1.0 - t) * (1.0 - t)) : INFINITY;
}

const dps_kernel dps_kernel_vovk_infinite = {.name = "vovk_infinite",
                                             .formula = "1 / (1 - t)",
                                             .term = term,
                                             .value = value,
                                             .derivative = derivative,
                                             .radius = 1.0};
