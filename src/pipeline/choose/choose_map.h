/* `map.measure = auto` and `map.features = auto`: the map by validation on a sample of rows. */
#ifndef DPS_CHOOSE_MAP_H
#define DPS_CHOOSE_MAP_H

#include "score_spread.h"
#include "status.h"

#define DPS_MAP_STEPS 16 /* maps tried */

/* Maps that map.measure = auto or map.features = auto tried. */
typedef struct dps_map_trial {
    const char *measure;     /* static text; NULL: of map.features */
    int32_t features, width; /* D, D' */
    dps_spread spread;
    bool best, chosen;
} dps_map_trial;
typedef struct dps_map_search {
    int32_t count; /* 0: not searched */
    dps_metric metric;
    int64_t rows; /* of the sample */
    dps_map_trial trial[DPS_MAP_STEPS];
} dps_map_search;

typedef struct dps_map_step {
    double *score; /* a record of score_spread.h; NULL: not tried */
    dps_spread spread;
    int32_t features, width; /* D, D' */
} dps_map_step;

/* Maps tried, from the one preferred to the one that must prove itself. */
typedef struct dps_map_steps {
    dps_metric metric;
    int32_t folds;
    int32_t count;
    dps_map_step step[DPS_MAP_STEPS];
} dps_map_steps;

/* The first step that is as good as the best up to one standard error. */
int32_t dps_map_steps_choose(const dps_map_steps *steps);
/* Whether neither of the last two steps is better than the best one before them by more than one
 * standard error. */
bool dps_map_steps_level(const dps_map_steps *steps);

struct dps_training;
/* Replaces what is automatic in the recipe of t->settings by what validation chooses; logs the
 * tables. After dps_training_load. */
DPS_MUST_USE dps_status dps_choose_map(struct dps_training *t, dps_error *err);

#endif
