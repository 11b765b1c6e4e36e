/* `dpsvm transform`: mapped rows. */
#ifndef DPS_TRANSFORM_H
#define DPS_TRANSFORM_H

#include "prediction.h"
#include "run.h"

typedef enum dps_transform_format {
    DPS_TRANSFORM_LIBSVM,
    DPS_TRANSFORM_CSV,
    DPS_TRANSFORM_NPY
} dps_transform_format;
extern const char *const dps_transform_format_names[];
/* The mapped rows (request->output is not used). libsvm: label first; csv: label last column when
 * there are labels; npy: float32 matrix without labels. */
DPS_MUST_USE dps_status dps_transform(const dps_predict_request *request,
                                      dps_transform_format format, const dps_run *run,
                                      dps_predict_result *result, dps_error *err);

#endif
