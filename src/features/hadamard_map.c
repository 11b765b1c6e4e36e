/* Task: draw the blocks of Hadamard projections (docs/algorithms.md, equations 21 and 30).
 *
 * Unit j (feature j, or features 2j and 2j + 1 of a complex one) is in block j / M at place j mod
 * M, M the size of the transform. Factor f of a block is one transform with its own signs and its
 * own order of outputs, whatever the degrees of its features: a feature of degree n takes part in
 * the first n. So a block costs as many transforms as its highest degree, and nothing depends on D.
 *
 * Within a block units lie by degree, descending: those with factor f come first. Cost: a
 * Fisher-Yates shuffle of M numbers a block and factor. */
#include "hadamard_map.h"
#include <math.h>
#include "allocation.h"
#include "signs.h"
#include "tile_loop.h"

/* Places of one block in the arrays, and what is needed while drawing. */
typedef struct drawing {
    dps_hadamard_map *map;
    uint64_t seed;
    int32_t columns, blocks, parts, size;
    size_t words;
    size_t *unit_at, *factor_at, *pick_at; /* blocks + 1 */
    int32_t *place, *degree;               /* of each unit */
} drawing;

static void drawing_release(drawing *d)
{
    dps_free(d->unit_at);
    dps_free(d->factor_at);
    dps_free(d->pick_at);
    dps_free(d->place);
    dps_free(d->degree);
}

/* Calls for every unit: its block's number k and layout block. */
static int32_t block_of_unit(const drawing *d, const dps_map_layout *layout, const dps_block *block,
                             int32_t column)
{
    return layout->feature[block->feature_begin + column] / d->parts / d->size;
}

/* Units, depth and picks of every block, then where each begins. */
static dps_status measure(dps_hadamard_map *map, drawing *d, const dps_map_layout *layout,
                          dps_error *err)
{
    const size_t blocks = (size_t)d->blocks;
    DPS_NEED(map->depth, blocks, "Hadamard blocks", err);
    DPS_NEED(map->units, blocks, "Hadamard blocks", err);
    DPS_NEED(d->unit_at, blocks + 1, "Hadamard blocks", err);
    DPS_NEED(d->factor_at, blocks + 1, "Hadamard blocks", err);
    DPS_NEED(d->pick_at, blocks + 1, "Hadamard blocks", err);
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        for (int32_t c = 0; block->kind == DPS_BLOCK_HADAMARD && c < block->columns;
             c += d->parts) {
            const int32_t k = block_of_unit(d, layout, block, c);
            map->units[k]++;
            d->pick_at[k + 1] += (size_t)block->degree;
            map->depth[k] = map->depth[k] > block->degree ? map->depth[k] : block->degree;
        }
    }
    for (size_t k = 0; k < blocks; k++) {
        d->unit_at[k + 1] = d->unit_at[k] + (size_t)map->units[k];
        d->factor_at[k + 1] = d->factor_at[k] + (size_t)map->depth[k];
        d->pick_at[k + 1] += d->pick_at[k];
    }
    return DPS_OK;
}

static dps_status allocate(dps_hadamard_map *map, drawing *d, dps_error *err)
{
    const size_t units = d->unit_at[d->blocks], factors = d->factor_at[d->blocks];
    DPS_NEED(map->active, factors, "Hadamard blocks (map.features)", err);
    DPS_NEED(map->word, factors * (size_t)d->parts * d->words, "Hadamard blocks (map.features)",
             err);
    DPS_NEED(map->pick, d->pick_at[d->blocks], "Hadamard blocks (map.features)", err);
    DPS_NEED(map->weight, units, "Hadamard blocks (map.features)", err);
    DPS_NEED(map->column, units, "Hadamard blocks (map.features)", err);
    DPS_NEED(d->place, units, "Hadamard blocks (map.features)", err);
    DPS_NEED(d->degree, units, "Hadamard blocks (map.features)", err);
    return DPS_OK;
}

/* Layout blocks come by degree, descending, so that units do in every block. */
static void place_units(dps_hadamard_map *map, const drawing *d, const dps_map_layout *layout)
{
    for (int32_t k = 0; k < d->blocks; k++) {
        map->units[k] = 0; /* counts up again */
    }
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        for (int32_t c = 0; block->kind == DPS_BLOCK_HADAMARD && c < block->columns;
             c += d->parts) {
            const int32_t k = block_of_unit(d, layout, block, c);
            const size_t u = d->unit_at[k] + (size_t)map->units[k]++;
            d->place[u] = layout->feature[block->feature_begin + c] / d->parts % d->size;
            d->degree[u] = block->degree;
            map->weight[u] = (float)block->weight;
            map->column[u] = block->first + c;
        }
    }
}

