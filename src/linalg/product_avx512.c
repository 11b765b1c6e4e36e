/* Task: product_body.h for AVX-512: 24 of the 32 registers hold sums. */
#include <immintrin.h>
#include <math.h>

enum { VECTOR_BYTES = 64, ROWS = 8, PARTS = 3 };
#define KERNELS dps_product_avx512
typedef float float_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double double_vector __attribute__((vector_size(VECTOR_BYTES)));

static inline float_vector float_spread(float a)
{
    return (float_vector)_mm512_set1_ps(a);
}

static inline double_vector double_spread(double a)
{
    return (double_vector)_mm512_set1_pd(a);
}

static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    return (float_vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline double_vector madd_double(double_vector a, double_vector b, double_vector c)
{
    return (double_vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

#define madd_exact madd_double
#include "product_body.h"
