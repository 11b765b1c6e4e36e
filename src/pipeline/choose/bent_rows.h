/* Sampled rows in the scalings that bend a column: data.scaling = log and rank. */
#ifndef DPS_BENT_ROWS_H
#define DPS_BENT_ROWS_H

#include "run.h"
#include "scaler.h"

/* `to`: `from`, dense rows with columns that are scaled by a factor at most, bent as these rows
 * say. weight: of each row, or NULL. On errors to be released. */
DPS_MUST_USE dps_status dps_bend_rows(const dps_scaled_rows *from, const double *weight,
                                      dps_scaling scaling, const dps_run *run, dps_scaled_rows *to,
                                      dps_error *err);

#endif
