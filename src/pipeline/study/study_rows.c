/* Task: a sample of the scaled rows and the exact kernel on its pairs, in double:
 *   dot      f(<x, y>)
 *   others   f(k(x, y)), or k alone for fourier: k = exp(-gamma |x-y|^2), exp(-gamma |x-y|_1),
 *            sum_j min(x_j, y_j), sum_j 2 x_j y_j / (x_j + y_j)
 * Cost: O(nonzeros) a pair. */
#include "study_rows.h"
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "map_layout.h"
#include "random.h"

static int64_t entries_of(const dps_row_tile *tile, int32_t i)
{
    if (tile->dense == NULL) {
        return tile->start[i + 1] - tile->start[i];
    }
    int64_t entries = 0;
    for (int32_t j = 0; j < tile->columns; j++) {
        entries += tile->dense[(size_t)i * tile->stride + (size_t)j] != 0;
    }
    return entries;
}

/* Row i of the tile becomes the last of `rows`. */
static void copy_row(dps_study_rows *rows, const dps_row_tile *tile, int32_t i)
{
    const int32_t to = rows->tile.rows++;
    int64_t at = rows->start[to];
    if (tile->dense == NULL) {
        const size_t count = (size_t)entries_of(tile, i);
        memcpy(rows->column + at, tile->column + tile->start[i], count * sizeof *rows->column);
        memcpy(rows->value + at, tile->value + tile->start[i], count * sizeof *rows->value);
        at += (int64_t)count;
    } else {
        const float *x = tile->dense + (size_t)i * tile->stride;
        memcpy(rows->dense + (size_t)to * rows->tile.stride, x,
               (size_t)tile->columns * sizeof *rows->dense);
        for (int32_t j = 0; j < tile->columns; j++) {
            if (x[j] != 0) {
                rows->column[at] = j;
                rows->value[at++] = x[j];
            }
        }
    }
    rows->start[to + 1] = at;
}

/* Calls for every sampled row: counts its entries, or copies it. */
static dps_status each_row(dps_study_rows *rows, const dps_row_source *source,
                           const int64_t *sample, int64_t count, int64_t *entries, dps_error *err)
{
    int64_t loaded = -1;
    dps_row_tile tile;
    for (int64_t k = 0; k < count; k++) {
        const int64_t t = sample[k] / DPS_TILE_ROWS;
        if (t != loaded) {
            const dps_status status = source->get(source->context, t, &tile, err);
            if (status != DPS_OK) {
                return status;
            }
            loaded = t;
            rows->tile.dense = tile.dense;
        }
        const int32_t i = (int32_t)(sample[k] % DPS_TILE_ROWS);
        if (entries != NULL) {
            *entries += entries_of(&tile, i);
        } else {
            copy_row(rows, &tile, i);
        }
    }
    return DPS_OK;
}

dps_status dps_study_rows_init(dps_study_rows *rows, const dps_row_source *source, int32_t count,
                               uint64_t seed, dps_error *err)
{
    int64_t sample[DPS_TILE_ROWS], entries = 0;
    memset(rows, 0, sizeof *rows);
    const int64_t got = dps_random_sample(seed, DPS_STREAM_SAMPLE, source->rows,
                                          count < DPS_TILE_ROWS ? count : DPS_TILE_ROWS, sample);
    dps_status status = each_row(rows, source, sample, got, &entries, err);
    if (status != DPS_OK) {
        return status;
    }
    const bool dense = rows->tile.dense != NULL;
    rows->tile = (dps_row_tile){.columns = source->columns};
    rows->tile.stride = dense ? dps_round_up((size_t)source->columns, DPS_PAD) : 0;
    rows->dense = dps_alloc((size_t)got * rows->tile.stride, sizeof *rows->dense);
    rows->start = dps_alloc((size_t)got + 1, sizeof *rows->start);
    rows->column = dps_alloc((size_t)entries, sizeof *rows->column);
    rows->value = dps_alloc((size_t)entries, sizeof *rows->value);
    rows->kernel = dps_alloc((size_t)(got * got), sizeof *rows->kernel);
    rows->dot = dps_alloc((size_t)(got * got), sizeof *rows->dot);
    if (rows->dense == NULL || rows->start == NULL || rows->column == NULL || rows->value == NULL ||
        rows->kernel == NULL || rows->dot == NULL) {
        dps_study_rows_release(rows);
        return dps_out_of_memory(err, (size_t)entries, sizeof *rows->value, "the sampled rows");
    }
    status = each_row(rows, source, sample, got, NULL, err);
    if (status != DPS_OK) {
        dps_study_rows_release(rows);
        return status;
    }
    rows->tile.dense = dense ? rows->dense : NULL;
    rows->tile.start = dense ? NULL : rows->start;
    rows->tile.column = dense ? NULL : rows->column;
    rows->tile.value = dense ? NULL : rows->value;
    return DPS_OK;
}

