/* vovk_real: f(t) = (1 - t^q) / (1 - t), a_n = 1 for n < q.
 * Why the series, not its closed form: the quotient loses all digits near t = 1, Horner's rule
 * none. */
#include <math.h>
#include "kernel.h"
#include "power.h"

static double term(const dps_kernel_params *p, int32_t n, double t)
{
    return n < p->degree ? dps_power(t, n) : 0.0;
}

static double value(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->degree - 1; n >= 0; n--) {
        sum = sum * t + 1.0;
    }
    return sum;
}

static double derivative(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->degree - 1; n >= 1; n--) {
        sum = sum * t + n;
    }
    return sum;
}

static int32_t last_degree(const dps_kernel_params *p)
{
    return p->degree - 1;
}

const dps_kernel dps_kernel_vovk_real = {.name = "vovk_real",
                                         .formula = "(1 - t^q) / (1 - t)",
                                         .uses = DPS_USES(degree),
                                         .term = term,
                                         .value = value,
                                         .derivative = derivative,
                                         .last_degree = last_degree,
                                         .radius = INFINITY};
