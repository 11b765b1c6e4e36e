/* Scaling all rows of a training. */
#ifndef DPS_SCALE_RAW_ROWS_H
#define DPS_SCALE_RAW_ROWS_H

#include "raw_rows.h"
#include "scaler.h"

/* Scales all rows with all threads and releases `raw` on the way. taken: bytes of run->memory that
 * are in use for other things; beyond the rest scaled rows lie in a scratch file. *radius1,
 * *radius2: largest norms of the scaled rows. scaler->radius2 decides which rows count as outside.
 */
DPS_MUST_USE dps_status dps_scale_raw_rows(const dps_scaler *scaler, dps_raw_rows *raw,
                                           size_t taken, const dps_run *run, dps_scaled_rows *out,
                                           double *radius1, double *radius2, dps_error *err);

#endif
