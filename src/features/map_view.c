/* Task: the numbers of a built map, whatever order its kernels keep them in. Cost: a look each. */
#include "map_view.h"

#include <assert.h>
#include "map_private.h"

dps_map_view dps_map_view_of(const dps_map *map)
{
    return (dps_map_view){.layout = &map->layout,
                          .exact = &map->exact,
                          .hadamard =
                              map->hadamard.panels.blocks > 0 ? &map->hadamard.panels : NULL,
                          .mixing = map->layout.crafted ? &map->mixing.panels : NULL,
                          .input_inverse = map->input_inverse,
                          .amplitude = map->amplitude,
                          .pairs = map->pairs};
}

/* The panel of column c, and its place there. */
static int32_t panel_of(const dps_map *map, int32_t b, int32_t c, size_t *lane)
{
    assert(dps_panel_count(&map->layout.block[b]) > 0 && c < map->layout.block[b].columns);
    *lane = (size_t)(c % DPS_PANEL);
    return map->first_panel[b] + c / DPS_PANEL;
}

uint32_t dps_map_view_signs(const dps_map *map, int32_t b, int32_t c, int32_t f, int32_t w)
{
    size_t lane;
    const int32_t p = panel_of(map, b, c, &lane);
    const size_t words = ((size_t)map->layout.columns + 31) / 32;
    return map->word[map->offset[p] + ((size_t)f * words + (size_t)w) * DPS_PANEL + lane];
}

float dps_map_view_coefficient(const dps_map *map, int32_t b, int32_t c, int32_t f, int32_t j)
{
    size_t lane;
    const int32_t p = panel_of(map, b, c, &lane);
    const size_t d = (size_t)map->layout.columns;
    return map->frequency[map->offset[p] + ((size_t)f * d + (size_t)j) * DPS_PANEL + lane];
}

float dps_map_view_offset(const dps_map *map, int32_t b, int32_t c, int32_t f)
{
    size_t lane;
    const int32_t p = panel_of(map, b, c, &lane);
    return dps_block_has_phases(&map->layout.block[b])
               ? map->phase[map->phase_offset[p] + (size_t)f * DPS_PANEL + lane]
               : 0.0f;
}

dps_additive_panels dps_map_view_additive(const dps_map *map, int32_t b)
{
    const dps_block *block = &map->layout.block[b];
    return (dps_additive_panels){.columns = map->layout.columns,
                                 .degree = block->degree,
                                 .features = block->columns,
                                 .coordinate = map->pick + block->pick_at,
                                 .frequency = map->frequency + block->pick_at,
                                 .phase = map->phase + block->pick_at,
                                 .amplitude = map->amplitude,
                                 .weight = (float)block->weight};
}
