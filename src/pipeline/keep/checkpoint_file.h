/* The parts of a solver's state in a checkpoint, from and to the memory of all ranks. */
#ifndef DPS_CHECKPOINT_FILE_H
#define DPS_CHECKPOINT_FILE_H

#include <stdio.h>
#include "checksum.h"
#include "comm.h"
#include "output_file.h"
#include "state.h"

/* A file being written by rank 0; after a failure nothing more is. */
typedef struct dps_part_writer {
    dps_output_file *file;
    dps_checksum *sum;
    dps_status status;
    dps_error *err;
} dps_part_writer;

void dps_part_write(dps_part_writer *writer, const void *bytes, size_t length);

/* All: writes every part: its line, then its bytes, those of rows in rank order. writer: rank 0's,
 * else NULL. */
DPS_MUST_USE dps_status dps_parts_write(dps_part_writer *writer, const dps_state *state,
                                        const dps_comm *comm, dps_error *err);
/* All: reads every part, from rank 0's file. *good = false: the file holds other parts. */
DPS_MUST_USE dps_status dps_parts_read(FILE *file, const dps_state *state, const dps_comm *comm,
                                       bool *good, dps_error *err);

#endif
