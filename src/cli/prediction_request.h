/* What the commands that use a model on files share. */
#ifndef DPS_PREDICTION_REQUEST_H
#define DPS_PREDICTION_REQUEST_H

#include "prediction.h"
#include "session.h"

/* Operands MODEL FILE... and how the files are read; the rest is left at 0. */
dps_predict_request dps_prediction_input(const dps_session *session);
/* Request from operands MODEL FILE..., -o and options; output places are tried. */
DPS_MUST_USE dps_status dps_prediction_request(const dps_session *session,
                                               dps_predict_request *request, dps_error *err);
/* Says how it went (scored: rows were compared with their labels) and writes the report. */
DPS_MUST_USE dps_status dps_prediction_finish(const dps_session *session,
                                              const dps_predict_result *result, bool scored,
                                              dps_error *err);

#endif
