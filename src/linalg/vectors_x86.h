/* Registers of AVX2 (VECTOR_BYTES, which the including file defines, is 32) or AVX-512 (64) and
 * their operations; +, - and * are the compiler's. */
#ifndef DPS_VECTORS_X86_H
#define DPS_VECTORS_X86_H

#include <immintrin.h>

#if VECTOR_BYTES == 64
#define MM(operation) _mm512_##operation
typedef __m512 mm_float;
typedef __m512d mm_double;
#else
#define MM(operation) _mm256_##operation
typedef __m256 mm_float;
typedef __m256d mm_double;
#endif

enum { LANES = VECTOR_BYTES / sizeof(float) };
typedef float float_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double double_vector __attribute__((vector_size(VECTOR_BYTES)));

static inline float_vector float_load(const float *a)
{
    return (float_vector)MM(loadu_ps)(a);
}

static inline void float_store(float *to, float_vector a)
{
    MM(storeu_ps)(to, (mm_float)a);
}

static inline float_vector float_spread(float a)
{
    return (float_vector)MM(set1_ps)(a);
}

static inline double_vector double_load(const double *a)
{
    return (double_vector)MM(loadu_pd)(a);
}

static inline void double_store(double *to, double_vector a)
{
    MM(storeu_pd)(to, (mm_double)a);
}

static inline double_vector double_spread(double a)
{
    return (double_vector)MM(set1_pd)(a);
}

/* a b + c, rounded once; msub: a b - c. */
static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    return (float_vector)MM(fmadd_ps)((mm_float)a, (mm_float)b, (mm_float)c);
}

static inline float_vector msub_float(float_vector a, float_vector b, float_vector c)
{
    return (float_vector)MM(fmsub_ps)((mm_float)a, (mm_float)b, (mm_float)c);
}

static inline double_vector madd_double(double_vector a, double_vector b, double_vector c)
{
    return (double_vector)MM(fmadd_pd)((mm_double)a, (mm_double)b, (mm_double)c);
}

#endif
