/* Rows of one input dealt to the ranks of a run, and their results collected in the order of the
 * input. Rank 0 alone reads and writes: so standard input, compressed files and files that only its
 * machine has are shared out like any other. Calls marked "all" are collective. */
#ifndef DPS_ROW_DEAL_H
#define DPS_ROW_DEAL_H

#include "comm.h"
#include "input.h"
#include "metrics.h"
#include "residuals.h"
#include "run.h"
#include "text.h"

/* How far a rank's batch reaches: its rows, and the lines since the last start of a file in it. */
typedef struct dps_deal_extent {
    int64_t rows, lines;
    int32_t new_file, unused;
} dps_deal_extent;

/* What became of one tile; its scored rows and its text follow. The last of a round has no tile,
 * but the outcome. */
typedef struct dps_deal_tile {
    uint64_t length; /* of its text */
    double weight, correct;
    dps_residuals residuals;
    int32_t rows, last, status, unused;
} dps_deal_tile;

typedef struct dps_deal {
    const dps_comm *comm;
    int32_t *room;           /* chunks that each rank takes in a round */
    dps_deal_extent *extent; /* of each rank's batch */
    void *block;             /* rank > 0: the batch */
    size_t block_capacity;
    dps_text outbox; /* rank > 0: tiles with rows and texts that wait to be sent */
    size_t outbox_limit;
    char *piece; /* rank 0: part of a text */
} dps_deal;

/* All. room: chunks that this rank takes in a round. */
DPS_MUST_USE dps_status dps_deal_init(dps_deal *deal, const dps_run *run, int32_t room,
                                      dps_error *err);
void dps_deal_release(dps_deal *deal); /* accepts a zeroed struct */

/* All: dps_input_open on rank 0, dps_input_open_told on the others. */
DPS_MUST_USE dps_status dps_deal_open(const dps_deal *deal, dps_input *input,
                                      const char *const *paths, size_t count,
                                      const dps_read_options *options, const dps_table *known,
                                      const dps_run *run, dps_error *err);

/* Rank 0 to another: its batch of a round. */
void dps_deal_send(const dps_deal *deal, int to, const dps_chunk *chunk, int count);
/* The other side; chunks are views that hold until the next round. On an error there is none. */
DPS_MUST_USE dps_status dps_deal_receive(dps_deal *deal, dps_chunk *chunk, int *count,
                                         dps_error *err);

/* All: every rank's extent into deal->extent. */
void dps_deal_tell(dps_deal *deal, const dps_deal_extent *mine);

/* Rank > 0: a tile for rank 0. Waits for rank 0 only when much has gathered. */
void dps_deal_post(dps_deal *deal, const dps_deal_tile *tile, const dps_scored *row,
                   const char *text);
/* Rank > 0: the end of its round. */
void dps_deal_post_last(dps_deal *deal, dps_status status, const dps_error *err);
/* Rank 0: the next tile of a rank and its scored rows, or the end of its round (tile->last), whose
 * error goes into *err. row: room for those of a tile. */
void dps_deal_next(const dps_deal *deal, int from, dps_deal_tile *tile, dps_scored *row,
                   dps_error *err);
/* Rank 0: the next bytes of a text of which `left` are still to come; at least 1. */
size_t dps_deal_text(const dps_deal *deal, int from, uint64_t left, const char **bytes);

#endif
