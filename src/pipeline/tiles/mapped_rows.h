/* A map of a recipe and rows mapped by it: what every training, trial and comparison works on. */
#ifndef DPS_MAPPED_ROWS_H
#define DPS_MAPPED_ROWS_H

#include "feature_stream.h"
#include "row_span.h"

typedef struct dps_mapped_rows {
    dps_map *map;
    dps_feature_stream *stream; /* or */
    dps_row_span *span;
} dps_mapped_rows;

/* As for dps_feature_stream_new. On errors, here and below, to be released. */
DPS_MUST_USE dps_status dps_mapped_rows_init(dps_mapped_rows *mapped, const dps_map_recipe *recipe,
                                             const dps_row_source *rows, double bias, size_t budget,
                                             const dps_run *run, dps_error *err);
/* The rows in their span (row_span.h). */
DPS_MUST_USE dps_status dps_mapped_rows_span(dps_mapped_rows *mapped, const dps_map_recipe *recipe,
                                             const dps_row_source *rows, double bias,
                                             const dps_run *run, dps_error *err);
static inline const dps_tile_source *dps_mapped_rows_source(const dps_mapped_rows *mapped)
{
    return mapped->span != NULL ? dps_row_span_source(mapped->span)
                                : dps_feature_stream_source(mapped->stream);
}
void dps_mapped_rows_release(dps_mapped_rows *mapped); /* accepts a zeroed struct */

#endif
