/* Task: dps_hadamard_project for AVX-512: vectors of 16 floats. Formula, order of summation and
 * cost in hadamard_body.h. */
#define VECTOR_BYTES 64
#include <math.h>
#include <stdint.h>
#include "vectors_x86.h"

static inline float_vector vec_sign(float_vector a, uint32_t minus)
{
    const __m512 sign_bit = _mm512_set1_ps(-0.0f);
    return _mm512_mask_xor_ps(a, (__mmask16)minus, a, sign_bit);
}
/* Single loads: the gather instruction takes longer on several processors. */
static inline float_vector vec_gather(const float *v, const int32_t *pick)
{
    return _mm512_setr_ps(v[pick[0]], v[pick[1]], v[pick[2]], v[pick[3]], v[pick[4]], v[pick[5]],
                          v[pick[6]], v[pick[7]], v[pick[8]], v[pick[9]], v[pick[10]], v[pick[11]],
                          v[pick[12]], v[pick[13]], v[pick[14]], v[pick[15]]);
}
/* swapped + a where the stride's bit is clear, swapped - a where it is set: fma with +-1 rounds
 * like + and -. */
static inline float_vector vec_low_stages(float_vector a)
{
    const __m512 plus = _mm512_set1_ps(1.0f), minus = _mm512_set1_ps(-1.0f);
    const __m512 eight = _mm512_mask_blend_ps(0xFF00, plus, minus);
    const __m512 four = _mm512_mask_blend_ps(0xF0F0, plus, minus);
    const __m512 two = _mm512_mask_blend_ps(0xCCCC, plus, minus);
    const __m512 one = _mm512_mask_blend_ps(0xAAAA, plus, minus);
    a = _mm512_fmadd_ps(a, eight, _mm512_shuffle_f32x4(a, a, 0x4E));
    a = _mm512_fmadd_ps(a, four, _mm512_shuffle_f32x4(a, a, 0xB1));
    a = _mm512_fmadd_ps(a, two, _mm512_permute_ps(a, 0x4E));
    return _mm512_fmadd_ps(a, one, _mm512_permute_ps(a, 0xB1));
}

#define HADAMARD_PROJECT dps_hadamard_project_avx512
#include "hadamard_body.h"
