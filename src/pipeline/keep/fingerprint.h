/* Fingerprint of training data: XXH3-64 of what the solver learns from. */
#ifndef DPS_FINGERPRINT_H
#define DPS_FINGERPRINT_H

#include "dataset.h"

/* Of the scaled rows with their labels or targets and weights. rows: of `data`. */
DPS_MUST_USE dps_status dps_fingerprint_data(const dps_dataset *data, const dps_row_source *rows,
                                             const dps_run *run, uint64_t *fingerprint,
                                             dps_error *err);

#endif
