/* Rows chosen by their labels, and rows of a training file that are set aside before anything is
 * fitted to them. */
#ifndef DPS_HOLD_OUT_H
#define DPS_HOLD_OUT_H

#include "comm.h"
#include "raw_rows.h"

/* Deals rows by their labels: fold[rows]. */
typedef dps_status (*dps_row_choice)(const void *context, const int32_t *label, int64_t rows,
                                     int32_t classes, int32_t *fold, dps_error *err);
/* All: a choice that looks at the labels of all ranks, in their order. label, *fold (from
 * dps_alloc): of this rank's rows. comm NULL: those are all. */
DPS_MUST_USE dps_status dps_choose_rows(const dps_comm *comm, const int32_t *label, int64_t rows,
                                        int32_t classes, dps_row_choice choice, const void *context,
                                        int32_t **fold, dps_error *err);

/* Moves the rows with fold[i] = 0 out of `raw` into `held`, both in their order. held borrows the
 * file names of raw and is released before it. */
DPS_MUST_USE dps_status dps_raw_rows_split(dps_raw_rows *raw, const int32_t *fold,
                                           const dps_run *run, dps_raw_rows *held, dps_error *err);

#endif
