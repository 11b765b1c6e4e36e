/* `map.measure = auto` and `map.features = auto`: the map by validation on a sample of rows. */
#ifndef DPS_CHOOSE_MAP_H
#define DPS_CHOOSE_MAP_H

#include "ladder.h"
#include "trial_rows.h"

/* What is automatic in `recipe`, as it was asked for, becomes what validation chooses; logs the
 * tables. All. measure, features: the maps tried; to be released, whether this fails or not. */
DPS_MUST_USE dps_status dps_choose_map(const dps_trial_base *base, dps_map_request *request,
                                       dps_ladder *measure, dps_ladder *features, dps_error *err);

#endif
