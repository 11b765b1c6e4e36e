/* Fitting the scalings that bend a column (data.scaling = log and rank). */
#ifndef DPS_SCALER_BEND_H
#define DPS_SCALER_BEND_H

#include "raw_rows.h"
#include "scaler.h"

/* Values other than 0 of some rows, in any order. */
typedef struct dps_bend_entry {
    double value, weight; /* weight: of its row */
    int32_t column;
} dps_bend_entry;
typedef struct dps_bend_sample {
    double rows, weight; /* number of rows; what they weigh together */
    dps_bend_entry *entry;
    size_t entries, capacity;
} dps_bend_sample;

/* log: scaler->unit and factor, which on entry is the largest |x| of each column; rank: knots and
 * levels. scaler: its scaling and columns are set. */
DPS_MUST_USE dps_status dps_scaler_bend(dps_scaler *scaler, const dps_bend_sample *sample,
                                        const dps_run *run, dps_error *err);
/* The same from a sample of all rows. Columns are numbered; weight: of each row here, or NULL. All.
 */
DPS_MUST_USE dps_status dps_scaler_fit_bend(dps_scaler *scaler, const dps_raw_rows *raw,
                                            const double *weight, const dps_run *run,
                                            dps_error *err);

#endif
