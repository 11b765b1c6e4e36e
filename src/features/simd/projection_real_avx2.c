/* Task: projection_real_body.h for AVX2: 12 accumulators (6 rows x 16 features, half a panel), two
 * frequencies and one broadcast in the 16 registers, 12 fma for 2 loads and 6 broadcasts. */
#define VECTOR_BYTES 32
#include "vectors_x86.h"

enum { ROWS = 6 };

static inline float_vector float_nearest(float_vector t)
{
    return _mm256_round_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline float_vector float_absolute(float_vector t)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), t);
}

#define REAL_PROJECT dps_real_project_avx2
#include "projection_real_body.h"
