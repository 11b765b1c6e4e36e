/* `dpsvm train` and `check`: the story of a training, and all that comes of it. */
#ifndef DPS_TRAIN_H
#define DPS_TRAIN_H

#include <stdbool.h>
#include "auto_search.h"
#include "ladder.h"
#include "refine.h"
#include "learning_curve.h"
#include "model.h"
#include "model_fit.h"
#include "options.h"
#include "run.h"
#include "stage_cost.h"

/* The same training with another seed of the map; accuracies, or RMSE of regression; NAN: not
 * measured. */
typedef struct dps_seed_trial {
    uint64_t seed;
    double train, validation, test;
} dps_seed_trial;

/* How evenly ranks were at work. */
typedef struct dps_balance {
    int ranks; /* 0: not over ranks */
    int64_t fewest_rows, most_rows;
    double least[DPS_STAGE_COUNT], most[DPS_STAGE_COUNT]; /* seconds, waiting included */
    double least_sums, most_sums; /* seconds of the solver's sums over rows, without waiting */
} dps_balance;

/* A linear SVM of the same rows, to compare with. */
typedef struct dps_linear_baseline {
    int64_t rows; /* of the training rows that trained it; 0: there is none */
    double seconds;
    dps_fit train, validation;
} dps_linear_baseline;

enum { DPS_MOST_ADVICE = 3, DPS_ADVICE_LENGTH = 320 };

typedef struct dps_train_result {
    dps_model model;
    dps_map_facts facts;
    int64_t rows, nonzeros;
    char input[1024];                 /* what was found in the input: "csv with a header, ..." */
    bool label_guessed;               /* the label's column, which nobody named */
    double memory_needed, work_flops; /* planned */
    bool tiles_resident;
    bool unscaled; /* warned that no scaling leaves columns of very different size */
    double primal, dual, gap;
    int64_t iterations;
    dps_refinement refinement;
    dps_auto_search auto_search; /* of kernel.type = auto; count 0: none */
    dps_ladder search;           /* of solver.C = auto; count 0: C was given */
    bool converged;
    dps_curve curve;   /* count 0: not recorded */
    int64_t best_pass; /* of solver.early_stopping, whose weights the model holds; 0: off */
    double best_score; /* its score on data.validation */
    const struct dps_solver *solver; /* that finished */
    const char *first_solver;        /* handed over from, or NULL */
    const char *passes;              /* "pass", "passes", "epochs", ...: what `iterations` are */
    dps_fit train, validation, test; /* on the training rows, data.validation, data.test */
    dps_ladder measure_search, features_search; /* of map.measure and map.features = auto */
    dps_linear_baseline linear;
    int32_t seeds; /* trained with; 0: map.seed is one */
    dps_seed_trial seed[DPS_INTS_MOST];
    int32_t advices; /* what to try next */
    char advice[DPS_MOST_ADVICE][DPS_ADVICE_LENGTH];
    double majority_accuracy; /* of always guessing the largest class of the training rows */
    dps_stage_cost stage[DPS_STAGE_COUNT];
    dps_balance balance;
    double seconds;
} dps_train_result;

/* Writes output.curve and output.plot (report/curve_report.h). */
typedef dps_status (*dps_curve_writer)(const dps_curve *curve, const dps_options *options,
                                       dps_error *err);

/* From options to a written model and, by `write` right after it, its curve. With check_only:
 * everything up to the solver, nothing written; write may be NULL. */
DPS_MUST_USE dps_status dps_train(const dps_options *options, bool check_only,
                                  dps_curve_writer write, const dps_run *run,
                                  dps_train_result *result, dps_error *err);
void dps_train_result_release(dps_train_result *result);

#endif
