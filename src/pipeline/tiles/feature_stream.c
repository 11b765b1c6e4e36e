/* Task: z-tiles for the solver. If all panels fit the budget they are made once, in parallel, and
 * kept; otherwise each is made again whenever it is asked for, with the same bits, since a tile
 * depends on its rows and the map only.
 * Cost: kept: rows * stride * 4 bytes and one mapping; made again: one mapping a pass. */
#include "feature_stream.h"

#include "allocation.h"
#include "large_pages.h"
#include "tile_loop.h"
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
    DPS_THEN(status, dps_z_build(&stream->builder, &rows, buffer, scratch, tile, err));
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
    DPS_TRY(stream->rows.get(stream->rows.context, t, &rows, err));
    *tile = dps_z_view(&stream->builder, &rows, kept_tile(stream, t));
    return DPS_OK;
}

/* What the threads that make all tiles share. */
typedef struct making {
    const dps_feature_stream *stream;
    const dps_run *run;
    int64_t tiles, done;
} making;

static dps_status make_kept(void *context, int64_t t, void *scratch, dps_error *err)
{
    making *m = context;
    dps_z_tile z;
    int64_t so_far;
    const dps_status status = get_made(m->stream, t, kept_tile(m->stream, t), scratch, &z, err);
#pragma omp atomic capture
    so_far = ++m->done;
    if (so_far % 64 == 0) {
        dps_log_share(m->run, "map", (double)so_far / (double)m->tiles);
    }
    return status;
}

static dps_status keep_all(const dps_feature_stream *stream, const dps_run *run, dps_error *err)
{
    making m = {.stream = stream, .run = run, .tiles = dps_tile_count(stream->rows.rows)};
    const dps_tile_loop loop = {.tiles = m.tiles,
                                .threads = dps_run_threads(run, m.tiles),
                                .bytes = stream->source.scratch_bytes,
                                .visit = make_kept,
                                .context = &m,
                                .stops = run,
                                .doing = "mapping"};
    return dps_tile_loop_run(&loop, err);
}

dps_status dps_feature_stream_new(dps_feature_stream **out, const dps_row_source *rows,
                                  const dps_map *map, double bias, size_t budget,
                                  const dps_run *run, dps_error *err)
{
    dps_feature_stream *stream;
    *out = NULL;
    DPS_NEED(stream, 1, "the feature stream", err);
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
        stream->kept = dps_alloc_large(bytes);
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

dps_status dps_feature_stream_remake(dps_feature_stream *stream, const dps_run *run, dps_error *err)
{
    return stream->kept != NULL ? keep_all(stream, run, err) : DPS_OK;
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
