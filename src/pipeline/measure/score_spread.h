/* Scores of a setting, fold by fold, and how far they may be trusted. */
#ifndef DPS_SCORE_SPREAD_H
#define DPS_SCORE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "metric.h"

/* Numbers that sum up what every row adds to the error of a metric (score_error.h). */
#define DPS_SCORE_PARTS 256

/* A record of scores: one a fold, NAN where a fold says nothing; with one fold its parts too. */
static inline size_t dps_score_length(int32_t folds)
{
    return folds == 1 ? 1 + DPS_SCORE_PARTS : (size_t)folds;
}

/* Mean over the folds that say something, sample standard deviation, and standard error of the
 * mean. One fold: deviation NAN, and the error from its parts. */
typedef struct dps_spread {
    double mean, deviation, error;
} dps_spread;
dps_spread dps_spread_of(const double *record, int32_t folds);
/* The same of the differences, fold by fold or part by part: positive where a is better. */
dps_spread dps_score_advantage(dps_metric metric, const double *a, const double *b, int32_t folds);
/* Whether scores `a` are as good as the best ones, `b`, up to one standard error of the mean
 * difference. */
bool dps_within_one_error(dps_metric metric, const double *a, const double *b, int32_t folds);

#endif
