/* One tile of scaled rows -> one z-tile: the map's columns, then the solver's bias column, then
 * zeros up to the stride; rows beyond the tile's are zero. Used in training and prediction alike,
 * so that both see the same numbers. */
#ifndef DPS_Z_BUILDER_H
#define DPS_Z_BUILDER_H

#include "map.h"

typedef struct dps_z_builder {
    const dps_map *map; /* outlives the builder */
    dps_simd simd;
    float bias;             /* 0: no bias column */
    int32_t width;          /* of the panel, bias included */
    size_t stride;          /* width padded to DPS_PAD */
    int32_t sparse_columns; /* 0: none */
    double sparse_scale;
    size_t scratch_bytes;
    int32_t rows; /* a panel has room for: DPS_TILE_ROWS; dps_batch_rows in prediction */
} dps_z_builder;

dps_z_builder dps_z_builder_of(const dps_map *map, double bias, dps_simd simd);
/* Rows begin, begin + 1, ... of the tile, no more than a panel has room for. */
dps_row_tile dps_z_batch(const dps_z_builder *builder, const dps_row_tile *tile, int32_t begin);
/* Bytes of a panel. */
size_t dps_z_panel_bytes(const dps_z_builder *builder);
/* tile: at most builder->rows rows. buffer: panel bytes, scratch: scratch_bytes, both 64-byte
 * aligned and the caller's. z borrows both and the tile's sparse arrays. */
DPS_MUST_USE dps_status dps_z_build(const dps_z_builder *builder, const dps_row_tile *tile,
                                    float *buffer, void *scratch, dps_z_tile *z, dps_error *err);
/* z as it looks on a buffer that was filled before. */
dps_z_tile dps_z_view(const dps_z_builder *builder, const dps_row_tile *tile, const float *buffer);

/* An error of dps_z_build names a row of its tile; this makes it a row of the data. */
void dps_z_error_row(dps_error *err, int64_t first_row);

#endif
