/* `dpsvm tune --plot`: the metric over what was searched. */
#ifndef DPS_TUNE_PLOT_H
#define DPS_TUNE_PLOT_H

#include "tune.h"

/* A curve over one option of several numbers, or a map of colours over two; others are as in the
 * best setting. DPS_ERROR_CONFIG: no option of several numbers was searched. */
DPS_MUST_USE dps_status dps_tune_plot(const dps_tune_result *result, const char *path,
                                      dps_error *err);

#endif
