/* Reading a whole input with all threads.
 *
 * Chunks are numbered in the order of the input and handed out one at a time (the only serial part:
 * a read of 256 KiB); whoever takes one parses it and stores its rows under its number. Nothing is
 * merged on the way, so that rows, labels and the first error are the same for any number of
 * threads and any cut of the input. Of several faults the one in the earliest chunk counts: every
 * chunk before it was handed out earlier and is parsed to its end. Lines are counted per chunk; the
 * absolute line is a sum over the chunks before, taken only for an error. */
#include "raw_rows.h"

#include <string.h>

#include "comm.h"
#include "number.h"
#include "raw_ranks.h"
#include "raw_store.h"
#include "row_arrays.h"
#include "source.h"

/* A row's label and, in regression, its target. */
#define LABEL_BYTES (sizeof(int32_t) + sizeof(double))
/* Before so many bytes are read, nothing is foretold about memory. */
#define FORETELL_BYTES ((int64_t)4 << 20)

/* What the threads share; touched inside critical(dps_raw_rows) only. */
typedef struct reading {
    dps_raw_rows *raw;
    const dps_run *run;
    int64_t size;  /* bytes of all files, 0 = unknown */
    int64_t next;  /* number of the next chunk */
    int64_t taken; /* rows in memory */
    int64_t rows;  /* stored so far */
    bool end;
    size_t working; /* bytes that parsing takes beside the stored rows */
    dps_status status;
    dps_error error;
    int64_t failed; /* number of the failing chunk */
    int32_t failed_file;
} reading;

static void note_failure(reading *r, int64_t number, int32_t file, dps_status status,
                         const dps_error *error)
{
    if (r->status == DPS_OK || number < r->failed) {
        r->status = status;
        r->error = *error;
        r->failed = number;
        r->failed_file = file;
    }
}

static void report(const reading *r)
{
    dps_log_share(r->run, "read", r->size > 0 ? (double)r->raw->bytes / (double)r->size : -1.0);
}

/* The next piece of rows in memory; none: r->end. */
static void take_rows(reading *r, const dps_row_arrays *arrays, dps_chunk *chunk)
{
    const int64_t rows = dps_row_arrays_piece(arrays, r->taken);
    *chunk = (dps_chunk){.file = DPS_ARRAYS_NAME,
                         .length = (size_t)rows * sizeof(double),
                         .first_row = r->taken,
                         .rows = rows};
    r->taken += rows;
    r->end = rows == 0;
}

/* Number of the chunk taken, or -1: no more. */
static int64_t take_chunk(reading *r, dps_chunk *chunk)
{
    if (r->end || r->status != DPS_OK) {
        return -1;
    }
    dps_error error;
    dps_status status = DPS_OK;
    if (dps_run_stopped(r->run)) {
        status = dps_error_set(&error, DPS_ERROR_STOPPED, "stopped by a signal while reading");
    } else if (r->raw->input.read.arrays != NULL) {
        take_rows(r, r->raw->input.read.arrays, chunk);
    } else {
        status = dps_source_next(r->raw->input.source, chunk, &r->end, &error);
    }
    if (status != DPS_OK) {
        note_failure(r, r->next, -1, status, &error);
        return -1;
    }
    if (r->end) {
        return -1;
    }
    r->raw->bytes += (int64_t)chunk->length;
    report(r);
    return r->next++;
}

/* How many times as much there will be as has been read, as far as the size of the files says. */
static double foretold(const reading *r)
{
    const double size = (double)r->size, bytes = (double)r->raw->bytes;
    return r->raw->bytes >= FORETELL_BYTES && size > bytes ? size / bytes : 1.0;
}

/* What cannot lie in files: labels and the parsers' buffers. */
static double beside_rows(const reading *r)
{
    const double row = LABEL_BYTES + (r->raw->input.layout.has_weight ? sizeof(double) : 0);
    return (double)r->working + row * (double)r->rows * foretold(r);
}

