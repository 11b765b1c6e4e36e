/* Which features occur, and their numbering: only raw indices with a non-zero value in some row are
 * columns, in ascending order. A table of marks where indices are small against the entries,
 * sorting where they are not: memory follows the non-zero values either way, also for indices
 * near 2^31. */
#include "raw_rows.h"

#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "column_lookup.h"
#include "comm.h"
#include "scratch.h"

/* Largest table that marks used indices, if the entries do not warrant more. */
#define MARK_BYTES ((int64_t)1 << 20)

static int32_t largest_index(const dps_raw_rows *raw, const dps_run *run)
{
    int32_t largest = -1;
    const int threads = dps_run_threads_for(run, raw->blocks, 16.0 * (double)raw->rows);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : largest)
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        for (int64_t i = 0; i < block->rows; i++) {
            const uint32_t end = block->start[i + 1];
            if (end > block->start[i] && block->index[end - 1] > largest) {
                largest = block->index[end - 1];
            }
        }
        dps_raw_block_rest(block);
    }
    return largest;
}

/* Marks used indices in a table of `size` bytes; list them. NULL: no memory. */
static int32_t *distinct_by_marks(const dps_raw_rows *raw, size_t size, const dps_run *run,
                                  int32_t *count)
{
    unsigned char *used = dps_alloc(size, 1);
    const int threads = dps_run_threads_for(run, raw->blocks, 4.0 * (double)raw->entries);
    if (used == NULL) {
        return NULL;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        for (uint32_t k = 0; k < block->start[block->rows]; k++) {
            unsigned char *mark = &used[block->index[k]];
            unsigned char seen;
#pragma omp atomic read
            seen = *mark;
            if (!seen) {
#pragma omp atomic write
                *mark = 1;
            }
        }
        dps_raw_block_rest(block);
    }
    size_t distinct = 0;
    for (size_t i = 0; i < size; i++) {
        distinct += used[i];
    }
    int32_t *index = dps_alloc(distinct, sizeof *index);
    size_t at = 0;
    for (size_t i = 0; index != NULL && i < size; i++) {
        if (used[i]) {
            index[at++] = (int32_t)i;
        }
    }
    *count = (int32_t)distinct;
    dps_free(used);
    return index;
}

static int ascending(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* Sorts and drops repeats; returns how many stay. */
static size_t sort_distinct(int32_t *list, size_t count)
{
    qsort(list, count, sizeof *list, ascending);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (kept == 0 || list[kept - 1] != list[k]) {
            list[kept++] = list[k];
        }
    }
    return kept;
}

static dps_status copy_list(const int32_t *from, size_t count, int32_t **to, dps_error *err)
{
    DPS_NEED(*to, count, "the list of features", err);
    memcpy(*to, from, count * sizeof **to);
    return DPS_OK;
}

/* For indices that are large and few: memory, or a scratch file, follows the entries. */
static dps_status distinct_by_sorting(const dps_raw_rows *raw, const dps_run *run, int32_t **index,
                                      int32_t *count, dps_error *err)
{
    const size_t entries = (size_t)raw->entries, blocks = (size_t)raw->blocks;
    size_t *kept = dps_alloc(blocks, sizeof *kept), total = 0;
    void *block = raw->out_of_core ? NULL : dps_alloc(entries, sizeof(int32_t));
    dps_status status =
        kept != NULL && (block != NULL || raw->out_of_core)
            ? DPS_OK
            : dps_out_of_memory(err, entries, sizeof **index, "the list of features");
    if (status == DPS_OK && raw->out_of_core) {
        status = dps_scratch_new(&block, entries * sizeof(int32_t), run, err);
    }
    if (status == DPS_OK) {
        int32_t *all = block;
#pragma omp parallel for num_threads(dps_run_threads(run, raw->blocks)) schedule(dynamic, 1)
        for (int64_t b = 0; b < raw->blocks; b++) {
            const dps_raw_block *from = &raw->block[b];
            const size_t length = from->start[from->rows];
            memcpy(all + from->first_entry, from->index, length * sizeof *all);
            kept[b] = sort_distinct(all + from->first_entry, length);
            dps_raw_block_rest(from);
        }
        for (size_t b = 0; b < blocks; b++) {
            memmove(all + total, all + raw->block[b].first_entry, kept[b] * sizeof *all);
            total += kept[b];
        }
        total = sort_distinct(all, total);
        status = copy_list(all, total, index, err);
        *count = (int32_t)total;
    }
    if (raw->out_of_core) {
        dps_scratch_free(block, entries * sizeof(int32_t));
    } else {
        dps_free(block);
    }
    dps_free(kept);
    return status;
}

