/* Task: train n rows of D' columns, D' far above n, in n columns.
 *
 *     K = Z Z^T + eps I = L L^T,   eps = 1e-8 mean K_ii,   L: n x n lower triangular
 *
 * The solution of min 1/2 |w|^2 + C sum loss(<w, z_i>) is a sum of rows, w = Z^T alpha, and depends
 * on inner products of rows only (representer theorem; Kimeldorf & Wahba 1971): rows of L in place
 * of rows of Z give the same objective, dual and scores, up to eps. From the solution v over the
 * rows of L: alpha = L^-T v, w = Z^T alpha. The bias column is among the columns of Z.
 *
 * Z is never held: the map makes a run of columns for all rows at a time, once for K and once for
 * w. Cost: two mappings of all rows, n^2 D' for K, n^3 / 3 for L; a solver's pass over n
 * columns instead of a mapping. Memory: 12 n^2 bytes and one run of columns. Why: one tile of a
 * million columns takes 1.5 GB, and solvers that visit rows in mixed order want 32 of them.
 *
 * K is summed in double throughout: float sums, off by 1e-6 of K_ii, would leave nothing of eps.
 * Rows of L are rounded to float and hold eps: what that does at a large C is measured, and mended
 * where rows are few, by K itself (row_span_settle.c). */
#include "row_span.h"

#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "allocation.h"
#include "cholesky.h"
#include "interior.h"
#include "products.h"
#include "tile_kernels.h"
#include "tile_loop.h"
#include "z_builder.h"

enum {
    RUN_COLUMNS = 1024,
    MOST_ROWS = 30000, /* a K of 7 GB */
    GROUP_COLUMNS = 64 /* of w, a piece of work */
};
#define RIDGE      1e-8
#define RIDGE_MOST 1e-4

struct dps_row_span {
    dps_row_source rows;
    const dps_map *map;
    double bias;
    double *k;        /* n x n: L in the lower triangle with the diagonal, K above */
    double *diagonal; /* of K */
    float *kept;      /* L as tiles of a source */
    dps_tile_source source;
};

/* The mapped rows of one run of columns. */
typedef struct column_run {
    int32_t begin, end;
    size_t stride;
    float *z; /* whole tiles x stride */
} column_run;

bool dps_row_span_wanted(const dps_map_recipe *recipe, const dps_map_facts *facts, int64_t rows,
                         const dps_run *run)
{
    return facts->width > DPS_SPAN_COLUMNS && facts->exact_columns <= DPS_SPAN_COLUMNS &&
           facts->sparse_columns == 0 && rows <= MOST_ROWS && run->comm == NULL &&
           dps_map_in_runs(recipe);
}

static size_t most_columns(int32_t exact_columns)
{
    return dps_round_up(exact_columns > RUN_COLUMNS ? (size_t)exact_columns : RUN_COLUMNS, DPS_PAD);
}

/* The diagonal; multipliers and scores of every model; what settling takes. */
static size_t doubles_of_rows(const dps_problem *problem)
{
    return 1 + 2 * (size_t)dps_problem_models(problem) + DPS_SETTLING_DOUBLES;
}

size_t dps_row_span_bytes(const dps_map_facts *facts, const dps_problem *problem, int threads)
{
    const int64_t rows = problem->source->rows;
    const size_t n = (size_t)rows, padded = (size_t)dps_tile_count(rows) * DPS_TILE_ROWS;
    const size_t ending = dps_interior_model_bytes(problem);
    size_t k, kept, run, bytes;
    const bool counted =
        dps_size_mul(n, n * sizeof(double), &k) &&
        dps_size_mul(padded, dps_round_up(n, DPS_PAD) * sizeof(float), &kept) &&
        dps_size_mul(padded, most_columns(facts->exact_columns) * sizeof(float), &run) &&
        dps_size_add(k, kept, &bytes) && dps_size_add(bytes, run, &bytes) &&
        dps_size_add(bytes, (size_t)threads * dps_gram_bytes(), &bytes) &&
        dps_size_add(bytes, dps_cholesky_bytes(n), &bytes) &&
        dps_size_add(bytes, n * doubles_of_rows(problem) * sizeof(double), &bytes) &&
        dps_size_add(bytes, ending > 0 ? ending + n * n * sizeof(double) : 0, &bytes);
    return counted ? bytes : SIZE_MAX;
}

/* ---- a run of columns ------------------------------------------------------------------------ */

static size_t widest_run(const dps_row_span *span)
{
    return most_columns(dps_map_run_end(span->map, 0, RUN_COLUMNS)); /* the exact columns first */
}

