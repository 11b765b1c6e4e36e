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

/* All ranks: the first opens, and commits, the output; *file is NULL on the others. */
DPS_MUST_USE dps_status dps_prediction_output(const dps_predict_request *request,
                                              const dps_run *run, dps_output_file **file,
                                              dps_error *err);
DPS_MUST_USE dps_status dps_prediction_commit(dps_output_file **file, const dps_run *run,
                                              dps_predict_result *result, dps_error *err);

/* Refuses a threshold where the model has not two classes. */
DPS_MUST_USE dps_status dps_prediction_threshold(const dps_predict_request *request,
                                                 const dps_model *model, dps_error *err);

/* One warning each for features not seen in training, rows outside the training rows' radius (where
 * the map depends on it), and a file in which only some rows have labels. where: what each warning
 * begins with, "" or "data.test: ". */
void dps_prediction_warn(const dps_predict_result *result, const dps_model *model,
                         const char *where, const dps_run *run);

#endif
