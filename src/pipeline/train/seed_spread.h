/* map.seed = 1..5: how much the draw of the map matters. */
#ifndef DPS_SEED_SPREAD_H
#define DPS_SEED_SPREAD_H

#include "options.h"
#include "status.h"

/* The same training with another seed of the map. */
typedef struct dps_seed_trial {
    uint64_t seed;
    double figure[3]; /* on the training rows, data.validation, data.test: accuracy, or RMSE of
                         regression; NAN: not measured */
} dps_seed_trial;

typedef struct dps_seed_spread {
    int32_t count; /* trained with; 0: map.seed is one */
    dps_seed_trial trial[DPS_INTS_MOST];
} dps_seed_spread;

struct dps_training; /* training.h */

/* Refuses several seeds where the map draws nothing or cannot be drawn again. */
DPS_MUST_USE dps_status dps_seed_spread_check(const struct dps_training *t, dps_error *err);
/* Trains with every further seed of map.seed, at the chosen C, and measures as the first one was;
 * into t->result->seeds. Only the first one's model is kept: this comes when it is written. */
DPS_MUST_USE dps_status dps_spread_over_seeds(struct dps_training *t, dps_error *err);

#endif
