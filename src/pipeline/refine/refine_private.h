/* Of a refinement and its plan. */
#ifndef DPS_REFINE_PRIVATE_H
#define DPS_REFINE_PRIVATE_H

#include "map.h"
#include "trial_rows.h"

/* What `auto` means for `all` rows. */
dps_refine_settings dps_refine_resolve(const dps_refine_settings *asked, int64_t all);
/* The map as drawn; one that has nothing to move is refused. */
DPS_MUST_USE dps_status dps_refine_draw(dps_map **map, const dps_map_recipe *recipe,
                                        int32_t columns, const dps_run *run, dps_error *err);
/* Whether `rows` rows, mapped ones and the work on them are within `memory`; needs: as a text, of
 * DPS_NUMBER_MAX. */
DPS_MUST_USE dps_status dps_refine_check_memory(const dps_trial_base *base, const dps_map *map,
                                                bool metric, int64_t rows, size_t memory,
                                                char *needs, dps_error *err);

#endif
