/* Task: projection_real_portable.c with AVX2 and FMA and equal bits.
 *
 * Shape: 6 rows x 16 features, half a panel: 12 accumulators, two frequencies and one broadcast in
 * the 16 registers, 12 fma for 2 loads and 6 broadcasts. Coordinates of up to 48 rows are packed in
 * blocks (d x 6 each, in scratch), and half a panel of frequencies serves all of them from L2. */
#include <immintrin.h>
#include <string.h>
#include "projection_private.h"

enum { ROWS = 6, WIDTH = 16 };

static inline __m256 cosine_of_turns(__m256 t)
{
    const __m256 nearest = _mm256_round_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(t, nearest));
    const __m256 u = _mm256_sub_ps(_mm256_set1_ps(0.25f), distance);
    const __m256 v = _mm256_mul_ps(u, u);
    __m256 s = _mm256_fmadd_ps(_mm256_set1_ps(DPS_TURN_SINE_4), v, _mm256_set1_ps(DPS_TURN_SINE_3));
    s = _mm256_fmadd_ps(s, v, _mm256_set1_ps(DPS_TURN_SINE_2));
    s = _mm256_fmadd_ps(s, v, _mm256_set1_ps(DPS_TURN_SINE_1));
    s = _mm256_fmadd_ps(s, v, _mm256_set1_ps(DPS_TURN_SINE_0));
    return _mm256_mul_ps(s, u);
}

/* Features begin .. begin + 15 for `rows` rows (a constant after inlining, like `cosine`); x: d x
 * rows, z: rows x stride. */
__attribute__((always_inline)) static inline void project_half(int rows, bool cosine,
                                                               const dps_real_panels *panels,
                                                               int32_t begin, const float *x,
                                                               float *z, size_t stride)
{
    const int32_t p = begin / DPS_PANEL, lane = begin % DPS_PANEL;
    const float *frequency = panels->frequency + panels->offset[p] + lane;
    const float *phase = cosine ? panels->phase + panels->phase_offset[p] + lane : NULL;
    const float *weight = panels->weight + begin;
    const __m256 amplitude = _mm256_set1_ps(panels->amplitude);
    __m256 product[ROWS][2];
    for (int r = 0; r < rows; r++) {
        product[r][0] = _mm256_loadu_ps(weight);
        product[r][1] = _mm256_loadu_ps(weight + 8);
    }
    for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
        __m256 sum[ROWS][2];
        for (int r = 0; r < rows; r++) {
            sum[r][0] = cosine ? _mm256_loadu_ps(phase) : _mm256_setzero_ps();
            sum[r][1] = cosine ? _mm256_loadu_ps(phase + 8) : _mm256_setzero_ps();
        }
        for (int32_t j = 0; j < panels->columns; j++, frequency += DPS_PANEL) {
            const __m256 low = _mm256_loadu_ps(frequency), high = _mm256_loadu_ps(frequency + 8);
            for (int r = 0; r < rows; r++) {
                const __m256 coordinate = _mm256_set1_ps(x[(size_t)j * (size_t)rows + (size_t)r]);
                sum[r][0] = _mm256_fmadd_ps(low, coordinate, sum[r][0]);
                sum[r][1] = _mm256_fmadd_ps(high, coordinate, sum[r][1]);
            }
        }
        for (int r = 0; r < rows; r++) {
            for (int h = 0; h < 2; h++) {
                const __m256 value =
                    cosine ? _mm256_mul_ps(amplitude, cosine_of_turns(sum[r][h])) : sum[r][h];
                product[r][h] = _mm256_mul_ps(product[r][h], value);
            }
        }
        phase = cosine ? phase + DPS_PANEL : NULL;
    }
    for (int r = 0; r < rows; r++) {
        _mm256_storeu_ps(z + (size_t)r * stride, product[r][0]);
        _mm256_storeu_ps(z + (size_t)r * stride + 8, product[r][1]);
    }
}

__attribute__((always_inline)) static inline void project_any(int rows,
                                                              const dps_real_panels *panels,
                                                              int32_t begin, const float *x,
                                                              float *z, size_t stride)
{
    if (panels->kind == DPS_REAL_COSINE) {
        project_half(rows, true, panels, begin, x, z, stride);
    } else {
        project_half(rows, false, panels, begin, x, z, stride);
    }
}

__attribute__((always_inline)) static inline void project_blocks(int rows, int32_t blocks,
                                                                 const dps_real_panels *panels,
                                                                 const float *packed, float *z,
                                                                 size_t stride, int32_t features)
{
    const size_t block = (size_t)panels->columns * (size_t)rows;
    for (int32_t begin = 0; begin < features; begin += WIDTH) {
        for (int32_t b = 0; b < blocks; b++) {
            const float *x = packed + (size_t)b * block;
            float *out = z + (size_t)(b * rows) * stride + begin;
            if (features - begin >= WIDTH) {
                project_any(rows, panels, begin, x, out, stride);
                continue;
            }
            float last[ROWS * WIDTH];
            project_any(rows, panels, begin, x, last, WIDTH);
            for (int r = 0; r < rows; r++) {
                memcpy(out + (size_t)r * stride, last + r * WIDTH,
                       (size_t)(features - begin) * sizeof(float));
            }
        }
    }
}

#define REAL_PROJECT dps_real_project_avx2
#include "projection_real_body.h"
