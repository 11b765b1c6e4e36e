/* Fitting probabilities: a sigmoid a model (Platt 1999), or an isotonic function, on held-out
 * rows. */
#ifndef DPS_CALIBRATION_H
#define DPS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include "metrics.h"
#include "probability.h"

/* Least log-loss on `rows` decision values with Platt's targets; positive[i]: row i is of the
 * positive class. weight, here and below: of each row, a row of weight w being w rows; NULL: 1. */
dps_sigmoid dps_sigmoid_fit(const double *score, const bool *positive, const double *weight,
                            int64_t rows);
/* Sets scored[i].loss from decision values alone (models x rows): sigmoids fitted on one half of
 * the rows give the other half's probabilities, and the other way round. Rows are dealt to the
 * halves in turn by class and score, so that both have every class in proportion and the order of
 * the rows does not matter. */
DPS_MUST_USE dps_status dps_calibrated_losses(const double *score, const double *weight,
                                              int64_t rows, int32_t classes, dps_scored *scored,
                                              dps_error *err);
/* The same by the scores' own 1 / (1 + exp(-score)), for a model of the logistic loss. */
DPS_MUST_USE dps_status dps_logistic_losses(const double *score, int64_t rows, int32_t classes,
                                            dps_scored *scored, dps_error *err);
/* Fits one sigmoid a model (1 for two classes, else one a class) to rows with labels. score: models
 * x rows. */
DPS_MUST_USE dps_status dps_calibrate(const double *score, const int32_t *label,
                                      const double *weight, int64_t rows, int32_t classes,
                                      dps_sigmoid *sigmoid, dps_error *err);

/* Fits isotonic functions of decision values (models x rows) into the model, of which `models` is
 * set. */
DPS_MUST_USE dps_status dps_calibrate_isotonic(const double *score, const int32_t *label,
                                               const double *weight, int64_t rows, dps_model *model,
                                               dps_error *err);

#endif
