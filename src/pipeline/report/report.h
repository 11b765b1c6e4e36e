/* JSON reports of train and predict. */
#ifndef DPS_REPORT_H
#define DPS_REPORT_H

#include "prediction.h"
#include "train.h"

/* JSON of a run, complete, to `path`. */
DPS_MUST_USE dps_status dps_report_train(const dps_train_result *result, const dps_options *options,
                                         const dps_run *run, const char *path, dps_error *err);
DPS_MUST_USE dps_status dps_report_predict(const dps_predict_result *result, const dps_run *run,
                                           const char *path, dps_error *err);

#endif
