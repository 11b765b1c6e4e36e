/* What predict, transform and evaluate are asked, and what they answer. */
#ifndef DPS_PREDICTION_H
#define DPS_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "residuals.h"
#include "stage_cost.h"
#include "table.h"

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
    /* of two classes `positive` is predicted where its decision value, or its probability, is above
     * the threshold; of any number, the one column of scores or probabilities that is written */
    const char *positive; /* its label; NULL: the larger of two, all columns */
    double threshold;
    bool has_threshold, by_probability;
    bool chooses_threshold; /* evaluate: the cut that is best by this dps_cut_metric */
    unsigned threshold_by;
    bool weighs_columns;     /* evaluate: their importance is wanted, too (importance.h) */
    bool draws;              /* evaluate: a picture is wanted, too */
    bool csv;                /* the output has a header and a column a figure */
    bool flush;              /* answers come out as rows come in: a coprocess */
    dps_table_options table; /* where the input is a table, what the model's does not say */
    bool says_input;         /* logs what was found in it before it is read */
} dps_predict_request;

typedef struct dps_predict_result {
    int64_t rows, labelled, outside, unknown;
    double weight, correct;   /* of classes: what the labelled rows weigh, and those found right;
                                 without weights counts */
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

#endif
