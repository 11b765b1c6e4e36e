/* tile_kernels_portable.c by registers of AVX, with equal bits; for inclusion by one file an
 * instruction set, behind its vectors and its add_lanes, and the names of the variants.
 *
 * The 16 double lanes are PARTS registers. Product rounded, then added: never fma. Bound by reading
 * z once (4 bytes a value, 2 flops); one row at a time, because several streams side by side, which
 * would share the loads of w, read from memory at half the rate (docs/evidence/performance.md). */
#include <stdbool.h>

#include "tile_kernels_variants.h"

/* w = NULL: the square of the row. */
__attribute__((always_inline)) static inline double score_row(const float *z, size_t columns,
                                                              const double *w)
{
    double_vector lane[PARTS] = {{0}};
    for (size_t j = 0; j < columns; j += DPS_LANES) {
        for (int h = 0; h < PARTS; h++) {
            const size_t k = j + WIDTH * (size_t)h;
            const double_vector value = double_of_floats(z + k);
            const double_vector other = w != NULL ? double_load(w + k) : value;
            lane[h] += value * other;
        }
    }
    return add_lanes(lane);
}

DPS_SCORES_VARIANT(PANEL_SCORES)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        u[k] = score_row(dps_listed_row(tile, list, k), columns, w);
    }
}

DPS_NORMS_VARIANT(PANEL_NORMS)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        s[k] = score_row(dps_listed_row(tile, list, k), columns, NULL);
    }
}

DPS_ADD_VARIANT(PANEL_ADD)
{
    for (int32_t k = 0; k < count; k++) {
        const float *z = dps_listed_row(tile, list, k);
        const double_vector factor = double_spread(c[k]);
        for (size_t j = begin; c[k] != 0.0 && j < end; j += WIDTH) {
            double_store(w + j, double_load(w + j) + factor * double_of_floats(z + j));
        }
    }
}

/* TOGETHER rows share the loads of w, and their chains of additions overlap; a line of each of the
 * next rows is asked for with a line of these. */
__attribute__((always_inline)) static inline void
score_together(const float *const *z, bool more, size_t columns, const double *w, double *u)
{
    double_vector lane[TOGETHER][PARTS] = {{{0}}};
    for (size_t j = 0; j < columns; j += DPS_LANES) {
        for (int r = 0; more && r < TOGETHER; r++) {
            __builtin_prefetch(z[TOGETHER + r] + j);
        }
        for (int h = 0; h < PARTS; h++) {
            const size_t k = j + WIDTH * (size_t)h;
            const double_vector other = double_load(w + k);
            for (int r = 0; r < TOGETHER; r++) {
                lane[r][h] += double_of_floats(z[r] + k) * other;
            }
        }
    }
    for (int r = 0; r < TOGETHER; r++) {
        u[r] = add_lanes(lane[r]);
    }
}

DPS_ROWS_SCORES_VARIANT(ROWS_SCORES)
{
    int32_t k = 0;
    for (; k + TOGETHER <= count; k += TOGETHER) {
        if (k + 2 * TOGETHER <= count + ahead) {
            score_together(z + k, true, columns, w, u + k);
        } else {
            score_together(z + k, false, columns, w, u + k);
        }
    }
    for (; k < count; k++) {
        u[k] = score_row(z[k], columns, w);
    }
}

DPS_ROWS_ADD_VARIANT(ROWS_ADD)
{
    int32_t k = 0;
    for (; k + TOGETHER <= count; k += TOGETHER) {
        double_vector factor[TOGETHER];
        for (int r = 0; r < TOGETHER; r++) {
            factor[r] = double_spread(c[k + r]);
        }
        for (size_t j = begin; j < end; j += WIDTH) {
            double_vector sum = double_load(w + j);
            for (int r = 0; r < TOGETHER; r++) {
                sum += factor[r] * double_of_floats(z[k + r] + j);
            }
            double_store(w + j, sum);
        }
    }
    for (; k < count; k++) {
        const double_vector factor = double_spread(c[k]);
        for (size_t j = begin; j < end; j += WIDTH) {
            double_store(w + j, double_load(w + j) + factor * double_of_floats(z[k] + j));
        }
    }
}
