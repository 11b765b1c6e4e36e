/* The error of a metric on one held-out part, kept small enough to compare any two settings later.
 */
#ifndef DPS_SCORE_ERROR_H
#define DPS_SCORE_ERROR_H

#include "metrics.h"
#include "score_spread.h"

/* Parts of the error of `value`, the metric of classified rows; part: DPS_SCORE_PARTS numbers.
 * Zeros where value is NAN. */
DPS_MUST_USE dps_status dps_score_parts(dps_metric metric, const dps_scored *scored, int64_t rows,
                                        int32_t classes, double value, double *part,
                                        dps_error *err);
/* The same of an RMSE. weight: of each row; NULL: 1. */
void dps_score_parts_rmse(const double *target, const double *score, const double *weight,
                          int64_t rows, double value, double *part);

#endif
