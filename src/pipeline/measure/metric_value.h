/* The value of a metric on rows with decision values. */
#ifndef DPS_METRIC_VALUE_H
#define DPS_METRIC_VALUE_H

#include "metric.h"
#include "solver.h"

/* The class of row i from decision values, of model k at k * rows + i. */
int32_t dps_guess_of(const double *score, int64_t rows, int32_t classes, int64_t i);
/* Value of the metric on rows with decision values: score of model k and row i at k * rows + i.
 * label: classes, -1: none of the problem's; target: regression. problem: its classes and loss.
 * weight: of each row, a row of weight w being w rows; NULL: 1. NAN: the rows say
 * nothing of it. part: NULL, or DPS_SCORE_PARTS numbers. */
DPS_MUST_USE dps_status dps_metric_value(dps_metric metric, const dps_problem *problem,
                                         const int32_t *label, const double *target,
                                         const double *score, const double *weight, int64_t rows,
                                         double *value, double *part, dps_error *err);

/* All: the same of the rows of all ranks, in rank order. comm: NULL: these are all rows. */
DPS_MUST_USE dps_status dps_metric_of_ranks(dps_metric metric, const dps_problem *problem,
                                            const int32_t *label, const double *target,
                                            const double *score, const double *weight, int64_t rows,
                                            const struct dps_comm *comm, double *value,
                                            double *part, dps_error *err);
/* All: decision values of all ranks, models x rows of all, in place of this rank's (from
 * dps_alloc).
 */
DPS_MUST_USE dps_status dps_gather_scores(const struct dps_comm *comm, double **score,
                                          int32_t models, int64_t rows, dps_error *err);

#endif
