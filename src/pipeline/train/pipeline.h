/* The story of a run, one function a command. Each takes options, says what it does through
 * run->log and fills a result that the command line prints and report.c writes as JSON. */
#ifndef DPS_PIPELINE_H
#define DPS_PIPELINE_H

#include <stdbool.h>
#include "auto_search.h"
#include "choose_c.h"
#include "learning_curve.h"
#include "model.h"
#include "model_fit.h"
#include "options.h"
#include "run.h"
#include "text.h"

/* Seconds and bytes of a stage. */
typedef enum dps_stage {
    DPS_STAGE_PARSE,
    DPS_STAGE_SCALE,
    DPS_STAGE_MAP,
    DPS_STAGE_SOLVE,
    DPS_STAGE_WRITE,
    DPS_STAGE_COUNT
} dps_stage;
typedef struct dps_stage_cost {
    double seconds;
    double bytes;
} dps_stage_cost;

/* Maps that map.measure = auto or map.features = auto tried. */
typedef struct dps_map_trial {
    const char *measure;     /* static text; NULL: of map.features */
    int32_t features, width; /* D, D' */
    dps_spread spread;
    bool best, chosen;
} dps_map_trial;
typedef struct dps_map_search {
    int32_t count; /* 0: not searched */
    dps_metric metric;
    int64_t rows; /* of the sample */
    dps_map_trial trial[16];
} dps_map_search;

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
    dps_auto_search auto_search; /* of kernel.type = auto; count 0: none */
    dps_c_search search;         /* of solver.C = auto; count 0: C was given */
    bool converged;
    dps_curve curve;          /* count 0: not recorded */
    int64_t best_pass;        /* of solver.early_stopping, whose weights the model holds; 0: off */
    double best_score;        /* its score on data.validation */
    const char *first_solver; /* handed over from, or NULL */
    dps_fit train, validation, test; /* on the training rows, data.validation, data.test */
    dps_map_search measure_search, features_search;
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

/* From options to a written model. With check_only: everything up to the solver, nothing written.
 */
DPS_MUST_USE dps_status dps_train(const dps_options *options, bool check_only, const dps_run *run,
                                  dps_train_result *result, dps_error *err);
void dps_train_result_release(dps_train_result *result);

typedef enum dps_predict_output {
    DPS_PREDICT_LABELS,
    DPS_PREDICT_SCORES,
    DPS_PREDICT_PROBABILITIES,
    DPS_PREDICT_NONE
} dps_predict_output;

typedef struct dps_predict_request {
    const char *model_path;
    const char *const *paths;
    size_t path_count;
    const char *output_path; /* "-": standard output */
    dps_predict_output output;
    const char *format; /* of the input */
    bool zero_based;
    double threshold; /* two classes: the larger is predicted where the decision value is above */
    dps_table_options table; /* where the input is a table, what the model's does not say */
    bool says_input;         /* logs what was found in it before it is read */
} dps_predict_request;

typedef struct dps_predict_result {
    int64_t rows, labelled, correct, outside, unknown;
    int64_t repeats;          /* lines that repeat the names of a table's columns: no rows */
    int64_t foreign;          /* labelled rows of no class of the model */
    char foreign_labels[160]; /* one or two of them; "": not known */
    int64_t extra_columns;    /* of a table, that training did not see */
    char input[1024];         /* what was found in the input: "csv with a header, ..." */
    int32_t classes;          /* 0: regression */
    dps_residuals residuals;  /* of regression, over the labelled rows */
    dps_stage_cost stage[DPS_STAGE_COUNT];
    double seconds;
} dps_predict_result;

/* Streams: reads, maps, scores and writes chunk by chunk in input order, in memory that does not
 * grow with the number of rows. */
DPS_MUST_USE dps_status dps_predict(const dps_predict_request *request, const dps_run *run,
                                    dps_predict_result *result, dps_error *err);

typedef enum dps_transform_format {
    DPS_TRANSFORM_LIBSVM,
    DPS_TRANSFORM_CSV,
    DPS_TRANSFORM_NPY
} dps_transform_format;
/* The mapped rows (request->output is not used). libsvm: label first; csv: label last column when
 * there are labels; npy: float32 matrix without labels. */
DPS_MUST_USE dps_status dps_transform(const dps_predict_request *request,
                                      dps_transform_format format, const dps_run *run,
                                      dps_predict_result *result, dps_error *err);

/* JSON of a run, complete, to `path`. */
DPS_MUST_USE dps_status dps_report_train(const dps_train_result *result, const dps_options *options,
                                         const dps_run *run, const char *path, dps_error *err);
DPS_MUST_USE dps_status dps_report_predict(const dps_predict_result *result, const dps_run *run,
                                           const char *path, dps_error *err);
/* `dpsvm info`: text for people, or JSON. */
DPS_MUST_USE dps_status dps_describe_model(const dps_model *model, const char *path, bool json,
                                           dps_text *out, dps_error *err);
/* `dpsvm info --weights`: class, feature and weight in units of the input, a line each, then the
 * intercept. Refused where scores are not linear in the features. */
DPS_MUST_USE dps_status dps_describe_weights(const dps_model *model, const char *path,
                                             dps_text *out, dps_error *err);
/* What this program was built with and runs on, a line each: compiler, the BLAS that bench compares
 * with, SIMD path, OpenMP, MPI. Reads and allocates nothing else. */
void dps_build_description(dps_text *out);

#endif
