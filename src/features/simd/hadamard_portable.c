/* Task: dps_hadamard_project for the baseline instruction set: vectors of one float. Formula, order
 * of summation and cost in hadamard_body.h. */
#include <math.h>
#include <stdint.h>

enum { LANES = 1 };
typedef float vec;

static inline vec vec_load(const float *p)
{
    return *p;
}
static inline void vec_store(float *p, vec a)
{
    *p = a;
}
static inline vec vec_set(float a)
{
    return a;
}
static inline vec vec_add(vec a, vec b)
{
    return a + b;
}
static inline vec vec_sub(vec a, vec b)
{
    return a - b;
}
static inline vec vec_mul(vec a, vec b)
{
    return a * b;
}
static inline vec vec_fma(vec a, vec b, vec c)
{
    return fmaf(a, b, c);
}
static inline vec vec_fms(vec a, vec b, vec c)
{
    return fmaf(a, b, -c);
}
static inline vec vec_sign(vec a, uint32_t minus)
{
    return (minus & 1) != 0 ? -a : a;
}
static inline vec vec_gather(const float *v, const int32_t *pick)
{
    return v[*pick];
}
static inline vec vec_low_stages(vec a)
{
    return a;
}

#include "hadamard_body.h"

void dps_hadamard_project_portable(const dps_hadamard_panels *panels, const dps_row_tile *tile,
                                   float *z, size_t stride, float *scratch)
{
    hadamard_project(panels, tile, z, stride, scratch);
}
