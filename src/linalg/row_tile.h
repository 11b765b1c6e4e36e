/* Row tile and z-tile: the two shapes in which rows travel between rooms.
 *
 * A tile has DPS_TILE_ROWS rows (the last one fewer); row i of tile t is row t * DPS_TILE_ROWS + i
 * of the data, always. The height is the longest chain of floats that is summed before it goes into
 * a double. */
#ifndef DPS_ROW_TILE_H
#define DPS_ROW_TILE_H

#include <stddef.h>
#include <stdint.h>
#include "status.h"

#define DPS_TILE_ROWS 384
/* Widths are padded with zeros to a multiple of this many floats (one cache line). */
#define DPS_PAD 16

/* Mapped rows of that stride that are made at a time where a whole tile is not needed: a tile if it
 * takes no more than 64 MB, else as many rows as do, at least 16. */
static inline int32_t dps_batch_rows(size_t stride)
{
    enum { most_bytes = 64 << 20, least_rows = 16 };
    const size_t rows = most_bytes / ((stride > 0 ? stride : 1) * sizeof(float));
    return rows >= DPS_TILE_ROWS ? DPS_TILE_ROWS : rows < least_rows ? least_rows : (int32_t)rows;
}

/* Scaled input rows: dense (dense != NULL) or compressed (start != NULL). Borrowed, never owned. */
typedef struct dps_row_tile {
    int32_t rows;          /* <= DPS_TILE_ROWS */
    int32_t columns;       /* d */
    const float *dense;    /* rows x stride, row-major, zero-padded: 64-byte aligned */
    size_t stride;         /* multiple of DPS_PAD, >= columns */
    const int64_t *start;  /* rows + 1 offsets into column and value (start[0] need not be 0) */
    const int32_t *column; /* ascending within a row, 0 <= column < columns */
    const float *value;
} dps_row_tile;

/* Where scaled rows come from, tile by tile, in any order and from any thread. Over ranks each has
 * some whole tiles of the rows; tile 0 is its first. */
typedef struct dps_row_source {
    int64_t rows;       /* of this rank */
    int64_t first_row;  /* of them, in the data; a multiple of DPS_TILE_ROWS, or total_rows */
    int64_t total_rows; /* of all ranks; 0: the rows here are all there are */
    int32_t columns;
    const double *weight; /* of each row of this rank, a row of weight w being w rows; NULL: 1 */
    const void *context;
    dps_status (*get)(const void *context, int64_t t, dps_row_tile *tile, dps_error *err);
} dps_row_source;

/* What row i weighs. */
static inline double dps_weight_of(const double *weight, int64_t i)
{
    return weight == NULL ? 1.0 : weight[i];
}

static inline int64_t dps_tile_count(int64_t rows)
{
    return (rows + DPS_TILE_ROWS - 1) / DPS_TILE_ROWS;
}

static inline int64_t dps_rows_of_all(const dps_row_source *source)
{
    return source->total_rows > 0 ? source->total_rows : source->rows;
}

/* Mapped rows: a dense panel plus an optional sparse block whose entries are multiplied by
 * sparse_scale. A weight vector for it has `stride + sparse_columns` doubles: the panel's (padding
 * zero), then the sparse block's. */
typedef struct dps_z_tile {
    int32_t rows;
    int32_t width;        /* columns of the panel in use */
    size_t stride;        /* multiple of DPS_PAD, >= width; padding columns are 0 */
    const float *z;       /* DPS_TILE_ROWS x stride (rows beyond `rows` are 0), 64-byte aligned */
    const int64_t *start; /* NULL: no sparse block; else rows + 1 offsets */
    const int32_t *column;
    const float *value;
    double sparse_scale;
} dps_z_tile;

#endif
