/* Task: held-out rows by the factors of the columns' inner products, all folds in step (ridge.h): a
 * pass over the tiles moves the targets of every fold and model and sums their right-hand sides. */
#include "ridge_private.h"

#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "ordered_sum.h"
#include "tile_kernels.h"
#include "tile_loop.h"

static size_t model_at(const dps_ridge *r, int32_t fold, int32_t k)
{
    return (size_t)fold * (size_t)r->models + (size_t)k;
}

/* Of the rows that train without a fold; false: not finite. */
static bool factor_fold(const dps_ridge *r, int32_t fold, double C, const dps_run *run,
                        void *scratch)
{
    const size_t n = r->order;
    const double *all = dps_ridge_sums(r, r->folds), *own = dps_ridge_sums(r, fold);
    const double less = r->folds > 1 ? 1.0 : 0.0;
    double *a = r->factor + (size_t)fold * n * n, ridge = 1 / (2 * C);
    for (int raises = 0; raises < DPS_RIDGE_RAISES; raises++, ridge *= 10) {
        for (size_t i = 0, at = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++, at++) {
                a[i * n + j] = all[at] - less * own[at];
            }
            a[i * n + i] += ridge;
        }
        if (dps_cholesky(run->simd, n, a, n, scratch)) {
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
        void *scratch = dps_alloc(dps_cholesky_bytes(r->order), 1);
        enough = scratch != NULL;
#pragma omp for schedule(dynamic, 1)
        for (int32_t f = 0; f < r->folds; f++) {
            finite = enough && factor_fold(r, f, C, run, scratch) && finite;
        }
        dps_free(scratch);
    }
    if (!enough) {
        return dps_out_of_memory(err, dps_cholesky_bytes(r->order), 1, "a factor");
    }
    return finite ? DPS_OK : dps_error_set(err, DPS_ERROR_NUMERIC, "inner products are not finite");
}

/* From right-hand sides to weights; some models of a fold at a time read its factor once. */
static void solve_all(const dps_ridge *r, const dps_run *run)
{
    enum { TOGETHER = 8 };
    const size_t n = r->order;
    const int32_t groups = (r->models + TOGETHER - 1) / TOGETHER, parts = r->folds * groups;
    const double work = (double)r->folds * r->models * (double)n * (double)n;
#pragma omp parallel for schedule(static) num_threads(dps_run_threads_for(run, parts, work))
    for (int32_t p = 0; p < parts; p++) {
        const int32_t fold = p / groups, first = p % groups * TOGETHER;
        const int32_t left = r->models - first, count = left < TOGETHER ? left : TOGETHER;
        dps_cholesky_solve_many(n, r->factor + (size_t)fold * n * n, n,
                                r->w + model_at(r, fold, first) * r->stride, r->stride,
                                (size_t)count);
    }
}

typedef struct moving {
    const dps_ridge *ridge;
    dps_simd simd;
    double far;
} moving;

/* Scores of the tile's rows by every fold's models that they train, their targets moved, and those
 * into new right-hand sides. */
static dps_status move_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const moving *m = context;
    const dps_ridge *r = m->ridge;
    const dps_problem *problem = r->problem;
    const int64_t rows = problem->source->rows, first = t * DPS_TILE_ROWS;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(problem->source, t, scratch, &tile, err));
    for (int32_t f = 0; f < r->folds; f++) {
        int32_t list[DPS_TILE_ROWS], count = 0;
        double u[DPS_TILE_ROWS];
        for (int32_t i = 0; i < tile.rows; i++) {
            if (r->fold[first + i] != f && dps_row_weight(problem, first + i) > 0) {
                list[count++] = i;
            }
        }
        for (int32_t k = 0; k < r->models; k++) {
            double *before = r->u + model_at(r, f, k) * (size_t)rows;
            dps_tile_scores(m->simd, &tile, r->w + model_at(r, f, k) * r->stride, list, count, u);
            for (int32_t i = 0; i < count; i++) {
                const int64_t at = first + list[i];
                const double v = u[i] + m->far * (u[i] - before[at]);
                before[at] = u[i];
                u[i] = dps_row_weight(problem, at) * dps_ridge_moved(problem, k, at, v);
            }
            dps_tile_add_panel(m->simd, &tile, list, count, u, 0, r->stride,
                               sum + model_at(r, f, k) * r->stride);
        }
    }
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
        .scratch_bytes = dps_fetch_bytes(source),
        .add = move_tile,
        .context = &m};
    DPS_TRY(dps_ordered_sum_run(&sum, run, r->b, err));
    memcpy(r->w, r->b, elements * sizeof *r->w);
    return DPS_OK;
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
    dps_z_tile tile;
    DPS_TRY(dps_fetch(r->problem->source, t, memory, &tile, err));
    for (int32_t f = 0; f < r->folds; f++) {
        dps_tile_scores_of_part(s->simd, &tile, r->fold + first, f,
                                r->w + model_at(r, f, 0) * r->stride, r->stride, r->models,
                                s->held + first, rows);
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
        .bytes = dps_fetch_bytes(source),
        .visit = score_tile,
        .context = &s};
    return dps_tile_loop_run(&loop, err);
}
