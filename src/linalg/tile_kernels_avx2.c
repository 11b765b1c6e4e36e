/* Task: tile_kernels_body.h for AVX2. */
#define VECTOR_BYTES 32
#include "vectors_x86.h"

enum { WIDTH = 4, PARTS = 4, TOGETHER = 2 };

static inline double_vector double_of_floats(const float *z)
{
    return (double_vector)_mm256_cvtps_pd(_mm_loadu_ps(z));
}

/* Tree over the lanes: l += l + 8, l + 4, l + 2, l + 1. */
static inline double add_lanes(const double_vector lane[PARTS])
{
    const __m256d four = (__m256d)((lane[0] + lane[2]) + (lane[1] + lane[3]));
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#define PANEL_SCORES dps_panel_scores_avx2
#define PANEL_NORMS  dps_panel_norms_avx2
#define PANEL_ADD    dps_panel_add_avx2
#define ROWS_SCORES  dps_rows_scores_avx2
#define ROWS_ADD     dps_rows_add_avx2
#include "tile_kernels_body.h"
