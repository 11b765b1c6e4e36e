/* Task: joint.h. Conjugate gradients of Polak and Ribiere (Nocedal & Wright, Numerical
 * Optimization, 5.2), restarted where they point uphill, preconditioned by
 *
 *     M = I + 2 C sum over all rows of c z z^T,
 *
 * the Hessian where every row has a loss and no fold is left out: each model's own is at most M and
 * differs from it by the rows without a loss and those of its fold. So one Cholesky factor serves
 * all, solved for all of them at once; and a step's passes over the rows are products of a tile
 * with all their vectors. The gap is |g|^2 / 2 over P, as Newton's (newton_line.c): z and v are of
 * float sums, g is the gradient up to their rounding, 1e-6 of what is added.
 *
 * Why not Newton's own systems: each takes a Hessian and a factor a model and step, |changed rows|
 * D'^2 + D'^3 / 3; here n D'^2 + D'^3 / 3 are paid once. Cost of a step: 4 n D' + 4 D'^2 flops a
 * model. Memory: the packed triangle, the factor and its panels, 2.5 D'^2; rows and five vectors a
 * model. */
#include "joint_private.h"

#include <assert.h>
#include <omp.h>
#include <string.h>
#include "certificate.h"
#include "cholesky.h"
#include "comm.h"
#include "packed_factor.h"
#include "tile_kernels.h"

enum { RAISES = 12 }; /* tenfold, of a ridge that rounding spoils */

static size_t packed(size_t n)
{
    return n * (n + 1) / 2;
}

static size_t scratch_bytes(size_t order)
{
    const size_t factor = dps_cholesky_bytes(order);
    const size_t solve = dps_packed_factor_scratch(DPS_JOINT_TOGETHER);
    return dps_round_up(factor > solve ? factor : solve, DPS_ALIGN);
}

bool dps_joint_takes(const dps_tile_source *source)
{
    return source->sparse_columns == 0 && source->width <= DPS_JOINT_COLUMNS;
}

size_t dps_joint_bytes(const dps_problem *problem, int32_t folds, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t count = (size_t)folds * (size_t)dps_problem_models(problem);
    const size_t order = (size_t)source->width, rows = (size_t)source->rows;
    const size_t at_work = scratch_bytes(order) + dps_joint_pass_bytes(problem, (int32_t)count) +
                           DPS_TILE_ROWS * source->stride * 3 * sizeof(float);
    return (3 * packed(order) + order * order) * sizeof(double) + dps_packed_factor_bytes(order) +
           count * (source->stride * (9 * sizeof(double) + sizeof(float)) +
                    rows * (sizeof(double) + sizeof(float))) +
           (size_t)threads * at_work + dps_joint_rows_bytes(problem, threads);
}

static dps_status allocate(dps_joint *j, int threads, dps_error *err)
{
    const size_t count = (size_t)j->count, vectors = count * j->stride;
    j->model = dps_alloc(count, sizeof *j->model);
    j->live = dps_alloc(count, sizeof *j->live);
    j->h = dps_alloc(packed(j->order), sizeof *j->h);
    j->panels = dps_alloc(dps_packed_factor_bytes(j->order), 1);
    j->a = dps_alloc(j->order * j->order, sizeof *j->a);
    j->w = dps_alloc(5 * vectors, sizeof *j->w);
    j->rounded = dps_alloc(vectors, sizeof *j->rounded);
    j->u = dps_alloc(count * j->rows, sizeof *j->u);
    j->v = dps_alloc(count * j->rows, sizeof *j->v);
    j->sums = dps_alloc(vectors + 2 * count, sizeof *j->sums);
    j->scratch = dps_alloc((size_t)threads, scratch_bytes(j->order));
    if (j->model == NULL || j->live == NULL || j->h == NULL || j->panels == NULL || j->a == NULL ||
        j->w == NULL || j->rounded == NULL || j->u == NULL || j->v == NULL || j->sums == NULL ||
        j->scratch == NULL) {
        return dps_out_of_memory(err, j->order * j->order, sizeof *j->a, "inner products");
    }
    j->g = j->w + vectors;
    j->before = j->g + vectors;
    j->p = j->before + vectors;
    j->z = j->p + vectors;
    return DPS_OK;
}

dps_status dps_joint_new(dps_joint **out, const dps_problem *problem, const int32_t *fold,
                         int32_t folds, const dps_run *run, dps_error *err)
{
    dps_joint *j = dps_alloc(1, sizeof *j);
    const dps_comm *comm = dps_problem_comm(problem, run);
    const dps_tile_source *source = problem->source;
    dps_status status = j == NULL ? dps_out_of_memory(err, 1, sizeof *j, "inner products") : DPS_OK;
    *out = j;
    if (status == DPS_OK) {
        j->problem = problem;
        j->fold = fold;
        j->folds = folds;
        j->count = folds * dps_problem_models(problem);
        j->order = (size_t)source->width;
        j->stride = source->stride;
        j->rows = (size_t)dps_tile_count(source->rows) * DPS_TILE_ROWS;
        status = allocate(j, run->threads, err);
    }
    DPS_TRY(dps_comm_agree(comm, status, err));
    for (int32_t i = 0; i < j->count; i++) {
        const int32_t models = dps_problem_models(problem);
        j->model[i] = (dps_joint_model){.fold = i / models, .k = i % models};
    }
    return dps_joint_multiply(j, run, err);
}

