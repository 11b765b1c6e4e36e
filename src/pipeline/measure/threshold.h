/* The cut between two classes that is best by a metric. */
#ifndef DPS_THRESHOLD_H
#define DPS_THRESHOLD_H

#include "metrics.h"

typedef enum dps_cut_metric { DPS_CUT_ACCURACY, DPS_CUT_F1, DPS_CUT_BALANCED } dps_cut_metric;
extern const char *const dps_cut_metric_names[];

/* A cut between two neighbouring scores, or below or above all: class `positive` where its score
 * (the row's, or minus it for class 0) is above. Of equals the one nearest to 0. f1: of the
 * positive class. Rows of other classes count as wrong. Rows of one of the two
 * alone are DPS_ERROR_DATA. Cost: a sort. */
DPS_MUST_USE dps_status dps_best_threshold(const dps_scored *row, int64_t rows, int32_t positive,
                                           dps_cut_metric metric, double *threshold,
                                           dps_error *err);

#endif
