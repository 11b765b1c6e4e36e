/* exponential: f(t) = exp(t / s^2), a_n = 1 / (n! s^(2n)). */
#include <math.h>
#include "kernel.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    const double step = t / (p->sigma * p->sigma);
    double product = 1.0;
    for (int32_t k = 1; k <= n; k++) {
        product *= step / k;
    }
    return product;
}

static double value(const dps_kernel_params *p, double t)
{
    return exp(t / (p->sigma * p->sigma));
}

static double derivative(const dps_kernel_params *p, double t)
{
    return value(p, t) / (p->sigma * p->sigma);
}

const dps_kernel dps_kernel_exponential = {.name = "exponential",
                                           .formula = "exp(t / s^2)",
                                           .uses = DPS_USES(sigma),
                                           .term = term,
                                           .value = value,
                                           .derivative = derivative,
                                           .radius = INFINITY};
