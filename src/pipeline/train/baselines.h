/* What a model is compared with: a plain linear SVM of the same rows. */
#ifndef DPS_BASELINES_H
#define DPS_BASELINES_H

#include "model_fit.h"
#include "status.h"

/* A linear SVM of the same rows, to compare with. */
typedef struct dps_linear_baseline {
    int64_t rows; /* of the training rows that trained it; 0: there is none */
    double seconds;
    dps_fit train, validation;
} dps_linear_baseline;

struct dps_training; /* training.h */

/* Trains a linear model with the run's loss, C and weights on as many of the training rows as cost
 * a small share of the run's own work, and measures it on the training rows and on those that
 * data.validation = FRACTION holds out; into t->result->linear. Nothing (rows = 0) where the model
 * is linear itself, output.baseline = off, or too few rows could be afforded. After the model is
 * made; no error but that of a stop. */
DPS_MUST_USE dps_status dps_baseline_linear(struct dps_training *t, dps_error *err);

#endif
