/* Task: move contiguous ranges of rows between ranks. Parts of files have about as many bytes each,
 * owners' ranges as many rows, so that most rows stay where they are or go to a neighbour.
 *
 * Rank r sends to r + k and receives from r - k, for k = 1, -1, 2, -2, ... one after the other. Who
 * sends first: the ranks with even r / |k|; their partners have odd ones, so that all pairs of a k
 * work at the same time and nobody waits in a circle. Three rounds: how many pieces of blocks, how
 * large they are, their rows; a rank without memory can say so before anybody sends to it. Memory:
 * until it is done, rows that move are there twice; out of core then. */
#include "row_exchange.h"

#include <string.h>

#include "allocation.h"
#include "ordered_sum.h"
#include "raw_store.h"
#include "row_tile.h"
#include "source.h"

typedef struct range {
    int64_t begin, end;
} range;

/* Rows that go from one rank to another. */
static range overlap(const dps_row_exchange *x, int from, int to)
{
    range r = {0, 0};
    if (from >= 0 && to >= 0 && from < dps_comm_size(x->comm) && to < dps_comm_size(x->comm)) {
        r.begin = x->before[from] > x->after[to] ? x->before[from] : x->after[to];
        r.end = x->before[from + 1] < x->after[to + 1] ? x->before[from + 1] : x->after[to + 1];
    }
    return r.begin < r.end ? r : (range){0, 0};
}

/* One direction between this rank and another. */
typedef void (*mover)(const dps_row_exchange *x, int other, range rows, bool sends, void *context);

/* Calls `move` for every rank that gets rows of this one or has some for it. */
static void for_each_other(const dps_row_exchange *x, mover move, void *context)
{
    const int me = dps_comm_rank(x->comm), ranks = dps_comm_size(x->comm);
    for (int k = 1; k < ranks; k++) {
        for (int step = k; step >= -k; step -= 2 * k) {
            const bool first = me / k % 2 == 0;
            for (int half = 0; half < 2; half++) {
                const bool sends = (half == 0) == first;
                const int other = sends ? me + step : me - step;
                const range rows = sends ? overlap(x, me, other) : overlap(x, other, me);
                if (rows.begin < rows.end) {
                    move(x, other, rows, sends, context);
                }
            }
        }
    }
}

dps_status dps_row_exchange_init(dps_row_exchange *x, const dps_comm *comm, int64_t rows,
                                 int64_t units, dps_error *err)
{
    const int ranks = dps_comm_size(comm);
    *x = (dps_row_exchange){.comm = comm};
    x->before = dps_alloc((size_t)ranks + 1, sizeof *x->before);
    x->after = dps_alloc((size_t)ranks + 1, sizeof *x->after);
    size_t *begin = dps_alloc((size_t)ranks + 1, sizeof *begin);
    char *all = NULL;
    dps_status status = DPS_OK;
    if (x->before == NULL || x->after == NULL || begin == NULL) {
        status = dps_out_of_memory(err, (size_t)ranks, 3 * sizeof *begin, "the ranks' rows");
    }
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, dps_comm_gather(comm, &rows, sizeof rows, &all, begin, err));
    if (status == DPS_OK) {
        for (int r = 0; r < ranks; r++) {
            x->before[r + 1] = x->before[r] + ((const int64_t *)(const void *)all)[r];
        }
        const int64_t total = x->before[ranks], tiles = dps_tile_count(total);
        for (int r = 0; r <= ranks; r++) {
            const int64_t first = dps_rank_begin(r, ranks, units, tiles) * DPS_TILE_ROWS;
            x->after[r] = first < total ? first : total;
        }
    }
    dps_free(all);
    dps_free(begin);
    if (status != DPS_OK) {
        dps_row_exchange_release(x);
    }
    return status;
}

void dps_row_exchange_release(dps_row_exchange *x)
{
    dps_free(x->before);
    dps_free(x->after);
    *x = (dps_row_exchange){0};
}

/* ---- values of rows ---- */

/* Rows of one block that go together. */
typedef struct piece {
    int64_t rows, entries;
    int64_t file_index, lines, first_line;
} piece;

