/* Task: text -> parsed and scaled blocks -> tiles -> z -> (scores) -> output text, in input order.
 *
 * Chunks are read serially, a batch at a time (BATCH a thread). The batch is parsed and scaled in
 * parallel over chunks; then its tiles are mapped, scored and rendered in parallel, a group at a
 * time (GROUP a thread), and each group's texts are written in order. So memory is a few chunks and
 * a few tiles' texts a thread, and since a row's numbers depend on the row alone, neither threads
 * nor the cut into chunks can change the output. */
#include "row_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"
#include "limits.h"
#include "memory.h"
#include "number.h"
#include "row_line.h"

enum { BATCH = 2, GROUP = 2 };

/* A chunk on its way, buffers reused by the next batch. */
typedef struct chunk_slot {
    dps_chunk chunk;
    dps_row_block block;
    dps_scaled_rows rows;
    int32_t *label_class; /* class of each spelling of the block, -1: not a class of the model */
    double *label_value;  /* regression: number of each spelling */
    size_t label_capacity, value_capacity;
    dps_status status;
    dps_error error;
    double parse_seconds, scale_seconds;
} chunk_slot;

/* A tile on its way. */
typedef struct tile_slot {
    const chunk_slot *chunk;
    int64_t tile;      /* within the chunk's rows */
    int64_t first_row; /* of the tile within the input */
    dps_text text;
    dps_status status;
    dps_error error;
    int64_t correct;
    dps_residuals residuals;
    double map_seconds, score_seconds;
} tile_slot;

/* One thread's own. */
typedef struct workspace {
    float *panel;
    void *scratch;
    double *scores;
} workspace;

typedef struct row_stream {
    const dps_predict_request *request;
    const dps_predictor *predictor;
    const dps_stream_sink *sink;
    const dps_run *run;
    dps_predict_result *result;
    dps_input input;
    chunk_slot *chunk;
    int chunk_slots, chunks; /* all, and filled by the current batch */
    tile_slot *tile;
    int tile_slots, tiles;
    workspace *work;
    int64_t lines; /* of the current file before the current batch */
    double bytes;
    bool end;
} row_stream;

const char *dps_stream_label(const dps_stream_rows *rows, int32_t i, size_t *length)
{
    const dps_row_block *block = rows->block;
    int32_t label = block->label[rows->first + i];
    *length = 0;
    if (label < 0) {
        return "";
    }
    *length = (size_t)(block->label_begin[label + 1] - block->label_begin[label]);
    return block->label_bytes + block->label_begin[label];
}

const char *dps_stream_id(const dps_stream_rows *rows, int32_t i, size_t *length)
{
    const dps_row_block *block = rows->block;
    if (block->id_begin == NULL) {
        return NULL;
    }
    const int64_t *begin = block->id_begin + rows->first + i;
    *length = (size_t)(begin[1] - begin[0]);
    return *length > 0 ? block->id_bytes + begin[0] : "";
}

/* ---- reading, parsing, scaling ----------------------------------------------------------------
 */

static dps_status read_batch(row_stream *s, dps_error *err)
{
    s->chunks = 0;
    while (s->chunks < s->chunk_slots && !s->end) {
        dps_chunk *chunk = &s->chunk[s->chunks].chunk;
        dps_status status = dps_source_next(s->input.source, chunk, &s->end, err);
        if (status != DPS_OK) {
            return status;
        }
        if (s->end) {
            break;
        }
        s->chunks++;
        s->bytes += (double)chunk->length;
    }
    return DPS_OK;
}

static dps_status find_classes(const row_stream *s, chunk_slot *slot, dps_error *err)
{
    const dps_row_block *block = &slot->block;
    size_t count = (size_t)block->label_count;
    void *grown = slot->label_class;
    if (!dps_grow(&grown, &slot->label_capacity, count, sizeof *slot->label_class)) {
        return dps_out_of_memory(err, count, sizeof *slot->label_class, "labels");
    }
    slot->label_class = grown;
    for (size_t l = 0; l < count; l++) {
        int32_t begin = block->label_begin[l];
        slot->label_class[l] =
            dps_class_find(&s->predictor->model->classes, block->label_bytes + begin,
                           (size_t)(block->label_begin[l + 1] - begin));
    }
    return DPS_OK;
}

