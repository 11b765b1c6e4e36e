/* Task: the passes over rows of the joint solve: h once; a step's gradients and directions, which
 * are products of tiles with the vectors of all models; and sums along the directions, of u and v
 * alone. Sums over rows are ordered sums. */
#include <string.h>

#include "joint_private.h"
#include "ordered_sum.h"
#include "products.h"
#include "tile_loop.h"

/* The sum over the tiles of all ranks. */
static dps_ordered_sum sum_over(const dps_joint *j, size_t elements, double tile_flops)
{
    const dps_tile_source *source = j->problem->source;
    const int64_t all = dps_tile_count(dps_tiles_rows(source));
    return (dps_ordered_sum){.tiles = dps_tile_count(source->rows),
                             .first_tile = dps_tile_count(source->first_row),
                             .total_tiles = source->total_rows > 0 ? all : 0,
                             .slots = dps_slot_count(all, elements, tile_flops),
                             .elements = elements};
}

/* ---- inner products -------------------------------------------------------------------------- */

typedef struct summing {
    const dps_joint *j;
    dps_simd simd;
} summing;

static size_t gathered_bytes(const dps_problem *problem)
{
    return DPS_TILE_ROWS * problem->source->stride * sizeof(float);
}

static dps_status add_products(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const summing *s = context;
    const dps_joint *j = s->j;
    const size_t stride = j->stride, fetch = dps_fetch_bytes(j->problem->source);
    float *row = (float *)(void *)((char *)scratch + fetch);
    dps_z_tile tile;
    size_t count = 0;
    DPS_TRY(dps_fetch(j->problem->source, t, scratch, &tile, err));
    for (int32_t i = 0; i < tile.rows; i++) {
        /* of several folds every row trains in some */
        const double c = j->folds == 1 ? dps_joint_weight(j, 0, t * DPS_TILE_ROWS + i)
                                       : dps_row_weight(j->problem, t * DPS_TILE_ROWS + i);
        const float factor = (float)sqrt(c), *z = tile.z + (size_t)i * tile.stride;
        for (size_t l = 0; l < stride && c > 0; l++) {
            row[count * stride + l] = factor * z[l];
        }
        count += c > 0;
    }
    dps_cross_add(s->simd, false, count, j->order, row, stride, 1.0, sum,
                  (char *)scratch + fetch + gathered_bytes(j->problem));
    return DPS_OK;
}

dps_status dps_joint_multiply(dps_joint *j, const dps_run *run, dps_error *err)
{
    const double order = (double)j->order;
    summing s = {j, run->simd};
    dps_ordered_sum sum = sum_over(j, j->order * (j->order + 1) / 2, order * order * DPS_TILE_ROWS);
    sum.scratch_bytes = dps_fetch_bytes(j->problem->source) + gathered_bytes(j->problem) +
                        dps_cross_bytes(j->stride);
    sum.add = add_products;
    sum.context = &s;
    return dps_ordered_sum_run(&sum, run, j->h, err);
}

/* ---- a step ---------------------------------------------------------------------------------- */

size_t dps_joint_pass_bytes(const dps_problem *problem, int32_t count)
{
    const dps_tile_source *source = problem->source;
    return dps_fetch_bytes(source) + (size_t)count * DPS_TILE_ROWS * sizeof(float) +
           dps_round_up(dps_sums_bytes(source->stride, (size_t)count), DPS_ALIGN);
}

/* What a model's losses on a tile are made of; zeros beyond the last row. */
typedef struct tile_losses {
    double y[DPS_TILE_ROWS], c[DPS_TILE_ROWS], r[DPS_TILE_ROWS];
} tile_losses;

