/* The joint between rows and solver: scaled rows + map -> z-tiles with the solver's bias column.
 * Decides in one place, by the memory budget, whether z-tiles are kept or made again on every pass;
 * the bits are the same. */
#ifndef DPS_FEATURE_STREAM_H
#define DPS_FEATURE_STREAM_H

#include "map.h"
#include "run.h"
#include "tile_source.h"

typedef struct dps_feature_stream dps_feature_stream;

/* rows, map outlive the stream. budget: bytes it may use for kept tiles. Maps all rows at once, in
 * parallel, if they fit. */
DPS_MUST_USE dps_status dps_feature_stream_new(dps_feature_stream **stream,
                                               const dps_row_source *rows, const dps_map *map,
                                               double bias, size_t budget, const dps_run *run,
                                               dps_error *err);
/* The map has moved (map_projections.h): what is kept is made again. */
DPS_MUST_USE dps_status dps_feature_stream_remake(dps_feature_stream *stream, const dps_run *run,
                                                  dps_error *err);
const dps_tile_source *dps_feature_stream_source(const dps_feature_stream *stream);
void dps_feature_stream_free(dps_feature_stream *stream);

/* Bytes needed to keep all tiles. */
size_t dps_feature_stream_bytes(int64_t rows, int32_t width, double bias);

#endif