static dps_status run_init(column_run *run, const dps_row_span *span, dps_error *err)
{
    const size_t rows = (size_t)dps_tile_count(span->rows.rows) * DPS_TILE_ROWS;
    const size_t most = widest_run(span);
    *run = (column_run){.z = dps_alloc(rows, most * sizeof(float))};
    return run->z == NULL
               ? dps_out_of_memory(err, rows, most * sizeof(float), "a run of mapped columns")
               : DPS_OK;
}

typedef struct mapping {
    const dps_row_span *span;
    const column_run *columns;
    dps_simd simd;
} mapping;

static dps_status map_tile(void *context, int64_t t, void *scratch, dps_error *err)
{
    const mapping *m = context;
    const dps_row_span *span = m->span;
    const column_run *columns = m->columns;
    dps_row_tile tile;
    dps_status status = span->rows.get(span->rows.context, t, &tile, err);
    float *z = columns->z + (size_t)t * DPS_TILE_ROWS * columns->stride;
    if (status == DPS_OK) {
        status = dps_map_apply_run(span->map, m->simd, &tile, columns->begin, columns->end, z,
                                   columns->stride, scratch, err);
        dps_z_error_row(status == DPS_OK ? NULL : err, t * DPS_TILE_ROWS);
    }
    return status;
}

/* Maps all rows to the next run of columns. */
static dps_status next_run(const dps_row_span *span, column_run *columns, const dps_run *run,
                           dps_error *err)
{
    const int64_t tiles = dps_tile_count(span->rows.rows);
    mapping m = {.span = span, .columns = columns, .simd = run->simd};
    const dps_tile_loop loop = {.tiles = tiles,
                                .threads = dps_run_threads(run, tiles),
                                .bytes = dps_map_scratch_bytes(span->map),
                                .visit = map_tile,
                                .context = &m,
                                .stops = run,
                                .doing = "mapping"};
    columns->begin = columns->end;
    columns->end = dps_map_run_end(span->map, columns->begin, RUN_COLUMNS);
    columns->stride = dps_round_up((size_t)(columns->end - columns->begin), DPS_PAD);
    return dps_tile_loop_run(&loop, err);
}

/* ---- K and L --------------------------------------------------------------------------------- */

static size_t tile_height(const dps_row_span *span, int64_t t)
{
    const int64_t left = span->rows.rows - t * DPS_TILE_ROWS;
    return (size_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS);
}

/* K += Z_s Z_t^T of tiles s >= t. */
static void add_products(dps_row_span *span, const column_run *columns, int64_t s, int64_t t,
                         dps_simd simd, void *scratch)
{
    const size_t n = (size_t)span->rows.rows, tile = DPS_TILE_ROWS * columns->stride;
    const size_t row = (size_t)s * DPS_TILE_ROWS, column = (size_t)t * DPS_TILE_ROWS;
    dps_gram_add(simd, (size_t)(columns->end - columns->begin), tile_height(span, s),
                 columns->z + (size_t)s * tile, tile_height(span, t), columns->z + (size_t)t * tile,
                 columns->stride, row - column, span->k + row * n + column, n, scratch);
}

static dps_status make_gram(dps_row_span *span, const dps_run *run, dps_error *err)
{
    const int64_t tiles = dps_tile_count(span->rows.rows), pairs = tiles * (tiles + 1) / 2;
    const int threads = dps_run_threads(run, pairs);
    const size_t each = dps_gram_bytes();
    column_run columns;
    char *scratch = dps_alloc((size_t)threads, each);
    dps_status status = run_init(&columns, span, err);
    if (status == DPS_OK && scratch == NULL) {
        status = dps_out_of_memory(err, (size_t)threads, each, "inner products");
    }
    while (status == DPS_OK && columns.end < dps_map_width(span->map)) {
        status = next_run(span, &columns, run, err);
        if (status != DPS_OK) {
            break;
        }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int64_t pair = 0; pair < pairs; pair++) {
            int64_t s = 0;
            while ((s + 1) * (s + 2) / 2 <= pair) {
                s++;
            }
            add_products(span, &columns, s, pair - s * (s + 1) / 2, run->simd,
                         scratch + (size_t)omp_get_thread_num() * each);
        }
        dps_log_share(run, "map", (double)columns.end / dps_map_width(span->map));
    }
    dps_free(scratch);
    dps_free(columns.z);
    return status;
}

/* The bias, and K above the diagonal as well. */
static void finish_gram(dps_row_span *span)
{
    const size_t n = (size_t)span->rows.rows;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            span->k[i * n + j] += span->bias * span->bias;
            span->k[j * n + i] = span->k[i * n + j];
        }
    }
}

