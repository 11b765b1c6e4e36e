/* Task: dps_hadamard_project for AVX2: vectors of 8 floats. Formula, order of summation and cost in
 * hadamard_body.h. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <stdint.h>

enum { LANES = 8 };
typedef __m256 vec;

static inline vec vec_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
static inline void vec_store(float *p, vec a)
{
    _mm256_storeu_ps(p, a);
}
static inline vec vec_set(float a)
{
    return _mm256_set1_ps(a);
}
static inline vec vec_add(vec a, vec b)
{
    return _mm256_add_ps(a, b);
}
static inline vec vec_sub(vec a, vec b)
{
    return _mm256_sub_ps(a, b);
}
static inline vec vec_mul(vec a, vec b)
{
    return _mm256_mul_ps(a, b);
}
static inline vec vec_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline vec vec_fms(vec a, vec b, vec c)
{
    return _mm256_fmsub_ps(a, b, c);
}
static inline vec vec_sign(vec a, uint32_t minus)
{
    const __m256i bit = _mm256_sllv_epi32(_mm256_set1_epi32((int)minus),
                                          _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
    return _mm256_xor_ps(a, _mm256_and_ps(_mm256_castsi256_ps(bit), _mm256_set1_ps(-0.0f)));
}
/* Single loads: the gather instruction takes longer on several processors. */
static inline vec vec_gather(const float *v, const int32_t *pick)
{
    return _mm256_setr_ps(v[pick[0]], v[pick[1]], v[pick[2]], v[pick[3]], v[pick[4]], v[pick[5]],
                          v[pick[6]], v[pick[7]]);
}
/* swapped + a where the stride's bit is clear, swapped - a where it is set: fma with +-1 rounds
 * like
 * + and -. */
static inline vec vec_low_stages(vec a)
{
    const __m256 four = _mm256_setr_ps(1, 1, 1, 1, -1, -1, -1, -1);
    const __m256 two = _mm256_setr_ps(1, 1, -1, -1, 1, 1, -1, -1);
    const __m256 one = _mm256_setr_ps(1, -1, 1, -1, 1, -1, 1, -1);
    a = _mm256_fmadd_ps(a, four, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_fmadd_ps(a, two, _mm256_permute_ps(a, 0x4E));
    return _mm256_fmadd_ps(a, one, _mm256_permute_ps(a, 0xB1));
}

#include "hadamard_body.h"

void dps_hadamard_project_avx2(const dps_hadamard_panels *panels, const dps_row_tile *tile,
                               float *z, size_t stride, float *scratch)
{
    hadamard_project(panels, tile, z, stride, scratch);
}
#endif
