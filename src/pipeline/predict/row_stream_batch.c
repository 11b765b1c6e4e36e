/* The first half of row_stream.c: opens the input, reads a batch of chunks, or has it from rank 0,
 * parses and scales it in parallel and finds the place of the first fault in the whole input. */
#include "row_stream_batch.h"

#include "job_limits.h"
#include "row_line.h"

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

void dps_share_stage_time(dps_predict_result *result, double wall, dps_stage first, double a,
                          dps_stage second, double b)
{
    double share = a + b > 0 ? a / (a + b) : 1;
    result->stage[first].seconds += wall * share;
    result->stage[second].seconds += wall * (1 - share);
}

dps_status dps_row_batch_open(dps_row_stream *s, dps_error *err)
{
    const dps_predict_request *request = s->request;
    dps_read_options read = {.format = request->format,
                             .zero_based = request->zero_based,
                             .labels = DPS_LABELS_OPTIONAL,
                             .eager = request->flush,
                             .table = request->table};
    read.table.regression = s->predictor->model->task == DPS_TASK_REGRESSION;
    const dps_table *known = &s->predictor->model->table;
    if (s->run->comm == NULL) {
        return dps_input_open(&s->input, request->paths, request->path_count, &read, known, 0,
                              s->run, err);
    }
    DPS_TRY(dps_deal_init(&s->deal, s->run, s->chunk_slots, err));
    return dps_deal_open(&s->deal, &s->input, request->paths, request->path_count, &read, known,
                         s->run, err);
}

/* Up to `most` chunks into s->read. */
static dps_status read_chunks(dps_row_stream *s, int most, int *count, dps_error *err)
{
    *count = 0;
    most = s->request->flush ? 1 : most;
    while (*count < most && !s->end) {
        dps_chunk *chunk = &s->read[*count];
        DPS_TRY(dps_source_next(s->input.source, chunk, &s->end, err));
        if (s->end) {
            break;
        }
        ++*count;
        s->bytes += (double)chunk->length;
    }
    return DPS_OK;
}

static void take_chunks(dps_row_stream *s, int count)
{
    for (int c = 0; c < count; c++) {
        s->chunk[c].chunk = s->read[c];
    }
    s->chunks = count;
}

/* Rank 0: a batch for each of the other ranks; after a fault they are empty. */
static dps_status deal_batches(dps_row_stream *s, dps_status status, dps_error *err)
{
    const int ranks = dps_comm_size(s->run->comm);
    for (int r = 1; r < ranks; r++) {
        int count = 0;
        if (status == DPS_OK) {
            const int room = s->deal.room[r];
            status = read_chunks(s, room < s->chunk_slots ? room : s->chunk_slots, &count, err);
        }
        dps_deal_send(&s->deal, r, s->read, count);
        for (int c = 0; c < count; c++) {
            dps_chunk_release(&s->read[c]);
        }
    }
    return status;
}

dps_status dps_row_batch_read(dps_row_stream *s, dps_error *err)
{
    int count = 0;
    dps_status status;
    if (dps_comm_rank(s->run->comm) > 0) {
        status = dps_deal_receive(&s->deal, s->read, &count, err);
        take_chunks(s, count);
        return status;
    }
    status = read_chunks(s, s->chunk_slots, &count, err);
    take_chunks(s, count);
    return s->run->comm == NULL ? status : deal_batches(s, status, err);
}

void dps_row_batch_pass(dps_row_stream *s, const dps_deal_extent *extent)
{
    s->rows += extent->rows;
    s->lines = extent->new_file ? extent->lines : s->lines + extent->lines;
}

/* With ranks: moves s->rows and s->lines to the start of this rank's batch. */
static void find_place(dps_row_stream *s, int good)
{
    dps_deal_extent mine = {0};
    if (s->run->comm == NULL) {
        return;
    }
    for (int c = 0; c < good; c++) {
        const bool new_file = s->chunk[c].chunk.first_of_file;
        mine.rows += s->chunk[c].block.rows;
        mine.lines = (new_file ? 0 : mine.lines) + s->chunk[c].block.lines;
        mine.new_file = mine.new_file || new_file;
    }
    dps_deal_tell(&s->deal, &mine);
    for (int r = 0; r < dps_comm_rank(s->run->comm); r++) {
        dps_row_batch_pass(s, &s->deal.extent[r]);
    }
}

int dps_row_batch_parse(dps_row_stream *s, double begin, dps_status *status, dps_error *err)
{
    const int chunks = s->chunks;
    double parse = 0, scale = 0;
    int good = 0;

#pragma omp parallel for schedule(dynamic, 1) num_threads(dps_run_threads(s->run, chunks))
    for (int c = 0; c < chunks; c++) {
        dps_row_chunk *slot = &s->chunk[c];
        bool in_rows;
        slot->status =
            dps_row_chunk_parse(slot, &s->input, s->predictor->model,
                                s->request->table.unknown_is_error, &in_rows, &slot->error);
        if (slot->status != DPS_OK && in_rows) {
            slot->error.column = -1; /* a row, not a line */
        }
    }
    while (good < chunks && s->chunk[good].status == DPS_OK) {
        good++;
    }
    find_place(s, good);
    int64_t rows = s->rows;
    for (int c = 0; c < good + (good < chunks); c++) {
        const dps_row_chunk *slot = &s->chunk[c];
        parse += slot->parse_seconds;
        scale += slot->scale_seconds;
        if (slot->chunk.first_of_file) {
            s->lines = 0;
        }
        if (c < good) {
            s->lines += slot->block.lines;
            rows += slot->block.rows;
        }
    }
    *status = good < chunks ? s->chunk[good].status : DPS_OK;
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
    dps_share_stage_time(s->result, dps_now() - begin, DPS_STAGE_PARSE, parse, DPS_STAGE_SCALE,
                         scale);
    return good;
}
