/* The steps that predict, transform, evaluate and the files that train measures share. */
#ifndef DPS_PREDICTION_STEPS_H
#define DPS_PREDICTION_STEPS_H

#include "output_file.h"
#include "prediction.h"
#include "predictor.h"

/* All ranks: loads the model of a request and makes it ready. Names the model's file in every
 * error. */
DPS_MUST_USE dps_status dps_prediction_load(const char *path, const dps_run *run, dps_model *model,
                                            dps_predictor *predictor, dps_error *err);

/* A request at work: its model, and where the output goes. */
typedef struct dps_prediction {
    const dps_predict_request *request;
    const dps_run *run;
    dps_model model;
    dps_predictor predictor;
    dps_output_file *file; /* of dps_prediction_open, on rank 0; else NULL */
    dps_predict_result *result;
} dps_prediction;
typedef dps_status (*dps_prediction_use)(dps_prediction *prediction, void *context, dps_error *err);

/* All ranks: what predict, transform and evaluate share. Loads the model and refuses what it cannot
 * give, calls `use`, commits the output if that opened one, warns and releases. */
DPS_MUST_USE dps_status dps_prediction_run(const dps_predict_request *request, const dps_run *run,
                                           dps_prediction_use use, void *context,
                                           dps_predict_result *result, dps_error *err);
/* All ranks: the first opens the output. */
DPS_MUST_USE dps_status dps_prediction_open(dps_prediction *prediction, dps_error *err);

/* One warning each for features not seen in training, rows outside the training rows' radius (where
 * the map depends on it), and a file in which only some rows have labels. where: what each warning
 * begins with, "" or "data.test: ". */
void dps_prediction_warn(const dps_predict_result *result, const dps_model *model,
                         const char *where, const dps_run *run);

#endif