void dps_joint_free(dps_joint *j)
{
    if (j != NULL) {
        dps_free(j->model);
        dps_free(j->live);
        dps_free(j->h);
        dps_free(j->panels);
        dps_free(j->a);
        dps_free(j->w);
        dps_free(j->rounded);
        dps_free(j->u);
        dps_free(j->v);
        dps_free(j->sums);
        dps_free(j->scratch);
        dps_free(j);
    }
}

static size_t model_at(const dps_joint *j, int32_t f, int32_t k)
{
    return (size_t)(f * dps_problem_models(j->problem) + k);
}

const double *dps_joint_weights(const dps_joint *j, int32_t f, int32_t k)
{
    return j->w + model_at(j, f, k) * j->stride;
}

const double *dps_joint_scores(const dps_joint *j, int32_t f, int32_t k)
{
    return j->u + model_at(j, f, k) * j->rows;
}

double dps_joint_primal(const dps_joint *j, int32_t f, int32_t k)
{
    return j->model[model_at(j, f, k)].primal;
}

/* All models are live. */
static void start(dps_joint *j, double C)
{
    j->C = C;
    j->lives = j->count;
    for (int32_t i = 0; i < j->count; i++) {
        j->live[i] = i;
        j->model[i].rho = 0;
    }
}

/* Of M / (2 C). */
static dps_status factor(dps_joint *j, const dps_run *run, dps_error *err)
{
    const size_t n = j->order;
    double ridge = 1 / (2 * j->C);
    for (int raises = 0; raises < RAISES; raises++, ridge *= 10) {
        for (size_t i = 0; i < n; i++) {
            memcpy(j->a + i * n, j->h + packed(i), (i + 1) * sizeof *j->a);
            j->a[i * n + i] += ridge;
        }
        if (dps_cholesky(run->simd, run->threads, n, j->a, n, j->scratch)) {
            dps_pack_factor(run->simd, n, j->a, n, j->panels, j->scratch);
            return DPS_OK;
        }
    }
    return dps_not_finite(j->problem, "the Hessian", err);
}

/* Gradients of the live models; those within the tolerance end. */
static dps_status measure(dps_joint *j, double tolerance, const dps_run *run, dps_error *err)
{
    const size_t n = j->stride;
    int32_t left = 0;
    DPS_TRY(dps_joint_gradients(j, run, err));
    for (int32_t l = 0; l < j->lives; l++) {
        const int32_t i = j->live[l];
        const double *sum = j->sums + (size_t)l * n, *w = j->w + (size_t)i * n;
        const double *more = j->sums + (size_t)j->lives * n + 2 * (size_t)l;
        double *g = j->g + (size_t)i * n;
        for (size_t e = 0; e < n; e++) {
            g[e] = w[e] + 2 * j->C * sum[e];
        }
        dps_joint_model *m = &j->model[i];
        m->primal = 0.5 * dps_dot(n, w, w) + j->C * more[0];
        m->gap = m->primal > 0 ? 0.5 * dps_dot(n, g, g) / m->primal : 0;
        m->active = more[1];
        if (!isfinite(m->primal) || !isfinite(m->gap)) {
            return dps_not_finite(j->problem, "the objective", err);
        }
        if (m->gap > tolerance) {
            j->live[left++] = i;
        }
    }
    j->lives = left;
    return DPS_OK;
}

/* z = M^-1 g / (2 C) of the live models. */
static void precondition(dps_joint *j, const dps_run *run)
{
    const size_t n = j->stride;
    const int32_t parts = (j->lives + DPS_JOINT_TOGETHER - 1) / DPS_JOINT_TOGETHER;
    const double work = 2.0 * j->lives * (double)n * (double)n;
#pragma omp parallel for schedule(static) num_threads(dps_run_threads_for(run, parts, work))
    for (int32_t part = 0; part < parts; part++) {
        const int32_t first = part * DPS_JOINT_TOGETHER, left = j->lives - first;
        const int32_t count = left < DPS_JOINT_TOGETHER ? left : DPS_JOINT_TOGETHER;
        double *z = j->z + (size_t)first * n;
        for (int32_t l = 0; l < count; l++) {
            memcpy(z + (size_t)l * n, j->g + (size_t)j->live[first + l] * n, n * sizeof *z);
        }
        dps_packed_solve(run->simd, j->order, j->panels, z, n, (size_t)count,
                         j->scratch + (size_t)omp_get_thread_num() * scratch_bytes(j->order));
    }
}