/* L of K + eps I; ten times eps again where rounding left K indefinite. */
static dps_status factor(dps_row_span *span, const dps_run *run, dps_error *err)
{
    const size_t n = (size_t)span->rows.rows;
    void *scratch = dps_alloc(dps_cholesky_bytes(n), 1);
    double mean = 0, ridge = RIDGE;
    span->diagonal = dps_alloc(n, sizeof *span->diagonal);
    if (span->diagonal == NULL || scratch == NULL) {
        dps_free(scratch);
        return dps_out_of_memory(err, dps_cholesky_bytes(n), 1, "a factor");
    }
    for (size_t i = 0; i < n; i++) {
        span->diagonal[i] = span->k[i * n + i];
        mean += span->diagonal[i] / (double)n;
    }
    bool done = false;
    for (; !done && ridge <= RIDGE_MOST; ridge *= 10) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                span->k[i * n + j] = span->k[j * n + i];
            }
            span->k[i * n + i] = span->diagonal[i] + ridge * mean;
        }
        done = dps_cholesky(run->simd, run->threads, n, span->k, n, scratch);
    }
    dps_free(scratch);
    if (done && ridge > 10.5 * RIDGE) {
        dps_log_text(run, DPS_WARNING,
                     "inner products of the rows are indefinite by rounding: the solver works with "
                     "%.0e of their mean square length added; what is reported is without it",
                     ridge / 10);
    }
    return done ? DPS_OK
                : dps_error_set(err, DPS_ERROR_NUMERIC,
                                "inner products of the mapped rows cannot be factored: rows reach "
                                "the limits of float; scale them (data.normalize = max_norm)");
}

static dps_status get_kept(const void *context, int64_t t, float *buffer, void *scratch,
                           dps_z_tile *tile, dps_error *err)
{
    const dps_row_span *span = context;
    const int64_t left = span->source.rows - t * DPS_TILE_ROWS;
    (void)buffer;
    (void)scratch;
    (void)err;
    *tile = (dps_z_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                         .width = span->source.width,
                         .stride = span->source.stride,
                         .z = span->kept + (size_t)t * DPS_TILE_ROWS * span->source.stride};
    return DPS_OK;
}

static dps_status keep_factor(dps_row_span *span, dps_error *err)
{
    const size_t n = (size_t)span->rows.rows, stride = dps_round_up(n, DPS_PAD);
    const size_t rows = (size_t)dps_tile_count(span->rows.rows) * DPS_TILE_ROWS;
    span->kept = dps_alloc(rows, stride * sizeof(float));
    if (span->kept == NULL) {
        return dps_out_of_memory(err, rows, stride * sizeof(float), "rows in their span");
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            span->kept[i * stride + j] = (float)span->k[i * n + j];
        }
    }
    span->source = (dps_tile_source){.rows = span->rows.rows,
                                     .width = (int32_t)n,
                                     .stride = stride,
                                     .resident = true,
                                     .context = span,
                                     .get = get_kept};
    return DPS_OK;
}

dps_status dps_row_span_new(dps_row_span **out, const dps_row_source *rows, const dps_map *map,
                            double bias, const dps_run *run, dps_error *err)
{
    *out = NULL;
    dps_status status = DPS_OK;
    dps_row_span *span;
    DPS_NEED(span, 1, "the span of the rows", err);
    span->rows = *rows;
    span->map = map;
    span->bias = (double)(float)bias; /* as the bias column holds it */
    const size_t n = (size_t)rows->rows;
    span->k = dps_alloc(n, n * sizeof(double));
    if (span->k == NULL) {
        status = dps_out_of_memory(err, n, n * sizeof(double), "inner products of rows");
    } else {
        status = make_gram(span, run, err);
    }
    if (status == DPS_OK) {
        finish_gram(span);
        status = factor(span, run, err);
    }
    DPS_THEN(status, keep_factor(span, err));
    if (status != DPS_OK) {
        dps_row_span_free(span);
        return status;
    }
    *out = span;
    return DPS_OK;
}

const dps_tile_source *dps_row_span_source(const dps_row_span *span)
{
    return &span->source;
}

void dps_row_span_free(dps_row_span *span)
{
    if (span != NULL) {
        dps_free(span->k);
        dps_free(span->diagonal);
        dps_free(span->kept);
        dps_free(span);
    }
}

/* ---- back to the map's columns --------------------------------------------------------------- */

