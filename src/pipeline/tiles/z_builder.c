/* Task: the panel a solver or a score sees, from scaled rows. Cost: that of the map. */
#include "z_builder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"

dps_z_builder dps_z_builder_of(const dps_map *map, double bias, dps_simd simd)
{
    dps_z_builder builder = {.map = map, .simd = simd, .bias = (float)bias};
    builder.width = dps_map_width(map) + (builder.bias != 0 ? 1 : 0);
    builder.stride = dps_round_up((size_t)builder.width, DPS_PAD);
    builder.sparse_columns = dps_map_sparse_columns(map);
    builder.sparse_scale = dps_map_sparse_scale(map);
    builder.scratch_bytes = dps_map_scratch_bytes(map);
    builder.rows = DPS_TILE_ROWS;
    return builder;
}

dps_row_tile dps_z_batch(const dps_z_builder *builder, const dps_row_tile *tile, int32_t begin)
{
    dps_row_tile batch = *tile;
    const int32_t left = tile->rows - begin;
    batch.rows = left < builder->rows ? left : builder->rows;
    batch.dense = tile->dense != NULL ? tile->dense + (size_t)begin * tile->stride : NULL;
    batch.start = tile->start != NULL ? tile->start + begin : NULL;
    return batch;
}

size_t dps_z_panel_bytes(const dps_z_builder *builder)
{
    return builder->stride * (size_t)builder->rows * sizeof(float);
}

dps_z_tile dps_z_view(const dps_z_builder *builder, const dps_row_tile *tile, const float *buffer)
{
    dps_z_tile z = {
        .rows = tile->rows, .width = builder->width, .stride = builder->stride, .z = buffer};
    if (builder->sparse_columns > 0) {
        assert(tile->start != NULL);
        z.start = tile->start;
        z.column = tile->column;
        z.value = tile->value;
        z.sparse_scale = builder->sparse_scale;
    }
    return z;
}

dps_status dps_z_build(const dps_z_builder *builder, const dps_row_tile *tile, float *buffer,
                       void *scratch, dps_z_tile *z, dps_error *err)
{
    const size_t stride = builder->stride;
    const size_t mapped = (size_t)dps_map_width(builder->map);
    const size_t rows = (size_t)tile->rows, room = (size_t)builder->rows;

    assert(rows <= room);
    DPS_TRY(dps_map_apply(builder->map, builder->simd, tile, buffer, stride, scratch, err));
    for (size_t i = 0; i < rows; i++) {
        float *row = buffer + i * stride;
        memset(row + mapped, 0, (stride - mapped) * sizeof *row);
        if (builder->bias != 0) {
            row[mapped] = builder->bias;
        }
    }
    if (rows < room) {
        memset(buffer + rows * stride, 0, (room - rows) * stride * sizeof *buffer);
    }
    *z = dps_z_view(builder, tile, buffer);
    return DPS_OK;
}

void dps_z_error_row(dps_error *err, int64_t first_row)
{
    if (err != NULL && err->status == DPS_ERROR_NUMERIC && err->line > 0) {
        char text[sizeof err->text];
        snprintf(text, sizeof text, "row %lld: %.900s", (long long)(first_row + err->line),
                 err->text);
        memcpy(err->text, text, sizeof text);
        err->line = 0;
        err->column = 0;
    }
}