/* y of model m; c too where the last one filled, of `fold`, was of another fold. */
static void fill_losses(const dps_joint *j, const dps_joint_model *m, int64_t first, int32_t *fold,
                        tile_losses *of)
{
    const dps_problem *problem = j->problem;
    const int64_t left = problem->source->rows - first;
    const size_t rows = (size_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS);
    const int32_t positive = problem->classes == 2 ? 1 : m->k;
    for (size_t i = 0; i < rows && *fold != m->fold; i++) {
        of->c[i] = dps_joint_weight(j, m->fold, first + (int64_t)i);
    }
    *fold = m->fold;
    if (problem->loss->regression) {
        memcpy(of->y, problem->target + first, rows * sizeof *of->y);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        of->y[i] = problem->label[first + (int64_t)i] == positive ? 1.0 : -1.0;
    }
}

/* r at u + t v, of classes and of numbers: no branches within a loop. */
static void find_residuals(const dps_problem *problem, const double *u, double t, const float *v,
                           tile_losses *of)
{
    const double epsilon = problem->epsilon;
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        of->r[i] = u[i] + (v == NULL ? 0 : t * (double)v[i]);
    }
    if (problem->loss->regression) {
        for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
            const double d = of->r[i] - of->y[i];
            const double above = d - epsilon, below = d + epsilon;
            of->r[i] = (above > 0 ? above : 0) + (below < 0 ? below : 0);
        }
        return;
    }
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        const double d = of->r[i] - of->y[i], side = of->y[i] * of->r[i];
        of->r[i] = side < 1 ? d : 0;
    }
}

/* Sums over a tile's rows: LANES of them, then those in order. */
enum { LANES = 8 };

static double total(const double lane[LANES])
{
    double sum = 0;
    for (size_t l = 0; l < LANES; l++) {
        sum += lane[l];
    }
    return sum;
}

/* c r of the model's rows; more: sum c r^2, rows with a loss. */
static void add_losses(const tile_losses *of, float *c, double more[2])
{
    double loss[LANES] = {0}, active[LANES] = {0};
    for (size_t i = 0; i < DPS_TILE_ROWS; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            const double cr = of->c[i + l] * of->r[i + l];
            loss[l] += cr * of->r[i + l];
            active[l] += cr != 0 ? 1.0 : 0.0;
            c[i + l] = (float)cr;
        }
    }
    more[0] += total(loss);
    more[1] += total(active);
}

static dps_status add_gradients(void *context, int64_t t, double *sum, void *scratch,
                                dps_error *err)
{
    const summing *s = context;
    const dps_joint *j = s->j;
    const int64_t first = t * DPS_TILE_ROWS;
    const size_t lives = (size_t)j->lives;
    float *c = (float *)(void *)((char *)scratch + dps_fetch_bytes(j->problem->source));
    tile_losses of = {{0}, {0}, {0}};
    int32_t fold = -1;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(j->problem->source, t, scratch, &tile, err));
    for (size_t l = 0; l < lives; l++) {
        fill_losses(j, &j->model[j->live[l]], first, &fold, &of);
        find_residuals(j->problem, j->u + (size_t)j->live[l] * j->rows + first, 0, NULL, &of);
        add_losses(&of, c + l * DPS_TILE_ROWS, sum + lives * j->stride + 2 * l);
    }
    dps_sums_many(s->simd, (size_t)tile.rows, j->stride, tile.z, tile.stride, lives, c,
                  DPS_TILE_ROWS, sum, j->stride, c + lives * DPS_TILE_ROWS);
    return DPS_OK;
}

dps_status dps_joint_gradients(dps_joint *j, const dps_run *run, dps_error *err)
{
    const double flops = 2.0 * j->lives * (double)j->stride * DPS_TILE_ROWS;
    summing s = {j, run->simd};
    dps_ordered_sum sum = sum_over(j, (size_t)j->lives * (j->stride + 2), flops);
    sum.scratch_bytes = dps_joint_pass_bytes(j->problem, j->lives);
    sum.add = add_gradients;
    sum.context = &s;
    return dps_ordered_sum_run(&sum, run, j->sums, err);
}

