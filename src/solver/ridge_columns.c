/* Task: held-out rows by the factors of the columns' inner products, all folds in step (ridge.h): a
 * pass over the tiles moves the targets of every fold and model and sums their right-hand sides. */
#include "ridge_private.h"

#include <assert.h>
#include <omp.h>
#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "ordered_sum.h"
#include "products.h"
#include "tile_kernels.h"
#include "tile_loop.h"

static size_t model_at(const dps_ridge *r, int32_t fold, int32_t k)
{
    return (size_t)fold * (size_t)r->models + (size_t)k;
}

/* Of the rows that train without a fold; a: n x n; false: not finite. */
static bool factor_fold(const dps_ridge *r, int32_t fold, double C, const dps_run *run, double *a,
                        void *scratch)
{
    const size_t n = r->order;
    const double *all = dps_ridge_sums(r, r->folds), *own = dps_ridge_sums(r, fold);
    const double less = r->folds > 1 ? 1.0 : 0.0;
    double ridge = 1 / (2 * C);
    for (int raises = 0; raises < DPS_RIDGE_RAISES; raises++, ridge *= 10) {
        for (size_t i = 0, at = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++, at++) {
                a[i * n + j] = all[at] - less * own[at];
            }
            a[i * n + i] += ridge;
        }
        if (dps_cholesky(run->simd, n, a, n, scratch)) {
            dps_pack_factor(run->simd, n, a, n, r->factor + (size_t)fold * r->panels, scratch);
            return true;
        }
    }
    return false;
}

static dps_status factor_all(const dps_ridge *r, double C, const dps_run *run, dps_error *err)
{
    const double n = (double)r->order, work = r->folds * n * n * n / 3;
    bool enough = true, finite = true;
#pragma omp parallel num_threads(dps_run_threads_for(run, r->folds, work)) \
    reduction(&& : enough, finite)
    {
        double *a = dps_alloc(r->order * r->order, sizeof *a);
        void *scratch = r->scratch + (size_t)omp_get_thread_num() * dps_ridge_scratch(r->order);
        enough = a != NULL;
#pragma omp for schedule(dynamic, 1)
        for (int32_t f = 0; f < r->folds; f++) {
            finite = enough && factor_fold(r, f, C, run, a, scratch) && finite;
        }
        dps_free(a);
    }
    if (!enough) {
        return dps_out_of_memory(err, r->order * r->order, sizeof(double), "a factor");
    }
    return finite ? DPS_OK : dps_error_set(err, DPS_ERROR_NUMERIC, "inner products are not finite");
}

/* From right-hand sides to weights; some models of a fold at a time. */
static void solve_all(const dps_ridge *r, const dps_run *run)
{
    const size_t n = r->order;
    const int32_t groups = (r->models + DPS_RIDGE_TOGETHER - 1) / DPS_RIDGE_TOGETHER;
    const int32_t parts = r->folds * groups;
    const double work = (double)r->folds * r->models * (double)n * (double)n;
#pragma omp parallel for schedule(static) num_threads(dps_run_threads_for(run, parts, work))
    for (int32_t p = 0; p < parts; p++) {
        const int32_t fold = p / groups, first = p % groups * DPS_RIDGE_TOGETHER;
        const int32_t left = r->models - first;
        char *scratch = r->scratch + (size_t)omp_get_thread_num() * dps_ridge_scratch(n);
        dps_packed_solve(run->simd, n, r->factor + (size_t)fold * r->panels,
                         r->w + model_at(r, fold, first) * r->stride, r->stride,
                         (size_t)(left < DPS_RIDGE_TOGETHER ? left : DPS_RIDGE_TOGETHER), scratch);
    }
    const size_t elements = (size_t)r->folds * (size_t)r->models * r->stride;
    for (size_t j = 0; j < elements; j++) {
        r->rounded[j] = (float)r->w[j];
    }
}

/* Of a tile's rows by the weights of every fold and model; u: folds x models x DPS_TILE_ROWS. */
static void score_rows(const dps_ridge *r, dps_simd simd, const dps_z_tile *tile, float *u)
{
    dps_scores_many(simd, (size_t)tile->rows, r->stride, tile->z, tile->stride,
                    (size_t)r->folds * (size_t)r->models, r->rounded, r->stride, u, DPS_TILE_ROWS);
}

typedef struct moving {
    const dps_ridge *ridge;
    dps_simd simd;
    double far;
} moving;

/* Scratch: the fetched tile, scores and then targets, the chains of sums. */
static size_t move_bytes(const dps_ridge *r)
{
    const size_t count = (size_t)r->folds * (size_t)r->models;
    return dps_fetch_bytes(r->problem->source) + count * DPS_TILE_ROWS * sizeof(float) +
           dps_round_up(dps_sums_bytes(r->stride, count), DPS_ALIGN);
}

/* From scores u of the tile's rows to moved targets, times the rows' weights; 0 of the fold's own
 * rows. */
static void move_rows(const moving *m, int32_t fold, int32_t k, int64_t first, int32_t rows,
                      float *u)
{
    const dps_ridge *r = m->ridge;
    float *before = r->u + model_at(r, fold, k) * (size_t)r->problem->source->rows + first;
    for (int32_t i = 0; i < rows; i++) {
        const double c = dps_row_weight(r->problem, first + i);
        if (r->fold[first + i] == fold || !(c > 0)) {
            u[i] = 0;
            continue;
        }
        const double now = u[i], v = now + m->far * (now - before[i]);
        before[i] = u[i];
        u[i] = (float)(c * dps_ridge_moved(r->problem, k, first + i, v));
    }
}