static dps_status find_values(chunk_slot *slot, dps_error *err)
{
    const dps_row_block *block = &slot->block;
    size_t count = (size_t)block->label_count;
    void *grown = slot->label_value;
    if (!dps_grow(&grown, &slot->value_capacity, count, sizeof *slot->label_value)) {
        return dps_out_of_memory(err, count, sizeof *slot->label_value, "labels");
    }
    slot->label_value = grown;
    for (size_t l = 0; l < count; l++) {
        const char *text = block->label_bytes + block->label_begin[l];
        const size_t length = (size_t)(block->label_begin[l + 1] - block->label_begin[l]);
        if (!dps_text_to_double(text, length, &slot->label_value[l]) ||
            !isfinite(slot->label_value[l])) {
            char shown[4 * 40 + 4];
            dps_quote_token(shown, sizeof shown, text, length, 40);
            return dps_error_at(err, DPS_ERROR_DATA, NULL, block->label_line[l], 0,
                                "expected a finite number as label, found %s: the model predicts "
                                "numbers",
                                shown);
        }
    }
    return DPS_OK;
}

static int compare_index(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The error for data.unknown = error: row (in err->line, within the block) and feature. */
static dps_status unknown_feature(const row_stream *s, const dps_row_block *block, dps_error *err)
{
    const dps_scaler *scaler = &s->predictor->model->scaler;
    for (int64_t i = 0; i < block->rows; i++) {
        for (int64_t e = block->start[i]; e < block->start[i + 1]; e++) {
            if (scaler->columns == 0 ||
                bsearch(&block->index[e], scaler->index, (size_t)scaler->columns,
                        sizeof *scaler->index, compare_index) == NULL) {
                return dps_error_at(err, DPS_ERROR_DATA, NULL, i + 1, 0,
                                    "feature %lld was not seen in training (data.unknown = ignore "
                                    "leaves such values out)",
                                    (long long)block->index[e] +
                                        (s->input.read.zero_based ? 0 : 1));
            }
        }
    }
    return DPS_OK;
}

/* Parses and scales one chunk. Lines and rows in errors still count from the chunk's start;
 * *in_rows tells which of the two it is. */
static dps_status parse_chunk(const row_stream *s, chunk_slot *slot, bool *in_rows, dps_error *err)
{
    double begin = dps_now();
    *in_rows = false;
    const dps_input *input = &s->input;
    dps_status status = input->format->parse(&input->read, &slot->chunk, &slot->block, err);
    double parsed = dps_now();
    slot->parse_seconds = parsed - begin;
    if (status != DPS_OK) {
        return status;
    }
    status = s->predictor->model->task == DPS_TASK_REGRESSION ? find_values(slot, err)
                                                              : find_classes(s, slot, err);
    if (status != DPS_OK) {
        return status;
    }
    *in_rows = true;
    status = dps_scale_block(&s->predictor->model->scaler, &slot->block, &slot->rows, err);
    slot->scale_seconds = dps_now() - parsed;
    if (status == DPS_OK && s->request->unknown_is_error && slot->rows.unknown > 0) {
        status = unknown_feature(s, &slot->block, err);
    }
    return status;
}

/* Shares the wall time of a parallel part between two stages by the threads' own times. */
static void share_time(dps_predict_result *result, double wall, dps_stage first, double a,
                       dps_stage second, double b)
{
    double share = a + b > 0 ? a / (a + b) : 1;
    result->stage[first].seconds += wall * share;
    result->stage[second].seconds += wall * (1 - share);
}

/* Parses the batch; returns the number of good chunks before the first faulty one, whose error goes
 * into *err with its place in the whole input. */
static int parse_batch(row_stream *s, double begin, dps_status *status, dps_error *err)
{
    const int chunks = s->chunks;
    double parse = 0, scale = 0;
    int good = 0;
    int64_t rows = s->result->rows;

#pragma omp parallel for schedule(dynamic, 1) num_threads(dps_run_threads(s->run, chunks))
    for (int c = 0; c < chunks; c++) {
        chunk_slot *slot = &s->chunk[c];
        bool in_rows;
        slot->status = parse_chunk(s, slot, &in_rows, &slot->error);
        if (slot->status != DPS_OK && in_rows) {
            slot->error.column = -1; /* a row, not a line */
        }
    }
    *status = DPS_OK;
    for (; good < chunks; good++) {
        chunk_slot *slot = &s->chunk[good];
        parse += slot->parse_seconds;
        scale += slot->scale_seconds;
        if (slot->chunk.first_of_file) {
            s->lines = 0;
        }
        if (slot->status != DPS_OK) {
            *status = slot->status;
            break;
        }
        s->lines += slot->block.lines;
        rows += slot->block.rows;
    }
    if (*status != DPS_OK) {
        dps_error *error = &s->chunk[good].error;
        const char *file = s->chunk[good].chunk.file;
        if (error->column < 0) {
            const int64_t line = s->lines + dps_line_of_row(&s->input, &s->chunk[good].chunk,
                                                            &s->chunk[good].block, error->line);
            *status = dps_error_at(err, error->status, file, line, 0, "row %lld: %s",
                                   (long long)(rows + error->line), error->text);
        } else {
            *status =
                dps_error_at(err, error->status, file, error->line > 0 ? s->lines + error->line : 0,
                             error->column, "%s", error->text);
        }
    }
    share_time(s->result, dps_now() - begin, DPS_STAGE_PARSE, parse, DPS_STAGE_SCALE, scale);
    return good;
}

/* ---- mapping, scoring, rendering --------------------------------------------------------------
 */

/* first: of the rows within the chunk. */
static void count_correct(const row_stream *s, tile_slot *slot, const dps_stream_rows *rows)
{
    const chunk_slot *chunk = slot->chunk;
    const bool regression = s->predictor->model->task == DPS_TASK_REGRESSION;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        int32_t label = chunk->block.label[rows->first + i];
        if (regression) {
            if (label >= 0) {
                dps_residuals_add(&slot->residuals, chunk->label_value[label], rows->scores[i]);
            }
            continue;
        }
        int32_t guess = dps_predicted_class(s->predictor->model->classes.count, rows->scores, i);
        slot->correct += label >= 0 && chunk->label_class[label] == guess;
    }
}

