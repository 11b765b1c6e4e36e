/* What ranks that read parts of the same files must tell each other about lines and rows. */
#ifndef DPS_RAW_RANKS_H
#define DPS_RAW_RANKS_H

#include "raw_rows.h"

/* All: numbers the lines of every block. status: of this rank's reading; error->line counts within
 * what this rank has read of file `failed_file` (-1: none). Returns the first fault in the order of
 * the input, with its line in the file, on every rank. */
DPS_MUST_USE dps_status dps_raw_rows_number_lines(dps_raw_rows *raw, const dps_run *run,
                                                  dps_status status, int32_t failed_file,
                                                  dps_error *error);
/* All: first_row, total_rows and total_entries from the counts of each. */
void dps_raw_rows_count_all(dps_raw_rows *raw, const dps_run *run);

#endif
