/* Task: text -> parsed and scaled blocks -> tiles -> z -> (scores) -> output text, or scored rows,
 * in input order.
 *
 * Chunks are read serially, a batch at a time (BATCH a thread). The batch is parsed and scaled in
 * parallel over chunks; then its tiles are mapped, scored and rendered in parallel, a group at a
 * time (GROUP a thread), and each group's results are handed over in order. So memory is a few
 * chunks and a few tiles' results a thread, and since a row's numbers depend on the row alone,
 * neither threads nor the cut into chunks can change the output. With several ranks rank 0 reads a
 * batch for each of them and hands over what they send back, in order (row_deal.c). Reading and
 * parsing are in row_stream_batch.c. */
#include "row_stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "job_limits.h"
#include "probability.h"
#include "row_stream_batch.h"

enum { BATCH = 2, GROUP = 2 };

/* A tile on its way. */
typedef struct dps_stream_tile {
    const dps_row_chunk *chunk;
    int64_t tile;      /* within the chunk's rows */
    int64_t first_row; /* of the tile within the input */
    dps_text text;
    dps_scored *row; /* room for DPS_TILE_ROWS; NULL: the sink takes none */
    dps_deal_tile sums;
    dps_status status;
    dps_error error;
    double map_seconds, score_seconds;
} dps_stream_tile;

/* One thread's own. */
typedef struct dps_stream_work {
    float *panel;
    void *scratch;
    double *scores, *chances;
} dps_stream_work;

/* ---- mapping, scoring, rendering ------------------------------------------------------------ */

static dps_scored judge_class(const dps_row_stream *s, const dps_row_chunk *chunk,
                              const dps_stream_rows *rows, int32_t i)
{
    const dps_model *model = rows->model;
    dps_scored row = {.score = rows->scores[i],
                      .loss = NAN,
                      .weight = dps_stream_weight(rows, i),
                      .label = chunk->label_class[chunk->block.label[rows->first + i]],
                      .guess = dps_stream_class(rows, i)};
    if (s->sink->wants_losses && model->probability != DPS_PROBABILITY_NONE && row.label >= 0) {
        dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, rows->chances);
        row.loss = dps_probability_loss(rows->chances[row.label]);
    }
    return row;
}

static dps_scored judge_number(const dps_stream_rows *rows, int32_t i, double target)
{
    return (dps_scored){.score = rows->scores[i],
                        .loss = target - rows->scores[i],
                        .weight = dps_stream_weight(rows, i),
                        .label = -1,
                        .guess = -1};
}

static dps_status stop_if_told(const dps_row_stream *s, dps_error *err)
{
    return dps_run_stopped(s->run)
               ? dps_error_set(err, DPS_ERROR_STOPPED, "stopped while predicting")
               : DPS_OK;
}

/* What the labelled rows add to the sums, and the rows themselves, where they are taken. */
static void judge_rows(const dps_row_stream *s, dps_stream_tile *slot, const dps_stream_rows *rows)
{
    const dps_row_chunk *chunk = slot->chunk;
    const bool numbers = rows->model->task == DPS_TASK_REGRESSION;
    dps_deal_tile *sums = &slot->sums;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        const int32_t label = chunk->block.label[rows->first + i];
        if (label < 0) {
            continue;
        }
        const dps_scored row = numbers ? judge_number(rows, i, chunk->label_value[label])
                                       : judge_class(s, chunk, rows, i);
        if (numbers) {
            dps_residuals_add(&sums->residuals, chunk->label_value[label], row.score, row.weight);
        } else {
            sums->weight += row.weight;
            sums->correct += row.label == row.guess ? row.weight : 0.0;
        }
        if (slot->row != NULL) {
            slot->row[sums->rows++] = row;
        }
    }
}

/* Rows begin, begin + 1, ... of the tile: as many as a panel has room for. Returns their number. */
static int32_t do_batch(const dps_row_stream *s, dps_stream_tile *slot, const dps_row_tile *tile,
                        int32_t begin, const dps_stream_work *work)
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
    dps_stream_rows rows = {.model = s->predictor->model,
                            .block = &slot->chunk->block,
                            .first = slot->tile * DPS_TILE_ROWS + begin,
                            .z = &z,
                            .decision = s->decision,
                            .chances = work->chances,
                            .run = s->run};
    if (s->sink->wants_scores) {
        dps_predictor_block_scores(s->predictor, &z, rows.block, rows.first, work->scores);
        rows.scores = work->scores;
        judge_rows(s, slot, &rows);
    }
    if (s->sink->render != NULL) {
        s->sink->render(&rows, &slot->text);
    }
    if (slot->text.failed) {
        slot->status = dps_out_of_memory(&slot->error, slot->text.length, 1, "the output");
    }
    slot->score_seconds += dps_now() - mapped;
    return batch.rows;
}

