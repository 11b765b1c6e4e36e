/* Task: dps_hadamard_project for AVX2: vectors of 8 floats. Formula, order of summation and cost in
 * hadamard_body.h. */
#define VECTOR_BYTES 32
#include <math.h>
#include <stdint.h>
#include "vectors_x86.h"

static inline float_vector vec_sign(float_vector a, uint32_t minus)
{
    const __m256i bit = _mm256_sllv_epi32(_mm256_set1_epi32((int)minus),
                                          _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
    return _mm256_xor_ps(a, _mm256_and_ps(_mm256_castsi256_ps(bit), _mm256_set1_ps(-0.0f)));
}
/* Single loads: the gather instruction takes longer on several processors. */
static inline float_vector vec_gather(const float *v, const int32_t *pick)
{
    return _mm256_setr_ps(v[pick[0]], v[pick[1]], v[pick[2]], v[pick[3]], v[pick[4]], v[pick[5]],
                          v[pick[6]], v[pick[7]]);
}
/* swapped + a where the stride's bit is clear, swapped - a where it is set: fma with +-1 rounds
 * like + and -. */
static inline float_vector vec_low_stages(float_vector a)
{
    const __m256 four = _mm256_setr_ps(1, 1, 1, 1, -1, -1, -1, -1);
    const __m256 two = _mm256_setr_ps(1, 1, -1, -1, 1, 1, -1, -1);
    const __m256 one = _mm256_setr_ps(1, -1, 1, -1, 1, -1, 1, -1);
    a = _mm256_fmadd_ps(a, four, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_fmadd_ps(a, two, _mm256_permute_ps(a, 0x4E));
    return _mm256_fmadd_ps(a, one, _mm256_permute_ps(a, 0xB1));
}

#define HADAMARD_PROJECT dps_hadamard_project_avx2
#include "hadamard_body.h"
