/* Task: product_body.h for AVX2: 12 of the 16 registers hold sums. */
#include <immintrin.h>
#include <math.h>

enum { VECTOR_BYTES = 32, ROWS = 4, PARTS = 3 };
#define KERNELS dps_product_avx2
typedef float float_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double double_vector __attribute__((vector_size(VECTOR_BYTES)));

static inline float_vector float_spread(float a)
{
    return (float_vector)_mm256_set1_ps(a);
}

static inline double_vector double_spread(double a)
{
    return (double_vector)_mm256_set1_pd(a);
}

static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    return (float_vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline double_vector madd_double(double_vector a, double_vector b, double_vector c)
{
    return (double_vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#define madd_exact madd_double
#include "product_body.h"