static void do_tile(const dps_row_stream *s, dps_stream_tile *slot, const dps_stream_work *work)
{
    dps_row_tile tile;

    slot->text.length = 0;
    slot->sums = (dps_deal_tile){0};
    slot->map_seconds = slot->score_seconds = 0;
    slot->status = DPS_OK;
    dps_scaled_rows_tile(&slot->chunk->rows, slot->tile, &tile);
    for (int32_t i = 0; i < tile.rows && slot->status == DPS_OK;) {
        i += do_batch(s, slot, &tile, i, work);
        DPS_THEN(slot->status, stop_if_told(s, &slot->error));
    }
    slot->sums.length = slot->text.length;
}

/* A tile's sums into those of the run, its rows to the sink. */
static dps_status take_tile(dps_row_stream *s, const dps_deal_tile *tile, const dps_scored *row,
                            dps_error *err)
{
    s->result->weight += tile->weight;
    s->result->correct += tile->correct;
    dps_residuals_merge(&s->result->residuals, &tile->residuals);
    s->result->stage[DPS_STAGE_WRITE].bytes += (double)tile->length;
    return tile->rows > 0 ? s->sink->take(s->sink->taker, row, tile->rows, err) : DPS_OK;
}

static dps_status write_out(const dps_row_stream *s, const char *bytes, size_t length,
                            dps_error *err)
{
    return s->sink->file != NULL && length > 0 ? dps_output_write(s->sink->file, bytes, length, err)
                                               : DPS_OK;
}

/* Works on the tiles collected so far and hands their results over in order. */
static dps_status finish_group(dps_row_stream *s, dps_error *err)
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
    dps_share_stage_time(s->result, made - begin, DPS_STAGE_MAP, map, DPS_STAGE_SOLVE, score);
    for (int t = 0; t < tiles && status == DPS_OK; t++) {
        dps_stream_tile *slot = &s->tile[t];
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
        if (dps_comm_rank(s->run->comm) > 0) {
            dps_deal_post(&s->deal, &slot->sums, slot->row, slot->text.data);
        } else {
            status = take_tile(s, &slot->sums, slot->row, err);
            DPS_THEN(status, write_out(s, slot->text.data, slot->text.length, err));
        }
    }
    write->seconds += dps_now() - made;
    s->tiles = 0;
    return status;
}

/* Names a label that training did not see: the first two. */
static void name_foreign(dps_predict_result *result, const dps_row_block *block, int32_t label)
{
    char shown[4 * 20 + 4], *names = result->foreign_labels;
    const size_t size = sizeof result->foreign_labels, said = strlen(names);
    const int32_t begin = block->label_begin[label];
    dps_quote_token(shown, sizeof shown, block->label_bytes + begin,
                    (size_t)(block->label_begin[label + 1] - begin), 20);
    if (strstr(names, " and ") == NULL && strstr(names, shown) == NULL) {
        snprintf(names + said, size - said, "%s\"%.60s\"", said > 0 ? " and " : "", shown);
    }
}

static void count_rows(dps_row_stream *s, const dps_row_chunk *slot)
{
    s->rows += slot->block.rows;
    s->result->rows += slot->block.rows;
    s->result->outside += slot->rows.outside;
    s->result->repeats += slot->block.repeats;
    s->result->unknown += slot->rows.unknown + slot->block.unknown;
    const bool classes = s->predictor->model->task != DPS_TASK_REGRESSION;
    for (int64_t i = 0; i < slot->block.rows; i++) {
        const int32_t label = slot->block.label[i];
        s->result->labelled += label >= 0;
        s->result->foreign += classes && label >= 0 && slot->label_class[label] < 0;
    }
    for (int32_t l = 0; classes && l < slot->block.label_count; l++) {
        if (slot->label_class[l] < 0) {
            name_foreign(s->result, &slot->block, l);
        }
    }
}

static dps_status finish_chunks(dps_row_stream *s, int chunks, dps_error *err)
{
    for (int c = 0; c < chunks; c++) {
        const dps_row_chunk *slot = &s->chunk[c];
        const int64_t tiles = s->sink->count_only ? 0 : dps_tile_count(slot->block.rows);
        for (int64_t t = 0; t < tiles; t++) {
            dps_stream_tile *tile = &s->tile[s->tiles++];
            tile->chunk = slot;
            tile->tile = t;
            tile->first_row = s->rows + t * DPS_TILE_ROWS;
            if (s->tiles == s->tile_slots) {
                DPS_TRY(finish_group(s, err));
            }
        }
        count_rows(s, slot);
    }
    return finish_group(s, err);
}

