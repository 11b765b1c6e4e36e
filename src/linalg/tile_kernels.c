/* Task: scores u = z w, updates w += z^T c and norms over the rows of a z-tile (tile_kernels.h has
 * the order of summation). Here: the choice of the variant, the sparse block, and dot and axpy of
 * double vectors. Cost: one pass over z, which is what bounds it. */
#include <assert.h>
#include "tile_kernels_variants.h"

void dps_tile_scores(dps_simd simd, const dps_z_tile *tile, const double *w, const int32_t *list,
                     int32_t count, double *u)
{
    DPS_VARIANT(simd, dps_panel_scores)(tile, w, list, count, u);
    if (tile->start == NULL) {
        return;
    }
    const double *sparse_w = w + tile->stride;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list != NULL ? list[k] : k;
        double sum = 0.0;
        for (int64_t e = tile->start[i]; e < tile->start[i + 1]; e++) {
            sum += (double)tile->value[e] * sparse_w[tile->column[e]];
        }
        u[k] += tile->sparse_scale * sum;
    }
}

void dps_tile_scores_of_part(dps_simd simd, const dps_z_tile *tile, const int32_t *part,
                             int32_t which, const double *w, size_t length, int32_t models,
                             double *score, int64_t step)
{
    int32_t list[DPS_TILE_ROWS], count = 0;
    double u[DPS_TILE_ROWS];
    for (int32_t i = 0; i < tile->rows; i++) {
        if (part[i] == which) {
            list[count++] = i;
        }
    }
    for (int32_t k = 0; k < models; k++) {
        dps_tile_scores(simd, tile, w + (size_t)k * length, list, count, u);
        for (int32_t i = 0; i < count; i++) {
            score[k * step + list[i]] = u[i];
        }
    }
}

void dps_tile_norms(dps_simd simd, const dps_z_tile *tile, const int32_t *list, int32_t count,
                    double *s)
{
    DPS_VARIANT(simd, dps_panel_norms)(tile, list, count, s);
    if (tile->start == NULL) {
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list != NULL ? list[k] : k;
        double sum = 0.0;
        for (int64_t e = tile->start[i]; e < tile->start[i + 1]; e++) {
            sum += (double)tile->value[e] * (double)tile->value[e];
        }
        s[k] += tile->sparse_scale * tile->sparse_scale * sum;
    }
}

void dps_tile_add_panel(dps_simd simd, const dps_z_tile *tile, const int32_t *list, int32_t count,
                        const double *c, size_t begin, size_t end, double *w)
{
    assert(begin % DPS_PAD == 0 && end % DPS_PAD == 0 && end <= tile->stride);
    DPS_VARIANT(simd, dps_panel_add)(tile, list, count, c, begin, end, w);
}

void dps_tile_add_sparse(const dps_z_tile *tile, const int32_t *list, int32_t count,
                         const double *c, double *w)
{
    if (tile->start == NULL) {
        return;
    }
    double *sparse_w = w + tile->stride;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list != NULL ? list[k] : k;
        const double factor = c[k] * tile->sparse_scale;
        if (factor == 0.0) {
            continue;
        }
        for (int64_t e = tile->start[i]; e < tile->start[i + 1]; e++) {
            sparse_w[tile->column[e]] += factor * (double)tile->value[e];
        }
    }
}

void dps_rows_scores(dps_simd simd, size_t columns, const float *const *z, int32_t count,
                     int32_t ahead, const double *w, double *u)
{
    assert(columns % DPS_PAD == 0);
    DPS_VARIANT(simd, dps_rows_scores)(columns, z, count, ahead, w, u);
}

void dps_rows_add(dps_simd simd, const float *const *z, const double *c, int32_t count,
                  size_t begin, size_t end, double *w)
{
    assert(begin % DPS_PAD == 0 && end % DPS_PAD == 0);
    DPS_VARIANT(simd, dps_rows_add)(z, c, count, begin, end, w);
}

double dps_dot(size_t n, const double *a, const double *b)
{
    double lane[DPS_LANES] = {0};
    size_t j = 0;
    for (; j + DPS_LANES <= n; j += DPS_LANES) {
        for (size_t l = 0; l < DPS_LANES; l++) {
            lane[l] += a[j + l] * b[j + l];
        }
    }
    for (size_t l = 0; j + l < n; l++) {
        lane[l] += a[j + l] * b[j + l];
    }
    for (size_t half = DPS_LANES / 2; half > 0; half /= 2) {
        for (size_t l = 0; l < half; l++) {
            lane[l] += lane[l + half];
        }
    }
    return lane[0];
}

void dps_axpy(size_t n, double factor, const double *x, double *y)
{
    for (size_t j = 0; j < n; j++) {
        y[j] += factor * x[j];
    }
}
