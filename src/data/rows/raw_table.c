/* Completing the table of a training file when all its rows have been read.
 *
 *   code books   the distinct words of each text column over all blocks, in the order of classes
 *                (numbers ascending, then texts by their bytes), so that the order of rows does not
 *                matter
 *   means        sum of the column's values over the rows, in the order of the rows, divided by the
 *                rows that have one; a row of weight w counts as w rows
 *
 * Both depend on the rows alone, not on threads, ranks or cuts. Then every entry's slot and word
 * become feature and value (layout_resolve.h). Cost: one pass over the entries, and a serial one
 * before it where values are missing; none for tables of complete numbers. */
#include "raw_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "class_join.h"
#include "layout_resolve.h"
#include "rank_sums.h"
#include "raw_text.h"
#include "weights_file.h"

/* Code books: code[b] holds, per word of block b, its place in the column's book. */
typedef struct coding {
    dps_raw_rows *raw;
    dps_table *table;
    const dps_layout *layout;
    dps_class_builder *builder; /* per slot */
    int32_t **place;            /* per slot: final place of the builder's value */
    int32_t **code;             /* per block */
} coding;

static dps_status collect_words(coding *c, dps_error *err)
{
    for (int64_t b = 0; b < c->raw->blocks; b++) {
        const dps_raw_block *block = &c->raw->block[b];
        DPS_NEED(c->code[b], (size_t)block->word_count, "code books", err);
        for (int32_t k = 0; k < block->word_count; k++) {
            const int32_t begin = block->word_begin[k];
            c->code[b][k] =
                dps_class_builder_add(&c->builder[block->word_slot[k]], block->word_bytes + begin,
                                      (size_t)(block->word_begin[k + 1] - begin));
            if (c->code[b][k] < 0) {
                return dps_out_of_memory(err, 1, 1, "code books");
            }
        }
        dps_raw_block_rest(block);
    }
    return DPS_OK;
}

/* The words of all ranks in the builder of a column. */
static dps_status join_words(coding *c, int32_t s, const dps_comm *comm, dps_error *err)
{
    int32_t *number;
    const dps_status status = dps_class_builder_join(&c->builder[s], comm, &number, err);
    if (number != NULL) {
        dps_raw_text_recode(c->raw, s, number, c->code);
    }
    dps_free(number);
    return dps_comm_agree(comm, status, err);
}

static dps_status finish_books(coding *c, const dps_comm *comm, dps_error *err)
{
    const dps_layout *layout = c->layout;
    for (int32_t s = 0; s < layout->slots; s++) {
        dps_column *column = &c->table->column[layout->slot_column[s]];
        if (column->role == DPS_COLUMN_NUMBER) {
            continue;
        }
        DPS_TRY(join_words(c, s, comm, err));
        const size_t count = (size_t)c->builder[s].count;
        DPS_NEED(c->place[s], count, "code books", err);
        DPS_TRY(dps_class_builder_finish(&c->builder[s], &column->value, c->place[s], err));
    }
    for (int64_t b = 0; b < c->raw->blocks; b++) {
        const dps_raw_block *block = &c->raw->block[b];
        for (int32_t k = 0; k < block->word_count; k++) {
            c->code[b][k] = c->place[block->word_slot[k]][c->code[b][k]];
        }
        dps_raw_block_rest(block);
    }
    return DPS_OK;
}

/* Weights of the rows, where they have a file. */
static dps_status read_weights(dps_raw_rows *raw, const char *path, const dps_run *run,
                               dps_error *err)
{
    if (path == NULL || *path == '\0') {
        return DPS_OK;
    }
    DPS_NEED(raw->file_weight, (size_t)raw->rows, "weights", err);
    return dps_weights_file_read(path, raw->first_row, raw->rows, raw->total_rows, run,
                                 raw->file_weight, err);
}

/* Adds a block: to the sums, to what its missing values weigh, and to what its rows weigh. Without
 * weights the last two are counts. */
static void add_block(const dps_raw_rows *raw, const dps_raw_block *block, double *sum,
                      double *missing, double *all)
{
    const double *weight =
        raw->file_weight != NULL ? raw->file_weight + block->first_row : block->weight;
    for (int64_t i = 0; i < block->rows; i++) {
        const double w = weight == NULL ? 1.0 : weight[i];
        *all += w;
        for (uint32_t k = block->start[i]; k < block->start[i + 1]; k++) {
            const bool has = !isnan(block->value[k]);
            sum[block->index[k]] += has ? w * block->value[k] : 0.0;
            missing[block->index[k]] += has ? 0.0 : w;
        }
    }
    dps_raw_block_rest(block);
}

