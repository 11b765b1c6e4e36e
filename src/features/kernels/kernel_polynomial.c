/* polynomial: f(t) = (t + r)^q, a_n = C(q, n) r^(q-n). */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    if (n > p->degree) {
        return 0.0;
    }
    double product = dps_power(p->offset, p->degree - n);
    for (int32_t k = 1; k <= n; k++) {
        product *= t * ((double)(p->degree - n + k) / k);
    }
    return product;
}

static double value(const dps_kernel_params *p, double t)
{
    return dps_power(t + p->offset, p->degree);
}

static double derivative(const dps_kernel_params *p, double t)
{
    return p->degree * dps_power(t + p->offset, p->degree - 1);
}

static int32_t last_degree(const dps_kernel_params *p)
{
    return p->degree;
}

const dps_kernel dps_kernel_polynomial = {.name = "polynomial",
                                          .formula = "(t + r)^q",
                                          .uses = DPS_USES(degree) | DPS_USES(offset),
                                          .term = term,
                                          .value = value,
                                          .derivative = derivative,
                                          .last_degree = last_degree,
                                          .radius = INFINITY};
