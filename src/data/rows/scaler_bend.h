/* Fitting the scalings that bend a column (data.scaling = log and rank). */
#ifndef DPS_SCALER_BEND_H
#define DPS_SCALER_BEND_H

#include "raw_rows.h"
#include "scaler.h"

/* log: scaler->unit; rank: knots and levels. Columns are numbered; weight: of each row here, or
 * NULL. All. */
DPS_MUST_USE dps_status dps_scaler_fit_bend(dps_scaler *scaler, const dps_raw_rows *raw,
                                            const double *weight, const dps_run *run,
                                            dps_error *err);

#endif
