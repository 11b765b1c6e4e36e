/* Task: dps_sparse_sign_project for the baseline instruction set; formula, order of summation and
 * cost in sparse_project_body.h. */
#include "sparse_project_body.h"

void dps_sparse_sign_project_portable(const dps_sign_panels *panels, const dps_row_tile *tile,
                                      float *z, size_t stride, int32_t features)
{
    sparse_sign_project(panels, tile, z, stride, features);
}
