/* Writing scaled rows, of one block or of a whole training. */
#ifndef DPS_SCALE_ROWS_PRIVATE_H
#define DPS_SCALE_ROWS_PRIVATE_H

#include "scale_rows.h"

/* Counts and shape alone. */
void dps_scaled_rows_shape(dps_scaled_rows *out, const dps_scaler *scaler, int64_t rows);
/* Empty rows of the scaler's shape in memory. False: no memory. */
DPS_MUST_USE bool dps_scaled_rows_begin(dps_scaled_rows *out, const dps_scaler *scaler,
                                        int64_t rows, int64_t entries);
/* Finishes the row and writes it as row i: into the panel, or as entries from `at` on. False: some
 * value is too large. */
DPS_MUST_USE bool dps_scaling_row_write(dps_scaling_row *row, dps_scaled_rows *out, int64_t i,
                                        int64_t at);
/* The error then: the largest value. number: of the row, for the text; 0 = not said. */
DPS_MUST_USE dps_status dps_scaling_row_refuse(const dps_scaling_row *row, const char *file,
                                               int64_t line, int64_t number, dps_error *err);
/* Whether the row that was written last lies beyond the stored radius. */
bool dps_scaling_row_outside(const dps_scaling_row *row);
/* Clears what is behind the last row, to the end of its tile. */
void dps_scaled_rows_end(dps_scaled_rows *out);

#endif