/* Rows begin, begin + 1, ... of the tile: as many as a panel has room for. Returns their number. */
static int32_t do_batch(const row_stream *s, tile_slot *slot, const dps_row_tile *tile,
                        int32_t begin, const workspace *work)
{
    const double began = dps_now();
    const dps_row_tile batch = dps_z_batch(&s->predictor->builder, tile, begin);
    dps_z_tile z;
    slot->status =
        dps_z_build(&s->predictor->builder, &batch, work->panel, work->scratch, &z, &slot->error);
    const double mapped = dps_now();
    slot->map_seconds += mapped - began;
    if (slot->status != DPS_OK) {
        dps_z_error_row(&slot->error, slot->first_row + begin);
        return batch.rows;
    }
    dps_stream_rows rows = {&slot->chunk->block, slot->tile * DPS_TILE_ROWS + begin, &z, NULL};
    if (s->sink->wants_scores) {
        dps_predictor_scores(s->predictor, &z, work->scores);
        rows.scores = work->scores;
        count_correct(s, slot, &rows);
    }
    if (s->sink->render != NULL) {
        s->sink->render(s->sink->context, &rows, &slot->text);
    }
    if (slot->text.failed) {
        slot->status = dps_out_of_memory(&slot->error, slot->text.length, 1, "the output");
    }
    slot->score_seconds += dps_now() - mapped;
    return batch.rows;
}

static void do_tile(const row_stream *s, tile_slot *slot, const workspace *work)
{
    dps_row_tile tile;

    slot->text.length = 0;
    slot->correct = 0;
    slot->residuals = (dps_residuals){0};
    slot->map_seconds = slot->score_seconds = 0;
    slot->status = DPS_OK;
    dps_scaled_rows_tile(&slot->chunk->rows, slot->tile, &tile);
    for (int32_t i = 0; i < tile.rows && slot->status == DPS_OK;) {
        i += do_batch(s, slot, &tile, i, work);
    }
}

