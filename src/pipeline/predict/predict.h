/* `dpsvm predict`: rows through a model. */
#ifndef DPS_PREDICT_H
#define DPS_PREDICT_H

#include "row_stream.h"

/* Streams: reads, maps, scores and writes chunk by chunk in input order, in memory that does not
 * grow with the number of rows. */
DPS_MUST_USE dps_status dps_predict(const dps_predict_request *request, const dps_run *run,
                                    dps_predict_result *result, dps_error *err);

/* Rows through a model in memory. */
DPS_MUST_USE dps_status dps_predict_into(const dps_predict_request *request, const dps_model *model,
                                         const dps_stream_sink *sink, const dps_run *run,
                                         dps_predict_result *result, dps_error *err);

#endif
