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
#define VECTOR_BYTES 64
#include "projection_private.h"
#include "vectors_x86.h"

enum { ROWS = DPS_SIGN_BLOCK_MAX, ENTRIES = 16 };
typedef __m512i sign_vector;

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

static inline sign_vector load_signs(const uint32_t *word)
{
    return _mm512_loadu_si512(word);
}

/* sum[r][h] += the look-ups of `count` groups whose signs are the low bits of sign[h]. `rows` and
 * `count` are constants after inlining where speed matters. */
__attribute__((always_inline)) static inline void add_groups(int rows, int32_t count,
                                                             const float *table,
                                                             const sign_vector word[2],
                                                             float_vector (*sum)[2])
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

#define SIGN_PROJECT dps_sign_project_avx512
#include "projection_sign_body.h"
