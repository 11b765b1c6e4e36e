/* Task: dps_additive_row for AVX2; formula, order and cost in additive_body.h. */
#if defined(__x86_64__)
#include "additive_body.h"

void dps_additive_row_avx2(const dps_additive_panels *panels, const float *root,
                           const float *logarithm, float *z)
{
    additive_row(panels, root, logarithm, z);
}
#endif
