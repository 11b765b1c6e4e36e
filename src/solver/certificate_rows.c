/* Task: the certificate of a sum of rows, w = sum_i alpha_i z_i, from inner products K alone:
 *
 *     u = K alpha,   P = 1/2 alpha^T u + C sum_i c_i loss(u_i)
 *
 * with D from the primal as in certificate.c, v^T v = a^T K a for a_i = c_i C slope(u_i, h); or, if
 * that is less of a gap, of alpha moved to its nearest feasible point, whose gap is the sum of
 * Fenchel-Young terms C c_i (loss(u_i) + a_i u_i - dual(a_i)). Cost: two products with K, one more
 * for every h. */
#include <math.h>
#include <string.h>

#include "certificate.h"
#include "tile_fetch.h"

typedef struct rows {
    const dps_problem *problem;
    int32_t k;
    size_t n;
} rows;

static double top_of(const rows *r, size_t i)
{
    return r->problem->C * dps_row_weight(r->problem, (int64_t)i);
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double primal(const rows *r, const double *alpha, const double *u)
{
    double sum = 0.5 * dot(r->n, alpha, u);
    for (size_t i = 0; i < r->n; i++) {
        const double y = dps_target(r->problem, r->k, (int64_t)i);
        sum += top_of(r, i) * r->problem->loss->value(u[i], y, r->problem->epsilon);
    }
    return sum;
}

/* The best multiple of slopes at u as a dual point; a and v: work. */
static double dual_of_slopes(const rows *r, double h, const double *u, dps_gram_multiply multiply,
                             const void *context, double *a, double *v)
{
    const dps_loss *loss = r->problem->loss;
    double linear = 0.0, square = 0.0;
    for (size_t i = 0; i < r->n; i++) {
        const double y = dps_target(r->problem, r->k, (int64_t)i), top = top_of(r, i);
        const double slope = top > 0.0 ? loss->slope(u[i], y, r->problem->epsilon, h) : 0.0;
        a[i] = top * slope;
        linear += top * loss->gain(slope, y, r->problem->epsilon);
        square += loss->dual_bend * slope * a[i];
    }
    multiply(context, a, v);
    square += 0.5 * dot(r->n, a, v);
    return dps_best_multiple(loss, linear, square);
}

/* alpha moved into its bounds, its K alpha, its certificate. */
static dps_certificate feasible(const rows *r, const double *alpha, dps_gram_multiply multiply,
                                const void *context, double *a, double *u)
{
    const dps_loss *loss = r->problem->loss;
    double gap = 0.0;
    for (size_t i = 0; i < r->n; i++) {
        const double y = dps_target(r->problem, r->k, (int64_t)i), top = top_of(r, i);
        const double most = top > 0.0 ? loss->dual_top * top : 0.0;
        const bool wrong = !loss->regression && alpha[i] * y < 0.0;
        a[i] = top == 0.0 || wrong ? 0.0 : fmax(-most, fmin(most, alpha[i]));
    }
    multiply(context, a, u);
    for (size_t i = 0; i < r->n; i++) {
        const double y = dps_target(r->problem, r->k, (int64_t)i), top = top_of(r, i);
        if (top > 0.0) {
            gap += top * (loss->value(u[i], y, r->problem->epsilon) -
                          dps_loss_dual(loss, a[i] / top, y, r->problem->epsilon)) +
                   a[i] * u[i];
        }
    }
    const double P = primal(r, a, u);
    return dps_certificate_of(P, isfinite(gap) ? P - fmax(gap, 0.0) : -INFINITY);
}

dps_status dps_certify_rows(const dps_problem *problem, int32_t k, dps_gram_multiply multiply,
                            const void *context, const dps_run *run, double *alpha, double *u,
                            double *work, dps_certificate *certificate, dps_error *err)
{
    const rows r = {.problem = problem, .k = k, .n = (size_t)problem->source->rows};
    const double unit = dps_score_unit(problem, run);
    double *a = work, *v = work + r.n;
    multiply(context, alpha, u);
    const double P = primal(&r, alpha, u);
    if (!isfinite(P)) {
        return dps_not_finite(problem, "the objective", err);
    }
    *certificate = dps_certificate_of(P, -INFINITY);
    bool better = true; /* as in dps_certify_primal */
    for (double h = 1.0; better && h > 1e-15; h *= 0.25) {
        const double dual = dual_of_slopes(&r, h * unit, u, multiply, context, a, v);
        const dps_certificate found = dps_certificate_of(P, dual);
        better = found.gap < certificate->gap && !problem->loss->smooth;
        *certificate = found.gap < certificate->gap ? found : *certificate;
    }
    const dps_certificate moved = feasible(&r, alpha, multiply, context, a, v);
    if (moved.gap < certificate->gap) {
        memcpy(alpha, a, r.n * sizeof *alpha);
        memcpy(u, v, r.n * sizeof *u);
        *certificate = moved;
    }
    return DPS_OK;
}
