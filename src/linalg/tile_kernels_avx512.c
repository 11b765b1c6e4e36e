/* Task: tile_kernels_body.h for AVX-512. */
#define VECTOR_BYTES 64
#include "vectors_x86.h"

enum { WIDTH = 8, PARTS = 2, TOGETHER = 4 };

static inline double_vector double_of_floats(const float *z)
{
    return (double_vector)_mm512_cvtps_pd(_mm256_loadu_ps(z));
}

/* Tree over the lanes: l += l + 8, l + 4, l + 2, l + 1. */
static inline double add_lanes(const double_vector lane[PARTS])
{
    const __m512d eight = (__m512d)(lane[0] + lane[1]);
    const __m256d four = _mm512_castpd512_pd256(eight) + _mm512_extractf64x4_pd(eight, 1);
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#define PANEL_SCORES dps_panel_scores_avx512
#define PANEL_NORMS  dps_panel_norms_avx512
#define PANEL_ADD    dps_panel_add_avx512
#define ROWS_SCORES  dps_rows_scores_avx512
#define ROWS_ADD     dps_rows_add_avx512
#include "tile_kernels_body.h"