/* Works on the tiles collected so far and writes their texts in order. */
static dps_status finish_group(row_stream *s, dps_error *err)
{
    double begin = dps_now(), map = 0, score = 0;
    const int tiles = s->tiles, threads = s->run->threads;
    dps_stage_cost *write = &s->result->stage[DPS_STAGE_WRITE];
    dps_status status = DPS_OK;

#pragma omp parallel for schedule(static, 1) num_threads(dps_run_threads(s->run, tiles))
    for (int worker = 0; worker < threads; worker++) {
        for (int t = worker; t < tiles; t += threads) {
            do_tile(s, &s->tile[t], &s->work[worker]);
        }
    }
    for (int t = 0; t < tiles; t++) {
        map += s->tile[t].map_seconds;
        score += s->tile[t].score_seconds;
    }
    double made = dps_now();
    share_time(s->result, made - begin, DPS_STAGE_MAP, map, DPS_STAGE_SOLVE, score);
    for (int t = 0; t < tiles && status == DPS_OK; t++) {
        tile_slot *slot = &s->tile[t];
        status = slot->status;
        if (status != DPS_OK) {
            if (err != NULL) {
                *err = slot->error;
                /* the file of the row, where the map's error named none */
                if (err->file[0] == '\0' && status == DPS_ERROR_NUMERIC) {
                    status = dps_error_at(err, status, slot->chunk->chunk.file, 0, 0, "%s",
                                          slot->error.text);
                }
            }
            break;
        }
        s->result->correct += slot->correct;
        dps_residuals_merge(&s->result->residuals, &slot->residuals);
        write->bytes += (double)slot->text.length;
        if (s->sink->file != NULL && slot->text.length > 0) {
            status = dps_output_write(s->sink->file, slot->text.data, slot->text.length, err);
        }
        if (s->sink->collect != NULL) {
            dps_text_append(s->sink->collect, slot->text.data, slot->text.length);
            if (s->sink->collect->failed) {
                status = dps_out_of_memory(err, s->sink->collect->length, 1, "the results");
            }
        }
    }
    write->seconds += dps_now() - made;
    s->tiles = 0;
    return status;
}

static void count_rows(row_stream *s, const chunk_slot *slot)
{
    s->result->rows += slot->block.rows;
    s->result->outside += slot->rows.outside;
    s->result->unknown += slot->rows.unknown + slot->block.unknown;
    for (int64_t i = 0; i < slot->block.rows; i++) {
        s->result->labelled += slot->block.label[i] >= 0;
    }
}

static dps_status finish_chunks(row_stream *s, int chunks, dps_error *err)
{
    for (int c = 0; c < chunks; c++) {
        const chunk_slot *slot = &s->chunk[c];
        const int64_t tiles = s->sink->count_only ? 0 : dps_tile_count(slot->block.rows);
        for (int64_t t = 0; t < tiles; t++) {
            tile_slot *tile = &s->tile[s->tiles++];
            tile->chunk = slot;
            tile->tile = t;
            tile->first_row = s->result->rows + t * DPS_TILE_ROWS;
            if (s->tiles == s->tile_slots) {
                dps_status status = finish_group(s, err);
                if (status != DPS_OK) {
                    return status;
                }
            }
        }
        count_rows(s, slot);
    }
    return finish_group(s, err);
}

static void log_share(const row_stream *s)
{
    double size = (double)dps_source_size(s->input.source);
    dps_progress progress = {.stage = "predict",
                             .fraction = size > 0 ? s->bytes / size : -1,
                             .iteration = -1,
                             .objective = NAN,
                             .gap = NAN,
                             .target = NAN};
    dps_log_progress(s->run, &progress);
}

static dps_status run_batches(row_stream *s, dps_error *err)
{
    dps_status status = DPS_OK;
    while (!s->end && status == DPS_OK) {
        double begin = dps_now();
        dps_status reading = read_batch(s, err);
        dps_status parsing = DPS_OK;
        dps_error later;
        int good = parse_batch(s, begin, &parsing, &later);
        status = finish_chunks(s, good, err);
        for (int c = 0; c < s->chunk_slots; c++) {
            dps_chunk_release(&s->chunk[c].chunk);
            memset(&s->chunk[c].chunk, 0, sizeof s->chunk[c].chunk);
        }
        if (status == DPS_OK && parsing != DPS_OK) {
            status = parsing;
            if (err != NULL) {
                *err = later;
            }
        } else if (status == DPS_OK) {
            status = reading;
        }
        if (status == DPS_OK && dps_run_stopped(s->run)) {
            status = dps_error_set(err, DPS_ERROR_STOPPED, "stopped while predicting");
        }
        log_share(s);
    }
    s->result->stage[DPS_STAGE_PARSE].bytes += s->bytes;
    return status;
}

