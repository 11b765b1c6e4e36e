/* linear: f(t) = t, a_1 = 1. */
#include <math.h>
#include "kernel.h"

static double term(DPS_UNUSED const dps_kernel_params *p, int32_t n, double t)
{
    return n == 1 ? t : 0.0;
}

static double value(DPS_UNUSED const dps_kernel_params *p, double t)
{
    return t;
}

static double derivative(DPS_UNUSED const dps_kernel_params *p, DPS_UNUSED double t)
{
    return 1.0;
}

static int32_t last_degree(DPS_UNUSED const dps_kernel_params *p)
{
    return 1;
}

const dps_kernel dps_kernel_linear = {.name = "linear",
                                      .formula = "t",
                                      .term = term,
                                      .value = value,
                                      .derivative = derivative,
                                      .last_degree = last_degree,
                                      .radius = INFINITY};
