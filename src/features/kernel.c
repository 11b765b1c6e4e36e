/* Task: the table of dot-product kernels K(x, y) = f(<x, y>), f(t) = sum_n a_n t^n, a_n >= 0
 * (docs/algorithms.md, equations 1 and 2).
 *
 *   homogeneous    t^q                 a_q = 1
 *   polynomial     (t + r)^q           a_n = C(q, n) r^(q-n)
 *   exponential    exp(t / s^2)        a_n = 1 / (n! s^(2n))
 *   vovk_real      (1 - t^q)/(1 - t)   a_n = 1 for n < q
 *   vovk_infinite  1 / (1 - t)         a_n = 1
 *   maclaurin      the user's list
 *   linear         t                   a_1 = 1
 *
 * Source: Kar & Karnick 2012, section 3.2 and Theorem 1 (Schoenberg 1942). Cost: O(n) a term.
 *
 * Why series, not closed forms, where both exist: Vovk's quotient loses all digits near t = 1,
 * Horner's rule none. */
#include "kernel.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static double power(double t, int32_t n)
{
    double result = 1.0;
    for (double square = t; n > 0; n /= 2, square *= square) {
        if (n % 2 == 1) {
            result *= square;
        }
    }
    return result;
}

static double radius_infinite(const dps_kernel_params *p)
{
    (void)p;
    return INFINITY;
}

static double radius_one(const dps_kernel_params *p)
{
    (void)p;
    return 1.0;
}

static int32_t last_endless(const dps_kernel_params *p)
{
    (void)p;
    return -1;
}

static int32_t last_is_degree(const dps_kernel_params *p)
{
    return p->degree;
}

static double homogeneous_term(const dps_kernel_params *p, int32_t n, double t)
{
    return n == p->degree ? power(t, n) : 0.0;
}

static double homogeneous_value(const dps_kernel_params *p, double t)
{
    return power(t, p->degree);
}

static double homogeneous_derivative(const dps_kernel_params *p, double t)
{
    return p->degree * power(t, p->degree - 1);
}

static double polynomial_term(const dps_kernel_params *p, int32_t n, double t)
{
    if (n > p->degree) {
        return 0.0;
    }
    double product = power(p->offset, p->degree - n);
    for (int32_t k = 1; k <= n; k++) {
        product *= t * ((double)(p->degree - n + k) / k);
    }
    return product;
}

static double polynomial_value(const dps_kernel_params *p, double t)
{
    return power(t + p->offset, p->degree);
}

static double polynomial_derivative(const dps_kernel_params *p, double t)
{
    return p->degree * power(t + p->offset, p->degree - 1);
}

static double exponential_term(const dps_kernel_params *p, int32_t n, double t)
{
    const double step = t / (p->sigma * p->sigma);
    double product = 1.0;
    for (int32_t k = 1; k <= n; k++) {
        product *= step / k;
    }
    return product;
}

static double exponential_value(const dps_kernel_params *p, double t)
{
    return exp(t / (p->sigma * p->sigma));
}

static double exponential_derivative(const dps_kernel_params *p, double t)
{
    return exponential_value(p, t) / (p->sigma * p->sigma);
}

static double vovk_real_term(const dps_kernel_params *p, int32_t n, double t)
{
    return n < p->degree ? power(t, n) : 0.0;
}

static double vovk_real_value(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->degree - 1; n >= 0; n--) {
        sum = sum * t + 1.0;
    }
    return sum;
}

static double vovk_real_derivative(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->degree - 1; n >= 1; n--) {
        sum = sum * t + n;
    }
    return sum;
}

static int32_t vovk_real_last(const dps_kernel_params *p)
{
    return p->degree - 1;
}

static double vovk_infinite_term(const dps_kernel_params *p, int32_t n, double t)
{
    (void)p;
    return power(t, n);
}

static double vovk_infinite_value(const dps_kernel_params *p, double t)
{
    (void)p;
    return fabs(t) < 1.0 ? 1.0 / (1.0 - t) : INFINITY;
}

static double vovk_infinite_derivative(const dps_kernel_params *p, double t)
{
    (void)p;
    return fabs(t) < 1.0 ? 1.0 / ((1.0 - t) * (1.0 - t)) : INFINITY;
}

static double maclaurin_term(const dps_kernel_params *p, int32_t n, double t)
{
    return n < p->coefficient_count ? p->coefficient[n] * power(t, n) : 0.0;
}

