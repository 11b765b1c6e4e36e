/* Task: z-tiles for the solver. If all panels fit the budget they are made once, in parallel, and
 * kept; otherwise each is made again whenever it is asked for, with the same bits, since a tile
 * depends on its rows and the map only.
 * Cost: kept: rows * stride * 4 bytes and one mapping; made again: one mapping a pass. */
#include "feature_stream.h"

#include <math.h>
#include "allocation.h"
#include "z_builder.h"

struct dps_feature_stream {
    dps_row_source rows;
    dps_z_builder builder;
    dps_tile_source source;
    float *kept; /* tiles x DPS_TILE_ROWS x stride, or NULL */
};

size_t dps_feature_stream_bytes(int64_t rows, int32_t width, double bias)
{
    size_t columns = (size_t)width + (bias != 0 ? 1 : 0);
    size_t bytes, panel = dps_round_up(columns, DPS_PAD) * DPS_TILE_ROWS * sizeof(float);
    return dps_size_mul((size_t)dps_tile_count(rows), panel, &bytes) ? bytes : SIZE_MAX;
}

static dps_status get_made(const void *context, int64_t t, float *buffer, void *scratch,
                           dps_z_tile *tile, dps_error *err)
{
    const dps_feature_stream *stream = context;
    dps_row_tile rows;
    dps_status status = stream->rows.get(stream->rows.context, t, &rows, err);
    if (status == DPS_OK) {
        status = dps_z_build(&stream->builder, &rows, buffer, scratch, tile, err);
    }
    if (status != DPS_OK) {
        dps_z_error_row(err, stream->rows.first_row + t * DPS_TILE_ROWS);
    }
    return status;
}

static float *kept_tile(const dps_feature_stream *stream, int64_t t)
{
    return stream->kept + (size_t)t * stream->builder.stride * DPS_TILE_ROWS;
}

static dps_status get_kept(const void *context, int64_t t, float *buffer, void *scratch,
                           dps_z_tile *tile, dps_error *err)
{
    const dps_feature_stream *stream = context;
    dps_row_tile rows;
    (void)buffer;
    (void)scratch;
    dps_status status = stream->rows.get(stream->rows.context, t, &rows, err);
    if (status == DPS_OK) {
        *tile = dps_z_view(&stream->builder, &rows, kept_tile(stream, t));
    }
    return status;
}

static void log_share(const dps_run *run, int64_t done, int64_t tiles)
{
    dps_progress progress = {.stage = "map",
                             .fraction = (double)done / (double)tiles,
                             .iteration = -1,
                             .objective = NAN,
                             .gap = NAN,
                             .target = NAN};
    dps_log_progress(run, &progress);
}

/* Makes every tile; the error of the smallest failing tile is reported. */
static dps_status keep_all(dps_feature_stream *stream, const dps_run *run, dps_error *err)
{
    const int64_t tiles = dps_tile_count(stream->rows.rows);
    int64_t failed = tiles, done = 0;
    dps_status status = DPS_OK;

#pragma omp parallel num_threads(dps_run_threads(run, tiles))
    {
        void *scratch = dps_alloc(stream->source.scratch_bytes, 1);
#pragma omp for schedule(dynamic, 1)
        for (int64_t t = 0; t < tiles; t++) {
            dps_error local;
            dps_z_tile z;
            dps_status result;
            int64_t worst, so_far;
#pragma omp atomic read
            worst = failed;
            if (worst < t) {
                continue;
            }
            if (scratch == NULL) {
                result =
                    dps_out_of_memory(&local, stream->source.scratch_bytes, 1, "the map's scratch");
            } else if (dps_run_stopped(run)) {
                result = dps_error_set(&local, DPS_ERROR_STOPPED, "stopped while mapping");
            } else {
                result = get_made(stream, t, kept_tile(stream, t), scratch, &z, &local);
            }
            if (result != DPS_OK) {
#pragma omp critical(dps_feature_stream_error)
                if (t < failed) {
#pragma omp atomic write
                    failed = t;
                    status = result;
                    if (err != NULL) {
                        *err = local;
                    }
                }
            }
#pragma omp atomic capture
            so_far = ++done;
            if (so_far % 64 == 0) {
                log_share(run, so_far, tiles);
            }
        }
        dps_free(scratch);
    }
    return status;
}

dps_status dps_feature_stream_new(dps_feature_stream **out, const dps_row_source *rows,
                                  const dps_map *map, double bias, size_t budget,
                                  const dps_run *run, dps_error *err)
{
    dps_feature_stream *stream = dps_alloc(1, sizeof *stream);
    *out = NULL;
    if (stream == NULL) {
        return dps_out_of_memory(err, 1, sizeof *stream, "the feature stream");
    }
    stream->rows = *rows;
    stream->builder = dps_z_builder_of(map, bias, run->simd);
    stream->source = (dps_tile_source){.rows = rows->rows,
                                       .first_row = rows->first_row,
                                       .total_rows = rows->total_rows,
                                       .width = stream->builder.width,
                                       .stride = stream->builder.stride,
                                       .sparse_columns = stream->builder.sparse_columns,
                                       .context = stream,
                                       .scratch_bytes = stream->builder.scratch_bytes,
                                       .get = get_made};

    size_t bytes = dps_feature_stream_bytes(rows->rows, dps_map_width(map), bias);
    if (bytes <= budget) {
        stream->kept = dps_alloc(bytes, 1);
    }
    if (stream->kept != NULL) {
        dps_status status = keep_all(stream, run, err);
        if (status != DPS_OK) {
            dps_feature_stream_free(stream);
            return status;
        }
        stream->source.get = get_kept;
        stream->source.resident = true;
    }
    *out = stream;
    return DPS_OK;
}

const dps_tile_source *dps_feature_stream_source(const dps_feature_stream *stream)
{
    return &stream->source;
}

void dps_feature_stream_free(dps_feature_stream *stream)
{
    if (stream != NULL) {
        dps_free(stream->kept);
        dps_free(stream);
    }
}
