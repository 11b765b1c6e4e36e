/* Task: sizes of the Hadamard blocks and the choice of the variant; formula, order of summation and
 * cost in hadamard_body.h. */
#include "hadamard.h"
#include <assert.h>

int32_t dps_hadamard_size(int32_t columns)
{
    int32_t size = 16; /* one vector */
    while (size < columns && size <= INT32_MAX / 2) {
        size *= 2;
    }
    return size;
}

size_t dps_hadamard_words(int32_t columns)
{
    return ((size_t)dps_hadamard_size(columns) + 31) / 32;
}

int32_t dps_hadamard_blocks(int32_t columns, int32_t units)
{
    const int32_t size = dps_hadamard_size(columns);
    return units / size + (units % size != 0);
}

/* The row, and the transform and running product of each part. */
size_t dps_hadamard_scratch_bytes(int32_t columns, bool pairs)
{
    return (size_t)dps_hadamard_size(columns) * (pairs ? 5 : 3) * sizeof(float);
}

void dps_hadamard_project(dps_simd simd, const dps_hadamard_panels *panels,
                          const dps_row_tile *tile, float *z, size_t stride, void *scratch)
{
    assert(tile->dense != NULL && tile->columns == panels->columns);
    DPS_VARIANT(simd, dps_hadamard_project)(panels, tile, z, stride, scratch);
}