/* L^T alpha = v. */
static void solve_alpha(const dps_row_span *span, const double *v, double *alpha)
{
    const size_t n = (size_t)span->rows.rows;
    memcpy(alpha, v, n * sizeof *alpha);
    for (size_t i = n; i-- > 0;) {
        const double *row = span->k + i * n;
        alpha[i] /= row[i];
        for (size_t j = 0; j < i; j++) {
            alpha[j] -= row[j] * alpha[i];
        }
    }
}

void dps_row_span_alpha(const dps_row_span *span, const double *w, int32_t models, size_t length,
                        double *alpha)
{
    for (int32_t m = 0; m < models; m++) {
        solve_alpha(span, w + (size_t)m * length, alpha + (size_t)m * (size_t)span->rows.rows);
    }
}

void dps_row_span_multiply(const void *context, const double *x, double *out)
{
    const dps_row_span *span = context;
    const size_t n = (size_t)span->rows.rows;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const double *after = span->k + i * n + i + 1;
        out[i] += span->diagonal[i] * x[i] + dps_dot(n - i - 1, after, x + i + 1);
        dps_axpy(n - i - 1, x[i], after, out + i + 1);
    }
}

void dps_row_span_gram(const dps_row_span *span, double *gram)
{
    const size_t n = (size_t)span->rows.rows;
    for (size_t i = 0; i < n; i++) {
        gram[i * n + i] = span->diagonal[i];
        for (size_t j = i + 1; j < n; j++) {
            gram[i * n + j] = gram[j * n + i] = span->k[i * n + j];
        }
    }
}

/* Columns first ... of the run: sums over rows, in their order. */
static void add_rows(const dps_row_span *span, const column_run *columns, dps_simd simd,
                     const double *alpha, size_t first, double *sum)
{
    const size_t left = columns->stride - first;
    const size_t end = first + (left < GROUP_COLUMNS ? left : GROUP_COLUMNS);
    for (int64_t t = 0; t < dps_tile_count(span->rows.rows); t++) {
        dps_z_tile z;
        (void)get_kept(span, t, NULL, NULL, &z, NULL); /* its number of rows */
        z.width = columns->end - columns->begin;
        z.stride = columns->stride;
        z.z = columns->z + (size_t)t * DPS_TILE_ROWS * columns->stride;
        dps_tile_add_panel(simd, &z, NULL, z.rows, alpha + t * DPS_TILE_ROWS, first, end, sum);
    }
}

static dps_status add_runs(const dps_row_span *span, const double *alpha, int32_t models,
                           column_run *columns, double *sum, double *weight, size_t weights,
                           const dps_run *run, dps_error *err)
{
    const size_t n = (size_t)span->rows.rows;
    while (columns->end < dps_map_width(span->map)) {
        const dps_status status = next_run(span, columns, run, err);
        if (status != DPS_OK) {
            return status;
        }
        const int64_t groups = (int64_t)((columns->stride + GROUP_COLUMNS - 1) / GROUP_COLUMNS);
        for (int32_t m = 0; m < models; m++) {
            memset(sum, 0, columns->stride * sizeof *sum);
#pragma omp parallel for schedule(static) num_threads(dps_run_threads(run, groups))
            for (int64_t g = 0; g < groups; g++) {
                add_rows(span, columns, run->simd, alpha + (size_t)m * n, (size_t)g * GROUP_COLUMNS,
                         sum);
            }
            memcpy(weight + (size_t)m * weights + columns->begin, sum,
                   (size_t)(columns->end - columns->begin) * sizeof *sum);
        }
        dps_log_share(run, "map", (double)columns->end / dps_map_width(span->map));
    }
    return DPS_OK;
}

dps_status dps_row_span_weights(const dps_row_span *span, const double *alpha, int32_t models,
                                double *weight, const dps_run *run, dps_error *err)
{
    const size_t n = (size_t)span->rows.rows, width = (size_t)dps_map_width(span->map);
    const size_t weights = width + (span->bias != 0 ? 1 : 0);
    column_run columns = {0};
    double *sum = dps_alloc(widest_run(span), sizeof *sum);
    dps_status status = run_init(&columns, span, err);
    if (status == DPS_OK && sum == NULL) {
        status = dps_out_of_memory(err, widest_run(span), sizeof *sum, "a run of weights");
    }
    for (int32_t m = 0; m < models && span->bias != 0; m++) {
        double total = 0;
        for (size_t i = 0; i < n; i++) {
            total += alpha[(size_t)m * n + i];
        }
        weight[(size_t)m * weights + width] = span->bias * total;
    }
    DPS_THEN(status, add_runs(span, alpha, models, &columns, sum, weight, weights, run, err));
    dps_free(sum);
    dps_free(columns.z);
    return status;
}
