/* Task: dps_hadamard_project for the baseline instruction set: vectors of one float. Formula, order
 * of summation and cost in hadamard_body.h. */
#include <math.h>
#include <stdint.h>

enum { LANES = 1 };
typedef float float_vector;

static inline float_vector float_load(const float *p)
{
    return *p;
}
static inline void float_store(float *p, float_vector a)
{
    *p = a;
}
static inline float_vector float_spread(float a)
{
    return a;
}
static inline float_vector madd_float(float_vector a, float_vector b, float_vector c)
{
    return fmaf(a, b, c);
}
static inline float_vector msub_float(float_vector a, float_vector b, float_vector c)
{
    return fmaf(a, b, -c);
}
static inline float_vector vec_sign(float_vector a, uint32_t minus)
{
    return (minus & 1) != 0 ? -a : a;
}
static inline float_vector vec_gather(const float *v, const int32_t *pick)
{
    return v[*pick];
}
static inline float_vector vec_low_stages(float_vector a)
{
    return a;
}

#define HADAMARD_PROJECT dps_hadamard_project_portable
#include "hadamard_body.h"
