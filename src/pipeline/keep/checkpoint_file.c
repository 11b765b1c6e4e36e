/* Task: parts of a state between one file and the memory of all ranks. What is the same everywhere
 * is rank 0's; an array over rows is that of the whole: each rank's piece one behind the other, so
 * that the file has the bytes of one rank, and any number of ranks can go on from it. Only rank 0
 * touches the file; pieces pass through a buffer of 1 MB. Whatever fails on rank 0, it keeps up the
 * conversation to its end. */
#include "checkpoint_file.h"

#include <string.h>
#include "allocation.h"
#include "file_bytes.h"

#define PIECE_BYTES ((size_t)1 << 20)

void dps_part_write(dps_part_writer *w, const void *bytes, size_t length)
{
    if (w->status == DPS_OK) {
        dps_checksum_add(w->sum, bytes, length);
        w->status = dps_output_write(w->file, bytes, length, w->err);
    }
}

/* What a conversation about one state needs. */
typedef struct talk {
    const dps_comm *comm;
    size_t *begin; /* ranks + 1 */
    char *sizes;   /* of the part at hand on every rank; from dps_comm_gather */
    char *buffer;
} talk;

static dps_status talk_init(talk *t, const dps_comm *comm, dps_error *err)
{
    *t = (talk){.comm = comm};
    t->begin = dps_alloc((size_t)dps_comm_size(comm) + 1, sizeof *t->begin);
    t->buffer = dps_alloc(PIECE_BYTES, 1);
    const bool good = t->begin != NULL && t->buffer != NULL;
    return dps_comm_agree(
        comm, good ? DPS_OK : dps_out_of_memory(err, PIECE_BYTES, 1, "a checkpoint"), err);
}

static void talk_release(talk *t)
{
    dps_free(t->begin);
    dps_free(t->buffer);
    dps_free(t->sizes);
}

/* Sizes of a part on all ranks; *total is what the file holds of it. */
static dps_status find_sizes(talk *t, const dps_state_part *part, size_t *total, dps_error *err)
{
    const int64_t mine = (int64_t)part->size;
    *total = part->size;
    dps_free(t->sizes);
    t->sizes = NULL;
    if (!part->of_rows || t->comm == NULL) {
        return DPS_OK;
    }
    const dps_status status =
        dps_comm_gather(t->comm, &mine, sizeof mine, &t->sizes, t->begin, err);
    *total = 0;
    for (int r = 0; r < dps_comm_size(t->comm) && status == DPS_OK; r++) {
        *total += (size_t)((const int64_t *)(const void *)t->sizes)[r];
    }
    return status;
}

static size_t piece_of(size_t left)
{
    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

/* ---- writing ---- */

static void write_part(const talk *t, dps_part_writer *w, const dps_state_part *part, size_t total)
{
    char line[96];
    if (w == NULL) {
        const char *bytes = part->bytes;
        for (size_t at = 0; part->of_rows && at < part->size; at += piece_of(part->size - at)) {
            dps_comm_send(t->comm, 0, bytes + at, piece_of(part->size - at));
        }
        return;
    }
    const int length = snprintf(line, sizeof line, "%s %zu\n", part->name, total);
    dps_part_write(w, line, (size_t)length);
    dps_part_write(w, part->bytes, part->size);
    for (int r = 1; part->of_rows && r < dps_comm_size(t->comm); r++) {
        size_t left = (size_t)((const int64_t *)(const void *)t->sizes)[r];
        while (left > 0) {
            const size_t piece = piece_of(left);
            dps_comm_receive(t->comm, r, t->buffer, piece);
            dps_part_write(w, t->buffer, piece);
            left -= piece;
        }
    }
}

dps_status dps_parts_write(dps_part_writer *w, const dps_state *state, const dps_comm *comm,
                           dps_error *err)
{
    talk t;
    dps_status status = talk_init(&t, comm, err);
    for (size_t i = 0; i < state->count && status == DPS_OK; i++) {
        size_t total;
        status = find_sizes(&t, &state->part[i], &total, err);
        if (status == DPS_OK) {
            write_part(&t, w, &state->part[i], total);
        }
    }
    talk_release(&t);
    return status;
}

/* ---- reading ---- */

/* The line of a part; false: it is another one. */
static bool read_line(FILE *file, const dps_state_part *part, size_t total)
{
    char line[96], name[64];
    unsigned long long size = 0;
    return dps_stream_line(file, line, sizeof line) &&
           sscanf(line, "%63s %llu", name, &size) == 2 && strcmp(name, part->name) == 0 &&
           size == total;
}

/* Rank 0 reads what the others get. */
static bool deal_pieces(const talk *t, FILE *file, const dps_state_part *part)
{
    bool good = true;
    for (int r = 1; part->of_rows && r < dps_comm_size(t->comm); r++) {
        size_t left = (size_t)((const int64_t *)(const void *)t->sizes)[r];
        while (left > 0) {
            const size_t piece = piece_of(left);
            good = good && dps_stream_read(file, t->buffer, piece) == piece;
            dps_comm_send(t->comm, r, t->buffer, piece);
            left -= piece;
        }
    }
    return good;
}

static bool read_part(const talk *t, FILE *file, const dps_state_part *part, size_t total)
{
    bool good = true;
    if (dps_comm_rank(t->comm) == 0) {
        good = read_line(file, part, total) &&
               dps_stream_read(file, part->bytes, part->size) == part->size;
    }
    dps_comm_broadcast(t->comm, 0, &good, sizeof good);
    if (!good) {
        return false;
    }
    if (!part->of_rows) {
        dps_comm_broadcast(t->comm, 0, part->bytes, part->size);
        return true;
    }
    char *bytes = part->bytes;
    if (dps_comm_rank(t->comm) == 0) {
        good = deal_pieces(t, file, part);
    } else {
        for (size_t at = 0; at < part->size; at += piece_of(part->size - at)) {
            dps_comm_receive(t->comm, 0, bytes + at, piece_of(part->size - at));
        }
    }
    return !dps_comm_any(t->comm, !good);
}

dps_status dps_parts_read(FILE *file, const dps_state *state, const dps_comm *comm, bool *good,
                          dps_error *err)
{
    talk t;
    dps_status status = talk_init(&t, comm, err);
    *good = true;
    for (size_t i = 0; i < state->count && *good && status == DPS_OK; i++) {
        size_t total;
        status = find_sizes(&t, &state->part[i], &total, err);
        *good = status == DPS_OK && read_part(&t, file, &state->part[i], total);
    }
    talk_release(&t);
    return status;
}
