/* Task: inner products of the rows of a small problem from their tiles: of the dense columns by
 * dps_gram_add (products.h), of the sparse block entry by entry: products of floats summed in
 * double, the same bits on every path. Cost: n^2 D' / 2, every tile made once. */
#include <omp.h>

#include "allocation.h"
#include "few_rows.h"
#include "products.h"

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

dps_status dps_few_rows_gram(const dps_few_rows *few, const dps_run *run, double *gram,
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
