/* A built map as numbers, for those who write it in another form. What the columns are made of and
 * in which order stands in map.h, map_layout.h, exact.h, hadamard.h and additive.h. */
#ifndef DPS_MAP_VIEW_H
#define DPS_MAP_VIEW_H

#include "additive.h"
#include "exact.h"
#include "hadamard.h"
#include "map.h"
#include "map_layout.h"

/* Borrowed from the map. */
typedef struct dps_map_view {
    const dps_map_layout *layout;
    const dps_exact *exact;
    const dps_hadamard_panels *hadamard; /* all blocks of that kind; NULL: none */
    const dps_hadamard_panels *mixing;   /* from the random columns to D of them; NULL: none */
    float input_inverse;                 /* of signs: they project x times this */
    float amplitude;                     /* of a cosine */
    bool pairs;                          /* of signs: factors multiply as complex numbers */
} dps_map_view;

dps_map_view dps_map_view_of(const dps_map *map);

/* Block b, its column c, factor f. Signs: word w, of which bit k is set where coordinate 32 w + k
 * enters with a minus. */
uint32_t dps_map_view_signs(const dps_map *map, int32_t b, int32_t c, int32_t f, int32_t w);
/* Blocks of real projections: coefficient of coordinate j, and the offset (0 without phases);
 * those of cosines in turns. */
float dps_map_view_coefficient(const dps_map *map, int32_t b, int32_t c, int32_t f, int32_t j);
float dps_map_view_offset(const dps_map *map, int32_t b, int32_t c, int32_t f);
/* An additive block. */
dps_additive_panels dps_map_view_additive(const dps_map *map, int32_t b);

#endif