static dps_status check_labels(const reading *r, dps_error *err)
{
    const double needed = beside_rows(r), budget = (double)r->run->memory;
    if (needed <= budget) {
        return DPS_OK;
    }
    char need[DPS_NUMBER_MAX], have[DPS_NUMBER_MAX];
    dps_format_bytes(need, needed);
    dps_format_bytes(have, budget);
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "labels and buffers alone need %s %s of memory, %s are available: raise "
                         "run.memory, use fewer rows, or a machine with more memory",
                         r->size > 0 ? "about" : "more than", need, have);
}

/* Before the budget is exceeded, rows go out of core: at once when it is, and early when the size
 * of the files says that it will be. */
static dps_status check_memory(reading *r, size_t more, dps_error *err)
{
    dps_raw_rows *raw = r->raw;
    const double stored = (double)(raw->slab_bytes + raw->scratch_bytes + more) * foretold(r);
    if (stored + beside_rows(r) > (double)r->run->memory) {
        dps_raw_go_out_of_core(raw, stored, r->run);
    }
    return check_labels(r, err);
}

/* Room for a parsed block under its number; *to is what to fill. */
static dps_status reserve(reading *r, int64_t number, const dps_chunk *chunk,
                          const dps_row_block *from, dps_raw_block *to, dps_error *err)
{
    dps_raw_rows *raw = r->raw;
    const dps_raw_shape shape = dps_raw_shape_of(from, raw->input.layout.has_weight);
    *to =
        (dps_raw_block){.lines = from->lines, .file = chunk->file, .file_index = chunk->file_index};
    const size_t more = dps_raw_store_more(raw, dps_raw_lay_out(&shape, NULL, to));
    r->rows += from->rows;
    dps_status status = more > 0 ? check_memory(r, more, err) : DPS_OK;
    DPS_THEN(status, dps_raw_store_block(raw, number, &shape, to, r->run, err));
    raw->qid_seen += from->qid_seen;
    raw->repeats += from->repeats;
    raw->unknown_texts += from->unknown;
    return status;
}

static void copy_block(const dps_row_block *from, const dps_raw_block *to)
{
    const size_t rows = (size_t)from->rows, entries = (size_t)from->start[from->rows];
    const size_t labels = (size_t)from->label_count;
    memcpy(to->value, from->value, entries * sizeof *to->value);
    memcpy(to->index, from->index, entries * sizeof *to->index);
    memcpy(to->label, from->label, rows * sizeof *to->label);
    for (size_t i = 0; i <= rows; i++) {
        to->start[i] = (uint32_t)from->start[i];
    }
    memcpy(to->label_begin, from->label_begin, (labels + 1) * sizeof *to->label_begin);
    if (labels > 0) {
        memcpy(to->label_bytes, from->label_bytes, (size_t)from->label_begin[labels]);
    }
    if (to->weight != NULL) {
        memcpy(to->weight, from->weight, rows * sizeof *to->weight);
    }
    const dps_word_list *words = &from->words;
    const size_t count = (size_t)words->count;
    if (count > 0) {
        memcpy(to->word_slot, words->slot, count * sizeof *to->word_slot);
        memcpy(to->word_begin, words->begin, (count + 1) * sizeof *to->word_begin);
        memcpy(to->word_bytes, words->bytes, (size_t)words->begin[count]);
        memcpy(to->word_line, words->line, count * sizeof *to->word_line);
        memcpy(to->word_place, words->place, count * sizeof *to->word_place);
    }
}

/* One thread's share of the chunks. */
static void read_chunks(reading *r)
{
    dps_row_block rows = {0};
    for (;;) {
        dps_chunk chunk;
        dps_raw_block stored;
        dps_error error;
        int64_t number;
#pragma omp critical(dps_raw_rows)
        number = take_chunk(r, &chunk);
        if (number < 0) {
            break;
        }
        const dps_input *input = &r->raw->input;
        dps_status status = input->format->parse(&input->read, &chunk, &rows, &error);
        if (status == DPS_OK) {
#pragma omp critical(dps_raw_rows)
            status = reserve(r, number, &chunk, &rows, &stored, &error);
        }
        if (status == DPS_OK) {
            copy_block(&rows, &stored);
            dps_raw_block_rest(&stored);
        } else {
#pragma omp critical(dps_raw_rows)
            note_failure(r, number, chunk.file_index, status, &error);
        }
        dps_chunk_release(&chunk);
    }
    dps_row_block_release(&rows);
}

