/* What every JSON report of a run ends with. */
#ifndef DPS_REPORT_PARTS_H
#define DPS_REPORT_PARTS_H

#include <cjson/cJSON.h>
#include "report.h"

/* Adds "stages": {...} and "seconds". */
void dps_json_stages(cJSON *root, const dps_stage_cost *stage, double seconds);
/* Adds a class's object to an array: label, rows, predicted, correct, precision, recall, f1. */
void dps_json_class(cJSON *array, const char *label, const dps_class_metrics *c);
/* Adds PREFIXrmse, PREFIXmae, PREFIXr2: null without rows. */
void dps_json_residuals(cJSON *root, const char *prefix, const dps_residuals *residuals);
/* Adds threads, SIMD path, memory. */
void dps_json_machine(cJSON *root, const dps_run *run);
/* Writes the object with a newline at its end, complete, and frees it. */
DPS_MUST_USE dps_status dps_json_write(cJSON *root, const char *path, dps_error *err);

#endif
