/* Rows of a training file that are set aside before anything is fitted to them. */
#ifndef DPS_HOLD_OUT_H
#define DPS_HOLD_OUT_H

#include "raw_rows.h"

/* Moves the rows with fold[i] = 0 out of `raw` into `held`, both in their order. held borrows the
 * file names of raw and is released before it. */
DPS_MUST_USE dps_status dps_raw_rows_split(dps_raw_rows *raw, const int32_t *fold,
                                           const dps_run *run, dps_raw_rows *held, dps_error *err);

#endif
