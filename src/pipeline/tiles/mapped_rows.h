/* A map of a recipe and rows mapped by it: what every training, trial and comparison works
 * on. */
#ifndef DPS_MAPPED_ROWS_H
#define DPS_MAPPED_ROWS_H

#include "feature_stream.h"

typedef struct dps_mapped_rows {
    dps_map *map;
    dps_feature_stream *stream;
} dps_mapped_rows;

/* As for dps_feature_stream_new. On errors to be released. */
DPS_MUST_USE dps_status dps_mapped_rows_init(dps_mapped_rows *mapped, const dps_map_recipe *recipe,
                                             const dps_row_source *rows, double bias, size_t budget,
                                             const dps_run *run, dps_error *err);
static inline const dps_tile_source *dps_mapped_rows_source(const dps_mapped_rows *mapped)
{
    return dps_feature_stream_source(mapped->stream);
}
void dps_mapped_rows_release(dps_mapped_rows *mapped); /* accepts a zeroed struct */

#endif
