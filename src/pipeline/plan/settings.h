/* Options -> what each room wants to be told. All checks of options that need no data are made
 * here, before anything is read. */
#ifndef DPS_SETTINGS_H
#define DPS_SETTINGS_H

#include "metric.h"
#include "dataset.h"
#include "loss.h"
#include "model.h"
#include "options.h"
#include "recipe.h"
#include "solver.h"

/* How settings are compared: tune.folds, tune.holdout, tune.metric, solver.seed. */
typedef struct dps_validation {
    int32_t folds;  /* 1 with holdout */
    double holdout; /* share of rows; 0: folds */
    dps_metric metric;
    uint64_t seed;
} dps_validation;

/* solver.calibration */
typedef enum dps_calibration {
    DPS_CALIBRATION_AUTO,
    DPS_CALIBRATION_PLATT,
    DPS_CALIBRATION_ISOTONIC
} dps_calibration;
extern const char *const dps_calibration_names[];

/* map.refine_steps, map.refine_rows, map.refine_holdout; open where they are auto. */
typedef struct dps_refine_settings {
    int64_t steps;  /* at most; -1: auto */
    int64_t rows;   /* of the sample that moves the map; 0: auto */
    double holdout; /* share of it that chooses among the steps; 0: none; NAN: auto */
} dps_refine_settings;

typedef struct dps_settings {
    dps_load_options load;
    dps_map_request request;
    dps_refine_settings refine;
    const dps_loss *loss; /* its regression is the task */
    double epsilon;
    double C; /* 1 until it is chosen */
    bool choose_C;
    bool choose_measure, choose_features; /* the request holds the defaults until then */
    bool probability;
    dps_calibration calibration;
    dps_validation validation;
    double bias;
    const dps_solver *solver; /* NULL: auto */
    dps_solver_settings solver_settings;
    int64_t early_stopping;     /* epochs without a better validation score that end sgd; 0: off */
    double held_out;            /* share of the rows held out by data.validation, or 0 */
    char validation_file[4096]; /* the file of data.validation, or "" */
} dps_settings;

/* kernel.type; what auto means where nothing is searched: the linear kernel for map.type = none and
 * fourier, else polynomial. */
const char *dps_settings_kernel_type(const dps_options *options);

/* Borrows the options' strings. */
DPS_MUST_USE dps_status dps_settings_read(const dps_options *options, dps_settings *settings,
                                          dps_error *err);
/* The same, to go on from a model (solver.warm_start): its task, loss and epsilon are taken where
 * the options leave them open. NULL: from none. */
DPS_MUST_USE dps_status dps_settings_read_from(const dps_options *options, const dps_model *from,
                                               dps_settings *settings, dps_error *err);

/* Refuses what only training resolves: map.measure = auto, map.features = auto, map.refine. */
DPS_MUST_USE dps_status dps_settings_refuse_of_training(const dps_options *options,
                                                        const dps_settings *settings,
                                                        const char *command, dps_error *err);

#endif
