/* maclaurin: f(t) = sum_n a_n t^n, a_0, a_1, ... of the user. */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    return n < p->coefficient_count ? p->coefficient[n] * dps_power(t, n) : 0.0;
}

static double value(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->coefficient_count - 1; n >= 0; n--) {
        sum = sum * t + p->coefficient[n];
    }
    return sum;
}

static double derivative(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->coefficient_count - 1; n >= 1; n--) {
        sum = sum * t + n * p->coefficient[n];
    }
    return sum;
}

static int32_t last_degree(const dps_kernel_params *p)
{
    return p->coefficient_count - 1;
}

const dps_kernel dps_kernel_maclaurin = {.name = "maclaurin",
                                         .formula = "sum_n a_n t^n",
                                         .listed = true,
                                         .term = term,
                                         .value = value,
                                         .derivative = derivative,
                                         .last_degree = last_degree,
                                         .radius = INFINITY};