static dps_status score_tile(void *context, int64_t t, void *scratch, dps_error *err)
{
    const summing *s = context;
    const dps_joint *j = s->j;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(j->problem->source, t, scratch, &tile, err));
    dps_scores_many(s->simd, (size_t)tile.rows, j->stride, tile.z, tile.stride, (size_t)j->lives,
                    j->rounded, j->stride, j->v + t * DPS_TILE_ROWS, j->rows);
    return DPS_OK;
}

dps_status dps_joint_directions(dps_joint *j, const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = j->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    summing s = {j, run->simd};
    const dps_tile_loop loop = {
        .tiles = tiles,
        .threads = dps_run_threads_for(run, tiles, dps_pass_work(source, tiles, j->lives)),
        .bytes = dps_fetch_bytes(source),
        .visit = score_tile,
        .context = &s,
        .stops = run,
        .doing = "solving"};
    return dps_tile_loop_run(&loop, err);
}

/* ---- along the directions -------------------------------------------------------------------- */

/* sum c r v and sum c v^2 over r != 0. */
static void add_slopes(const tile_losses *of, const float *v, double sum[2])
{
    double slope[LANES] = {0}, curvature[LANES] = {0};
    for (size_t i = 0; i < DPS_TILE_ROWS; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            const double way = (double)v[i + l], cv = of->c[i + l] * way, bend = cv * way;
            slope[l] += cv * of->r[i + l];
            curvature[l] += of->r[i + l] != 0 ? bend : 0;
        }
    }
    sum[0] += total(slope);
    sum[1] += total(curvature);
}

/* Of the searching models. */
static dps_status add_line(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const dps_joint *j = ((const summing *)context)->j;
    const int64_t first = t * DPS_TILE_ROWS;
    tile_losses of = {{0}, {0}, {0}};
    int32_t fold = -1;
    (void)scratch;
    (void)err;
    for (int32_t l = 0; l < j->lives; l++) {
        const dps_joint_model *m = &j->model[j->live[l]];
        const float *v = j->v + (size_t)l * j->rows + first;
        if (m->searching) {
            fill_losses(j, m, first, &fold, &of);
            find_residuals(j->problem, j->u + (size_t)j->live[l] * j->rows + first, m->t, v, &of);
            add_slopes(&of, v, sum + 2 * l);
        }
    }
    return DPS_OK;
}

/* From the slope and curvature at t to the next one: Newton's iteration on the slope, which grows,
 * in its bracket. */
static void next_step(const dps_joint *j, dps_joint_model *m, const double sum[2])
{
    static const double enough = 0.1;
    const double slope = m->wp + m->t * m->pp + 2 * j->C * sum[0];
    const double curvature = m->pp + 2 * j->C * sum[1];
    if (fabs(slope) <= enough * -m->start) {
        m->searching = false;
        return;
    }
    *(slope < 0 ? &m->low : &m->high) = m->t;
    const double next = m->t - slope / curvature;
    m->t = next > m->low && next < m->high ? next
           : isfinite(m->high)             ? 0.5 * (m->low + m->high)
                                           : 2 * m->t;
}

dps_status dps_joint_search(dps_joint *j, const dps_run *run, dps_error *err)
{
    enum { MOST_EVALUATIONS = 12 };
    summing s = {j, run->simd};
    dps_ordered_sum sum = sum_over(j, 2 * (size_t)j->lives, 20.0 * j->lives * DPS_TILE_ROWS);
    sum.add = add_line;
    sum.context = &s;
    bool any = true;
    for (int e = 0; e < MOST_EVALUATIONS && any; e++) {
        DPS_TRY(dps_ordered_sum_run(&sum, run, j->sums, err));
        any = false;
        for (int32_t l = 0; l < j->lives; l++) {
            dps_joint_model *m = &j->model[j->live[l]];
            if (m->searching) {
                next_step(j, m, j->sums + 2 * l);
                any = any || m->searching;
            }
        }
    }
    for (int32_t l = 0; l < j->lives; l++) {
        dps_joint_model *m = &j->model[j->live[l]];
        m->t = m->searching ? m->low : m->t; /* no ascent there */
    }
    return DPS_OK;
}
