/* How well a trained model does on rows in memory and on files. */
#ifndef DPS_TRAINING_FIT_H
#define DPS_TRAINING_FIT_H

#include "training.h"

/* Rows mapped and labelled, and the weights of a model of them. */
typedef struct dps_fit_request {
    const dps_tile_source *source;
    const int32_t *label;   /* of each row */
    const double *target;   /* regression, else NULL */
    const double *weight;   /* of each row, a row of weight w being w rows; NULL: 1 */
    const dps_model *model; /* its classes and number of models */
    double *w;              /* models x length, as a solver has them */
    size_t length;
    const double *score; /* models x rows, in place of w; NULL: w it is */
} dps_fit_request;
/* One pass. fit->of_class is the caller's to free. */
DPS_MUST_USE dps_status dps_fit_measure(const dps_fit_request *request, const dps_run *run,
                                        dps_fit *fit, dps_error *err);
/* A trained model with its map and the solver's weights. */
typedef struct dps_candidate {
    const dps_model *model;
    const dps_map *map;
    double *w;
    size_t length;
} dps_candidate;
/* On data.validation and data.test, those that there are; of_class of both is the caller's. */
DPS_MUST_USE dps_status dps_fit_held_out(const dps_training *t, const dps_candidate *candidate,
                                         dps_fit *validation, dps_fit *tested, dps_error *err);
/* Accuracy or residuals of the solved model into result: on the training rows, on data.validation,
 * on data.test. */
DPS_MUST_USE dps_status dps_training_fit(dps_training *t, dps_error *err);
DPS_MUST_USE dps_status dps_training_validate(dps_training *t, dps_error *err);
DPS_MUST_USE dps_status dps_training_test(dps_training *t, dps_error *err);

#endif
