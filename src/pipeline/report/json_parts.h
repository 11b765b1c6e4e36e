/* JSON objects that reports and `dpsvm info` share. A figure that does not apply is null. */
#ifndef DPS_JSON_PARTS_H
#define DPS_JSON_PARTS_H

#include <cjson/cJSON.h>
#include "recipe.h"

void dps_json_number(cJSON *object, const char *name, double value);
void dps_json_string(cJSON *object, const char *name, const char *value); /* NULL: null */
/* Adds "kernel": {...}. */
void dps_json_kernel(cJSON *root, const dps_kernel_params *kernel);
/* Adds "map": {...} and returns it; facts may be NULL. */
cJSON *dps_json_map(cJSON *root, const dps_map_recipe *recipe, const dps_map_facts *facts);

#endif