/* p of the live model at place l, where it is not Newton's. */
static void turn(dps_joint *j, int32_t l)
{
    const size_t n = j->stride, at = (size_t)j->live[l] * n;
    dps_joint_model *m = &j->model[j->live[l]];
    const double *g = j->g + at, *z = j->z + (size_t)l * n;
    double *p = j->p + at;
    const double rho = dps_dot(n, g, z), last = dps_dot(n, j->before + at, z);
    const double beta = m->rho > 0 ? fmax(0.0, (rho - last) / m->rho) : 0;
    for (size_t e = 0; e < n; e++) {
        p[e] = beta * p[e] - z[e];
    }
    m->start = dps_dot(n, g, p);
    if (!(m->start < 0)) {
        for (size_t e = 0; e < n; e++) {
            p[e] = -z[e];
        }
        m->start = -rho;
    }
    m->rho = rho;
    memcpy(j->before + at, g, n * sizeof *g);
}

/* Everything along p but v. */
static void aim(dps_joint *j, int32_t l)
{
    const size_t n = j->stride, at = (size_t)j->live[l] * n;
    dps_joint_model *m = &j->model[j->live[l]];
    const double *w = j->w + at, *p = j->p + at;
    m->start = m->exact ? dps_dot(n, j->g + at, p) : 0;
    m->exact = m->start < 0;
    if (m->exact) {
        m->rho = 0;
    } else {
        turn(j, l);
    }
    for (size_t e = 0; e < n; e++) {
        j->rounded[(size_t)l * n + e] = (float)p[e];
    }
    m->wp = dps_dot(n, w, p);
    m->pp = dps_dot(n, p, p);
    m->t = m->exact ? 1 : 1 / (2 * j->C); /* the whole step of either */
    m->low = 0;
    m->high = INFINITY;
    m->searching = true;
}

static void move(dps_joint *j, int32_t l)
{
    const size_t i = (size_t)j->live[l];
    const double t = j->model[i].t;
    const float *v = j->v + (size_t)l * j->rows;
    double *u = j->u + i * j->rows;
    dps_axpy(j->stride, t, j->p + i * j->stride, j->w + i * j->stride);
    for (size_t r = 0; r < (size_t)j->problem->source->rows; r++) {
        u[r] += t * (double)v[r];
    }
}

static dps_status step(dps_joint *j, const dps_run *run, dps_error *err)
{
    const double work = (double)j->lives * (double)(j->stride + j->rows);
    const int threads = dps_run_threads_for(run, j->lives, 10 * work);
    DPS_TRY(dps_joint_direct(j, run, err));
    precondition(j, run);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t l = 0; l < j->lives; l++) {
        aim(j, l);
    }
    DPS_TRY(dps_joint_directions(j, run, err));
    DPS_TRY(dps_joint_search(j, run, err));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t l = 0; l < j->lives; l++) {
        move(j, l);
    }
    return DPS_OK;
}

/* At w = 0 every row of a class has r = -y: the sums are -b of (H + I / (2 C)) w = b, and P =
 * C (sum c y^2 - <w, b>). */
dps_status dps_joint_squares(dps_joint *j, double C, const dps_run *run, dps_error *err)
{
    const size_t n = j->stride, vectors = (size_t)j->count * n;
    assert(!j->problem->loss->regression);
    start(j, C);
    DPS_TRY(factor(j, run, err));
    DPS_TRY(dps_joint_gradients(j, run, err));
    for (size_t e = 0; e < vectors; e++) {
        j->g[e] = -j->sums[e];
    }
    precondition(j, run);
    memcpy(j->w, j->z, vectors * sizeof *j->w);
    for (int32_t i = 0; i < j->count; i++) {
        const double squares = j->sums[vectors + 2 * (size_t)i];
        const size_t at = (size_t)i * n;
        j->model[i].primal = C * (squares - dps_dot(n, j->w + at, j->g + at));
    }
    return DPS_OK;
}

static dps_status report(const dps_joint *j, const dps_joint_end *end, bool *stop, dps_error *err)
{
    dps_joint_report of = {.problem = j->problem, .steps = j->steps};
    for (int32_t i = 0; i < j->count; i++) {
        of.primal += j->model[i].primal;
        of.gap = fmax(of.gap, j->model[i].gap);
    }
    return end->after_step(end->context, j, &of, stop, err);
}

dps_status dps_joint_solve(dps_joint *j, double C, const dps_joint_end *end, const dps_run *run,
                           int64_t *steps, bool *stopped, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(j->problem, run);
    start(j, C);
    *stopped = false;
    DPS_TRY(dps_comm_agree(comm, factor(j, run, err), err));
    for (j->steps = 0; j->steps < end->steps; j->steps++) {
        DPS_TRY(measure(j, end->tolerance, run, err));
        if (end->after_step != NULL && j->steps > 0) {
            DPS_TRY(report(j, end, stopped, err));
        }
        if (j->lives == 0 || *stopped) {
            break;
        }
        DPS_TRY(dps_comm_agree(comm, step(j, run, err), err));
    }
    *steps = j->steps;
    return DPS_OK;
}
