/* JSON objects that reports and `dpsvm info` share. A figure that does not apply is null. */
#ifndef DPS_JSON_REPORT_H
#define DPS_JSON_REPORT_H

#include <cjson/cJSON.h>
#include "metrics.h"
#include "recipe.h"
#include "residuals.h"
#include "run.h"
#include "stage_cost.h"

void dps_json_number(cJSON *object, const char *name, double value);
void dps_json_string(cJSON *object, const char *name, const char *value); /* NULL: null */
/* Adds "kernel": {...}. */
void dps_json_kernel(cJSON *root, const dps_kernel_params *kernel);
/* Adds "map": {...} and returns it; facts may be NULL. */
cJSON *dps_json_map(cJSON *root, const dps_map_recipe *recipe, const dps_map_facts *facts);
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
