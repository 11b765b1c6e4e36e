/* Task: random features of additive homogeneous kernels, z = weight prod_{factors} W(x),
 *
 *   W(x) = amplitude sqrt(x_j) cos(2 pi (phase + frequency log x_j)),   0 where x_j <= 0,
 *
 * j the factor's coordinate (Vedaldi & Zisserman 2010, whose features sample the spectrum at fixed
 * points; here frequency, phase and coordinate are drawn).
 *
 * Arithmetic: root and logarithm of every coordinate once a row, in double by our own log, rounded
 * to float; then additive_body.h. Cost a row: d logarithms, and a cosine a feature and factor. */
#include "additive.h"
#include <assert.h>
#include <math.h>
#include "allocation.h"
#include "exact_log.h"

size_t dps_additive_scratch_bytes(int32_t columns)
{
    return dps_round_up(2 * (size_t)columns * sizeof(float), DPS_ALIGN);
}

void dps_additive_project(dps_simd simd, const dps_additive_panels *panels,
                          const dps_row_tile *tile, float *z, size_t stride, void *scratch)
{
    assert(tile->dense != NULL && tile->columns == panels->columns);
    float *root = scratch, *logarithm = root + panels->columns;
    for (int32_t i = 0; i < tile->rows; i++) {
        const float *x = tile->dense + (size_t)i * tile->stride;
        float *out = z + (size_t)i * stride;
        for (int32_t j = 0; j < panels->columns; j++) {
            root[j] = x[j] > 0.0f ? sqrtf(x[j]) : 0.0f;
            logarithm[j] = x[j] > 0.0f ? (float)dps_log_exact_ops(x[j]) : 0.0f;
        }
        DPS_VARIANT(simd, dps_additive_row)(panels, root, logarithm, out);
    }
}