static double maclaurin_value(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->coefficient_count - 1; n >= 0; n--) {
        sum = sum * t + p->coefficient[n];
    }
    return sum;
}

static double maclaurin_derivative(const dps_kernel_params *p, double t)
{
    double sum = 0.0;
    for (int32_t n = p->coefficient_count - 1; n >= 1; n--) {
        sum = sum * t + n * p->coefficient[n];
    }
    return sum;
}

static int32_t maclaurin_last(const dps_kernel_params *p)
{
    return p->coefficient_count - 1;
}

static double linear_term(const dps_kernel_params *p, int32_t n, double t)
{
    (void)p;
    return n == 1 ? t : 0.0;
}

static double linear_value(const dps_kernel_params *p, double t)
{
    (void)p;
    return t;
}

static double linear_derivative(const dps_kernel_params *p, double t)
{
    (void)p;
    (void)t;
    return 1.0;
}

static int32_t last_is_one(const dps_kernel_params *p)
{
    (void)p;
    return 1;
}

static const dps_kernel kernels[] = {
    {"homogeneous", homogeneous_term, homogeneous_value, homogeneous_derivative, last_is_degree,
     radius_infinite, "t^q"},
    {"polynomial", polynomial_term, polynomial_value, polynomial_derivative, last_is_degree,
     radius_infinite, "(t + r)^q"},
    {"exponential", exponential_term, exponential_value, exponential_derivative, last_endless,
     radius_infinite, "exp(t / s^2)"},
    {"vovk_real", vovk_real_term, vovk_real_value, vovk_real_derivative, vovk_real_last,
     radius_infinite, "(1 - t^q) / (1 - t)"},
    {"vovk_infinite", vovk_infinite_term, vovk_infinite_value, vovk_infinite_derivative,
     last_endless, radius_one, "1 / (1 - t)"},
    {"maclaurin", maclaurin_term, maclaurin_value, maclaurin_derivative, maclaurin_last,
     radius_infinite, "sum_n a_n t^n"},
    {"linear", linear_term, linear_value, linear_derivative, last_is_one, radius_infinite, "t"},
};

enum { kernel_count = sizeof(kernels) / sizeof(kernels[0]) };

const dps_kernel *dps_kernel_find(const char *name)
{
    for (int k = 0; k < kernel_count; k++) {
        if (strcmp(kernels[k].name, name) == 0) {
            return &kernels[k];
        }
    }
    return NULL;
}

const char *const *dps_kernel_names(void)
{
    static const char *const names[kernel_count + 1] = {
        "homogeneous",   "polynomial", "exponential", "vovk_real",
        "vovk_infinite", "maclaurin",  "linear",      NULL};
    return names;
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
static bool positive_or_auto(double value)
{
    return isnan(value) || (value > 0.0 && isfinite(value));
}

dps_status dps_kernel_check(const dps_kernel_params *p, dps_error *err)
{
    assert(p->kernel != NULL);
    const char *name = p->kernel->name;
    const bool has_degree =
        p->kernel->last_degree == last_is_degree || p->kernel->last_degree == vovk_real_last;
    if (has_degree && (p->degree < 1 || p->degree > DPS_MAX_DEGREE)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.degree: expected 1 to %d for kernel.type = %s, found %d",
                             DPS_MAX_DEGREE, name, p->degree);
    }
    if (p->kernel->term == polynomial_term && !(p->offset >= 0.0 && isfinite(p->offset))) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.offset: found %g; (t + r)^q has negative coefficients unless "
                             "r >= 0",
                             p->offset);
    }
    if (!(p->gamma > 0.0 && isfinite(p->gamma))) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.gamma: expected a number above 0, found %g", p->gamma);
    }
    if (p->kernel->term == exponential_term && !positive_or_auto(p->sigma)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.sigma: expected auto or a number above 0, found %g", p->sigma);
    }
    if (!positive_or_auto(p->domain_scale)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.domain_scale: expected auto or a number above 0, found %g",
                             p->domain_scale);
    }
    return p->kernel->term == maclaurin_term ? check_coefficients(p, err) : DPS_OK;
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
    return p->kernel->last_degree(p);
}

double dps_kernel_radius(const dps_kernel_params *p)
{
    return p->kernel->radius(p) / argument_scale(p);
}