/* Scores of the tile's rows by every fold's models that they train, their targets moved, and those
 * into new right-hand sides. */
static dps_status move_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const moving *m = context;
    const dps_ridge *r = m->ridge;
    const size_t count = (size_t)r->folds * (size_t)r->models;
    float *u = (float *)(void *)((char *)scratch + dps_fetch_bytes(r->problem->source));
    dps_z_tile tile;
    DPS_TRY(dps_fetch(r->problem->source, t, scratch, &tile, err));
    score_rows(r, m->simd, &tile, u);
    for (int32_t f = 0; f < r->folds; f++) {
        for (int32_t k = 0; k < r->models; k++) {
            move_rows(m, f, k, t * DPS_TILE_ROWS, tile.rows, u + model_at(r, f, k) * DPS_TILE_ROWS);
        }
    }
    dps_sums_many(m->simd, (size_t)tile.rows, r->stride, tile.z, tile.stride, count, u,
                  DPS_TILE_ROWS, sum, r->stride, u + count * DPS_TILE_ROWS);
    return DPS_OK;
}

static dps_status move_targets(dps_ridge *r, int step, const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t elements = (size_t)r->folds * (size_t)r->models * r->stride;
    moving m = {r, run->simd, dps_ridge_momentum(step)};
    const dps_ordered_sum sum = {
        .tiles = tiles,
        .slots = dps_slot_count(tiles, elements, 2.0 * (double)elements * DPS_TILE_ROWS),
        .elements = elements,
        .scratch_bytes = move_bytes(r),
        .add = move_tile,
        .context = &m};
    return dps_ordered_sum_run(&sum, run, r->w, err);
}

typedef struct scoring {
    const dps_ridge *ridge;
    double *held;
    dps_simd simd;
} scoring;

/* Of the tile's held-out rows, each by the weights of its fold. */
static dps_status score_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const scoring *s = context;
    const dps_ridge *r = s->ridge;
    const int64_t rows = r->problem->source->rows, first = t * DPS_TILE_ROWS;
    float *u = (float *)(void *)((char *)memory + dps_fetch_bytes(r->problem->source));
    dps_z_tile tile;
    DPS_TRY(dps_fetch(r->problem->source, t, memory, &tile, err));
    score_rows(r, s->simd, &tile, u);
    for (int32_t i = 0; i < tile.rows; i++) {
        const int32_t f = r->fold[first + i];
        for (int32_t k = 0; k < r->models && f >= 0; k++) {
            s->held[k * rows + first + i] =
                (double)u[model_at(r, f, k) * DPS_TILE_ROWS + (size_t)i];
        }
    }
    return DPS_OK;
}

/* Right-hand sides of the targets y. */
static void begin(const dps_ridge *r)
{
    const double less = r->folds > 1 ? 1.0 : 0.0;
    const size_t at = dps_ridge_packed(r->order);
    memset(r->u, 0,
           (size_t)r->folds * (size_t)r->models * (size_t)r->problem->source->rows * sizeof *r->u);
    for (int32_t f = 0; f < r->folds; f++) {
        const double *all = dps_ridge_sums(r, r->folds) + at, *own = dps_ridge_sums(r, f) + at;
        double *w = r->w + model_at(r, f, 0) * r->stride;
        for (size_t j = 0; j < (size_t)r->models * r->stride; j++) {
            w[j] = all[j] - less * own[j];
        }
    }
}

dps_status dps_ridge_by_columns(dps_ridge *r, double C, int moves, double *held, const dps_run *run,
                                dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    DPS_TRY(factor_all(r, C, run, err));
    begin(r);
    solve_all(r, run);
    for (int m = 0; m < moves; m++) {
        DPS_TRY(move_targets(r, m, run, err));
        solve_all(r, run);
    }
    scoring s = {r, held, run->simd};
    const dps_tile_loop loop = {
        .tiles = tiles,
        .threads = dps_run_threads_for(run, tiles, dps_pass_work(source, tiles, r->models)),
        .bytes = move_bytes(r),
        .visit = score_tile,
        .context = &s};
    return dps_tile_loop_run(&loop, err);
}

/* sum of c y^2 */
static double squares_of_targets(const dps_problem *problem, int32_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->source->rows; i++) {
        const double y = dps_target(problem, k, i);
        sum += dps_row_weight(problem, i) * y * y;
    }
    return sum;
}

/* P = |w|^2 / 2 + C sum c (y - <w, z>)^2 = C (sum c y^2 - <w, b>) at (H + I / (2 C)) w = b. */
dps_status dps_ridge_solve(const dps_problem *problem, const dps_run *run, dps_solution *solution,
                           dps_error *err)
{
    dps_ridge *r = NULL;
    dps_status status = dps_ridge_new(&r, problem, NULL, 1, run, err);
    assert(r == NULL || !r->by_rows);
    DPS_THEN(status, factor_all(r, problem->C, run, err));
    if (status == DPS_OK) {
        const double *b = dps_ridge_sums(r, r->folds) + dps_ridge_packed(r->order);
        memcpy(r->w, b, (size_t)r->models * r->stride * sizeof *r->w);
        solve_all(r, run);
        for (int32_t k = 0; k < r->models; k++) {
            const double *w = r->w + (size_t)k * r->stride, *bk = b + (size_t)k * r->stride;
            memcpy(solution->w + (size_t)k * solution->length, w, r->order * sizeof *w);
            solution->certificate[k].primal =
                problem->C * (squares_of_targets(problem, k) - dps_dot(r->order, w, bk));
        }
    }
    dps_ridge_free(r);
    return status;
}
