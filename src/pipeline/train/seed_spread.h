/* map.seed = 1..5: how much the draw of the map matters. */
#ifndef DPS_SEED_SPREAD_H
#define DPS_SEED_SPREAD_H

#include "training.h"

/* Refuses several seeds where the map draws nothing or cannot be drawn again. */
DPS_MUST_USE dps_status dps_seed_spread_check(const dps_training *t, dps_error *err);
/* Trains with every further seed of map.seed, at the chosen C, and measures as the first one was;
 * into t->result->seed. Only the first one's model is kept: this comes when it is written. */
DPS_MUST_USE dps_status dps_spread_over_seeds(dps_training *t, dps_error *err);

#endif
