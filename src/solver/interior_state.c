/* Task: one model of the interior point method (interior.c): its rows, memory, the sums and the
 * factor that its iterations share. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "cholesky.h"
#include "interior_private.h"
#include "observer.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* More than DPS_FEW_ROWS rows are other solvers' work: n^3 / 3 a step, and tens of steps. */
bool dps_interior_ends(const dps_problem *problem, const dps_solver_settings *settings)
{
    return dps_tiles_rows(problem->source) <= DPS_FEW_ROWS &&
           (settings->observer == NULL || !settings->observer->stops);
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { ARRAYS_OF_ROWS = 10, ARRAYS_OF_SIDES = 13 };

static size_t sides_of(const dps_problem *problem)
{
    return problem->loss->regression ? 2 : 1;
}

/* Doubles of one model with n rows: two matrices, the arrays of rows and of sides. */
static size_t model_doubles(size_t n, size_t sides)
{
    return 2 * n * n + ARRAYS_OF_ROWS * n + ARRAYS_OF_SIDES * sides * n;
}

size_t dps_interior_model_bytes(const dps_problem *problem)
{
    const size_t n = (size_t)dps_tiles_rows(problem->source);
    return n > DPS_FEW_ROWS ? 0
                            : model_doubles(n, sides_of(problem)) * sizeof(double) +
                                  n * sizeof(int64_t) + dps_cholesky_bytes(n);
}

/* ---- one model's rows ------------------------------------------------------------------------ */

static dps_status allocate(dps_interior *p, dps_error *err)
{
    const size_t n = p->n, m = p->sides * n;
    double **const of_rows[] = {&p->y, &p->weight, &p->top, &p->curve, &p->alpha,
                                &p->u, &p->best,   &p->m,   &p->x,     &p->pull};
    double **const of_sides[] = {
        &p->sign, &p->linear, &p->beta,     &p->low,       &p->high,        &p->g,           &p->d,
        &p->r,    &p->step,   &p->step_low, &p->step_high, &p->correct_low, &p->correct_high};
    _Static_assert(sizeof of_rows / sizeof of_rows[0] == ARRAYS_OF_ROWS, "counted");
    _Static_assert(sizeof of_sides / sizeof of_sides[0] == ARRAYS_OF_SIDES, "counted");
    const size_t doubles = model_doubles(n, p->sides);
    p->all = dps_alloc(doubles, sizeof *p->all);
    p->scratch = dps_alloc(dps_cholesky_bytes(n), 1);
    if (p->all == NULL || p->scratch == NULL) {
        return dps_out_of_memory(err, doubles, sizeof *p->all, "inner products of the rows");
    }
    p->k = p->all;
    p->factor = p->k + n * n;
    double *at = p->factor + n * n;
    for (size_t i = 0; i < ARRAYS_OF_ROWS; i++, at += n) {
        *of_rows[i] = at;
    }
    for (size_t i = 0; i < ARRAYS_OF_SIDES; i++, at += m) {
        *of_sides[i] = at;
    }
    return DPS_OK;
}

dps_status dps_interior_init(dps_interior *p, int32_t k, const double *gram, dps_error *err)
{
    const dps_problem *problem = p->problem;
    const dps_loss *loss = problem->loss;
    const size_t all = (size_t)problem->source->rows;
    p->sides = sides_of(problem);
    DPS_NEED(p->row, all, "a list of rows", err);
    for (size_t i = 0; i < all; i++) {
        if (dps_row_weight(problem, (int64_t)i) > 0.0) {
            p->row[p->n++] = (int64_t)i;
        }
    }
    DPS_TRY(allocate(p, err));
    for (size_t i = 0; i < p->n; i++) {
        const double *from = gram + (size_t)p->row[i] * all;
        for (size_t j = 0; j < p->n; j++) {
            p->k[i * p->n + j] = from[p->row[j]];
        }
        p->y[i] = dps_target(problem, k, p->row[i]);
        p->weight[i] = problem->C * dps_row_weight(problem, p->row[i]);
        p->top[i] = loss->dual_top * p->weight[i];
        p->curve[i] = 2.0 * loss->dual_bend / p->weight[i];
        for (size_t s = 0; s < p->sides; s++) {
            const double sign = loss->regression ? (s == 0 ? 1.0 : -1.0) : p->y[i];
            p->sign[s * p->n + i] = sign;
            p->linear[s * p->n + i] = -loss->gain(sign, p->y[i], problem->epsilon);
        }
    }
    return DPS_OK;
}

void dps_interior_release(dps_interior *p)
{
    dps_free(p->row);
    dps_free(p->all);
    dps_free(p->scratch);
}

/* ---- sums and factor ------------------------------------------------------------------------- */

void dps_interior_multiply(const dps_interior *p, const double *x, double *out)
{
    const int threads = dps_run_threads_for(p->run, (int64_t)p->n, 2.0 * (double)(p->n * p->n));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < p->n; i++) {
        out[i] = dps_dot(p->n, p->k + i * p->n, x);
    }
}

void dps_interior_measure(dps_interior *p, const double *alpha, const double *u)
{
    const dps_loss *loss = p->problem->loss;
    double half = 0.0, sum = 0.0, gap = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        const double a = alpha[i] / p->weight[i], y = p->y[i];
        const double value = loss->value(u[i], y, p->problem->epsilon);
        half += 0.5 * alpha[i] * u[i];
        sum += p->weight[i] * value;
        gap += p->weight[i] * (value + a * u[i] - dps_loss_dual(loss, a, y, p->problem->epsilon));
    }
    p->primal = half + sum;
    p->gap = !isfinite(p->primal) || !isfinite(gap) ? INFINITY
             : p->primal > 0.0                      ? fmax(gap, 0.0) / p->primal
                                                    : 0.0;
    if (p->gap < p->best_gap) {
        p->best_gap = p->gap;
        memcpy(p->best, alpha, p->n * sizeof *p->best);
    }
}

bool dps_interior_factor(dps_interior *p)
{
    double largest = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        largest = fmax(largest, p->k[i * p->n + i]);
    }
    for (double ridge = 1e-15; ridge < 1e-6; ridge *= 10.0) {
        for (size_t i = 0; i < p->n; i++) {
            memcpy(p->factor + i * p->n, p->k + i * p->n, (i + 1) * sizeof *p->factor);
            p->factor[i * p->n + i] += p->curve[i] + p->m[i] + ridge * largest;
        }
        if (dps_cholesky(p->run->simd, p->run->threads, p->n, p->factor, p->n, p->scratch)) {
            return true;
        }
    }
    return false;
}