static void log_share(const dps_row_stream *s)
{
    double size = s->input.source == NULL ? 0 : (double)dps_source_size(s->input.source);
    dps_log_share(s->run, "predict", size > 0 ? s->bytes / size : -1);
}

/* Rank 0: takes and writes a rank's tiles of this round. After a fault before them they are passed
 * over. */
static dps_status collect_from(dps_row_stream *s, int rank, dps_status status, dps_error *err)
{
    dps_scored *row = s->tile[0].row; /* its own tiles are done */
    dps_error its;
    for (;;) {
        dps_deal_tile tile;
        dps_deal_next(&s->deal, rank, &tile, row, &its);
        if (tile.last && status == DPS_OK && tile.status != (int32_t)DPS_OK) {
            *err = its;
            return (dps_status)tile.status;
        }
        if (tile.last) {
            return status;
        }
        DPS_THEN(status, take_tile(s, &tile, row, err));
        for (uint64_t left = tile.length; left > 0;) {
            const char *bytes;
            const size_t got = dps_deal_text(&s->deal, rank, left, &bytes);
            left -= got;
            DPS_THEN(status, write_out(s, bytes, got, err));
        }
    }
}

/* Ends a round with ranks: rank 0 has what they all made, and the first fault in input order. */
static dps_status collect(dps_row_stream *s, dps_status status, dps_error *err)
{
    const int ranks = dps_comm_size(s->run->comm), rank = dps_comm_rank(s->run->comm);
    const double begin = dps_now();
    if (rank > 0) {
        dps_deal_post_last(&s->deal, status, err);
        status = DPS_OK; /* rank 0 knows whether it counts */
    }
    for (int r = 1; r < ranks && rank == 0; r++) {
        status = collect_from(s, r, status, err);
    }
    for (int r = rank + 1; r < ranks; r++) {
        dps_row_batch_pass(s, &s->deal.extent[r]);
    }
    s->result->stage[DPS_STAGE_WRITE].seconds += dps_now() - begin;
    return status;
}

/* The first of two faults in input order. */
static dps_status first_fault(dps_status status, dps_status later, const dps_error *reason,
                              dps_error *err)
{
    if (status != DPS_OK || later == DPS_OK) {
        return status;
    }
    *err = *reason;
    return later;
}

static dps_status do_round(dps_row_stream *s, dps_error *err)
{
    const double begin = dps_now();
    const bool reads = dps_comm_rank(s->run->comm) == 0;
    dps_error in_reading, in_parsing;
    dps_status parsing = DPS_OK;
    const dps_status reading = dps_row_batch_read(s, &in_reading);
    const int good = dps_row_batch_parse(s, begin, &parsing, &in_parsing);
    dps_status status = finish_chunks(s, good, err);
    for (int c = 0; c < s->chunks; c++) {
        dps_chunk_release(&s->chunk[c].chunk);
    }
    status = first_fault(status, parsing, &in_parsing, err);
    if (!reads) {
        status = first_fault(status, reading, &in_reading, err);
    }
    if (s->run->comm != NULL) {
        status = collect(s, status, err);
    }
    if (reads) { /* comes after all that could be read, whoever worked on it */
        status = first_fault(status, reading, &in_reading, err);
    }
    DPS_THEN(status, stop_if_told(s, err));
    dps_comm_broadcast(s->run->comm, 0, &s->end, sizeof s->end);
    return dps_comm_agree(s->run->comm, status, err);
}

/* With ranks: everybody has the counts of all. */
static void share_counts(dps_row_stream *s)
{
    dps_predict_result *result = s->result;
    int64_t *const count[] = {&result->rows,    &result->labelled, &result->outside,
                              &result->unknown, &result->foreign,  &result->repeats};
    for (size_t k = 0; k < sizeof count / sizeof count[0]; k++) {
        *count[k] = dps_comm_sum(s->run->comm, *count[k]);
    }
    dps_comm_broadcast(s->run->comm, 0, &result->weight, sizeof result->weight);
    dps_comm_broadcast(s->run->comm, 0, &result->correct, sizeof result->correct);
    dps_comm_broadcast(s->run->comm, 0, &result->residuals, sizeof result->residuals);
}

