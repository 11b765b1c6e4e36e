/* JSON objects that reports and `dpsvm info` share. A figure that does not apply is null. */
#ifndef DPS_JSON_REPORT_H
#define DPS_JSON_REPORT_H

#include <cjson/cJSON.h>
#include "metrics.h"
#include "options.h"
#include "recipe.h"
#include "residuals.h"
#include "run.h"
#include "stage_cost.h"
#include "text.h"

/* A report's object with "command" and "version". */
cJSON *dps_json_report(const char *command);
void dps_json_number(cJSON *object, const char *name, double value);
void dps_json_string(cJSON *object, const char *name, const char *value); /* NULL: null */
void dps_json_flag(cJSON *object, const char *name, bool value);
void dps_json_numbers(cJSON *object, const char *name, const double *value, int count);
/* Take the item, or NULL, for want of memory, which spoils what it was for, and give it back. */
cJSON *dps_json_put(cJSON *object, const char *name, cJSON *item);
cJSON *dps_json_append(cJSON *array, cJSON *item);
/* A new object at the end of an array. */
cJSON *dps_json_row(cJSON *array);
/* Adds an empty array or object, or null where it does not apply; NULL then. */
cJSON *dps_json_array(cJSON *root, const char *name, bool applies);
cJSON *dps_json_object(cJSON *root, const char *name, bool applies);
/* Adds "1": n_1 and so on of the degrees with n > 0. */
void dps_json_degrees(cJSON *root, const char *name, const int64_t *count);
/* Adds "section.key": "value". */
void dps_json_option(cJSON *object, const dps_options *options, dps_option_id id);
/* Adds "kernel": {...}. */
void dps_json_kernel(cJSON *root, const dps_kernel_params *kernel);
/* Adds "map": {...} and returns it; facts may be NULL. */
cJSON *dps_json_map(cJSON *root, const dps_map_recipe *recipe, const dps_map_facts *facts);
extern const char *const dps_stage_names[DPS_STAGE_COUNT];
/* Adds "stages": {...} and "seconds". */
void dps_json_stages(cJSON *root, const dps_stage_cost *stage, double seconds);
/* Adds a class's object to an array: label, rows, predicted, correct, precision, recall, f1. */
void dps_json_class(cJSON *array, const char *label, const dps_class_metrics *c);
/* Adds PREFIXrmse, PREFIXmae, PREFIXr2: null without rows. */
void dps_json_residuals(cJSON *root, const char *prefix, const dps_residuals *residuals);
/* Adds threads, SIMD path, memory. */
void dps_json_machine(cJSON *root, const dps_run *run);
/* The object as text with a newline at its end; frees it. */
void dps_json_text(cJSON *root, dps_text *out);
/* Writes that. */
DPS_MUST_USE dps_status dps_json_write(cJSON *root, const char *path, dps_error *err);

#endif
