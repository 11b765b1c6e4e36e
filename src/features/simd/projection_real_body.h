/* All rows of a tile through blocks of ROWS rows, whose coordinates are packed side by side, and
 * the rest one by one; for inclusion by one file an instruction set, behind its ROWS and
 * project_blocks. */

/* packed: d x ROWS coordinates of ROWS rows of x. */
static void pack_rows(const float *x, size_t x_stride, int32_t columns, float *packed)
{
    for (size_t j = 0; j < (size_t)columns; j++) {
        for (size_t r = 0; r < ROWS; r++) {
            packed[j * ROWS + r] = x[r * x_stride + j];
        }
    }
}

DPS_REAL_VARIANT(REAL_PROJECT)
{
    float *packed = scratch;
    int32_t i = 0;
    while (tile->rows - i >= ROWS) {
        const float *x = tile->dense + (size_t)i * tile->stride;
        const int32_t left = (tile->rows - i) / ROWS;
        const int32_t blocks =
            left < DPS_REAL_PACKED_ROWS / ROWS ? left : DPS_REAL_PACKED_ROWS / ROWS;
        for (size_t b = 0; b < (size_t)blocks; b++) {
            pack_rows(x + b * ROWS * tile->stride, tile->stride, panels->columns,
                      packed + b * ROWS * (size_t)panels->columns);
        }
        project_blocks(ROWS, blocks, panels, packed, z + (size_t)i * stride, stride, features);
        i += blocks * ROWS;
    }
    for (; i < tile->rows; i++) {
        project_blocks(1, 1, panels, tile->dense + (size_t)i * tile->stride, z + (size_t)i * stride,
                       stride, features);
    }
}
