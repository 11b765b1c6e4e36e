/* The Hadamard projections of a map: which features share a block, their signs and order. */
#ifndef DPS_HADAMARD_MAP_H
#define DPS_HADAMARD_MAP_H

#include "hadamard.h"
#include "map_layout.h"

typedef struct dps_hadamard_map {
    dps_hadamard_panels panels; /* points at what follows; blocks = 0: there are none */
    int32_t *depth, *units, *active, *pick, *column;
    uint32_t *word;
    float *weight;
} dps_hadamard_map;

/* All blocks of kind DPS_BLOCK_HADAMARD. recipe: with all features that are drawn. */
DPS_MUST_USE dps_status dps_hadamard_map_init(dps_hadamard_map *map, const dps_map_layout *layout,
                                              const dps_map_recipe *recipe, const dps_run *run,
                                              dps_error *err);
/* map.craft: one transform of `columns` numbers, of which `features` outputs are taken. */
DPS_MUST_USE dps_status dps_hadamard_mixing_init(dps_hadamard_map *map, uint64_t seed,
                                                 int32_t columns, int32_t features, dps_error *err);
void dps_hadamard_map_release(dps_hadamard_map *map); /* accepts a zeroed struct */

#endif