static dps_status run_batches(dps_row_stream *s, dps_error *err)
{
    dps_status status = DPS_OK;
    dps_error reason;
    while (!s->end && status == DPS_OK) {
        status = do_round(s, &reason);
        if (status == DPS_OK && s->request->flush && s->sink->file != NULL) {
            status = dps_output_flush(s->sink->file, &reason);
        }
        log_share(s);
    }
    s->result->stage[DPS_STAGE_PARSE].bytes += s->bytes;
    if (status != DPS_OK) {
        if (err != NULL) {
            *err = reason;
        }
        return status;
    }
    share_counts(s);
    return DPS_OK;
}

/* ---- buffers -------------------------------------------------------------------------------- */

static dps_status allocate(dps_row_stream *s, dps_error *err)
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
    s->read = dps_alloc((size_t)s->chunk_slots, sizeof *s->read);
    s->tile = dps_alloc((size_t)s->tile_slots, sizeof *s->tile);
    s->work = dps_alloc(threads, sizeof *s->work);
    bool enough = s->chunk != NULL && s->read != NULL && s->tile != NULL && s->work != NULL;
    for (int t = 0; enough && s->sink->take != NULL && t < s->tile_slots; t++) {
        s->tile[t].row = dps_alloc(DPS_TILE_ROWS, sizeof *s->tile[t].row);
        enough = s->tile[t].row != NULL;
    }
    for (size_t k = 0; enough && k < threads; k++) {
        s->work[k].panel = dps_alloc(dps_z_panel_bytes(builder), 1);
        s->work[k].scratch = dps_alloc(builder->scratch_bytes, 1);
        s->work[k].scores = dps_alloc(scores, sizeof(double));
        s->work[k].chances = dps_alloc((size_t)s->predictor->model->classes.count, sizeof(double));
        enough = s->work[k].panel != NULL && s->work[k].scratch != NULL &&
                 s->work[k].scores != NULL && s->work[k].chances != NULL;
    }
    return enough ? DPS_OK : dps_out_of_memory(err, threads, each, "tiles");
}

static void release(dps_row_stream *s)
{
    for (int c = 0; s->chunk != NULL && c < s->chunk_slots; c++) {
        dps_row_chunk_release(&s->chunk[c]);
    }
    for (int t = 0; s->tile != NULL && t < s->tile_slots; t++) {
        dps_text_release(&s->tile[t].text);
        dps_free(s->tile[t].row);
    }
    for (int k = 0; s->work != NULL && k < s->run->threads; k++) {
        dps_free(s->work[k].panel);
        dps_free(s->work[k].scratch);
        dps_free(s->work[k].scores);
        dps_free(s->work[k].chances);
    }
    dps_free(s->chunk);
    dps_free(s->read);
    dps_free(s->tile);
    dps_free(s->work);
    dps_input_close(&s->input);
    dps_deal_release(&s->deal);
}

/* Rank 0: what stands before the first row. */
static dps_status write_head(dps_row_stream *s, dps_error *err)
{
    dps_text head = {0};
    dps_status status = DPS_OK;
    if (s->sink->head != NULL && s->sink->file != NULL) {
        s->sink->head(s->predictor->model, s->request, s->input.layout.has_id, &head);
        status = head.failed ? dps_out_of_memory(err, 1, 1, "the output")
                             : write_out(s, head.data, head.length, err);
    }
    dps_text_release(&head);
    return dps_comm_agree(s->run->comm, status, err);
}

dps_status dps_row_stream_run(const dps_predict_request *request, const dps_predictor *predictor,
                              const dps_stream_sink *sink, const dps_run *run,
                              dps_predict_result *result, dps_error *err)
{
    dps_row_stream s = {
        .request = request, .predictor = predictor, .sink = sink, .run = run, .result = result};
    dps_status status = dps_decision_of(request, predictor->model, &s.decision, err);
    DPS_THEN(status, allocate(&s, err));
    status = dps_comm_agree(run->comm, status, err);
    DPS_THEN(status, dps_row_batch_open(&s, err));
    DPS_THEN(status, write_head(&s, err));
    if (status == DPS_OK) {
        snprintf(result->input, sizeof result->input, "%s", s.input.note);
        result->extra_columns = s.input.layout.extra_columns;
        dps_input_say(&s.input, run);
        if (request->says_input &&
            strcmp(result->input, "libsvm") != 0) { /* something was guessed */
            dps_log_text(run, DPS_NORMAL, "input: %s", result->input);
        }
        status = run_batches(&s, err);
    }
    release(&s);
    return status;
}
