/* What a solver sees of the data: rows, width, "give me tile t". It never learns about files or
 * maps. */
#ifndef DPS_TILE_SOURCE_H
#define DPS_TILE_SOURCE_H

#include <stdbool.h>
#include "row_tile.h"
#include "status.h"

typedef struct dps_tile_source {
    int64_t rows;
    int32_t width;          /* columns of the dense panel, the solver's bias column included */
    size_t stride;          /* panel width padded to DPS_PAD */
    int32_t sparse_columns; /* 0: none */
    bool resident;          /* tiles stay in memory: get() costs nothing and needs no buffer */
    double flops_per_row;   /* of making a row again when not resident */
    const void *context;
    /* Tile t, from any thread, in any order, the same bits every time. buffer: DPS_TILE_ROWS *
     * stride floats, 64-byte aligned, the caller's; scratch: scratch_bytes. Both unused when
     * resident. */
    size_t scratch_bytes;
    dps_status (*get)(const void *context, int64_t t, float *buffer, void *scratch,
                      dps_z_tile *tile, dps_error *err);
} dps_tile_source;

/* Doubles in a weight vector: stride + sparse_columns, padded to DPS_PAD. */
static inline size_t dps_weight_length(const dps_tile_source *source)
{
    return (source->stride + (size_t)source->sparse_columns + DPS_PAD - 1) & ~(size_t)(DPS_PAD - 1);
}

#endif