static dps_status fit_means(const coding *c, const dps_comm *comm, dps_error *err)
{
    const size_t slots = (size_t)c->layout->slots;
    const size_t bytes = (2 * slots + 1) * sizeof(double);
    double *sum = dps_alloc(bytes, 1);
    double *missing = sum + slots, *all = missing + slots;
    dps_status status = sum != NULL ? DPS_OK : dps_out_of_memory(err, bytes, 1, "means of columns");
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        dps_in_turn_begin(comm, sum, bytes);
    }
    for (int64_t b = 0; b < c->raw->blocks && status == DPS_OK; b++) {
        add_block(c->raw, &c->raw->block[b], sum, missing, all);
    }
    if (status == DPS_OK) {
        dps_in_turn_end(comm, sum, bytes);
    }
    for (size_t s = 0; s < slots && status == DPS_OK; s++) {
        dps_column *column = &c->table->column[c->layout->slot_column[s]];
        const double present = *all - missing[s];
        if (column->role != DPS_COLUMN_NUMBER) {
            continue;
        }
        column->fill = present > 0 ? sum[s] / present : 0.0;
        if (!isfinite(column->fill)) {
            status = dps_error_set(err, DPS_ERROR_DATA,
                                   "data.missing = mean: the mean of column %ld is too large for "
                                   "double precision; use data.missing = zero",
                                   (long)c->layout->slot_column[s] + 1);
        }
    }
    dps_free(sum);
    return status;
}

static void resolve_block(const coding *c, int64_t b)
{
    dps_raw_block *block = &c->raw->block[b];
    uint32_t kept = 0, begin = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const uint32_t end = block->start[i + 1];
        for (uint32_t k = begin; k < end; k++) {
            int32_t index = block->index[k];
            double value = block->value[k];
            if (dps_layout_resolve(c->layout, c->code[b], &index, &value)) {
                block->index[kept] = index;
                block->value[kept] = value;
                kept++;
            }
        }
        begin = end;
        block->start[i + 1] = kept;
    }
    dps_raw_block_rest(block);
}

/* Columns that turned out to be of no use. */
static void note_left_out(dps_raw_rows *raw)
{
    const dps_layout *layout = &raw->input.layout;
    const size_t said = strlen(raw->input.note);
    int32_t out = 0;
    for (int32_t s = 0; s < layout->slots; s++) {
        out += raw->input.made->column[layout->slot_column[s]].role == DPS_COLUMN_IGNORED;
    }
    if (out > 0) {
        snprintf(raw->input.note + said, sizeof raw->input.note - said,
                 " (%ld left out: nearly all different)", (long)out);
    }
}

static void release(coding *c)
{
    for (int32_t s = 0; s < c->layout->slots; s++) {
        if (c->builder != NULL) {
            dps_class_builder_release(&c->builder[s]);
        }
        if (c->place != NULL) {
            dps_free(c->place[s]);
        }
    }
    for (int64_t b = 0; c->code != NULL && b < c->raw->blocks; b++) {
        dps_free(c->code[b]);
    }
    dps_free(c->builder);
    dps_free(c->place);
    dps_free(c->code);
}

dps_status dps_raw_rows_make_table(dps_raw_rows *raw, const char *weights_file, const dps_run *run,
                                   dps_error *err)
{
    const dps_layout *layout = &raw->input.layout;
    const bool means = layout->missing == DPS_MISSING_MEAN;
    if (!layout->has_text && !means) {
        return DPS_OK;
    }
    const size_t slots = (size_t)layout->slots, blocks = (size_t)raw->blocks;
    coding c = {.raw = raw,
                .table = raw->input.made,
                .layout = layout,
                .builder = dps_alloc(slots, sizeof *c.builder),
                .place = dps_alloc(slots, sizeof *c.place),
                .code = dps_alloc(blocks, sizeof *c.code)};
    dps_status status = DPS_OK;
    if (c.builder == NULL || c.place == NULL || c.code == NULL) {
        status = dps_out_of_memory(err, slots + blocks, sizeof *c.builder, "code books");
    } else {
        status = collect_words(&c, err);
    }
    status = dps_comm_agree(run->comm, status, err);
    DPS_THEN(status, finish_books(&c, run->comm, err));
    if (status == DPS_OK && layout->has_text) {
        status = dps_raw_text_settle(raw, c.table, c.code, run, err);
    }
    if (status == DPS_OK && means) {
        status = dps_comm_agree(run->comm, read_weights(raw, weights_file, run, err), err);
    }
    if (status == DPS_OK && means) {
        status = fit_means(&c, run->comm, err);
    }
    const int64_t features = status == DPS_OK ? dps_table_number(c.table) : 1;
    if (features == 0) {
        status = dps_error_set(err, DPS_ERROR_DATA,
                               "no feature is left: every column of text has nearly all different "
                               "values; data.text_columns names those to take nevertheless");
    }
    if (status == DPS_OK && features < 0) {
        status =
            dps_error_set(err, DPS_ERROR_DATA,
                          "the text columns have more values than features can be counted; use "
                          "data.categorical = ordinal or data.ignore_columns");
    }
    if (status == DPS_OK) {
#pragma omp parallel for num_threads(dps_run_threads(run, raw->blocks)) schedule(dynamic, 1)
        for (int64_t b = 0; b < raw->blocks; b++) {
            resolve_block(&c, b);
        }
        dps_raw_rows_count(raw);
        note_left_out(raw);
    }
    release(&c);
    return status;
}
