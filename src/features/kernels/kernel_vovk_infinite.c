/* vovk_infinite: f(t) = 1 / (1 - t), a_n = 1. */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(DPS_UNUSED const dps_kernel_params *p, int32_t n, double t)
{
    return dps_power(t, n);
}

static double value(DPS_UNUSED const dps_kernel_params *p, double t)
{
    return fabs(t) < 1.0 ? 1.0 / (1.0 - t) : INFINITY;
}

static double derivative(DPS_UNUSED const dps_kernel_params *p, double t)
{
    return fabs(t) < 1.0 ? 1.0 / ((1.0 - t) * (1.0 - t)) : INFINITY;
}

const dps_kernel dps_kernel_vovk_infinite = {.name = "vovk_infinite",
                                             .formula = "1 / (1 - t)",
                                             .term = term,
                                             .value = value,
                                             .derivative = derivative,
                                             .radius = 1.0};
