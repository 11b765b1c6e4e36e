/* Task: projection_real_portable.c with AVX-512 and equal bits.
 *
 * Shape: 8 rows x 32 features; 16 accumulators in registers, each load of frequencies shared by 8
 * rows and each broadcast coordinate by 32 features, so that the loop is 16 fma for 2 loads and 8
 * broadcasts: bound by the fma units. Coordinates of up to 48 rows are packed in blocks (d x 8
 * each, in scratch), and a panel of frequencies, d L x 128 bytes, serves all of them from L2.
 * Running products and the cosine stay in registers or on the stack; z is written once. */
#include <immintrin.h>
#include "projection_private.h"

enum { ROWS = 8 };

/* Without optimisation the intrinsic is a macro, whose all-ones mask changes sign in this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static inline __m512 nearest_integer(__m512 t)
{
    return _mm512_roundscale_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#pragma GCC diagnostic pop

static inline __m512 cosine_of_turns(__m512 t)
{
    const __m512 u =
        _mm512_sub_ps(_mm512_set1_ps(0.25f), _mm512_abs_ps(_mm512_sub_ps(t, nearest_integer(t))));
    const __m512 v = _mm512_mul_ps(u, u);
    __m512 s = _mm512_fmadd_ps(_mm512_set1_ps(DPS_TURN_SINE_4), v, _mm512_set1_ps(DPS_TURN_SINE_3));
    s = _mm512_fmadd_ps(s, v, _mm512_set1_ps(DPS_TURN_SINE_2));
    s = _mm512_fmadd_ps(s, v, _mm512_set1_ps(DPS_TURN_SINE_1));
    s = _mm512_fmadd_ps(s, v, _mm512_set1_ps(DPS_TURN_SINE_0));
    return _mm512_mul_ps(s, u);
}

/* One panel for `rows` rows (a constant after inlining, like `cosine`); x: d x rows; the first
 * `width` lanes are stored. */
__attribute__((always_inline)) static inline void project_panel(int rows, bool cosine,
                                                                const dps_real_panels *panels,
                                                                int32_t p, const float *x, float *z,
                                                                size_t stride, int32_t width)
{
    const float *frequency = panels->frequency + panels->offset[p];
    const float *phase = cosine ? panels->phase + panels->phase_offset[p] : NULL;
    const float *weight = panels->weight + (size_t)p * DPS_PANEL;
    const __m512 amplitude = _mm512_set1_ps(panels->amplitude);
    __m512 product[ROWS][2];
    for (int r = 0; r < rows; r++) {
        product[r][0] = _mm512_loadu_ps(weight);
        product[r][1] = _mm512_loadu_ps(weight + 16);
    }
    for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
        __m512 sum[ROWS][2];
        for (int r = 0; r < rows; r++) {
            sum[r][0] = cosine ? _mm512_loadu_ps(phase) : _mm512_setzero_ps();
            sum[r][1] = cosine ? _mm512_loadu_ps(phase + 16) : _mm512_setzero_ps();
        }
        for (int32_t j = 0; j < panels->columns; j++, frequency += DPS_PANEL) {
            const __m512 low = _mm512_loadu_ps(frequency), high = _mm512_loadu_ps(frequency + 16);
            for (int r = 0; r < rows; r++) {
                const __m512 coordinate = _mm512_set1_ps(x[(size_t)j * (size_t)rows + (size_t)r]);
                sum[r][0] = _mm512_fmadd_ps(low, coordinate, sum[r][0]);
                sum[r][1] = _mm512_fmadd_ps(high, coordinate, sum[r][1]);
            }
        }
        for (int r = 0; r < rows; r++) {
            for (int h = 0; h < 2; h++) {
                const __m512 value =
                    cosine ? _mm512_mul_ps(amplitude, cosine_of_turns(sum[r][h])) : sum[r][h];
                product[r][h] = _mm512_mul_ps(product[r][h], value);
            }
        }
        phase = cosine ? phase + DPS_PANEL : NULL;
    }
    const uint32_t lanes = width >= DPS_PANEL ? UINT32_MAX : ((uint32_t)1 << width) - 1;
    for (int r = 0; r < rows; r++) {
        _mm512_mask_storeu_ps(z + (size_t)r * stride, (__mmask16)lanes, product[r][0]);
        _mm512_mask_storeu_ps(z + (size_t)r * stride + 16, (__mmask16)(lanes >> 16), product[r][1]);
    }
}

__attribute__((always_inline)) static inline void project_blocks(int rows, int32_t blocks,
                                                                 const dps_real_panels *panels,
                                                                 const float *packed, float *z,
                                                                 size_t stride, int32_t features)
{
    const size_t block = (size_t)panels->columns * (size_t)rows;
    for (int32_t p = 0; p < panels->panels; p++) {
        const int32_t width = dps_panel_width(p, features);
        for (int32_t b = 0; b < blocks; b++) {
            const float *x = packed + (size_t)b * block;
            float *out = z + (size_t)(b * rows) * stride + (size_t)p * DPS_PANEL;
            if (panels->kind == DPS_REAL_COSINE) {
                project_panel(rows, true, panels, p, x, out, stride, width);
            } else {
                project_panel(rows, false, panels, p, x, out, stride, width);
            }
        }
    }
}

#define REAL_PROJECT dps_real_project_avx512
#include "projection_real_body.h"
