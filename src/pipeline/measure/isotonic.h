/* Probabilities from decision values by isotonic regression. */
#ifndef DPS_ISOTONIC_H
#define DPS_ISOTONIC_H

#include <stdbool.h>
#include <stdint.h>
#include "model.h"

/* Knots fitted to rows >= 1 decision values; positive[i]: row i is of the positive class; weight:
 * of each row, a row of weight w being w rows; NULL: 1. *score and *p are the caller's to free. The
 * order of the rows changes nothing, but, with weights, for rounding. */
DPS_MUST_USE dps_status dps_isotonic_fit(const double *value, const bool *positive,
                                         const double *weight, int64_t rows, int32_t *count,
                                         double **score, double **p, dps_error *err);

#endif
