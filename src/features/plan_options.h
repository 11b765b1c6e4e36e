/* Which map options go together; for planning. */
#ifndef DPS_PLAN_OPTIONS_H
#define DPS_PLAN_OPTIONS_H

#include "recipe.h"

DPS_MUST_USE dps_status dps_refuse_map(dps_error *err, const char *text); /* DPS_ERROR_CONFIG */
DPS_MUST_USE dps_status dps_check_map_options(const dps_map_recipe *recipe, dps_error *err);

/* What map.h01 and map.exact_degree say together; DPS_EXACT_AUTO if neither says anything. */
DPS_MUST_USE dps_status dps_wanted_exact_degree(const dps_map_recipe *recipe, int32_t *wanted,
                                                dps_error *err);

#endif
