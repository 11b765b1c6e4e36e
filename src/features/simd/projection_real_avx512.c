/* Task: projection_real_body.h for AVX-512: 16 accumulators (8 rows x 32 features, a panel) in
 * registers, 16 fma for 2 loads and 8 broadcasts: bound by the fma units. */
#define VECTOR_BYTES 64
#include "vectors_x86.h"

enum { ROWS = 8 };

/* Without optimisation the intrinsic is a macro, whose all-ones mask changes sign in this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static inline float_vector float_nearest(float_vector t)
{
    return _mm512_roundscale_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#pragma GCC diagnostic pop

static inline float_vector float_absolute(float_vector t)
{
    return _mm512_abs_ps(t);
}

#define REAL_PROJECT dps_real_project_avx512
#include "projection_real_body.h"
