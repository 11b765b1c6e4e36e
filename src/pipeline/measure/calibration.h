/* Probabilities from decision values: a sigmoid a model (Platt 1999), fitted on held-out rows. */
#ifndef DPS_CALIBRATION_H
#define DPS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include "metrics.h"
#include "model.h"

/* Least log-loss on `rows` decision values with Platt's targets; positive[i]: row i is of the
 * positive class. weight, here and below: of each row, a row of weight w being w rows; NULL: 1. */
dps_sigmoid dps_sigmoid_fit(const double *score, const bool *positive, const double *weight,
                            int64_t rows);
/* In (0, 1) or at an end of it, by + - * / only: the same bits on every machine. */
double dps_sigmoid_value(const dps_sigmoid *sigmoid, double score);

/* Probabilities p[0..classes) of one row whose decision value of model k is score[k * step]. Two
 * classes: p[1] = sigmoid, p[0] = 1 - p[1]. More: each class' own sigmoid divided by their sum
 * (1/classes where all are 0). */
void dps_probabilities(const dps_sigmoid *sigmoid, int32_t classes, const double *score,
                       size_t step, double *p);
/* The same by what the model holds. */
void dps_model_probabilities(const dps_model *model, const double *score, size_t step, double *p);
/* -log(p), p no less than 1e-15: a row that a model was sure about and wrong costs at most 34.5. */
double dps_probability_loss(double p);

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
/* 1 / (1 + exp(-score)) as a sigmoid: what the logistic loss fits. */
static inline dps_sigmoid dps_sigmoid_logistic(void)
{
    return (dps_sigmoid){.A = -1, .B = 0};
}
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
