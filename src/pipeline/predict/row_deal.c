/* Task: one reader and writer, many who work. A round:
 *   rank 0: read a batch for each rank -> send          others: receive
 *   all:    parse -> tell rows and lines -> map, score, render
 *   others: send tiles with rows and texts               rank 0: receive, rank by rank, and write
 * Messages of a batch: its size; the answer whether there is memory for it; heads and names; the
 * bytes, a chunk at a time. Nothing that rank 0 holds grows with the number of ranks, and a rank's
 * texts wait in at most an eighth of its memory.
 *
 * Not byte ranges, as in training: the order of the output and the line numbers of errors need one
 * place where everything passes anyway. Rank 0 reads some 2 GB/s, which feeds the parsing of 20
 * processors, and of many more where the map is wide. */
#include "row_deal.h"

#include <string.h>
#include "allocation.h"
#include "source.h"

#define PIECE ((size_t)1 << 20)

/* A batch before it comes. */
typedef struct batch_size {
    uint64_t names, bytes; /* names: with their ends */
    int32_t count, unused;
} batch_size;

typedef struct chunk_head {
    uint64_t length, name;
    int32_t file_index, first_of_file;
} chunk_head;

dps_status dps_deal_init(dps_deal *deal, const dps_run *run, int32_t room, dps_error *err)
{
    const size_t ranks = (size_t)dps_comm_size(run->comm);
    const int rank = dps_comm_rank(run->comm);
    memset(deal, 0, sizeof *deal);
    deal->comm = run->comm;
    deal->outbox_limit = run->memory / 8;
    deal->room = dps_alloc(ranks, sizeof *deal->room);
    deal->extent = dps_alloc(ranks, sizeof *deal->extent);
    deal->piece = dps_alloc(rank == 0 ? PIECE : 1, 1);
    const bool enough = deal->room != NULL && deal->extent != NULL && deal->piece != NULL;
    dps_status status = enough ? DPS_OK : dps_out_of_memory(err, ranks, PIECE, "the ranks");
    status = dps_comm_agree(deal->comm, status, err);
    if (status != DPS_OK) {
        dps_deal_release(deal);
        return status;
    }
    deal->room[rank] = room;
    for (size_t r = 0; r < ranks; r++) {
        dps_comm_broadcast(deal->comm, (int)r, &deal->room[r], sizeof deal->room[r]);
    }
    return DPS_OK;
}

