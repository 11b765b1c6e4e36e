/* What lives while a model is trained, and the steps up to the solver, which tune shares. Each step
 * needs the ones before it. */
#ifndef DPS_TRAINING_H
#define DPS_TRAINING_H

#include "checkpoint.h"
#include "feature_stream.h"
#include "row_span.h"
#include "training_plan.h"
#include "warm_start.h"

typedef struct dps_training {
    const dps_options *options;
    const dps_run *run;
    dps_run lean; /* run with fewer threads, where memory does not hold all */
    dps_settings settings;
    dps_dataset data;
    double *class_weight;
    dps_row_source rows;
    dps_problem problem;
    dps_plan plan;
    dps_map_recipe unplanned; /* the recipe before planning, for other seeds */
    dps_map *map;
    dps_feature_stream *stream; /* or */
    dps_row_span *span;         /* plan.span */
    double *alpha, *score;      /* with a span, models x rows: of its solution */
    dps_solution solution;
    dps_checkpoint *checkpoint; /* NULL: none */
    dps_warm_start *warm;       /* NULL: none */
    dps_train_result *result;
} dps_training;

/* Rows, classes and their weights. options, run, settings and result are set. */
DPS_MUST_USE dps_status dps_training_load(dps_training *t, dps_error *err);
/* The recipe resolved, the problem but its source, and what it will need; says it. */
DPS_MUST_USE dps_status dps_training_plan(dps_training *t, dps_error *err);
/* The map and the z-tiles; problem.source. */
DPS_MUST_USE dps_status dps_training_features(dps_training *t, dps_error *err);
/* Outputs can be written and are apart from each other and from the inputs; test and validation
 * files can be read. */
DPS_MUST_USE dps_status dps_training_probe_places(const dps_options *options,
                                                  const char *validation, dps_error *err);
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
/* All but options, run and result; accepts any number of steps done. */
void dps_training_release(dps_training *t);

#endif
