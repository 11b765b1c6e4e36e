/* What lives while a model is trained, and the steps up to the solver, which tune shares. Each step
 * needs the ones before it. */
#ifndef DPS_TRAINING_H
#define DPS_TRAINING_H

#include "checkpoint.h"
#include "mapped_rows.h"
#include "row_arrays.h"
#include "train.h"
#include "training_plan.h"
#include "warm_start.h"

typedef struct dps_training {
    const dps_options *options;
    const dps_row_arrays *arrays; /* the rows, in memory; NULL: data.train's */
    dps_curve_writer write_curve;
    const dps_run *run;
    double deadline; /* of a search by run.time_limit; 0: none */
    dps_run lean;    /* run with fewer threads, where memory does not hold all */
    dps_settings settings;
    dps_dataset data;
    double *class_weight;
    dps_row_source rows;
    dps_problem problem;
    dps_plan plan;
    dps_map_recipe recipe;
    dps_mapped_rows mapped;
    double *alpha, *score; /* with a span, models x rows: of its solution */
    dps_solution solution;
    dps_checkpoint *checkpoint; /* NULL: none */
    dps_warm_start *warm;       /* NULL: none */
    dps_train_result *result;
} dps_training;

/* Rows, classes and their weights. options, run, settings and result are set. */
DPS_MUST_USE dps_status dps_training_load(dps_training *t, dps_error *err);
/* The recipe, the problem but its source, and what it will need; says it. */
DPS_MUST_USE dps_status dps_training_plan(dps_training *t, dps_error *err);
/* The map and the z-tiles; problem.source. */
DPS_MUST_USE dps_status dps_training_features(dps_training *t, dps_error *err);
/* All but options, run and result; accepts any number of steps done. */
void dps_training_release(dps_training *t);

#endif
