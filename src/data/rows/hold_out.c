/* Choosing rows, and splitting parsed ones: held rows are copied block by block into one slab, the
 * others move up in place. Cost: one pass over the entries. */
#include "hold_out.h"

#include <string.h>

#include "allocation.h"
#include "row_exchange.h"
#include "scratch.h"

dps_status dps_choose_rows(const dps_comm *comm, const int32_t *label, int64_t rows,
                           int32_t classes, dps_row_choice choice, const void *context,
                           int32_t **fold, dps_error *err)
{
    const int64_t total = dps_comm_sum(comm, rows), first = dps_comm_sum_before(comm, rows);
    void *all = NULL;
    dps_status status = DPS_OK;
    *fold = dps_alloc((size_t)total, sizeof **fold);
    if (comm != NULL) {
        status = dps_gather_items(comm, label, rows, sizeof *label, &all, err);
        label = all;
    }
    DPS_THEN(status, *fold == NULL
                         ? dps_out_of_memory(err, (size_t)total, sizeof **fold, "the folds")
                         : choice(context, label, total, classes, *fold, err));
    dps_free(all);
    status = dps_comm_agree(comm, status, err);
    if (status != DPS_OK) {
        dps_free(*fold);
        *fold = NULL;
    } else if (first > 0) {
        memmove(*fold, *fold + first, (size_t)rows * sizeof **fold);
    }
    return status;
}

/* Rows and entries of a block that are held. */
static void count_held(const dps_raw_block *block, const int32_t *fold, int64_t *rows,
                       size_t *entries)
{
    *rows = 0;
    *entries = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        if (fold[block->first_row + i] == 0) {
            *rows += 1;
            *entries += block->start[i + 1] - block->start[i];
        }
    }
    dps_raw_block_rest(block);
}

static size_t lay_out(int64_t rows, size_t entries, char *at, dps_raw_block *to)
{
    const size_t values = entries * sizeof *to->value;
    const size_t starts = dps_round_up(((size_t)rows + 1) * sizeof *to->start, 8);
    if (at != NULL) {
        to->value = (double *)(void *)at;
        to->start = (uint32_t *)(void *)(at + values);
        to->index = (int32_t *)(void *)(at + values + starts);
    }
    return values + starts + dps_round_up(entries * sizeof *to->index, 8);
}

/* Copies held rows to *to and moves the others up. */
static void move_rows(dps_raw_block *block, const int32_t *fold, dps_raw_block *to)
{
    uint32_t begin = 0, kept = 0, moved = 0;
    int64_t rows = 0;
    to->rows = 0;
    to->start[0] = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const uint32_t end = block->start[i + 1], count = end - begin;
        const bool held = fold[block->first_row + i] == 0;
        double *value = held ? to->value + moved : block->value + kept;
        int32_t *index = held ? to->index + moved : block->index + kept;
        if (count > 0) {
            memmove(value, block->value + begin, count * sizeof *value);
            memmove(index, block->index + begin, count * sizeof *index);
        }
        if (held) {
            moved += count;
            to->start[++to->rows] = moved;
        } else {
            kept += count;
            block->start[++rows] = kept;
        }
        begin = end;
    }
    block->rows = rows;
}

dps_status dps_raw_rows_split(dps_raw_rows *raw, const int32_t *fold, const dps_run *run,
                              dps_raw_rows *held, dps_error *err)
{
    memset(held, 0, sizeof *held);
    size_t bytes = 0;
    for (int64_t b = 0; b < raw->blocks; b++) {
        int64_t rows;
        size_t entries;
        count_held(&raw->block[b], fold, &rows, &entries);
        bytes += lay_out(rows, entries, NULL, NULL);
    }
    held->out_of_core = bytes > run->memory || raw->slab_bytes > run->memory - bytes;
    held->block = dps_alloc((size_t)raw->blocks, sizeof *held->block);
    held->slab = dps_alloc(1, sizeof *held->slab);
    void *slab = held->out_of_core ? NULL : dps_alloc(bytes, 1);
    dps_status status = DPS_OK;
    if (held->block == NULL || held->slab == NULL || (slab == NULL && !held->out_of_core)) {
        status = dps_out_of_memory(err, bytes, 1, "rows held out");
    } else if (held->out_of_core) {
        status = dps_scratch_new(&slab, bytes, run, err);
    }
    if (status != DPS_OK) {
        dps_free(slab);
        dps_raw_rows_release(held);
        return status;
    }
    held->slab[0] = (dps_raw_slab){.bytes = slab,
                                   .size = bytes,
                                   .used = bytes,
                                   .last_block = raw->blocks - 1,
                                   .scratch = held->out_of_core};
    held->slabs = 1;
    *(held->out_of_core ? &held->scratch_bytes : &held->slab_bytes) = bytes;
    held->blocks = raw->blocks;
    char *at = slab;
    for (int64_t b = 0; b < raw->blocks; b++) {
        dps_raw_block *block = &raw->block[b], *to = &held->block[b];
        int64_t rows;
        size_t entries;
        *to = (dps_raw_block){.file = block->file, .file_index = block->file_index, .lines = -1};
        count_held(block, fold, &rows, &entries);
        const size_t taken = lay_out(rows, entries, at, to);
        to->scratch_bytes = held->out_of_core ? taken : 0;
        at += taken;
        move_rows(block, fold, to);
        dps_raw_block_rest(block);
        dps_raw_block_rest(to);
    }
    dps_raw_rows_count(raw);
    dps_raw_rows_count(held);
    return DPS_OK;
}
