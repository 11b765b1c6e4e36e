/* Task: tile_kernels_portable.c with AVX2 and equal bits.
 *
 * The 16 double lanes are four registers. Scores: 2 rows at once share the loads of w. Update: 8
 * rows at once share the load and store of w, added in row order. Product rounded, then added:
 * never fma. Bound by reading z once (4 bytes a value, 2 flops). */
#include <immintrin.h>
#include "tile_kernels_variants.h"

enum { SCORE_ROWS = 2, ADD_ROWS = 8, PARTS = DPS_LANES / 4 };

/* Tree over the lanes: l += l + 8, l + 4, l + 2, l + 1. */
static inline double add_lanes(const __m256d lane[PARTS])
{
    const __m256d four =
        _mm256_add_pd(_mm256_add_pd(lane[0], lane[2]), _mm256_add_pd(lane[1], lane[3]));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline __m256d load_double(const float *z)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(z));
}

/* `rows` is a constant after inlining. w = NULL: the square of each row. */
__attribute__((always_inline)) static inline void
score_rows(int rows, const float *const *z, size_t columns, const double *w, double *u)
{
    __m256d lane[SCORE_ROWS][PARTS];
    for (int r = 0; r < rows; r++) {
        for (int h = 0; h < PARTS; h++) {
            lane[r][h] = _mm256_setzero_pd();
        }
    }
    for (size_t j = 0; j < columns; j += DPS_LANES) {
        for (int h = 0; h < PARTS; h++) {
            const size_t k = j + 4 * (size_t)h;
            const __m256d weight = w != NULL ? _mm256_loadu_pd(w + k) : _mm256_setzero_pd();
            for (int r = 0; r < rows; r++) {
                const __m256d value = load_double(z[r] + k);
                lane[r][h] =
                    _mm256_add_pd(lane[r][h], _mm256_mul_pd(value, w != NULL ? weight : value));
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        u[r] = add_lanes(lane[r]);
    }
}

DPS_SCORES_VARIANT(dps_panel_scores_avx2)
{
    const size_t columns = dps_panel_columns(tile);
    const float *z[SCORE_ROWS];
    int32_t k = 0;
    for (; k + SCORE_ROWS <= count; k += SCORE_ROWS) {
        for (int32_t r = 0; r < SCORE_ROWS; r++) {
            z[r] = dps_listed_row(tile, list, k + r);
        }
        score_rows(SCORE_ROWS, z, columns, w, u + k);
    }
    for (; k < count; k++) {
        z[0] = dps_listed_row(tile, list, k);
        score_rows(1, z, columns, w, u + k);
    }
}

DPS_NORMS_VARIANT(dps_panel_norms_avx2)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        const float *z = dps_listed_row(tile, list, k);
        score_rows(1, &z, columns, NULL, s + k);
    }
}

/* w += sum_r factor[r] z[r] in the order of r. */
__attribute__((always_inline)) static inline void
add_rows(int rows, const float *const *z, const double *factor, size_t begin, size_t end, double *w)
{
    for (size_t j = begin; j < end; j += 4) {
        __m256d sum = _mm256_loadu_pd(w + j);
        for (int r = 0; r < rows; r++) {
            sum =
                _mm256_add_pd(sum, _mm256_mul_pd(_mm256_set1_pd(factor[r]), load_double(z[r] + j)));
        }
        _mm256_storeu_pd(w + j, sum);
    }
}

DPS_ADD_VARIANT(dps_panel_add_avx2)
{
    const float *z[ADD_ROWS];
    double factor[ADD_ROWS];
    int rows = 0;
    for (int32_t k = 0; k < count; k++) {
        if (c[k] == 0.0) {
            continue;
        }
        z[rows] = dps_listed_row(tile, list, k);
        factor[rows++] = c[k];
        if (rows == ADD_ROWS) {
            add_rows(ADD_ROWS, z, factor, begin, end, w);
            rows = 0;
        }
    }
    for (int r = 0; r < rows; r++) {
        add_rows(1, z + r, factor + r, begin, end, w);
    }
}
