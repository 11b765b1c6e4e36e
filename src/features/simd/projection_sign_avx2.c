/* Task: projection_sign_portable.c with AVX2 and equal bits.
 *
 * A register holds 8 of the 16 entries of a table, and vpermps looks up 8 features by the low three
 * bits of each lane. That is enough, because T[15 - i] = -T[i] exactly (rounding is symmetric) but
 * for the sign of zeros, which never shows (projection_sign_portable.c). So the sign of the whole
 * group is that of its last coordinate, bit 3, and the three low bits say which of the others
 * differ from it: signs b2 b1 b0 xor b3 b3 b3, recoded for eight groups at a time. A look-up is
 * then vpermps, xor with the sign bit, add: three instructions for four coordinates of 8 features.
 *
 * Shape: 4 rows x 16 features; 8 sums, two indices and two signs in registers. */
#define VECTOR_BYTES 32
#include "projection_private.h"
#include "vectors_x86.h"

enum { ROWS = 4, ENTRIES = 8 };
typedef __m256i sign_vector;

/* The tables of one row, entries with bit 3 clear: table + g * step, for all groups. */
static void build_tables(const float *x, float scale, int32_t groups, float *table, size_t step)
{
    const __m256 sign0 = _mm256_setr_ps(1, -1, 1, -1, 1, -1, 1, -1);
    const __m256 sign1 = _mm256_setr_ps(1, 1, -1, -1, 1, 1, -1, -1);
    const __m256 sign2 = _mm256_setr_ps(1, 1, 1, 1, -1, -1, -1, -1);
    for (int32_t g = 0; g < groups; g++) {
        _Alignas(16) float v[4];
        _mm_store_ps(v, _mm_mul_ps(_mm_set1_ps(scale), _mm_loadu_ps(x + 4 * g)));
        __m256 sum = _mm256_mul_ps(sign0, _mm256_set1_ps(v[0]));
        sum = _mm256_fmadd_ps(sign1, _mm256_set1_ps(v[1]), sum); /* rounds like sum +- x */
        sum = _mm256_fmadd_ps(sign2, _mm256_set1_ps(v[2]), sum);
        sum = _mm256_add_ps(sum, _mm256_set1_ps(v[3]));
        _mm256_store_ps(table + (size_t)g * step, sum);
    }
}

/* Eight nibbles a lane: b3 b2 b1 b0 becomes b3, b2 ^ b3, b1 ^ b3, b0 ^ b3. */
static inline sign_vector load_signs(const uint32_t *word)
{
    const __m256i signs = _mm256_loadu_si256((const __m256i *)(const void *)word);
    const __m256i last =
        _mm256_and_si256(_mm256_srli_epi32(signs, 3), _mm256_set1_epi32(0x11111111));
    const __m256i low_three = _mm256_sub_epi32(_mm256_slli_epi32(last, 3), last);
    return _mm256_xor_si256(signs, low_three);
}

/* sum[r][h] += the look-ups of `count` groups whose recoded signs are in code[h]. `rows` is a
 * constant after inlining. */
__attribute__((always_inline)) static inline void add_groups(int rows, int32_t count,
                                                             const float *table,
                                                             const sign_vector code[2],
                                                             float_vector (*sum)[2])
{
    const __m256 sign_bit = _mm256_set1_ps(-0.0f);
    __m256i low = code[0], high = code[1];
    for (int32_t g = 0; g < count; g++) {
        const __m256 low_sign =
            _mm256_and_ps(_mm256_castsi256_ps(_mm256_slli_epi32(low, 28)), sign_bit);
        const __m256 high_sign =
            _mm256_and_ps(_mm256_castsi256_ps(_mm256_slli_epi32(high, 28)), sign_bit);
        for (int r = 0; r < rows; r++) {
            const __m256 entries = _mm256_load_ps(table + (g * rows + r) * ENTRIES);
            const __m256 low_sum = _mm256_permutevar8x32_ps(entries, low);
            const __m256 high_sum = _mm256_permutevar8x32_ps(entries, high);
            sum[r][0] = _mm256_add_ps(sum[r][0], _mm256_xor_ps(low_sum, low_sign));
            sum[r][1] = _mm256_add_ps(sum[r][1], _mm256_xor_ps(high_sum, high_sign));
        }
        low = _mm256_srli_epi32(low, 4);
        high = _mm256_srli_epi32(high, 4);
    }
}

#define SIGN_PROJECT dps_sign_project_avx2
#include "projection_sign_body.h"
