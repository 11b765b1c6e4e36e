/* Task: dps_sparse_sign_project for AVX2; formula, order of summation and cost in
 * sparse_project_body.h. */
#if defined(__x86_64__)
#include "sparse_project_body.h"

void dps_sparse_sign_project_avx2(const dps_sign_panels *panels, const dps_row_tile *tile, float *z,
                                  size_t stride, int32_t features)
{
    sparse_sign_project(panels, tile, z, stride, features);
}
#endif
