/* Task: a map and its z-tiles, made and freed together. */
#include "mapped_rows.h"

dps_status dps_mapped_rows_init(dps_mapped_rows *mapped, const dps_map_recipe *recipe,
                                const dps_row_source *rows, double bias, size_t budget,
                                const dps_run *run, dps_error *err)
{
    *mapped = (dps_mapped_rows){0};
    DPS_TRY(dps_map_new(&mapped->map, recipe, rows->columns, run, err));
    return dps_feature_stream_new(&mapped->stream, rows, mapped->map, bias, budget, run, err);
}

dps_status dps_mapped_rows_span(dps_mapped_rows *mapped, const dps_map_recipe *recipe,
                                const dps_row_source *rows, double bias, const dps_run *run,
                                dps_error *err)
{
    *mapped = (dps_mapped_rows){0};
    DPS_TRY(dps_map_new(&mapped->map, recipe, rows->columns, run, err));
    return dps_row_span_new(&mapped->span, rows, mapped->map, bias, run, err);
}

void dps_mapped_rows_release(dps_mapped_rows *mapped)
{
    dps_feature_stream_free(mapped->stream);
    dps_row_span_free(mapped->span);
    dps_map_free(mapped->map);
    *mapped = (dps_mapped_rows){0};
}
