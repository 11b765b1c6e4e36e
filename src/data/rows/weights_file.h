/* Weights of rows from a file of their own: one number a line, as many as rows. */
#ifndef DPS_WEIGHTS_FILE_H
#define DPS_WEIGHTS_FILE_H

#include "run.h"

/* Fills weight[rows] from line `first` on (from 0). Refused: a line that is no number above 0,
 * another number of lines than `total`. */
DPS_MUST_USE dps_status dps_weights_file_read(const char *path, int64_t first, int64_t rows,
                                              int64_t total, const dps_run *run, double *weight,
                                              dps_error *err);

#endif
