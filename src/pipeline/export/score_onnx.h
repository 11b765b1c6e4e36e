/* A model as an ONNX graph. */
#ifndef DPS_SCORE_ONNX_H
#define DPS_SCORE_ONNX_H

#include "predictor.h"
#include "row_columns.h"

/* Bytes of its constants, about. */
double dps_score_onnx_bytes(const dps_predictor *predictor);
/* Check out->failed as well. */
DPS_MUST_USE dps_status dps_score_onnx(const dps_predictor *predictor, const dps_row_columns *rows,
                                       const char *name, dps_text *out, dps_error *err);

#endif
