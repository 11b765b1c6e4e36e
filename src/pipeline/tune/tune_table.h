/* The files of `dpsvm tune`. */
#ifndef DPS_TUNE_TABLE_H
#define DPS_TUNE_TABLE_H

#include "tune.h"

/* Every setting with its scores. */
DPS_MUST_USE dps_status dps_tune_write_table(const dps_tune_result *result, const char *path,
                                             dps_error *err);
/* The config of the chosen setting: training by it gives the same model. */
DPS_MUST_USE dps_status dps_tune_write_ini(const dps_tune_result *result, const char *path,
                                           dps_error *err);
/* "best", "chosen", both, "dropped" or nothing. */
const char *dps_tune_mark(const dps_tune_point *point);

#endif
