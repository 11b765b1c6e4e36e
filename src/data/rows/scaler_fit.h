/* Fitting a scaler on parsed rows. */
#ifndef DPS_SCALER_FIT_H
#define DPS_SCALER_FIT_H

#include "raw_rows.h"
#include "scaler.h"

/* weight: of each row here (a row of weight w counts as w rows in means), or NULL.
 * Numbers the columns (raw indices become columns), fits shift and factor of each, decides dense or
 * compressed, and fits the row factor. Radii are set by scaling. Refused: no non-zero value at all,
 * scaled rows beyond run->memory. On an error nothing is left in `scaler`. */
DPS_MUST_USE dps_status dps_scaler_fit(dps_scaler *scaler, dps_scaling scaling,
                                       dps_normalize normalize, dps_raw_rows *raw,
                                       const double *weight, const dps_run *run, dps_error *err);

#endif
