/* A chunk of an input on its way to a prediction. */
#ifndef DPS_ROW_CHUNK_H
#define DPS_ROW_CHUNK_H

#include "input.h"
#include "model.h"

/* Buffers are kept from one chunk to the next. */
typedef struct dps_row_chunk {
    dps_chunk chunk;
    dps_row_block block;
    dps_scaled_rows rows;
    int32_t *label_class; /* class of each spelling of the block, -1: not a class of the model */
    double *label_value;  /* regression: number of each spelling */
    size_t label_capacity, value_capacity;
    dps_status status; /* the caller's */
    dps_error error;
    double parse_seconds, scale_seconds;
} dps_row_chunk;

/* Parses and scales slot->chunk. Lines and rows in errors count from the chunk's start; *in_rows
 * tells which of the two it is. */
DPS_MUST_USE dps_status dps_row_chunk_parse(dps_row_chunk *slot, const dps_input *input,
                                            const dps_model *model, bool unknown_is_error,
                                            bool *in_rows, dps_error *err);
void dps_row_chunk_release(dps_row_chunk *slot); /* accepts a zeroed struct */

#endif