/* ---- buffers ----------------------------------------------------------------------------------
 */

static dps_status allocate(row_stream *s, dps_error *err)
{
    const dps_z_builder *builder = &s->predictor->builder;
    const size_t threads = (size_t)s->run->threads;
    const size_t scores = (size_t)s->predictor->model->models * DPS_TILE_ROWS;
    const size_t each =
        dps_z_panel_bytes(builder) + builder->scratch_bytes + scores * sizeof(double);

    if (each > s->run->memory / threads) {
        return dps_error_set(err, DPS_ERROR_MEMORY,
                             "%zu threads need %zu bytes each, more than run.memory (%zu bytes) "
                             "allows: lower run.threads or raise run.memory",
                             threads, each, s->run->memory);
    }
    s->chunk_slots = BATCH * s->run->threads;
    s->tile_slots = GROUP * s->run->threads;
    s->chunk = dps_alloc((size_t)s->chunk_slots, sizeof *s->chunk);
    s->tile = dps_alloc((size_t)s->tile_slots, sizeof *s->tile);
    s->work = dps_alloc(threads, sizeof *s->work);
    bool enough = s->chunk != NULL && s->tile != NULL && s->work != NULL;
    for (size_t k = 0; enough && k < threads; k++) {
        s->work[k].panel = dps_alloc(dps_z_panel_bytes(builder), 1);
        s->work[k].scratch = dps_alloc(builder->scratch_bytes, 1);
        s->work[k].scores = dps_alloc(scores, sizeof(double));
        enough =
            s->work[k].panel != NULL && s->work[k].scratch != NULL && s->work[k].scores != NULL;
    }
    return enough ? DPS_OK : dps_out_of_memory(err, threads, each, "tiles");
}

static void release(row_stream *s)
{
    for (int c = 0; s->chunk != NULL && c < s->chunk_slots; c++) {
        dps_chunk_release(&s->chunk[c].chunk);
        dps_row_block_release(&s->chunk[c].block);
        dps_scaled_rows_release(&s->chunk[c].rows);
        dps_free(s->chunk[c].label_class);
        dps_free(s->chunk[c].label_value);
    }
    for (int t = 0; s->tile != NULL && t < s->tile_slots; t++) {
        dps_text_release(&s->tile[t].text);
    }
    for (int k = 0; s->work != NULL && k < s->run->threads; k++) {
        dps_free(s->work[k].panel);
        dps_free(s->work[k].scratch);
        dps_free(s->work[k].scores);
    }
    dps_free(s->chunk);
    dps_free(s->tile);
    dps_free(s->work);
    dps_input_close(&s->input);
}

static dps_header header_of(const char *text)
{
    return text == NULL || strcmp(text, "auto") == 0 ? DPS_HEADER_AUTO
           : strcmp(text, "on") == 0                 ? DPS_HEADER_ON
                                                     : DPS_HEADER_OFF;
}

dps_status dps_row_stream_run(const dps_predict_request *request, const dps_predictor *predictor,
                              const dps_stream_sink *sink, const dps_run *run,
                              dps_predict_result *result, dps_error *err)
{
    row_stream s = {
        .request = request, .predictor = predictor, .sink = sink, .run = run, .result = result};
    const dps_read_options read = {.format = request->format,
                                   .zero_based = request->zero_based,
                                   .labels = DPS_LABELS_OPTIONAL,
                                   .table = {.header = header_of(request->header),
                                             .label_column = request->label_column,
                                             .id_column = request->id_column,
                                             .unknown_is_error = request->unknown_is_error}};
    dps_status status = allocate(&s, err);
    if (status == DPS_OK) {
        status = dps_input_open(&s.input, request->paths, request->path_count, &read,
                                &predictor->model->table, 0, run, err);
    }
    if (status == DPS_OK) {
        snprintf(result->input, sizeof result->input, "%s", s.input.note);
        result->extra_columns = s.input.layout.extra_columns;
        status = run_batches(&s, err);
    }
    release(&s);
    return status;
}
