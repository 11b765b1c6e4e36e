/* Task: the error bounds of Kar & Karnick 2012 as numbers. With R = R1, C = p f(p R^2) / (p-1),
 * L = R f'(R^2) + p^2 R sqrt(d) f'(p R^2) / (p-1), E = D eps^2 / (8 C^2):
 *
 *   pointwise   P <= 2 exp(-E)                                          (4), after Lemma 8
 *   uniform     P <= 2 (32 R L / eps)^(2d) exp(-E)                      Theorem 12
 *   printed     P <= (32 R L_1 / eps) exp(-E / d)                       Theorem 16
 *   corrected   P <= 2 k1^(1/(2d+1)) k2^(2d/(2d+1)),  k1 = 2 (4R)^(2d) exp(-E),  k2 = 4 L_1 / eps
 *
 * For Algorithm 2 the places of C and L are taken by
 *
 *   C_1 = p f(p C_W) / (p-1),   L_1 = L_K f'(C_K) + L_W p^2 sqrt(C_W) f'(p C_W) / (p-1),
 *   over an RBF  C_K = 1,  C_W = 2,  L_K = sqrt(2 gamma / e),  L_W = 2 sqrt(gamma d).
 *
 * The printed Theorem 16 counts centres of the net where its proof needs pairs of them; both take a
 * net of radius below 4 R, which eps < 8 R L_1 makes sure of, and are none beyond it (the paper's
 * condition). 1/(p-1) is the paper's factor for p other than 2. Where degrees are
 * dropped (section 4.2), the map estimates what is kept, and eps shrinks by the residual.
 *
 * Solved for D at P = delta: E = log(2/delta) (pointwise), and so on; D = 8 C^2 E / eps^2.
 * A net has one centre at least, so that a base below 1 counts as 1.
 *
 * Why logarithms: f(p R^2) of an exponential kernel overflows from p R^2 / s^2 = 710 on. */
#include "bounds.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include "degrees.h"
#include "map_layout.h"

static const double log_2 = 0.69314718055994531;

/* log(exp(a) + exp(b)) */
static double log_add(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);
    return isinf(high) ? high : high + log1p(exp(low - high));
}

static bool is_exponential(const dps_kernel_params *kernel)
{
    return kernel->kernel == &dps_kernel_exponential;
}

/* gamma / (c s^2) */
static double exponential_rate(const dps_kernel_params *kernel)
{
    return kernel->gamma / (kernel->domain_scale * kernel->sigma * kernel->sigma);
}

/* The bare kernel's coefficient, then its argument's scale: together they may overflow. */
static double log_coefficient(const dps_kernel_params *kernel, int32_t n)
{
    return is_exponential(kernel) ? n * log(exponential_rate(kernel)) - lgamma(n + 1.0)
                                  : log(kernel->kernel->term(kernel, n, 1.0)) +
                                        n * log(kernel->gamma / kernel->domain_scale);
}

/* sum over degrees n >= derivative of a_n n^derivative t^(n - derivative). */
static double log_series(const dps_kernel_params *kernel, const bool *kept, double t,
                         int derivative)
{
    const int32_t degree = dps_kernel_last_degree(kernel);
    const int32_t last = degree < 0 || degree > DPS_MAX_DEGREE ? DPS_MAX_DEGREE : degree;
    double sum = -INFINITY;
    for (int32_t n = derivative; n <= last; n++) {
        if (kept != NULL && !kept[n]) {
            continue;
        }
        const int32_t power = n - derivative;
        const double factor = power > 0 ? power * log(t) : 0.0;
        sum = log_add(sum, log_coefficient(kernel, n) + factor + (derivative > 0 ? log(n) : 0.0));
    }
    return sum;
}

double dps_kernel_log_value(const dps_kernel_params *kernel, const bool *kept, double t)
{
    if (kept != NULL) {
        return log_series(kernel, kept, t, 0);
    }
    if (!(t < dps_kernel_radius(kernel))) {
        return INFINITY;
    }
    if (is_exponential(kernel)) {
        return exponential_rate(kernel) * t;
    }
    const double value = dps_kernel_value(kernel, t);
    return isfinite(value) ? log(value) : log_series(kernel, NULL, t, 0);
}

double dps_kernel_log_derivative(const dps_kernel_params *kernel, const bool *kept, double t)
{
    if (kept != NULL) {
        return log_series(kernel, kept, t, 1);
    }
    if (!(t < dps_kernel_radius(kernel))) {
        return INFINITY;
    }
    if (is_exponential(kernel)) {
        return log(exponential_rate(kernel)) + exponential_rate(kernel) * t;
    }
    const double value = dps_kernel_derivative(kernel, t);
    return isfinite(value) ? log(value) : log_series(kernel, NULL, t, 1);
}

/* Exact low degrees only take terms away: the bound of all degrees holds. */
static bool differs(const dps_map_recipe *recipe)
{
    return recipe->measure != DPS_MEASURE_GEOMETRIC || recipe->allocation != DPS_ALLOCATION_IID ||
           recipe->craft > 1 ||
           (dps_recipe_is_dot(recipe) && recipe->projection != DPS_PROJECTION_RADEMACHER);
}

