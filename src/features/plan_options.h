/* Which map options go together; for planning. */
#ifndef DPS_PLAN_OPTIONS_H
#define DPS_PLAN_OPTIONS_H

#include "recipe.h"

DPS_MUST_USE dps_status dps_refuse_map(dps_error *err, const char *text); /* DPS_ERROR_CONFIG */
DPS_MUST_USE dps_status dps_check_map_options(const dps_map_recipe *asked, dps_error *err);

#endif
