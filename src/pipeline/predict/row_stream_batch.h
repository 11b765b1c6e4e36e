/* The state of a row stream and its batches of chunks, for row_stream.c alone. */
#ifndef DPS_ROW_STREAM_BATCH_H
#define DPS_ROW_STREAM_BATCH_H

#include "input.h"
#include "row_chunk.h"
#include "row_deal.h"
#include "row_stream.h"

typedef struct dps_row_stream {
    const dps_predict_request *request;
    const dps_predictor *predictor;
    const dps_stream_sink *sink;
    const dps_run *run;
    dps_predict_result *result;
    dps_decision decision;
    dps_input input;
    dps_row_chunk *chunk;
    int chunk_slots, chunks; /* all, and filled by the current batch */
    struct dps_stream_tile *tile;
    int tile_slots, tiles;
    struct dps_stream_work *work;
    dps_chunk *read;
    int64_t rows;  /* of the input before the current batch */
    int64_t lines; /* of the current file before it */
    double bytes;
    bool end;
    dps_deal deal; /* with ranks */
} dps_row_stream;

/* Opens s->input; with ranks: all. */
DPS_MUST_USE dps_status dps_row_batch_open(dps_row_stream *s, dps_error *err);

/* Fills s->chunk[0..s->chunks). With ranks: all; rank 0 reads the others' batches as well. */
DPS_MUST_USE dps_status dps_row_batch_read(dps_row_stream *s, dps_error *err);

/* Parses the batch; returns the number of good chunks before the first faulty one, whose error goes
 * into *err with its place in the whole input. begin: when the round began, for the times. */
int dps_row_batch_parse(dps_row_stream *s, double begin, dps_status *status, dps_error *err);

/* Moves s->rows and s->lines past another rank's batch. */
void dps_row_batch_pass(dps_row_stream *s, const dps_deal_extent *extent);

/* Shares the wall time of a parallel part between two stages by the threads' own times. */
void dps_share_stage_time(dps_predict_result *result, double wall, dps_stage first, double a,
                          dps_stage second, double b);

#endif
