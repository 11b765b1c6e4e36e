/* Task: from a problem to the interior point method and back: inner products of the rows from
 * tiles, one model's rows, and weights w = sum_i alpha_i z_i with their certificate.
 *
 * K of the dense columns by dps_gram_add (products.h), of the sparse block entry by entry: products
 * of floats summed in double, the same bits on every path. Cost: n^2 D' / 2, every tile made once.
 *
 * Over ranks one solves all models and sends weights and certificates to the others: the rows are
 * few, and nothing then depends on how many ranks there are. */
#include <omp.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "cholesky.h"
#include "comm.h"
#include "few_rows.h"
#include "interior_private.h"
#include "observer.h"
#include "products.h"
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

size_t dps_interior_bytes(const dps_problem *problem, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t n = (size_t)dps_tiles_rows(source), models = (size_t)dps_problem_models(problem);
    if (n > DPS_FEW_ROWS) {
        return 0;
    }
    const size_t each = dps_weight_length(source) * sizeof(double) + sizeof(dps_certificate);
    return dps_few_rows_bytes(source) + (n * n + n * models) * sizeof(double) + models * each +
           (size_t)threads * dps_gram_bytes() + (size_t)source->sparse_columns * sizeof(double) +
           dps_interior_model_bytes(problem);
}

/* ---- inner products -------------------------------------------------------------------------- */

/* Pairs of tiles s >= t, one after the other. */
static void pair_of(int64_t pair, int64_t *s, int64_t *t)
{
    for (*s = 0; (*s + 1) * (*s + 2) / 2 <= pair; ++*s) {
    }
    *t = pair - *s * (*s + 1) / 2;
}

/* The panels' share, lower triangle. */
static dps_status add_panels(const dps_few_rows *few, const dps_run *run, double *gram,
                             dps_error *err)
{
    const size_t n = (size_t)few->source.rows, each = dps_gram_bytes();
    const int64_t tiles = dps_tile_count(few->source.rows), pairs = tiles * (tiles + 1) / 2;
    const int threads = dps_run_threads(run, pairs);
    char *scratch = dps_alloc((size_t)threads, each);
    if (scratch == NULL) {
        return dps_out_of_memory(err, (size_t)threads, each, "inner products");
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t pair = 0; pair < pairs; pair++) {
        int64_t s, t;
        pair_of(pair, &s, &t);
        const dps_z_tile *a = &few->tile[s], *b = &few->tile[t];
        const size_t row = (size_t)s * DPS_TILE_ROWS, column = (size_t)t * DPS_TILE_ROWS;
        dps_gram_add(run->simd, (size_t)few->source.width, (size_t)a->rows, a->z, (size_t)b->rows,
                     b->z, few->source.stride, row - column, gram + row * n + column, n,
                     scratch + (size_t)omp_get_thread_num() * each);
    }
    dps_free(scratch);
    return DPS_OK;
}

static double sparse_dot(const dps_z_tile *tile, int64_t r, const double *wide)
{
    double sum = 0.0;
    for (int64_t e = tile->start[r]; e < tile->start[r + 1]; e++) {
        sum += (double)tile->value[e] * wide[tile->column[e]];
    }
    return sum;
}

/* The sparse block's share, lower triangle: every row, spread out, by those from it on. */
static dps_status add_sparse(const dps_few_rows *few, double *gram, dps_error *err)
{
    const size_t columns = (size_t)few->source.sparse_columns;
    const int64_t n = few->source.rows;
    double *wide;
    DPS_NEED(wide, columns, "a sparse row", err);
    for (int64_t j = 0; j < n; j++) {
        const dps_z_tile *of = &few->tile[j / DPS_TILE_ROWS];
        const int64_t own = j % DPS_TILE_ROWS;
        for (int64_t e = of->start[own]; e < of->start[own + 1]; e++) {
            wide[of->column[e]] += of->sparse_scale * (double)of->value[e];
        }
        for (int64_t i = j; i < n; i++) {
            const dps_z_tile *tile = &few->tile[i / DPS_TILE_ROWS];
            gram[i * n + j] += tile->sparse_scale * sparse_dot(tile, i % DPS_TILE_ROWS, wide);
        }
        for (int64_t e = of->start[own]; e < of->start[own + 1]; e++) {
            wide[of->column[e]] = 0.0;
        }
    }
    dps_free(wide);
    return DPS_OK;
}

dps_status dps_interior_gram(const dps_few_rows *few, const dps_run *run, double *gram,
                             dps_error *err)
{
    const size_t n = (size_t)few->source.rows;
    DPS_TRY(add_panels(few, run, gram, err));
    if (few->source.sparse_columns > 0) {
        DPS_TRY(add_sparse(few, gram, err));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            gram[j * n + i] = gram[i * n + j];
        }
    }
    return DPS_OK;
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

/* ---- all models ------------------------------------------------------------------------------ */

typedef struct ending {
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_few_rows few;
    bool solves; /* this rank */
    double *gram, *alpha, *w;
    dps_certificate *found;
    int64_t steps; /* the most of a model */
} ending;