/* Signs, order and active units of block k; memory: a permutation of `size`. */
static dps_status draw_block(void *context, int64_t k, void *memory, DPS_UNUSED dps_error *err)
{
    const drawing *d = context;
    dps_hadamard_map *map = d->map;
    int64_t *permutation = memory;
    const uint32_t feature = (uint32_t)k * (uint32_t)d->size * (uint32_t)d->parts;
    const int32_t *degree = d->degree + d->unit_at[k], *place = d->place + d->unit_at[k];
    uint32_t *word = map->word + d->factor_at[k] * (size_t)d->parts * d->words;
    int32_t *pick = map->pick + d->pick_at[k];
    int32_t active = map->units[k];
    for (int32_t factor = 0; factor < map->depth[k]; factor++) {
        for (uint32_t part = 0; part < (uint32_t)d->parts; part++, word += d->words) {
            dps_draw_signs(d->seed, feature + part, (uint32_t)factor, d->columns, word, 1);
        }
        dps_random_permutation(d->seed, DPS_STREAM_PERMUTE, feature, (uint32_t)factor, d->size,
                               permutation);
        while (active > 0 && degree[active - 1] <= factor) {
            active--;
        }
        map->active[d->factor_at[k] + (size_t)factor] = active;
        for (int32_t u = 0; u < active; u++) {
            *pick++ = (int32_t)permutation[place[u]];
        }
    }
    return DPS_OK;
}

static dps_status draw_blocks(drawing *d, const dps_run *run, dps_error *err)
{
    const dps_tile_loop loop = {.tiles = d->blocks,
                                .threads = run->threads,
                                .bytes = (size_t)d->size * sizeof(int64_t),
                                .memory = "a Hadamard block",
                                .visit = draw_block,
                                .context = d,
                                .stops = run,
                                .doing = "drawing the map"};
    return dps_tile_loop_run(&loop, err);
}

static void set_panels(dps_hadamard_map *map, int32_t columns, int32_t blocks, bool pairs,
                       double input_scale)
{
    map->panels = (dps_hadamard_panels){.columns = columns,
                                        .size = dps_hadamard_size(columns),
                                        .blocks = blocks,
                                        .pairs = pairs,
                                        .depth = map->depth,
                                        .units = map->units,
                                        .active = map->active,
                                        .word = map->word,
                                        .pick = map->pick,
                                        .weight = map->weight,
                                        .column = map->column,
                                        .input_scale_inverse = (float)(1.0 / input_scale)};
}

dps_status dps_hadamard_map_init(dps_hadamard_map *map, const dps_map_layout *layout,
                                 const dps_map_recipe *recipe, const dps_run *run, dps_error *err)
{
    *map = (dps_hadamard_map){0};
    const bool pairs = dps_projects_pairs(recipe);
    const int32_t columns = layout->columns;
    drawing d = {.map = map,
                 .seed = recipe->seed,
                 .columns = columns,
                 .parts = pairs ? 2 : 1,
                 .size = dps_hadamard_size(columns),
                 .words = dps_hadamard_words(columns)};
    d.blocks = dps_hadamard_blocks(columns, recipe->features / d.parts);
    dps_status status = measure(map, &d, layout, err);
    DPS_THEN(status, allocate(map, &d, err));
    if (status == DPS_OK) {
        place_units(map, &d, layout);
        status = draw_blocks(&d, run, err);
    }
    drawing_release(&d);
    if (status == DPS_OK) {
        set_panels(map, columns, d.blocks, pairs, recipe->input_scale);
    } else {
        dps_hadamard_map_release(map);
    }
    return status;
}

dps_status dps_hadamard_mixing_init(dps_hadamard_map *map, uint64_t seed, int32_t columns,
                                    int32_t features, dps_error *err)
{
    *map = (dps_hadamard_map){.depth = dps_alloc(1, sizeof(int32_t)),
                              .units = dps_alloc(1, sizeof(int32_t)),
                              .active = dps_alloc(1, sizeof(int32_t)),
                              .pick = dps_alloc((size_t)features, sizeof(int32_t)),
                              .column = dps_alloc((size_t)features, sizeof(int32_t)),
                              .word = dps_alloc(dps_hadamard_words(columns), sizeof(uint32_t)),
                              .weight = dps_alloc((size_t)features, sizeof(float))};
    const int32_t size = dps_hadamard_size(columns);
    int64_t *permutation = dps_alloc((size_t)size, sizeof(*permutation));
    if (map->depth == NULL || map->units == NULL || map->active == NULL || map->pick == NULL ||
        map->column == NULL || map->word == NULL || map->weight == NULL || permutation == NULL) {
        dps_free(permutation);
        dps_hadamard_map_release(map);
        return dps_out_of_memory(err, (size_t)size, sizeof(int64_t), "mixing (map.craft)");
    }
    /* Features have smaller numbers than this one. */
    dps_draw_signs(seed, UINT32_MAX, 0, columns, map->word, 1);
    dps_random_permutation(seed, DPS_STREAM_PERMUTE, UINT32_MAX, 0, size, permutation);
    *map->depth = 1;
    *map->units = *map->active = features;
    for (int32_t j = 0; j < features; j++) {
        map->pick[j] = (int32_t)permutation[j];
        map->column[j] = j;
        map->weight[j] = (float)(1.0 / sqrt(features));
    }
    dps_free(permutation);
    set_panels(map, columns, 1, false, 1.0);
    return DPS_OK;
}

void dps_hadamard_map_release(dps_hadamard_map *map)
{
    dps_free(map->depth);
    dps_free(map->units);
    dps_free(map->active);
    dps_free(map->pick);
    dps_free(map->column);
    dps_free(map->word);
    dps_free(map->weight);
    *map = (dps_hadamard_map){0};
}
