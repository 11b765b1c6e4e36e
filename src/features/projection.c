/* Task: choose the variant of the fused projection kernels and the scratch it needs. The orders of
 * summation stand in projection_sign_portable.c and projection_real_portable.c. The path is an
 * argument, not a global, so that tests and benchmarks can run every one in one process. */
#include <assert.h>
#include "allocation.h"
#include "projection_private.h"

size_t dps_sign_scratch_bytes(int32_t columns)
{
    return ((size_t)columns + 3) / 4 * DPS_SIGN_BLOCK_MAX * 16 * sizeof(float);
}

void dps_sign_project(dps_simd simd, const dps_sign_panels *panels, const dps_row_tile *tile,
                      float *z, size_t stride, int32_t features, void *scratch)
{
    assert(tile->dense != NULL && tile->columns == panels->columns);
    assert(features <= panels->panels * DPS_PANEL);
    DPS_VARIANT(simd, dps_sign_project)(panels, tile, z, stride, features, scratch);
}

size_t dps_real_scratch_bytes(int32_t columns)
{
    return dps_round_up((size_t)columns * DPS_REAL_PACKED_ROWS * sizeof(float), DPS_ALIGN);
}

void dps_real_project(dps_simd simd, const dps_real_panels *panels, const dps_row_tile *tile,
                      float *z, size_t stride, int32_t features, void *scratch)
{
    assert(tile->dense != NULL && tile->columns == panels->columns);
    assert(features <= panels->panels * DPS_PANEL);
    DPS_VARIANT(simd, dps_real_project)(panels, tile, z, stride, features, scratch);
}