static dps_status allocate_all(ending *e, const dps_problem *problem, dps_error *err)
{
    const size_t n = (size_t)dps_tiles_rows(problem->source);
    const size_t models = (size_t)dps_problem_models(problem);
    e->gram = dps_alloc(n * n, sizeof *e->gram);
    e->alpha = dps_alloc(n * models, sizeof *e->alpha);
    e->w = dps_alloc(models, dps_weight_length(problem->source) * sizeof *e->w);
    e->found = dps_alloc(models, sizeof *e->found);
    return e->gram != NULL && e->alpha != NULL && e->w != NULL && e->found != NULL
               ? DPS_OK
               : dps_out_of_memory(err, n * n, sizeof *e->gram, "inner products of the rows");
}

/* w = sum_i alpha_i z_i of all models. */
static void add_up(ending *e)
{
    const dps_tile_source *source = &e->few.source;
    const int32_t models = dps_problem_models(&e->few.problem);
    const size_t length = dps_weight_length(source);
    double own[DPS_TILE_ROWS];
    for (int64_t t = 0; t < dps_tile_count(source->rows); t++) {
        const dps_z_tile *tile = &e->few.tile[t];
        for (int32_t k = 0; k < models; k++) {
            for (int32_t r = 0; r < tile->rows; r++) {
                own[r] = e->alpha[(size_t)(t * DPS_TILE_ROWS + r) * (size_t)models + (size_t)k];
            }
            double *to = e->w + (size_t)k * length;
            dps_tile_add_panel(e->run->simd, tile, NULL, tile->rows, own, 0, tile->stride, to);
            dps_tile_add_sparse(tile, NULL, tile->rows, own, to);
        }
    }
}

/* Model after model; a rank that only waits looks out for signals. All. */
static dps_status solve_all(ending *e, const dps_comm *comm, dps_error *err)
{
    const int32_t models = dps_problem_models(&e->few.problem);
    dps_status status = DPS_OK;
    for (int32_t k = 0; k < models && status == DPS_OK; k++) {
        int64_t own = 0;
        if (dps_run_stopped(e->run)) {
            status = dps_stopped(err);
        } else if (e->solves) {
            status = dps_interior_solve(&e->few.problem, k, e->gram, e->settings->tolerance, e->run,
                                        e->alpha + k, (size_t)models, &own, err);
        }
        e->steps = own > e->steps ? own : e->steps;
        status = dps_comm_agree(comm, status, err);
    }
    return status;
}

/* Weights and certificates of all models on every rank. All. */
static dps_status work(ending *e, const dps_problem *problem, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(problem, e->run);
    const size_t models = (size_t)dps_problem_models(problem);
    const int root = dps_few_rows_root(comm);
    e->solves = dps_comm_rank(comm) == root;
    dps_status status = dps_few_rows_gather(&e->few, problem, e->run, err);
    if (status == DPS_OK) {
        status = allocate_all(e, problem, err);
        if (status == DPS_OK && e->solves) {
            status = dps_interior_gram(&e->few, e->run, e->gram, err);
        }
        status = dps_comm_agree(comm, status, err);
    }
    DPS_THEN(status, solve_all(e, comm, err));
    if (status == DPS_OK && e->solves) {
        const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = e->alpha};
        add_up(e);
        status = dps_certify(&e->few.problem, e->w, &point, NULL, 0, e->run, e->found, err);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        dps_comm_broadcast(comm, root, e->w,
                           models * dps_weight_length(problem->source) * sizeof *e->w);
        dps_comm_broadcast(comm, root, e->found, models * sizeof *e->found);
        dps_comm_broadcast(comm, root, &e->steps, sizeof e->steps);
    }
    return status;
}

/* Of both solutions the one with the smaller gap, model by model. */
static void take_better(dps_solution *solution, const double *w, const dps_certificate *found)
{
    bool taken = false;
    for (int32_t k = 0; k < solution->models; k++) {
        if (found[k].gap < solution->certificate[k].gap) {
            const size_t at = (size_t)k * solution->length;
            memcpy(solution->w + at, w + at, solution->length * sizeof *w);
            solution->certificate[k] = found[k];
            taken = true;
        }
    }
    if (taken) {
        dps_solution_ended_by(solution, &dps_solver_interior);
    }
}

/* What is returned, to an observer that looks on. */
static dps_status show(const dps_solver_settings *settings, dps_solution *solution, dps_error *err)
{
    bool stop;
    dps_solution_judge(solution, settings->tolerance);
    return dps_observe(settings->observer, solution,
                       (dps_pass_report){.solver = solution->solver->name,
                                         .iteration = solution->iterations,
                                         .objective = solution->worst.primal,
                                         .gap = dps_gap_estimate(solution->worst.gap),
                                         .row_visits = solution->row_visits},
                       &stop, err);
}

dps_status dps_interior_finish(const dps_problem *problem, const dps_solver_settings *settings,
                               const dps_run *run, dps_solution *solution, dps_error *err)
{
    ending e = {.settings = settings, .run = run};
    dps_status status = work(&e, problem, err);
    if (status == DPS_OK) {
        take_better(solution, e.w, e.found);
        solution->iterations += e.steps;
        solution->row_visits += (double)dps_tiles_rows(problem->source) * (double)solution->models;
        status = show(settings, solution, err);
    }
    dps_few_rows_release(&e.few);
    dps_free(e.gram);
    dps_free(e.alpha);
    dps_free(e.w);
    dps_free(e.found);
    return status;
}
