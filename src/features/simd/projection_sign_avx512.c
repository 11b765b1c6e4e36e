/* Task: projection_sign_portable.c with AVX-512 and equal bits.
 *
 * A table of 16 floats is one register, and vpermps looks up 16 features at once by the low four
 * bits of each lane, so that a register of sign words, shifted right by four from group to group,
 * is the index as it stands. Four coordinates of 16 features cost one look-up and one addition: 128
 * flops of a matrix product in two instructions.
 *
 * Shape: 6 rows x 32 features; 12 sums and 12 running products in registers, tables of the 6 rows
 * interleaved by group in scratch (384 bytes a group: d = 784 takes 75 KB, which L2 holds; beyond d
 * = 8192 they come from L3). The sign words are D L d / 8 bytes and are read once every 6 rows. */
#include <immintrin.h>
#include "projection_private.h"

enum { ROWS = DPS_SIGN_BLOCK_MAX, ENTRIES = 16 };

/* Lane i: +1 or -1, a minus where bit k of i is set. fma(+-1, x, sum) rounds like sum +- x. */
static inline __m512 sign_lanes(__mmask16 minus)
{
    return _mm512_mask_blend_ps(minus, _mm512_set1_ps(1.0f), _mm512_set1_ps(-1.0f));
}

/* The tables of one row: table + g * step, for all groups. */
static void build_tables(const float *x, float scale, int32_t groups, float *table, size_t step)
{
    const __m512 sign0 = sign_lanes(0xAAAA), sign1 = sign_lanes(0xCCCC);
    const __m512 sign2 = sign_lanes(0xF0F0), sign3 = sign_lanes(0xFF00);
    const __m512 factor = _mm512_set1_ps(scale);
    for (int32_t first = 0; first < groups; first += 4) {
        _Alignas(64) float scaled[ENTRIES];
        _mm512_store_ps(scaled, _mm512_mul_ps(factor, _mm512_loadu_ps(x + 4 * first)));
        const int32_t end = groups - first < 4 ? groups - first : 4;
        for (int32_t g = 0; g < end; g++) {
            const float *v = scaled + 4 * g;
            __m512 sum = _mm512_mul_ps(sign0, _mm512_set1_ps(v[0]));
            sum = _mm512_fmadd_ps(sign1, _mm512_set1_ps(v[1]), sum);
            sum = _mm512_fmadd_ps(sign2, _mm512_set1_ps(v[2]), sum);
            sum = _mm512_fmadd_ps(sign3, _mm512_set1_ps(v[3]), sum);
            _mm512_store_ps(table + (size_t)(first + g) * step, sum);
        }
    }
}

/* sum[r][h] += the look-ups of `count` groups whose signs are the low bits of sign[h]. `rows` and
 * `count` are constants after inlining where speed matters. */
__attribute__((always_inline)) static inline void
add_groups(int rows, int32_t count, const float *table, const __m512i word[2], __m512 (*sum)[2])
{
    __m512i low = word[0], high = word[1];
    for (int32_t g = 0; g < count; g++) {
        for (int r = 0; r < rows; r++) {
            const __m512 entries = _mm512_load_ps(table + (g * rows + r) * ENTRIES);
            sum[r][0] = _mm512_add_ps(sum[r][0], _mm512_permutexvar_ps(low, entries));
            sum[r][1] = _mm512_add_ps(sum[r][1], _mm512_permutexvar_ps(high, entries));
        }
        low = _mm512_srli_epi32(low, 4);
        high = _mm512_srli_epi32(high, 4);
    }
}

/* product * sum, lane by lane, or complex numbers of neighbouring lanes. */
static inline __m512 multiply(__m512 product, __m512 sum, bool pairs)
{
    if (!pairs) {
        return _mm512_mul_ps(product, sum);
    }
    const __m512 swapped = _mm512_permute_ps(product, 0xB1);
    return _mm512_fmaddsub_ps(product, _mm512_moveldup_ps(sum),
                              _mm512_mul_ps(swapped, _mm512_movehdup_ps(sum)));
}

/* One panel for `rows` rows (a constant after inlining); the first `width` lanes are stored. */
__attribute__((always_inline)) static inline void
project_panel(int rows, const dps_sign_panels *panels, int32_t p, const float *table, float *z,
              size_t stride, int32_t width)
{
    const int32_t groups = (panels->columns + 3) / 4;
    const uint32_t *word = panels->word + panels->offset[p];
    const float *weight = panels->weight + (size_t)p * DPS_PANEL;
    __m512 product[ROWS][2];
    for (int r = 0; r < rows; r++) {
        product[r][0] = _mm512_loadu_ps(weight);
        product[r][1] = _mm512_loadu_ps(weight + 16);
    }
    for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
        __m512 sum[ROWS][2];
        for (int r = 0; r < rows; r++) {
            sum[r][0] = sum[r][1] = _mm512_setzero_ps();
        }
        for (int32_t g = 0; g < groups; g += 8, word += DPS_PANEL) {
            const __m512i signs[2] = {_mm512_loadu_si512(word), _mm512_loadu_si512(word + 16)};
            const float *entries = table + (size_t)g * (size_t)rows * ENTRIES;
            if (groups - g >= 8) {
                add_groups(rows, 8, entries, signs, sum);
            } else {
                add_groups(rows, groups - g, entries, signs, sum);
            }
        }
        for (int r = 0; r < rows; r++) {
            product[r][0] = multiply(product[r][0], sum[r][0], panels->pairs);
            product[r][1] = multiply(product[r][1], sum[r][1], panels->pairs);
        }
    }
    const uint32_t lanes = width >= DPS_PANEL ? UINT32_MAX : ((uint32_t)1 << width) - 1;
    for (int r = 0; r < rows; r++) {
        _mm512_mask_storeu_ps(z + (size_t)r * stride, (__mmask16)lanes, product[r][0]);
        _mm512_mask_storeu_ps(z + (size_t)r * stride + 16, (__mmask16)(lanes >> 16), product[r][1]);
    }
}

__attribute__((always_inline)) static inline void
project_rows(int rows, const dps_sign_panels *panels, const float *x, size_t x_stride, float *z,
             size_t stride, int32_t features, float *table)
{
    for (int r = 0; r < rows; r++) {
        build_tables(x + (size_t)r * x_stride, panels->input_scale_inverse,
                     (panels->columns + 3) / 4, table + r * ENTRIES, (size_t)rows * ENTRIES);
    }
    for (int32_t p = 0; p < panels->panels; p++) {
        project_panel(rows, panels, p, table, z + (size_t)p * DPS_PANEL, stride,
                      dps_panel_width(p, features));
    }
}

DPS_SIGN_VARIANT(dps_sign_project_avx512)
{
    int32_t i = 0;
    for (; i + ROWS <= tile->rows; i += ROWS) {
        project_rows(ROWS, panels, tile->dense + (size_t)i * tile->stride, tile->stride,
                     z + (size_t)i * stride, stride, features, scratch);
    }
    for (; i < tile->rows; i++) {
        project_rows(1, panels, tile->dense + (size_t)i * tile->stride, tile->stride,
                     z + (size_t)i * stride, stride, features, scratch);
    }
}