/* Per rank: what it has announced. */
typedef struct incoming {
    piece *list;
    int64_t count;
    int64_t first_block; /* of the new rows */
} incoming;

typedef struct raw_job {
    const dps_raw_rows *old;
    dps_raw_rows *raw;
    incoming *from;    /* per rank */
    int64_t first_row; /* of this rank, before */
} raw_job;

/* Rows [*first, *end) of a block are within `rows` of the whole; false: none. */
static bool part_of(const raw_job *job, const dps_raw_block *block, range rows, int64_t *first,
                    int64_t *end)
{
    const int64_t at = job->first_row + block->first_row;
    *first = rows.begin > at ? rows.begin - at : 0;
    *end = rows.end < at + block->rows ? rows.end - at : block->rows;
    return *first < *end;
}

static piece piece_of(const dps_raw_block *block, int64_t first, int64_t end)
{
    const bool known = block->lines == block->rows;
    return (piece){.rows = end - first,
                   .entries = (int64_t)block->start[end] - (int64_t)block->start[first],
                   .file_index = block->file_index,
                   .lines = known ? end - first : -1,
                   .first_line = block->first_line + first};
}

static int64_t count_pieces(const raw_job *job, range rows)
{
    int64_t count = 0, first, end;
    for (int64_t b = 0; b < job->old->blocks; b++) {
        count += part_of(job, &job->old->block[b], rows, &first, &end);
    }
    return count;
}

static void move_counts(const dps_row_exchange *x, int other, range rows, bool sends, void *context)
{
    const raw_job *job = context;
    if (sends) {
        const int64_t count = count_pieces(job, rows);
        dps_comm_send(x->comm, other, &count, sizeof count);
    } else {
        dps_comm_receive(x->comm, other, &job->from[other].count, sizeof job->from[other].count);
    }
}

/* Sends what is said of each piece, or (other = this rank) notes it. */
static void move_pieces(const dps_row_exchange *x, int other, range rows, bool sends, void *context)
{
    const raw_job *job = context;
    piece *list = job->from[other].list;
    if (!sends) {
        for (int64_t k = 0; k < job->from[other].count; k++) {
            dps_comm_receive(x->comm, other, &list[k], sizeof *list);
        }
        return;
    }
    int64_t first, end, k = 0;
    for (int64_t b = 0; b < job->old->blocks; b++) {
        const dps_raw_block *block = &job->old->block[b];
        if (part_of(job, block, rows, &first, &end)) {
            const piece p = piece_of(block, first, end);
            if (other == dps_comm_rank(x->comm)) {
                list[k++] = p;
            } else {
                dps_comm_send(x->comm, other, &p, sizeof p);
            }
            dps_raw_block_rest(block);
        }
    }
}

/* Every rank learns what it gets. */
static dps_status announce(const dps_row_exchange *x, raw_job *job, range stay, dps_error *err)
{
    const int me = dps_comm_rank(x->comm), ranks = dps_comm_size(x->comm);
    dps_status status = DPS_OK;
    job->from = dps_alloc((size_t)ranks, sizeof *job->from);
    if (job->from == NULL) {
        status = dps_out_of_memory(err, (size_t)ranks, sizeof *job->from, "the ranks' rows");
    }
    DPS_TRY(dps_comm_agree(x->comm, status, err));
    for_each_other(x, move_counts, job);
    job->from[me].count = count_pieces(job, stay);
    for (int r = 0; r < ranks; r++) {
        const size_t count = (size_t)job->from[r].count;
        job->from[r].list = dps_alloc(count, sizeof(piece));
        if (job->from[r].list == NULL) {
            status = dps_out_of_memory(err, count, sizeof(piece), "the ranks' rows");
        }
    }
    status = dps_comm_agree(x->comm, status, err);
    if (status == DPS_OK) {
        for_each_other(x, move_pieces, job);
        move_pieces(x, me, stay, true, job);
    }
    return status;
}

