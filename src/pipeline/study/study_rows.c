/* Task: a sample of the scaled rows and the exact kernel on its pairs, in double:
 *   dot      f(<x, y>)
 *   others   f(k(x, y)), or k alone for fourier: k = exp(-gamma |x-y|^2), exp(-gamma |x-y|_1),
 *            sum_j min(x_j, y_j), sum_j 2 x_j y_j / (x_j + y_j)
 * of x T and y T where a metric was learnt; a refined fourier map carries the rows beside its
 * cosines and has k + a_1 <x, y>. Cost: O(nonzeros) a pair, O(d^2) a row for T. */
#include "study_rows.h"
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "map_layout.h"
#include "map_projections.h"
#include "random.h"

dps_status dps_study_rows_init(dps_study_rows *rows, const dps_dataset *data, int32_t count,
                               uint64_t seed, dps_error *err)
{
    const dps_labelled_rows all = dps_labelled_rows_of(data);
    const size_t there = (size_t)all.x.rows;
    int64_t sample[DPS_TILE_ROWS];
    memset(rows, 0, sizeof *rows);
    const size_t got = (size_t)dps_random_sample(
        seed, DPS_STREAM_SAMPLE, all.x.rows, count < DPS_TILE_ROWS ? count : DPS_TILE_ROWS, sample);
    int32_t *part = dps_alloc(there, sizeof *part);
    rows->kernel = dps_alloc(got * got, sizeof *rows->kernel);
    rows->dot = dps_alloc(got * got, sizeof *rows->dot);
    dps_status status = DPS_OK;
    if (part == NULL || rows->kernel == NULL || rows->dot == NULL) {
        status = dps_out_of_memory(err, there, sizeof *part, "the sampled rows");
    }
    for (size_t i = 0; i < there && status == DPS_OK; i++) {
        part[i] = 1;
    }
    for (size_t k = 0; k < got && status == DPS_OK; k++) {
        part[sample[k]] = 0;
    }
    DPS_THEN(status, dps_row_subset_take(&rows->subset, &all, part, NULL, err));
    dps_free(part);
    if (status != DPS_OK) {
        dps_study_rows_release(rows);
        return status;
    }
    dps_scaled_rows_tile(&rows->subset.x, 0, &rows->tile);
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

/* The rows as the kernel sees them: x T in double, or those of the tile. */
typedef struct seen_rows {
    const dps_row_tile *tile;
    double *moved; /* rows x columns; NULL: the tile's */
} seen_rows;

static double *entry(const seen_rows *rows, int32_t i)
{
    return rows->moved + (size_t)i * (size_t)rows->tile->columns;
}

/* Adds x_j times row j of T. */
static void add_moved(const float *t, int32_t d, int32_t j, double x, double *to)
{
    if (d > DPS_FULL_METRIC) {
        to[j] += x * (double)t[j];
        return;
    }
    for (int32_t k = 0; k < d; k++) {
        to[k] += x * (double)t[(size_t)j * (size_t)d + (size_t)k];
    }
}

static dps_status see_rows(seen_rows *rows, const dps_row_tile *tile, const dps_map_recipe *recipe,
                           dps_error *err)
{
    *rows = (seen_rows){.tile = tile};
    if (recipe->moved == NULL) {
        return DPS_OK;
    }
    const int32_t d = tile->columns;
    DPS_NEED(rows->moved, (size_t)tile->rows * (size_t)d, "the rows in the learnt metric", err);
    for (int32_t i = 0; i < tile->rows; i++) {
        const bool dense = tile->dense != NULL;
        const float *x =
            dense ? tile->dense + (size_t)i * tile->stride : tile->value + tile->start[i];
        const int64_t count = dense ? d : tile->start[i + 1] - tile->start[i];
        for (int64_t k = 0; k < count; k++) {
            const int32_t j = dense ? (int32_t)k : tile->column[tile->start[i] + k];
            add_moved(recipe->moved, d, j, x[k], entry(rows, i));
        }
    }
    return DPS_OK;
}

static pair_sums moved_sums(const seen_rows *rows, int32_t i, int32_t j)
{
    const double *x = entry(rows, i), *y = entry(rows, j);
    pair_sums sum = {0};
    for (int32_t c = 0; c < rows->tile->columns; c++) {
        add_coordinate(&sum, x[c], y[c]);
    }
    return sum;
}

static pair_sums dense_sums(const dps_row_tile *tile, int32_t i, int32_t j)
{
    const float *x = tile->dense + (size_t)i * tile->stride;
    const float *y = tile->dense + (size_t)j * tile->stride;
    pair_sums sum = {0};
    for (int32_t c = 0; c < tile->columns; c++) {
        if (x[c] != 0 || y[c] != 0) {
            add_coordinate(&sum, x[c], y[c]);
        }
    }
    return sum;
}

static pair_sums sums_of(const seen_rows *rows, int32_t i, int32_t j)
{
    const dps_row_tile *tile = rows->tile;
    pair_sums sum = {0};
    if (rows->moved != NULL) {
        return moved_sums(rows, i, j);
    }
    if (tile->dense != NULL) {
        return dense_sums(tile, i, j);
    }
    int64_t a = tile->start[i], b = tile->start[j];
    const int64_t end_a = tile->start[i + 1], end_b = tile->start[j + 1];
    while (a < end_a || b < end_b) {
        const bool left = b == end_b || (a < end_a && tile->column[a] <= tile->column[b]);
        const bool right = a == end_a || (b < end_b && tile->column[b] <= tile->column[a]);
        add_coordinate(&sum, left ? tile->value[a] : 0, right ? tile->value[b] : 0);
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

/* K of two rows. */
static double kernel_of(const dps_map_recipe *recipe, const pair_sums *sum)
{
    const double argument = dps_recipe_is_dot(recipe) ? sum->dot : base_value(recipe, sum);
    if (recipe->type != DPS_MAP_FOURIER) {
        return dps_kernel_value(&recipe->kernel, argument);
    }
    const bool linear = recipe->exact_degree >= 1;
    return argument + (linear ? dps_kernel_coefficient(&recipe->kernel, 1) * sum->dot : 0);
}

static double norm1(const seen_rows *rows, int32_t i)
{
    const dps_row_tile *tile = rows->tile;
    double sum = 0;
    if (rows->moved != NULL) {
        for (int32_t c = 0; c < tile->columns; c++) {
            sum += fabs(entry(rows, i)[c]);
        }
        return sum;
    }
    const bool dense = tile->dense != NULL;
    const float *x = dense ? tile->dense + (size_t)i * tile->stride : tile->value + tile->start[i];
    const int64_t count = dense ? tile->columns : tile->start[i + 1] - tile->start[i];
    for (int64_t k = 0; k < count; k++) {
        sum += fabs((double)x[k]);
    }
    return sum;
}

static dps_status fill(dps_study_rows *rows, const seen_rows *seen, const dps_map_recipe *recipe,
                       dps_error *err)
{
    rows->radius1 = rows->radius2 = 0;
    for (int32_t i = 0; i < rows->tile.rows; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const size_t at = (size_t)i * (size_t)rows->tile.rows + (size_t)j;
            const pair_sums sum = sums_of(seen, i, j);
            rows->dot[at] = sum.dot;
            rows->kernel[at] = kernel_of(recipe, &sum);
            if (!isfinite(rows->kernel[at])) {
                return dps_error_set(
                    err, DPS_ERROR_NUMERIC, "K(x, y) is not finite for two of the rows%s",
                    recipe->moved != NULL ? " in the learnt metric: they lie too far from those "
                                            "that it was trained on"
                                          : "; shrink them (data.normalize = max_norm)");
            }
        }
        const double square = rows->dot[(size_t)i * ((size_t)rows->tile.rows + 1)];
        rows->radius1 = fmax(rows->radius1, norm1(seen, i));
        rows->radius2 = fmax(rows->radius2, sqrt(square));
    }
    return DPS_OK;
}

dps_status dps_study_rows_kernel(dps_study_rows *rows, const dps_map_recipe *recipe, dps_error *err)
{
    seen_rows seen;
    DPS_TRY(see_rows(&seen, &rows->tile, recipe, err));
    const dps_status status = fill(rows, &seen, recipe, err);
    dps_free(seen.moved);
    return status;
}

void dps_study_rows_release(dps_study_rows *rows)
{
    dps_row_subset_release(&rows->subset);
    dps_free(rows->kernel);
    dps_free(rows->dot);
    memset(rows, 0, sizeof *rows);
}
