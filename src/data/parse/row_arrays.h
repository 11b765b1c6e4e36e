/* Training rows in the caller's memory, read as a file of the same rows would be: dense ones as an
 * npy matrix whose last column is the label (with names: as CSV with a header), sparse ones as
 * LIBSVM text. */
#ifndef DPS_ROW_ARRAYS_H
#define DPS_ROW_ARRAYS_H

#include "input.h"

#define DPS_ARRAYS_NAME "rows in memory" /* in messages */

typedef struct dps_row_arrays {
    int64_t rows;
    int32_t columns; /* dense */
    int64_t stride;  /* dense: numbers from row to row */
    const double *dense;
    const float *dense_float; /* instead */
    const int64_t *start;     /* instead: rows + 1; entries of index and value */
    const int32_t *index;     /* from 0, ascending within a row */
    const double *value;
    const double *target;     /* labels as numbers, or */
    const char *const *label; /* as texts */
    const double *weight;     /* > 0; NULL: all 1 */
    const char *const *name;  /* of the dense columns; NULL: none */
    const char *label_name;   /* where there are names */
} dps_row_arrays;

/* options->arrays is set. */
DPS_MUST_USE dps_status dps_input_open_arrays(dps_input *input, const dps_read_options *options,
                                              const dps_table *known, dps_error *err);
/* Rows to the next piece's end, from row `first` on: some of them; 0: there are no more. */
int64_t dps_row_arrays_piece(const dps_row_arrays *arrays, int64_t first);
/* Row that an error is about: its line - 1. */
DPS_MUST_USE dps_status dps_row_arrays_parse(const dps_read_options *options,
                                             const dps_chunk *chunk, dps_row_block *block,
                                             dps_error *err);

#endif