static dps_status reserve(raw_job *job, int ranks, const dps_source *source, const dps_run *run,
                          dps_error *err)
{
    dps_raw_rows *raw = job->raw;
    dps_status status = DPS_OK;
    size_t needed = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t number = 0;
        for (int r = 0; r < ranks; r++) {
            job->from[r].first_block = number;
            for (int64_t k = 0; k < job->from[r].count && status == DPS_OK; k++, number++) {
                const piece *p = &job->from[r].list[k];
                const dps_raw_shape shape = {.rows = p->rows, .entries = (size_t)p->entries};
                dps_raw_block block = {.file = dps_source_file(source, (int32_t)p->file_index),
                                       .file_index = (int32_t)p->file_index,
                                       .lines = p->lines,
                                       .first_line = p->first_line};
                if (pass == 0) {
                    needed += dps_raw_lay_out(&shape, NULL, &block);
                } else {
                    status = dps_raw_store_block(raw, number, &shape, &block, run, err);
                }
            }
        }
        if (pass == 0 && needed + job->old->slab_bytes > run->memory) {
            dps_raw_go_out_of_core(raw, (double)needed, run);
        }
    }
    return status;
}

/* From offsets within another block to offsets within this one. */
static void settle(const dps_raw_block *block)
{
    const uint32_t begin = block->start[0];
    for (int64_t i = 0; i <= block->rows; i++) {
        block->start[i] -= begin;
    }
    dps_raw_block_rest(block);
}

static void move_rows(const dps_row_exchange *x, int other, range rows, bool sends, void *context)
{
    const raw_job *job = context;
    if (!sends) {
        const incoming *in = &job->from[other];
        for (int64_t k = 0; k < in->count; k++) {
            const dps_raw_block *to = &job->raw->block[in->first_block + k];
            const size_t entries = (size_t)in->list[k].entries;
            dps_comm_receive(x->comm, other, to->start, ((size_t)to->rows + 1) * sizeof *to->start);
            dps_comm_receive(x->comm, other, to->index, entries * sizeof *to->index);
            dps_comm_receive(x->comm, other, to->value, entries * sizeof *to->value);
            settle(to);
        }
        return;
    }
    for (int64_t b = 0, first, end; b < job->old->blocks; b++) {
        const dps_raw_block *from = &job->old->block[b];
        if (part_of(job, from, rows, &first, &end)) {
            const uint32_t at = from->start[first];
            const size_t entries = (size_t)(from->start[end] - at);
            dps_comm_send(x->comm, other, from->start + first,
                          ((size_t)(end - first) + 1) * sizeof *from->start);
            dps_comm_send(x->comm, other, from->index + at, entries * sizeof *from->index);
            dps_comm_send(x->comm, other, from->value + at, entries * sizeof *from->value);
            dps_raw_block_rest(from);
        }
    }
}

static void keep_rows(const raw_job *job, int me, range rows)
{
    int64_t number = job->from[me].first_block;
    for (int64_t b = 0, first, end; b < job->old->blocks; b++) {
        const dps_raw_block *from = &job->old->block[b];
        if (part_of(job, from, rows, &first, &end)) {
            const dps_raw_block *to = &job->raw->block[number++];
            const uint32_t at = from->start[first];
            const size_t entries = (size_t)(from->start[end] - at);
            memcpy(to->start, from->start + first,
                   ((size_t)(end - first) + 1) * sizeof *from->start);
            memcpy(to->index, from->index + at, entries * sizeof *from->index);
            memcpy(to->value, from->value + at, entries * sizeof *from->value);
            settle(to);
            dps_raw_block_rest(from);
        }
    }
}

