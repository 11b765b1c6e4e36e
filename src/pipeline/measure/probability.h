/* Probabilities from decision values, by what a model holds. */
#ifndef DPS_PROBABILITY_H
#define DPS_PROBABILITY_H

#include <stddef.h>
#include "model.h"

/* exp(x), x <= 0, within an ulp or two. */
double dps_exp_below_zero(double x);

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
/* 1 / (1 + exp(-score)) as a sigmoid: what the logistic loss fits. */
static inline dps_sigmoid dps_sigmoid_logistic(void)
{
    return (dps_sigmoid){.A = -1, .B = 0};
}
/* Linear between knots, constant beyond the last ones; by + - * / only: the same bits on every
 * machine. */
double dps_isotonic_value(const dps_isotonic *isotonic, double score);

#endif
