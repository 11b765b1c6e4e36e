/* How a class is told from the scores of a row. */
#ifndef DPS_DECISION_H
#define DPS_DECISION_H

#include "model.h"
#include "prediction.h"

typedef struct dps_decision {
    int32_t positive;    /* the class that was named; -1: none */
    double threshold;    /* of two classes: the positive one is predicted above it */
    bool by_probability; /* the threshold is of its probability, else of its decision value */
} dps_decision;

/* As request asks; DPS_ERROR_CONFIG where the model has no class request->positive. */
DPS_MUST_USE dps_status dps_decision_of(const dps_predict_request *request, const dps_model *model,
                                        dps_decision *decision, dps_error *err);

/* The class of row i of scores (as dps_predictor_scores fills them; not of regression). chances:
 * room for a number a class. */
int32_t dps_decided_class(const dps_model *model, const dps_decision *decision,
                          const double *scores, int32_t i, double *chances);

#endif