/* What any of the kernels needs of a pair. */
typedef struct pair_sums {
    double dot, square, absolute, least, chi2; /* x y, (x-y)^2, |x-y|, min, 2xy/(x+y) */
} pair_sums;

static void add_coordinate(pair_sums *sum, double x, double y)
{
    sum->dot += x * y;
    sum->square += (x - y) * (x - y);
    sum->absolute += fabs(x - y);
    sum->least += fmin(x, y);
    sum->chi2 += x + y != 0 ? 2 * x * y / (x + y) : 0;
}

static pair_sums sums_of(const dps_study_rows *rows, int32_t i, int32_t j)
{
    pair_sums sum = {0};
    int64_t a = rows->start[i], b = rows->start[j];
    const int64_t end_a = rows->start[i + 1], end_b = rows->start[j + 1];
    while (a < end_a || b < end_b) {
        const bool left = b == end_b || (a < end_a && rows->column[a] <= rows->column[b]);
        const bool right = a == end_a || (b < end_b && rows->column[b] <= rows->column[a]);
        add_coordinate(&sum, left ? rows->value[a] : 0, right ? rows->value[b] : 0);
        a += left;
        b += right;
    }
    return sum;
}

static double base_value(const dps_map_recipe *recipe, const pair_sums *sum)
{
    switch (recipe->base) {
    case DPS_BASE_DOT:
        return sum->dot;
    case DPS_BASE_RBF:
        return exp(-recipe->base_gamma * sum->square);
    case DPS_BASE_LAPLACIAN:
        return exp(-recipe->base_gamma * sum->absolute);
    case DPS_BASE_INTERSECTION:
        return sum->least;
    case DPS_BASE_CHI2:
        return sum->chi2;
    }
    return NAN;
}

dps_status dps_study_rows_kernel(dps_study_rows *rows, const dps_map_recipe *recipe, dps_error *err)
{
    const bool dot = dps_recipe_is_dot(recipe);
    for (int32_t i = 0; i < rows->tile.rows; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const size_t at = (size_t)i * (size_t)rows->tile.rows + (size_t)j;
            const pair_sums sum = sums_of(rows, i, j);
            const double argument = dot ? sum.dot : base_value(recipe, &sum);
            rows->dot[at] = sum.dot;
            rows->kernel[at] = recipe->type == DPS_MAP_FOURIER
                                   ? argument
                                   : dps_kernel_value(&recipe->kernel, argument);
            if (!isfinite(rows->kernel[at])) {
                return dps_error_set(err, DPS_ERROR_NUMERIC,
                                     "K(x, y) is not finite for two of the rows; shrink them "
                                     "(data.normalize = max_norm)");
            }
        }
    }
    return DPS_OK;
}

void dps_study_rows_release(dps_study_rows *rows)
{
    dps_free(rows->dense);
    dps_free(rows->start);
    dps_free(rows->column);
    dps_free(rows->value);
    dps_free(rows->kernel);
    dps_free(rows->dot);
    memset(rows, 0, sizeof *rows);
}
