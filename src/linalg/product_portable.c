/* Task: product_body.h for the baseline of other processors, in vectors of 16 bytes: NEON where
 * there is that, and for baselines without a fused multiply-add (x86-64) its result by other means:
 * of floats by doubles, of doubles by the C library. Those are slow, and for comparison: every
 * x86-64 processor since 2013 takes another variant. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { VECTOR_BYTES = 16, ROWS = 4, PARTS = 4 };
#define KERNELS dps_product_portable
typedef float float_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double double_vector __attribute__((vector_size(VECTOR_BYTES)));

static inline float_vector float_spread(float a)
{
    return (float_vector){a, a, a, a};
}

static inline double_vector double_spread(double a)
{
    return (double_vector){a, a};
}

#if defined(__ARM_NEON) && defined(__aarch64__)
static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    return (float_vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline double_vector madd_double(double_vector a, double_vector b, double_vector c)
{
    return (double_vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
#else
/* a b is exact in double; its sum with c is rounded to odd (the error of the sum, which two_sum
 * gives, sets the last bit), after which rounding to float is as if there had been one rounding
 * (Boldo & Melquiond, Emulation of FMA and Correctly Rounded Sums, 2008). */
static inline float fused_float(float a, float b, float c)
{
#if defined(__FP_FAST_FMAF)
    return fmaf(a, b, c);
#else
    const double product = (double)a * (double)b, sum = product + (double)c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + ((double)c - part);
    union {
        double value;
        int64_t bits;
    } odd = {sum};
    const int64_t inexact = (error < 0.0) | (error > 0.0);
    const int64_t step = (error > 0.0) == (sum > 0.0) ? 1 : -1;
    odd.bits += inexact & ~odd.bits & 1 ? step : 0;
    return (float)odd.value;
#endif
}

static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    for (size_t l = 0; l < (size_t)VECTOR_BYTES / sizeof(float); l++) {
        c[l] = fused_float(a[l], b[l], c[l]);
    }
    return c;
}

static inline double_vector madd_double(double_vector a, double_vector b, double_vector c)
{
    for (size_t l = 0; l < (size_t)VECTOR_BYTES / sizeof(double); l++) {
        c[l] = fma(a[l], b[l], c[l]);
    }
    return c;
}
#endif

static inline double_vector madd_exact(double_vector a, double_vector b, double_vector c)
{
    return a * b + c; /* the product needs no rounding: as good as fused */
}

#include "product_body.h"
