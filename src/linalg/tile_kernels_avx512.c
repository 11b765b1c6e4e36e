/* Task: tile_kernels_portable.c with AVX-512 and equal bits.
 *
 * The 16 double lanes are two registers. Product rounded, then added: never fma. Bound by reading
 * z once (4 bytes a value, 2 flops); one row at a time, because several streams side by side, which
 * would share the loads of w, read from memory at half the rate (docs/evidence/performance.md). */
#include <immintrin.h>
#include "tile_kernels_variants.h"

enum { WIDTH = 8, PARTS = DPS_LANES / WIDTH };

/* Tree over the lanes: l += l + 8, l + 4, l + 2, l + 1. */
static inline double add_lanes(__m512d low, __m512d high)
{
    const __m512d eight = _mm512_add_pd(low, high);
    const __m256d four =
        _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline __m512d load_double(const float *z)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(z));
}

/* w = NULL: the square of the row. */
__attribute__((always_inline)) static inline double score_row(const float *z, size_t columns,
                                                              const double *w)
{
    __m512d lane[PARTS];
    for (int h = 0; h < PARTS; h++) {
        lane[h] = _mm512_setzero_pd();
    }
    for (size_t j = 0; j < columns; j += DPS_LANES) {
        for (int h = 0; h < PARTS; h++) {
            const size_t k = j + WIDTH * (size_t)h;
            const __m512d value = load_double(z + k);
            const __m512d other = w != NULL ? _mm512_loadu_pd(w + k) : value;
            lane[h] = _mm512_add_pd(lane[h], _mm512_mul_pd(value, other));
        }
    }
    return add_lanes(lane[0], lane[1]);
}

DPS_SCORES_VARIANT(dps_panel_scores_avx512)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        u[k] = score_row(dps_listed_row(tile, list, k), columns, w);
    }
}

DPS_NORMS_VARIANT(dps_panel_norms_avx512)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        s[k] = score_row(dps_listed_row(tile, list, k), columns, NULL);
    }
}

DPS_ADD_VARIANT(dps_panel_add_avx512)
{
    for (int32_t k = 0; k < count; k++) {
        const float *z = dps_listed_row(tile, list, k);
        const __m512d factor = _mm512_set1_pd(c[k]);
        for (size_t j = begin; c[k] != 0.0 && j < end; j += WIDTH) {
            const __m512d product = _mm512_mul_pd(factor, load_double(z + j));
            _mm512_storeu_pd(w + j, _mm512_add_pd(_mm512_loadu_pd(w + j), product));
        }
    }
}