dps_status dps_row_exchange_raw(const dps_row_exchange *x, dps_raw_rows *raw,
                                const dps_source *source, const dps_run *run, dps_error *err)
{
    const int ranks = dps_comm_size(x->comm), me = dps_comm_rank(x->comm);
    if (memcmp(x->before, x->after, ((size_t)ranks + 1) * sizeof *x->before) == 0) {
        return DPS_OK;
    }
    dps_raw_rows old = *raw;
    raw->block = NULL;
    raw->slab = NULL;
    raw->blocks = 0;
    raw->slabs = raw->block_capacity = raw->slab_capacity = raw->slab_bytes = raw->scratch_bytes =
        0;
    const range stay = overlap(x, me, me);
    raw_job job = {.old = &old, .raw = raw, .first_row = x->before[me]};
    dps_status status = announce(x, &job, stay, err);
    DPS_THEN(status, dps_comm_agree(x->comm, reserve(&job, ranks, source, run, err), err));
    if (status == DPS_OK) {
        keep_rows(&job, me, stay);
        for_each_other(x, move_rows, &job);
        dps_raw_rows_count(raw);
    }
    for (int r = 0; job.from != NULL && r < ranks; r++) {
        dps_free(job.from[r].list);
    }
    dps_free(job.from);
    memset(&old.input, 0, sizeof old.input); /* raw's */
    dps_raw_rows_release(&old);
    return status;
}

/* ---- arrays ---- */

typedef struct items_job {
    const char *old;
    char *items;
    size_t size;
} items_job;

static void move_items(const dps_row_exchange *x, int other, range rows, bool sends, void *context)
{
    const items_job *job = context;
    const int me = dps_comm_rank(x->comm);
    const size_t bytes = (size_t)(rows.end - rows.begin) * job->size;
    if (sends) {
        dps_comm_send(x->comm, other, job->old + (size_t)(rows.begin - x->before[me]) * job->size,
                      bytes);
    } else {
        dps_comm_receive(x->comm, other,
                         job->items + (size_t)(rows.begin - x->after[me]) * job->size, bytes);
    }
}

dps_status dps_row_exchange_items(const dps_row_exchange *x, void *pointer, size_t size,
                                  dps_error *err)
{
    const int me = dps_comm_rank(x->comm);
    const size_t rows = (size_t)(x->after[me + 1] - x->after[me]);
    const range stay = overlap(x, me, me);
    void *old;
    memcpy(&old, pointer, sizeof old);
    items_job job = {.old = old, .items = dps_alloc(rows, size), .size = size};
    dps_status status = job.items != NULL ? DPS_OK : dps_out_of_memory(err, rows, size, "labels");
    status = dps_comm_agree(x->comm, status, err);
    if (status != DPS_OK) {
        dps_free(job.items);
        return status;
    }
    if (stay.end > stay.begin) {
        memcpy(job.items + (size_t)(stay.begin - x->after[me]) * size,
               job.old + (size_t)(stay.begin - x->before[me]) * size,
               (size_t)(stay.end - stay.begin) * size);
    }
    for_each_other(x, move_items, &job);
    dps_free(old);
    memcpy(pointer, &job.items, sizeof old);
    return DPS_OK;
}

dps_status dps_gather_items(const dps_comm *comm, const void *mine, int64_t rows, size_t size,
                            void **all, dps_error *err)
{
    const int64_t total = dps_comm_sum(comm, rows);
    char *bytes = dps_alloc((size_t)total, size);
    dps_status status =
        bytes != NULL ? DPS_OK : dps_out_of_memory(err, (size_t)total, size, "labels of all rows");
    status = dps_comm_agree(comm, status, err);
    *all = NULL;
    if (status != DPS_OK) {
        dps_free(bytes);
        return status;
    }
    const int64_t first = dps_comm_sum_before(comm, rows);
    char *at = bytes;
    for (int r = 0; r < dps_comm_size(comm); r++) {
        int64_t count = rows;
        dps_comm_broadcast(comm, r, &count, sizeof count);
        if (r == dps_comm_rank(comm) && count > 0) {
            memcpy(bytes + (size_t)first * size, mine, (size_t)count * size);
        }
        dps_comm_broadcast(comm, r, at, (size_t)count * size);
        at += (size_t)count * size;
    }
    *all = bytes;
    return DPS_OK;
}

dps_status dps_join_items(const dps_comm *comm, void *pointer, int64_t rows, size_t size,
                          dps_error *err)
{
    void *mine, *all;
    memcpy(&mine, pointer, sizeof mine);
    if (mine == NULL) {
        return DPS_OK;
    }
    DPS_TRY(dps_gather_items(comm, mine, rows, size, &all, err));
    dps_free(mine);
    memcpy(pointer, &all, sizeof all);
    return DPS_OK;
}
