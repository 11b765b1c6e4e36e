/* What predict and transform share. */
#ifndef DPS_PREDICTION_REQUEST_H
#define DPS_PREDICTION_REQUEST_H

#include "prediction.h"
#include "session.h"

/* Request from operands MODEL FILE..., -o and options; output places are tried. */
DPS_MUST_USE dps_status dps_prediction_request(const dps_session *session,
                                               dps_predict_request *request, dps_error *err);
/* Says how it went (scored: rows were compared with their labels) and writes the report. */
DPS_MUST_USE dps_status dps_prediction_finish(const dps_session *session,
                                              const dps_predict_result *result, bool scored,
                                              dps_error *err);

#endif
