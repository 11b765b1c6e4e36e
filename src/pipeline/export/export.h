/* `dpsvm export`: a model that scores rows elsewhere, without dpsvm. */
#ifndef DPS_EXPORT_H
#define DPS_EXPORT_H

#include <stdbool.h>
#include "run.h"
#include "status.h"

/* More is written if the user says so. */
#define DPS_EXPORT_NUMBERS 5000000 /* as C */
#define DPS_EXPORT_BYTES   500.0e6 /* as ONNX */

typedef struct dps_export_request {
    const char *model_path;
    const char *c_path;    /* "-": standard output; NULL: none */
    const char *onnx_path; /* likewise */
    const char *name;      /* of functions, or of the graph; NULL: "model" */
    bool force;            /* however large */
} dps_export_request;

DPS_MUST_USE dps_status dps_export(const dps_export_request *request, const dps_run *run,
                                   dps_error *err);

#endif
