/* homogeneous: f(t) = t^q, a_q = 1. */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    return n == p->degree ? dps_power(t, n) : 0.0;
}

static double value(const dps_kernel_params *p, double t)
{
    return dps_power(t, p->degree);
}

static double derivative(const dps_kernel_params *p, double t)
{
    return p->degree * dps_power(t, p->degree - 1);
}

static int32_t last_degree(const dps_kernel_params *p)
{
    return p->degree;
}

const dps_kernel dps_kernel_homogeneous = {.name = "homogeneous",
                                           .formula = "t^q",
                                           .uses = DPS_USES(degree),
                                           .term = term,
                                           .value = value,
                                           .derivative = derivative,
                                           .last_degree = last_degree,
                                           .radius = INFINITY};
