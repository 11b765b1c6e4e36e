/* Mapped rows, tile by tile: all that a solver sees of the data. It never learns about files or
 * maps. */
#ifndef DPS_TILE_SOURCE_H
#define DPS_TILE_SOURCE_H

#include <math.h>
#include <stdbool.h>
#include "allocation.h"
#include "row_tile.h"
#include "status.h"

typedef struct dps_tile_source {
    int64_t rows;           /* of this rank, as in dps_row_source */
    int64_t first_row;      /* of them, in the data */
    int64_t total_rows;     /* of all ranks; 0: the rows here are all there are */
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

static inline int64_t dps_tiles_rows(const dps_tile_source *source)
{
    return source->total_rows > 0 ? source->total_rows : source->rows;
}

/* Bytes of a thread's scratch for dps_fetch, a multiple of 64. */
static inline size_t dps_fetch_bytes(const dps_tile_source *source)
{
    if (source->resident) {
        return 0;
    }
    return dps_round_up(DPS_TILE_ROWS * source->stride * sizeof(float), DPS_ALIGN) +
           dps_round_up(source->scratch_bytes, DPS_ALIGN);
}

/* Tile t, made in `scratch` unless it is resident. */
static inline dps_status dps_fetch(const dps_tile_source *source, int64_t t, void *scratch,
                                   dps_z_tile *tile, dps_error *err)
{
    float *buffer = NULL;
    char *rest = NULL;
    if (!source->resident) {
        buffer = scratch;
        rest = (char *)scratch +
               dps_round_up(DPS_TILE_ROWS * source->stride * sizeof(float), DPS_ALIGN);
    }
    return source->get(source->context, t, buffer, rest, tile, err);
}

/* Doubles in a weight vector: stride + sparse_columns, padded to DPS_PAD. */
static inline size_t dps_weight_length(const dps_tile_source *source)
{
    return (source->stride + (size_t)source->sparse_columns + DPS_PAD - 1) & ~(size_t)(DPS_PAD - 1);
}

/* Multiply-adds of a pass over `tiles` tiles with so many weight vectors, for dps_run_threads_for.
 * Nothing here knows how many entries a sparse block has: it counts as large. */
static inline double dps_pass_work(const dps_tile_source *source, int64_t tiles, int32_t models)
{
    const double making = source->resident ? 0.0 : source->flops_per_row / 2;
    return source->sparse_columns > 0
               ? INFINITY
               : (double)tiles * DPS_TILE_ROWS * ((double)source->stride * models + making);
}

#endif