dps_bound_terms dps_bound_terms_of(const dps_map_recipe *recipe, double radius1, int32_t columns)
{
    assert(recipe->type == DPS_MAP_MACLAURIN || recipe->type == DPS_MAP_COMPOSITIONAL);
    const dps_kernel_params *kernel = &recipe->kernel;
    const double p = recipe->p, log_tail = log(p - 1.0);
    bool some[DPS_MAX_DEGREE + 1];
    const bool *kept = recipe->truncate > 0.0 ? some : NULL;
    dps_bound_terms terms = {.radius = radius1,
                             .residual = dps_degrees_truncate(recipe, some),
                             .columns = columns,
                             .composed = !dps_recipe_is_dot(recipe),
                             .differs = differs(recipe)};
    /* K = f(k), |k| <= largest; |W(x) W(y)| <= bound; their gradients. */
    double largest, bound, log_gradient, log_map_gradient;
    if (!terms.composed) {
        largest = bound = radius1 * radius1;
        log_gradient = log(radius1);
        log_map_gradient = log(radius1) + 0.5 * log(columns);
    } else if (recipe->base == DPS_BASE_RBF) {
        largest = 1.0;
        bound = 2.0;
        log_gradient = 0.5 * (log_2 + log(recipe->base_gamma) - 1.0);
        log_map_gradient = log_2 + 0.5 * log(recipe->base_gamma * columns) + 0.5 * log(bound);
    } else if (recipe->base == DPS_BASE_LAPLACIAN) {
        largest = 1.0;
        bound = 2.0;
        log_gradient = log_map_gradient = NAN; /* E |w| is infinite */
    } else {
        terms.log_c = terms.log_l = NAN; /* additive: no bound in the paper */
        return terms;
    }
    terms.log_c = log(p) - log_tail + dps_kernel_log_value(kernel, kept, p * bound);
    terms.log_l = isnan(log_gradient)
                      ? NAN
                      : log_add(log_gradient + dps_kernel_log_derivative(kernel, kept, largest),
                                log_map_gradient + 2.0 * log(p) - log_tail +
                                    dps_kernel_log_derivative(kernel, kept, p * bound));
    return terms;
}

static bool exists(const dps_bound_terms *terms, dps_bound_kind kind)
{
    switch (kind) {
    case DPS_BOUND_POINTWISE:
        return !isnan(terms->log_c);
    case DPS_BOUND_UNIFORM:
        return !terms->composed && !isnan(terms->log_l);
    case DPS_BOUND_COMPOSED_PRINTED:
    case DPS_BOUND_COMPOSED_CORRECTED:
        return terms->composed && !isnan(terms->log_l);
    }
    return false;
}

/* log P = height - share E. */
typedef struct dps_bound_line {
    double height, share;
} dps_bound_line;

static dps_bound_line line_of(const dps_bound_terms *terms, dps_bound_kind kind, double log_epsilon)
{
    const double d = terms->columns, pairs = 2.0 * d;
    const double cover = log(32.0 * terms->radius) + terms->log_l - log_epsilon;
    switch (kind) {
    case DPS_BOUND_POINTWISE:
        break;
    case DPS_BOUND_UNIFORM:
        return (dps_bound_line){log_2 + pairs * fmax(cover, 0.0), 1.0};
    case DPS_BOUND_COMPOSED_PRINTED:
        return (dps_bound_line){cover, 1.0 / d};
    case DPS_BOUND_COMPOSED_CORRECTED: {
        const double log_k1 = log_2 + pairs * log(4.0 * terms->radius);
        const double log_k2 = 2.0 * log_2 + terms->log_l - log_epsilon;
        return (dps_bound_line){log_2 + (log_k1 + pairs * log_k2) / (pairs + 1.0),
                                1.0 / (pairs + 1.0)};
    }
    }
    return (dps_bound_line){log_2, 1.0};
}

dps_bound dps_bound_at(const dps_bound_terms *terms, dps_bound_kind kind, double epsilon,
                       double delta, double features)
{
    dps_bound bound = {.kind = kind,
                       .log_probability = INFINITY,
                       .log_features = INFINITY,
                       .exists = exists(terms, kind)};
    const double left = epsilon - terms->residual;
    if (!bound.exists || !(left > 0.0) || !isfinite(terms->log_c)) {
        return bound;
    }
    const double log_epsilon = log(left);
    if (terms->composed && kind != DPS_BOUND_POINTWISE &&
        log_epsilon >= 3.0 * log_2 + log(terms->radius) + terms->log_l) {
        bound.exists = false;
        return bound;
    }
    const dps_bound_line line = line_of(terms, kind, log_epsilon);
    /* E = features * exp(-log_each) */
    const double log_each = 3.0 * log_2 + 2.0 * terms->log_c - 2.0 * log_epsilon;
    bound.log_probability = line.height - line.share * exp(log(features) - log_each);
    const double wanted = (line.height - log(delta)) / line.share;
    bound.log_features = wanted > 0.0 ? fmax(log_each + log(wanted), 0.0) : 0.0;
    return bound;
}

const char *dps_bound_name(dps_bound_kind kind)
{
    static const char *const name[] = {"pointwise", "theorem 12", "theorem 16 as printed",
                                       "theorem 16 corrected"};
    return name[kind];
}
