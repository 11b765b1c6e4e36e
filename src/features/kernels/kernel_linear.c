/* linear: f(t) = t, a_1 = 1. */
#include <math.h>
#include "kernel.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    (void)p;
    return n == 1 ? t : 0.0;
}

static double value(const dps_kernel_params *p, double t)
{
    (void)p;
    return t;
}

static double derivative(const dps_kernel_params *p, double t)
{
    (void)p;
    (void)t;
    return 1.0;
}

static int32_t last_degree(const dps_kernel_params *p)
{
    (void)p;
    return 1;
}

const dps_kernel dps_kernel_linear = {.name = "linear",
                                      .formula = "t",
                                      .term = term,
                                      .value = value,
                                      .derivative = derivative,
                                      .last_degree = last_degree,
                                      .radius = INFINITY};
