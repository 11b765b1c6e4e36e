/* map.measure = variance: from sampled pairs of rows to weights of degrees; for planning. */
#ifndef DPS_PLAN_VARIANCE_H
#define DPS_PLAN_VARIANCE_H

#include "recipe.h"

/* Fills recipe->weight and weight_count for the degrees that are not exact. */
DPS_MUST_USE dps_status dps_plan_variance_weights(dps_map_recipe *recipe,
                                                  const dps_row_source *rows, const dps_run *run,
                                                  dps_error *err);

#endif