static dps_status distinct_here(const dps_raw_rows *raw, int64_t size, const dps_run *run,
                                int32_t **index, int32_t *count, dps_error *err)
{
    const bool few = size > MARK_BYTES && size > raw->entries;
    *index = NULL;
    if (few) {
        return distinct_by_sorting(raw, run, index, count, err);
    }
    *index = distinct_by_marks(raw, (size_t)size, run, count);
    return *index != NULL ? DPS_OK
                          : dps_out_of_memory(err, (size_t)raw->entries, sizeof **index,
                                              "the list of features");
}

/* The union of two ascending lists; returns its length. */
static size_t unite(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count,
                    int32_t *out)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a_count || j < b_count) {
        const bool left = j == b_count || (i < a_count && a[i] <= b[j]);
        const int32_t next = left ? a[i++] : b[j++];
        if (count == 0 || out[count - 1] != next) {
            out[count++] = next;
        }
    }
    return count;
}

/* The list of all ranks in place of this rank's: united in pairs, pairs of pairs, ... and sent to
 * all. most: a bound of its length. */
static dps_status unite_ranks(int32_t **index, int32_t *count, size_t most, const dps_comm *comm,
                              dps_error *err)
{
    const int me = dps_comm_rank(comm), ranks = dps_comm_size(comm);
    size_t length = (size_t)*count;
    int32_t *mine = dps_alloc(most, sizeof *mine), *theirs = dps_alloc(most, sizeof *theirs);
    int32_t *both = dps_alloc(most, sizeof *both);
    if (dps_comm_any(comm, mine == NULL || theirs == NULL || both == NULL)) {
        dps_free(mine);
        dps_free(theirs);
        dps_free(both);
        return dps_out_of_memory(err, most, 3 * sizeof *mine, "the list of features");
    }
    memcpy(mine, *index, length * sizeof *mine);
    for (int step = 1; step < ranks; step *= 2) {
        if (me % (2 * step) == step) {
            dps_comm_send(comm, me - step, &length, sizeof length);
            dps_comm_send(comm, me - step, mine, length * sizeof *mine);
            break;
        }
        if (me + step < ranks) {
            size_t more = 0;
            dps_comm_receive(comm, me + step, &more, sizeof more);
            dps_comm_receive(comm, me + step, theirs, more * sizeof *theirs);
            length = unite(mine, length, theirs, more, both);
            int32_t *old = mine;
            mine = both;
            both = old;
        }
    }
    dps_comm_broadcast(comm, 0, &length, sizeof length);
    dps_comm_broadcast(comm, 0, mine, length * sizeof *mine);
    dps_free(*index);
    dps_free(theirs);
    dps_free(both);
    *index = mine;
    *count = (int32_t)length;
    return DPS_OK;
}

dps_status dps_raw_rows_distinct(const dps_raw_rows *raw, const dps_run *run, int32_t **index,
                                 int32_t *count, dps_error *err)
{
    const int64_t size = (int64_t)largest_index(raw, run) + 1;
    dps_status status = distinct_here(raw, size, run, index, count, err);
    if (run->comm == NULL) {
        return status;
    }
    status = dps_comm_agree(run->comm, status, err);
    if (status == DPS_OK) {
        const int64_t sum = dps_comm_sum(run->comm, *count);
        const int64_t largest = (int64_t)dps_comm_max(run->comm, (double)size);
        status = unite_ranks(index, count, (size_t)(sum < largest ? sum : largest), run->comm, err);
    }
    if (status != DPS_OK) {
        dps_free(*index);
        *index = NULL;
    }
    return status;
}

/* Returns how many entries were left out. */
static int64_t number_block(dps_raw_block *block, const int32_t *index, int32_t count)
{
    uint32_t kept = 0, begin = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const uint32_t end = block->start[i + 1];
        int32_t from = 0;
        for (uint32_t k = begin; k < end; k++) {
            const int32_t raw_index = block->index[k];
            from = dps_column_seek(index, count, from, raw_index);
            if (from < count && index[from] == raw_index) {
                block->index[kept] = from;
                block->value[kept] = block->value[k];
                kept++;
            }
        }
        begin = end;
        block->start[i + 1] = kept;
    }
    dps_raw_block_rest(block);
    return (int64_t)begin - (int64_t)kept;
}

void dps_raw_rows_number(dps_raw_rows *raw, const int32_t *index, int32_t count, const dps_run *run)
{
    int64_t unknown = 0;
    const int threads = dps_run_threads_for(run, raw->blocks, 8.0 * (double)raw->entries);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : unknown)
    for (int64_t b = 0; b < raw->blocks; b++) {
        unknown += number_block(&raw->block[b], index, count);
    }
    raw->unknown = unknown;
    dps_raw_rows_count(raw);
}
