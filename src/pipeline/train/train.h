/* `dpsvm train` and `check`: the story of a training, and all that comes of it. */
#ifndef DPS_TRAIN_H
#define DPS_TRAIN_H

#include "auto_search.h"
#include "baselines.h"
#include "ladder.h"
#include "learning_curve.h"
#include "model.h"
#include "options.h"
#include "refine.h"
#include "row_arrays.h"
#include "seed_spread.h"
#include "training_advice.h"
#include "training_ranks.h"

/* What was found in the input (training.c). */
typedef struct dps_train_data {
    int64_t nonzeros;
    char input[1024];         /* "csv with a header, ..." */
    bool label_guessed;       /* the label's column, which nobody named */
    bool unscaled;            /* warned that no scaling leaves columns of very different size */
    double majority_accuracy; /* of always guessing the largest class; NAN: regression */
} dps_train_data;

/* How what was auto was chosen (train.c); counts of 0: it was not. */
typedef struct dps_train_searches {
    dps_auto_search kernel;
    dps_ladder measure, features, C;
} dps_train_searches;

/* How the solver ended, beyond what the model says of it (train.c). */
typedef struct dps_train_ending {
    double dual;
    const char *first_solver; /* handed over from, or NULL */
    const char *passes;       /* "pass", "passes", "epochs", ...: what model.iterations are */
} dps_train_ending;

/* What was planned (training.c), and what it took (each step). */
typedef struct dps_train_cost {
    double memory_needed, work_flops; /* planned */
    bool tiles_resident;
    dps_stage_cost stage[DPS_STAGE_COUNT];
    double seconds;
    dps_balance balance;
} dps_train_cost;

typedef struct dps_train_result {
    dps_model model;
    dps_map_facts facts;
    dps_train_data data;
    dps_train_searches searches;
    dps_refinement refinement;
    dps_train_ending ending;
    dps_curve curve;
    dps_fits fit;
    dps_linear_baseline linear;
    dps_seed_spread seeds;
    dps_advice advice;
    dps_train_cost cost;
} dps_train_result;

/* Writes output.curve and output.plot (report/curve_report.h). */
typedef dps_status (*dps_curve_writer)(const dps_curve *curve, const dps_options *options,
                                       dps_error *err);

/* From options to a written model and, by `write` right after it, its curve. With check_only:
 * everything up to the solver, nothing written; write may be NULL. */
DPS_MUST_USE dps_status dps_train(const dps_options *options, bool check_only,
                                  dps_curve_writer write, const dps_run *run,
                                  dps_train_result *result, dps_error *err);
/* The same of rows in memory, or with arrays NULL of data.train; output.model may be "": none. */
DPS_MUST_USE dps_status dps_train_arrays(const dps_options *options, const dps_row_arrays *arrays,
                                         dps_curve_writer write, const dps_run *run,
                                         dps_train_result *result, dps_error *err);
void dps_train_result_release(dps_train_result *result);

#endif