static int64_t lines_before(const dps_raw_rows *raw, int64_t number, int32_t file)
{
    int64_t lines = 0;
    for (int64_t b = number - 1; b >= 0 && raw->block[b].file_index == file; b--) {
        lines += raw->block[b].lines;
    }
    return lines;
}

/* A line may take an eighth of the memory. */
static size_t line_limit(size_t memory)
{
    const size_t most = (size_t)1 << 30, share = memory / 8;
    return share > most ? most : share < 1 << 20 ? 1 << 20 : share;
}

static dps_status take_weights(dps_raw_rows *raw, const dps_row_arrays *arrays, dps_error *err)
{
    DPS_NEED(raw->file_weight, (size_t)raw->rows, "weights", err);
    memcpy(raw->file_weight, arrays->weight, (size_t)raw->rows * sizeof *raw->file_weight);
    return DPS_OK;
}

dps_status dps_raw_rows_read(dps_raw_rows *raw, const char *const *paths, size_t path_count,
                             const dps_read_options *options, const dps_table *known,
                             size_t chunk_bytes, const dps_run *run, dps_error *err)
{
    const dps_row_arrays *arrays = options->arrays;
    memset(raw, 0, sizeof *raw);
    dps_status status = arrays != NULL ? dps_input_open_arrays(&raw->input, options, known, err)
                                       : dps_input_open(&raw->input, paths, path_count, options,
                                                        known, line_limit(run->memory), run, err);
    if (status == DPS_OK && run->comm != NULL) {
        status = dps_source_take_part(raw->input.source, dps_comm_rank(run->comm),
                                      dps_comm_size(run->comm), err);
    }
    status = dps_comm_agree(run->comm, status, err);
    if (status != DPS_OK) {
        dps_raw_rows_release(raw);
        return status;
    }
    dps_input_say(&raw->input, run);
    if (chunk_bytes > 0 && arrays == NULL) {
        dps_source_set_chunk(raw->input.source, chunk_bytes);
    }
    reading r = {.raw = raw,
                 .run = run,
                 .size = arrays != NULL ? 0 : dps_source_size(raw->input.source),
                 .working = (size_t)run->threads << 20};
    const int64_t pieces = r.size > 0 ? 1 + r.size / (int64_t)dps_source_chunk(raw->input.source)
                                      : run->threads; /* a pipe: who knows */
#pragma omp parallel num_threads(dps_run_threads(run, pieces))
    read_chunks(&r);
    if (r.status != DPS_OK && r.failed_file >= 0 && r.error.line > 0) {
        r.error.line += lines_before(raw, r.failed, r.failed_file);
    }
    status = dps_raw_rows_number_lines(raw, run, r.status, r.failed_file, &r.error);
    if (status != DPS_OK) {
        if (err != NULL) {
            *err = r.error;
        }
        dps_raw_rows_release(raw);
        return status;
    }
    dps_raw_rows_count(raw);
    dps_raw_rows_count_all(raw, run);
    status = dps_comm_agree(run->comm, check_labels(&r, err), err);
    if (status == DPS_OK && arrays != NULL && arrays->weight != NULL) {
        status = take_weights(raw, arrays, err);
    }
    if (status == DPS_OK && raw->input.layout.training) {
        status = dps_raw_rows_make_table(raw, options->weights_file, run, err);
    }
    if (status != DPS_OK) {
        dps_raw_rows_release(raw);
    }
    return status;
}

const char *dps_raw_rows_place(const dps_raw_rows *raw, int64_t row, int64_t *line)
{
    const int64_t b = dps_raw_rows_block_of(raw, row);
    const dps_raw_block *block = &raw->block[b];
    *line = block->lines == block->rows ? block->first_line + row - block->first_row + 1 : 0;
    return block->file;
}