void dps_deal_release(dps_deal *deal)
{
    dps_free(deal->room);
    dps_free(deal->extent);
    dps_free(deal->block);
    dps_free(deal->piece);
    dps_text_release(&deal->outbox);
    memset(deal, 0, sizeof *deal);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Rank 0's first bytes, and the name of their file, to everybody. block: to be freed. */
static dps_status tell_start(const dps_comm *comm, dps_chunk *first, char **block, dps_error *err)
{
    struct {
        uint64_t length, name;
    } size = {first->length, first->file == NULL ? 0 : strlen(first->file)};
    const bool told = dps_comm_rank(comm) > 0;
    dps_comm_broadcast(comm, 0, &size, sizeof size);
    DPS_NEED_ON_ALL(comm, *block, size.length + size.name + 1, "the start of the input", err);
    if (!told && size.length + size.name > 0) {
        memcpy(*block, first->bytes, size.length);
        memcpy(*block + size.length, first->file, size.name);
    }
    dps_comm_broadcast(comm, 0, *block, size.length + size.name);
    if (told) {
        *first = (dps_chunk){.bytes = *block,
                             .length = size.length,
                             .file = *block + size.length,
                             .first_of_file = true};
    }
    return DPS_OK;
}

dps_status dps_deal_open(const dps_deal *deal, dps_input *input, const char *const *paths,
                         size_t count, const dps_read_options *options, const dps_table *known,
                         const dps_run *run, dps_error *err)
{
    const bool reads = dps_comm_rank(deal->comm) == 0;
    dps_chunk first = {0};
    char *block = NULL;
    dps_status status = DPS_OK;
    memset(input, 0, sizeof *input);
    if (reads) {
        status = dps_input_open(input, paths, count, options, known, 0, run, err);
    }
    if (reads && status == DPS_OK) {
        status = dps_source_look(input->source, &first, err);
    }
    status = dps_comm_agree(deal->comm, status, err);
    DPS_THEN(status, tell_start(deal->comm, &first, &block, err));
    if (status == DPS_OK && !reads) {
        status = dps_input_open_told(input, &first, options, known, err);
    }
    status = dps_comm_agree(deal->comm, status, err);
    dps_free(block);
    if (status != DPS_OK) {
        dps_input_close(input);
    }
    return status;
}

/* ---- batches --------------------------------------------------------------------------------- */

void dps_deal_send(const dps_deal *deal, int to, const dps_chunk *chunk, int count)
{
    batch_size size = {.count = count};
    char taken = 0;
    for (int c = 0; c < count; c++) {
        size.names += strlen(chunk[c].file) + 1;
        size.bytes += chunk[c].length;
    }
    dps_comm_send(deal->comm, to, &size, sizeof size);
    if (count == 0) {
        return;
    }
    dps_comm_receive(deal->comm, to, &taken, 1);
    for (int c = 0; c < count && taken; c++) {
        const chunk_head head = {.length = chunk[c].length,
                                 .name = strlen(chunk[c].file) + 1,
                                 .file_index = chunk[c].file_index,
                                 .first_of_file = chunk[c].first_of_file};
        dps_comm_send(deal->comm, to, &head, sizeof head);
        dps_comm_send(deal->comm, to, chunk[c].file, head.name);
        dps_comm_send(deal->comm, to, chunk[c].bytes, head.length);
    }
}

dps_status dps_deal_receive(dps_deal *deal, dps_chunk *chunk, int *count, dps_error *err)
{
    batch_size size;
    dps_comm_receive(deal->comm, 0, &size, sizeof size);
    *count = 0;
    if (size.count == 0) {
        return DPS_OK;
    }
    const size_t needed = size.names + size.bytes;
    const char taken = dps_grow(&deal->block, &deal->block_capacity, needed, 1);
    dps_comm_send(deal->comm, 0, &taken, 1);
    if (!taken) {
        return dps_out_of_memory(err, needed, 1, "rows of the input");
    }
    char *at = deal->block;
    for (; *count < size.count; ++*count) {
        chunk_head head;
        dps_comm_receive(deal->comm, 0, &head, sizeof head);
        dps_comm_receive(deal->comm, 0, at, head.name);
        dps_comm_receive(deal->comm, 0, at + head.name, head.length);
        chunk[*count] = (dps_chunk){.bytes = at + head.name,
                                    .length = head.length,
                                    .file = at,
                                    .file_index = head.file_index,
                                    .first_of_file = head.first_of_file != 0};
        at += head.name + head.length;
    }
    return DPS_OK;
}

void dps_deal_tell(dps_deal *deal, const dps_deal_extent *mine)
{
    const int ranks = dps_comm_size(deal->comm);
    deal->extent[dps_comm_rank(deal->comm)] = *mine;
    for (int r = 0; r < ranks; r++) {
        dps_comm_broadcast(deal->comm, r, &deal->extent[r], sizeof deal->extent[r]);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static size_t row_bytes(const dps_deal_tile *tile)
{
    return (size_t)tile->rows * sizeof(dps_scored);
}

static void send_tile(const dps_deal *deal, const dps_deal_tile *tile, const void *row,
                      const char *text)
{
    dps_comm_send(deal->comm, 0, tile, sizeof *tile);
    if (tile->rows > 0) {
        dps_comm_send(deal->comm, 0, row, row_bytes(tile));
    }
    for (uint64_t at = 0; at < tile->length; at += PIECE) {
        const uint64_t left = tile->length - at;
        dps_comm_send(deal->comm, 0, text + at, left < PIECE ? left : PIECE);
    }
}

static void send_outbox(dps_deal *deal)
{
    for (size_t at = 0; at < deal->outbox.length;) {
        dps_deal_tile tile;
        memcpy(&tile, deal->outbox.data + at, sizeof tile);
        const char *row = deal->outbox.data + at + sizeof tile, *text = row + row_bytes(&tile);
        send_tile(deal, &tile, row, text);
        at += sizeof tile + row_bytes(&tile) + tile.length;
    }
    deal->outbox.length = 0;
}

void dps_deal_post(dps_deal *deal, const dps_deal_tile *tile, const dps_scored *row,
                   const char *text)
{
    const size_t before = deal->outbox.length;
    if (before > 0 && before + sizeof *tile + row_bytes(tile) + tile->length > deal->outbox_limit) {
        send_outbox(deal);
    }
    dps_text_append(&deal->outbox, (const char *)tile, sizeof *tile);
    dps_text_append(&deal->outbox, (const char *)row, row_bytes(tile));
    dps_text_append(&deal->outbox, text, tile->length);
    if (deal->outbox.failed) { /* no memory to let it wait */
        deal->outbox.failed = false;
        deal->outbox.length = before;
        send_outbox(deal);
        send_tile(deal, tile, row, text);
    }
}

void dps_deal_post_last(dps_deal *deal, dps_status status, const dps_error *err)
{
    dps_deal_tile tile;
    memset(&tile, 0, sizeof tile);
    tile.last = 1;
    tile.status = (int32_t)status;
    send_outbox(deal);
    dps_comm_send(deal->comm, 0, &tile, sizeof tile);
    if (status != DPS_OK) {
        dps_comm_send(deal->comm, 0, err, sizeof *err);
    }
}

void dps_deal_next(const dps_deal *deal, int from, dps_deal_tile *tile, dps_scored *row,
                   dps_error *err)
{
    dps_comm_receive(deal->comm, from, tile, sizeof *tile);
    if (tile->rows > 0) {
        dps_comm_receive(deal->comm, from, row, row_bytes(tile));
    }
    if (tile->last && tile->status != (int32_t)DPS_OK) {
        dps_comm_receive(deal->comm, from, err, sizeof *err);
    }
}

size_t dps_deal_text(const dps_deal *deal, int from, uint64_t left, const char **bytes)
{
    const size_t count = left < PIECE ? (size_t)left : PIECE;
    dps_comm_receive(deal->comm, from, deal->piece, count);
    *bytes = deal->piece;
    return count;
}
