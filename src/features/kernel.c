/* Task: the table of dot-product kernels K(x, y) = f(<x, y>), f(t) = sum_n a_n t^n, a_n >= 0
 * (docs/algorithms.md, equations 1 and 2), their parameters, and the series with gamma and domain
 * scale. Cost: O(n) a term. */
#include "kernel.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const dps_kernel *const kernels[] = {
#define KERNEL(name) &dps_kernel_##name,
#include "kernels.def"
#undef KERNEL
};

const char *const dps_kernel_names[] = {
#define KERNEL(name) #name,
#include "kernels.def"
#undef KERNEL
    NULL};

const dps_kernel_param dps_kernel_param_table[DPS_KERNEL_PARAMS] = {
#define PARAM(key, type, kind, symbol, low, high, automatic, common, smoother)                     \
    {#key,      symbol, offsetof(dps_kernel_params, key),                                          \
     low,       high,   sizeof(type) == sizeof(int32_t),                                           \
     automatic, common, smoother},
#include "kernel_params.def"
#undef PARAM
};

const dps_kernel *dps_kernel_find(const char *name)
{
    unsigned k;
    return dps_name_find(dps_kernel_names, name, strlen(name), &k) ? kernels[k] : NULL;
}

double dps_kernel_get(const dps_kernel_params *p, const dps_kernel_param *param)
{
    const void *place = (const char *)p + param->offset;
    return param->whole ? *(const int32_t *)place : *(const double *)place;
}

void dps_kernel_set(dps_kernel_params *p, const dps_kernel_param *param, double value)
{
    void *place = (char *)p + param->offset;
    if (param->whole) {
        *(int32_t *)place = (int32_t)value;
    } else {
        *(double *)place = value;
    }
}

bool dps_kernel_uses(const dps_kernel *kernel, const dps_kernel_param *param)
{
    return param->common || (kernel->uses >> (param - dps_kernel_param_table) & 1) != 0;
}

static dps_status check_coefficients(const dps_kernel_params *p, dps_error *err)
{
    if (p->coefficient_count < 1 || p->coefficient_count > DPS_MAX_COEFFICIENTS) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.coefficients: expected 1 to %d numbers a_0, a_1, ... for "
                             "kernel.type = maclaurin, found %d",
                             DPS_MAX_COEFFICIENTS, p->coefficient_count);
    }
    bool positive = false;
    for (int32_t n = 0; n < p->coefficient_count; n++) {
        if (!(p->coefficient[n] >= 0.0 && isfinite(p->coefficient[n]))) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "kernel.coefficients: a_%d = %g; a dot-product kernel needs "
                                 "finite coefficients that are not negative",
                                 n, p->coefficient[n]);
        }
        positive = positive || p->coefficient[n] > 0.0;
    }
    if (!positive) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.coefficients: all are 0; at least one must be positive");
    }
    return DPS_OK;
}

/* NAN stands for auto. */
static bool within(const dps_kernel_param *param, double value)
{
    return isnan(value) ? param->automatic : value >= param->low && value <= param->high;
}

dps_status dps_kernel_check(const dps_kernel_params *p, dps_error *err)
{
    assert(p->kernel != NULL);
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        const double value = dps_kernel_get(p, param);
        if (dps_kernel_uses(p->kernel, param) && !within(param, value)) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "kernel.%s: expected %sa number from %.6g to %.6g for "
                                 "kernel.type = %s, found %g",
                                 param->key, param->automatic ? "auto or " : "", param->low,
                                 param->high, p->kernel->name, value);
        }
    }
    return p->kernel->listed ? check_coefficients(p, err) : DPS_OK;
}

static double argument_scale(const dps_kernel_params *p)
{
    return p->gamma / p->domain_scale;
}

double dps_kernel_coefficient(const dps_kernel_params *p, int32_t n)
{
    return dps_kernel_term(p, n, 1.0);
}

double dps_kernel_term(const dps_kernel_params *p, int32_t n, double t)
{
    assert(n >= 0);
    return p->kernel->term(p, n, argument_scale(p) * t);
}

double dps_kernel_value(const dps_kernel_params *p, double t)
{
    return p->kernel->value(p, argument_scale(p) * t);
}

double dps_kernel_derivative(const dps_kernel_params *p, double t)
{
    return argument_scale(p) * p->kernel->derivative(p, argument_scale(p) * t);
}

int32_t dps_kernel_last_degree(const dps_kernel_params *p)
{
    return p->kernel->last_degree == NULL ? -1 : p->kernel->last_degree(p);
}

double dps_kernel_radius(const dps_kernel_params *p)
{
    return p->kernel->radius / argument_scale(p);
}
