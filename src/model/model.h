/* A trained model: all that a prediction needs, nothing else (no paths, times, hosts, thread
 * counts), so that equal models are equal bytes. docs/model_format.md is the specification of the
 * file. */
#ifndef DPS_MODEL_H
#define DPS_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "labels.h"
#include "names.h"
#include "outcome.h"
#include "recipe.h"
#include "scaler.h"
#include "table.h"
#include "text.h"

#define DPS_MODEL_VERSION 5 /* the newest; a file has the oldest one that can say what it holds */

/* How decision values become probabilities. */
typedef enum dps_probability {
    DPS_PROBABILITY_NONE,
    DPS_PROBABILITY_SIGMOID,
    DPS_PROBABILITY_ISOTONIC
} dps_probability;
extern const char *const dps_probability_names[];
/* p(s) = 1 / (1 + exp(A s + B)) */
typedef struct dps_sigmoid {
    double A, B;
} dps_sigmoid;

/* p(s): linear between knots, constant beyond them; scores ascend, p does not descend. */
typedef struct dps_isotonic {
    int32_t count; /* >= 1 */
    const double *score, *p;
} dps_isotonic;

typedef enum dps_task { DPS_TASK_CLASSIFICATION, DPS_TASK_REGRESSION } dps_task;
extern const char *const dps_task_names[];

typedef struct dps_model {
    int32_t random_scheme; /* DPS_RANDOM_SCHEME of the program that trained it */
    dps_scaler scaler;     /* owns its arrays */
    dps_map_recipe recipe;
    dps_task task;
    dps_class_table classes; /* none for regression */
    dps_table table;         /* columns of the training file; count 0: it was no table */
    int32_t width;           /* D' of the dense panel, without bias */
    int32_t sparse_columns;
    double bias;              /* value of the constant feature; 0: none */
    int32_t models;           /* 1 for two classes and for regression, else one a class */
    size_t weights_per_model; /* width + sparse_columns + (bias != 0) */
    double *weight;           /* models x weights_per_model: panel, sparse block, bias */
    float *moved;             /* recipe.moved_count numbers, or NULL: those of recipe.moved */
    dps_probability probability;
    dps_sigmoid *sigmoid;   /* models; NULL unless SIGMOID */
    dps_isotonic *isotonic; /* models; NULL unless ISOTONIC */
    int32_t knots;          /* of all models */
    double *knot;           /* 2 knots: scores, then p, of one model after the other */
    int32_t self_test_rows; /* 0: none */
    double *self_test;      /* their scores, models a row (self_test.h), or NULL */
    /* How it was trained; not needed to predict, all functions of data and config. */
    char solver[16], loss[32];
    dps_outcome outcome;
    double epsilon; /* regression */
    double C, objective, gap, tolerance;
    int64_t iterations, rows;
    int64_t refine_steps, refine_rows; /* that moved the map */
} dps_model;

/* Writes atomically. */
DPS_MUST_USE dps_status dps_model_save(const dps_model *model, const char *path, dps_error *err);
/* Reads and checks everything before allocating from it: format name, version, sizes against the
 * file's size, checksum, ranges. Errors are DPS_ERROR_DATA naming the file and what is wrong with
 * it. */
DPS_MUST_USE dps_status dps_model_load(dps_model *model, const char *path, dps_error *err);
/* The same from the content of such a file. name: what it is called in errors. */
DPS_MUST_USE dps_status dps_model_load_bytes(dps_model *model, const void *bytes, size_t size,
                                             const char *name, dps_error *err);
/* The content of its file, appended to a text. */
DPS_MUST_USE dps_status dps_model_write_bytes(const dps_model *model, dps_text *out,
                                              dps_error *err);
void dps_model_release(dps_model *model);

#endif
