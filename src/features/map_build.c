/* Task: draw the random feature map of a recipe: signs, frequencies, Hadamard blocks and weights,
 * in the order in which the kernels read them. What is drawn stands in map.c and
 * docs/algorithms.md, equations 4, 13 to 17 and 20 to 22; which blocks there are in map_layout.c.
 *
 * Every number is a function of (seed, stream, feature, factor, place): panels are drawn in
 * parallel without an order. Cost: one Philox block for 128 signs or for 2 frequencies. */
#include <assert.h>
#include <math.h>
#include "allocation.h"
#include "exact_log.h"
#include "map_private.h"
#include "map_projections.h"
#include "orthogonal.h"
#include "signs.h"
#include "sparse_project.h"
#include "tile_loop.h"

#define DRAWS_PER_THREAD 50000 /* sign words (about 20 ns), frequencies as eight of them */

static const double two_pi = 6.283185307179586;
static const double root_two = 1.4142135623730951;

/* Lane `lane` of panel p of a block of signs. */
static void draw_sign_lane(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                           int32_t p, int32_t lane)
{
    const size_t blocks = ((size_t)map->layout.columns + 31) / 32;
    const int32_t in_block = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL + lane;
    const int32_t feature = map->layout.feature[block->feature_begin + in_block];
    for (int32_t factor = 0; factor < block->degree; factor++) {
        uint32_t *word = map->word + map->offset[p] + (size_t)factor * blocks * DPS_PANEL + lane;
        dps_draw_signs(recipe->seed, (uint32_t)feature, (uint32_t)factor, map->layout.columns, word,
                       DPS_PANEL);
    }
}

/* Standard Cauchy: the ratio of two normals, so that no tangent is needed. */
static double next_cauchy(dps_normal_walk *walk)
{
    const double above = dps_normal_walk_next(walk);
    return above / dps_normal_walk_next(walk);
}

static void draw_gaussian_lane(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                               int32_t p, int32_t lane)
{
    const int32_t d = map->layout.columns;
    const int32_t in_block = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL + lane;
    const int32_t feature = map->layout.feature[block->feature_begin + in_block];
    float *w = map->frequency + map->offset[p] + lane;
    dps_normal_walk walk;
    for (int32_t factor = 0; factor < block->degree; factor++) {
        dps_normal_walk_start(&walk, recipe->seed, DPS_STREAM_GAUSS, (uint32_t)feature,
                              (uint32_t)factor, d);
        for (int32_t j = 0; j < d; j++, w += DPS_PANEL) {
            *w = (float)(dps_normal_walk_next(&walk) / recipe->input_scale);
        }
    }
}

/* As signs or Gaussians are drawn, over the input's scale; offset 0. */
static void draw_affine_lane(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                             int32_t p, int32_t lane)
{
    const int32_t d = map->layout.columns;
    const int32_t in_block = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL + lane;
    if (block->feature_begin < 0) { /* the rows */
        map->frequency[map->offset[p] + (size_t)in_block * DPS_PANEL + (size_t)lane] = 1.0f;
        return;
    }
    if (recipe->projection == DPS_PROJECTION_GAUSSIAN) {
        draw_gaussian_lane(map, recipe, block, p, lane);
        return;
    }
    const int32_t feature = map->layout.feature[block->feature_begin + in_block];
    float *w = map->frequency + map->offset[p] + lane;
    for (int32_t factor = 0; factor < block->degree; factor++) {
        for (int32_t j = 0; j < d; j++, w += DPS_PANEL) {
            const bool minus =
                dps_sign_is_minus(recipe->seed, (uint32_t)feature, (uint32_t)factor, (uint32_t)j);
            *w = minus ? -map->input_inverse : map->input_inverse;
        }
    }
}

/* Frequencies and phase of one factor, in turns. */
static void draw_cosine(dps_map *map, const dps_map_recipe *recipe, uint32_t feature,
                        uint32_t factor, float *frequency)
{
    const bool laplacian = recipe->base == DPS_BASE_LAPLACIAN;
    const int32_t d = map->layout.columns;
    const double scale = (laplacian ? recipe->base_gamma : sqrt(2.0 * recipe->base_gamma)) / two_pi;
    dps_normal_walk walk;
    dps_normal_walk_start(&walk, recipe->seed, DPS_STREAM_GAUSS, feature, factor,
                          laplacian ? 2 * d : d);
    for (int32_t j = 0; j < d; j++) {
        const double drawn = laplacian ? next_cauchy(&walk) : dps_normal_walk_next(&walk);
        frequency[(size_t)j * DPS_PANEL] = (float)(scale * drawn);
    }
}

/* Coordinate, frequency (of density sech(pi w), or 2 / (pi (1 + 4 w^2))) and phase of feature f of
 * a block and each factor. */
static void draw_additive(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                          int32_t f)
{
    const bool pairs = recipe->type == DPS_MAP_FOURIER;
    const int32_t number = map->layout.feature[block->feature_begin + f];
    const uint32_t feature = (uint32_t)(pairs ? number / 2 : number);
    for (uint32_t factor = 0; factor < (uint32_t)block->degree; factor++) {
        const size_t at = block->pick_at + factor * (size_t)block->columns + (size_t)f;
        const double cauchy =
            dps_random_normal(recipe->seed, DPS_STREAM_GAUSS, feature, factor, 0) /
            dps_random_normal(recipe->seed, DPS_STREAM_GAUSS, feature, factor, 1);
        const double frequency = recipe->base == DPS_BASE_CHI2
                                     ? dps_log_exact_ops(fabs(cauchy)) / (0.5 * two_pi)
                                     : 0.5 * cauchy;
        map->pick[at] = (int32_t)dps_random_below(recipe->seed, DPS_STREAM_COORDINATE, feature,
                                                  factor, 0, (uint64_t)map->layout.columns);
        map->frequency[at] = (float)(frequency / two_pi);
        map->phase[at] =
            pairs ? (number % 2 == 0 ? 0.0f : -0.25f)
                  : (float)dps_random_uniform(recipe->seed, DPS_STREAM_PHASE, feature, factor, 0);
    }
}

/* Frequencies first .. first + count - 1 of a Fourier block, count <= d: drawn as draw_cosine does,
 * then made orthogonal. vector: count x (d + 2) doubles. */
static void draw_orthogonal(dps_map *map, const dps_map_recipe *recipe, int32_t first,
                            int32_t count, double *vector)
{
    const int32_t d = map->layout.columns;
    const double scale = sqrt(2.0 * recipe->base_gamma) / two_pi;
    dps_normal_walk walk;
    for (int32_t k = 0; k < count; k++) {
        dps_normal_walk_start(&walk, recipe->seed, DPS_STREAM_GAUSS, (uint32_t)(first + k), 0, d);
        for (int32_t j = 0; j < d; j++) {
            vector[(size_t)j * (size_t)count + (size_t)k] = dps_normal_walk_next(&walk);
        }
    }
    dps_make_orthogonal(vector, d, count, vector + (size_t)d * (size_t)count);
    for (int32_t column = 2 * first; column < 2 * (first + count); column++) {
        float *frequency = map->frequency + map->offset[column / DPS_PANEL] + column % DPS_PANEL;
        const double *own = vector + column / 2 - first;
        for (int32_t j = 0; j < d; j++) {
            frequency[(size_t)j * DPS_PANEL] = (float)(scale * own[(size_t)j * (size_t)count]);
        }
    }
}

static void draw_cosine_lane(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                             int32_t p, int32_t lane)
{
    const size_t d = (size_t)map->layout.columns;
    const int32_t in_block = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL + lane;
    const int32_t feature = map->layout.feature[block->feature_begin + in_block];
    for (int32_t factor = 0; factor < block->degree; factor++) {
        float *frequency = map->frequency + map->offset[p] + (size_t)factor * d * DPS_PANEL + lane;
        float *phase = map->phase + map->phase_offset[p] + (size_t)factor * DPS_PANEL + lane;
        if (recipe->type == DPS_MAP_FOURIER && recipe->refine != DPS_REFINE_PROJECTIONS) {
            /* Pairs share a frequency; sin(2 pi t) = cos(2 pi (t - 1/4)). */
            draw_cosine(map, recipe, (uint32_t)feature / 2, 0, frequency);
            *phase = feature % 2 == 0 ? 0.0f : -0.25f;
        } else {
            draw_cosine(map, recipe, (uint32_t)feature, (uint32_t)factor, frequency);
            *phase = (float)dps_random_uniform(recipe->seed, DPS_STREAM_PHASE, (uint32_t)feature,
                                               (uint32_t)factor, 0);
        }
    }
}

/* Row m of the collapsed factor is the projection of column m. */
static void copy_linear_lane(dps_map *map, const dps_block *block, int32_t p, int32_t lane)
{
    const size_t d = (size_t)map->layout.columns;
    const int32_t in_block = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL + lane;
    const double *row = map->layout.linear_factor + (size_t)in_block * d;
    for (size_t j = 0; j < d; j++) {
        map->frequency[map->offset[p] + j * DPS_PANEL + (size_t)lane] = (float)row[j];
    }
}

/* Places of all panels in words, frequencies and phases. */
static void place_panels(dps_map *map)
{
    const size_t d = (size_t)map->layout.columns;
    size_t words = 0, frequencies = 0, phases = 0, picks = 0;
    int32_t p = 0;
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        dps_block *block = &map->layout.block[b];
        const size_t lanes = (size_t)block->degree * DPS_PANEL;
        if (block->kind == DPS_BLOCK_ADDITIVE) {
            const size_t each = (size_t)block->columns * (size_t)block->degree;
            block->pick_at = picks;
            picks += each;
            frequencies += each;
            phases += each;
        }
        map->first_panel[b] = p;
        for (int32_t end = p + dps_panel_count(block); p < end; p++) {
            map->degree[p] = block->degree;
            map->phase_offset[p] = phases;
            if (block->kind == DPS_BLOCK_SIGNS) {
                map->offset[p] = words;
                words += lanes * ((d + 31) / 32);
            } else {
                map->offset[p] = frequencies;
                frequencies += lanes * d;
                phases += dps_block_has_phases(block) ? lanes : 0;
            }
        }
    }
    assert((size_t)p == map->layout.panels && words == map->layout.sign_words &&
           frequencies == map->layout.frequencies && phases == map->layout.phases &&
           (map->layout.hadamard_words > 0 || picks == map->layout.picks));
}

static dps_status allocate(dps_map *map, dps_error *err)
{
    const dps_map_layout *layout = &map->layout;
    const size_t panels = layout->panels;
    map->first_panel = dps_alloc((size_t)layout->block_count, sizeof(int32_t));
    map->degree = dps_alloc(panels, sizeof(int32_t));
    map->offset = dps_alloc(panels, sizeof(size_t));
    map->phase_offset = dps_alloc(panels, sizeof(size_t));
    map->weight = dps_alloc(panels * DPS_PANEL, sizeof(float));
    map->word = dps_alloc(layout->sign_words, sizeof(uint32_t));
    map->frequency = dps_alloc(layout->frequencies, sizeof(float));
    map->phase = dps_alloc(layout->phases, sizeof(float));
    const size_t coordinates = layout->hadamard_words > 0 ? 0 : layout->picks;
    map->pick = dps_alloc(coordinates, sizeof(int32_t));
    if (map->first_panel == NULL || map->degree == NULL || map->offset == NULL ||
        map->phase_offset == NULL || map->weight == NULL || map->word == NULL ||
        map->frequency == NULL || map->phase == NULL || map->pick == NULL) {
        return dps_out_of_memory(err, layout->map_bytes, 1, "the feature map (map.features)");
    }
    return DPS_OK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void size_scratch(dps_map *map)
{
    const int32_t d = map->layout.columns;
    const size_t padded = dps_round_up((size_t)d, DPS_PAD);
    const size_t rows = d <= DPS_DENSE_COLUMNS ? DPS_DENSE_ROWS : 1;
    size_t kernel = 0;
    if (map->layout.sign_words > 0) {
        kernel = larger(kernel, dps_sign_scratch_bytes(d));
    }
    if (map->layout.frequencies > 0) {
        kernel = larger(kernel, d <= DPS_DENSE_COLUMNS ? dps_real_scratch_bytes(d)
                                                       : dps_sparse_real_scratch_bytes(d));
    }
    if (map->layout.hadamard_words > 0) {
        kernel = larger(kernel, dps_hadamard_scratch_bytes(d, map->pairs));
    } else if (map->layout.picks > 0) {
        kernel = larger(kernel, dps_additive_scratch_bytes(d));
    }
    map->exact_at = rows * padded * sizeof(float);
    map->kernel_at =
        map->exact_at + dps_round_up(dps_exact_scratch(&map->exact), DPS_PAD) * sizeof(float);
    map->craft_at = dps_round_up(map->kernel_at + kernel, DPS_ALIGN);
    map->mix_at = map->scratch_bytes = map->craft_at;
    if (map->layout.crafted) {
        const size_t stride = dps_round_up((size_t)map->layout.random, DPS_PAD);
        map->mix_at += DPS_CRAFT_ROWS * stride * sizeof(float);
        map->scratch_bytes = dps_round_up(
            map->mix_at + dps_hadamard_scratch_bytes(map->layout.random, false), DPS_ALIGN);
    }
}

/* What the loops below draw. */
typedef struct drawing {
    dps_map *map;
    const dps_map_recipe *recipe;
} drawing;

/* Group g of d frequencies. */
static dps_status draw_group(void *context, int64_t g, void *memory, dps_error *err)
{
    (void)err;
    const drawing *draw = context;
    const int32_t d = draw->map->layout.columns, first = (int32_t)g * d;
    const int32_t left = draw->recipe->features / 2 - first;
    draw_orthogonal(draw->map, draw->recipe, first, left < d ? left : d, memory);
    return DPS_OK;
}

static dps_status draw_orthogonal_block(drawing *draw, const dps_run *run, dps_error *err)
{
    const int32_t d = draw->map->layout.columns, frequencies = draw->recipe->features / 2;
    const int32_t most = frequencies < d ? frequencies : d;
    const int32_t groups = frequencies / d + (frequencies % d != 0);
    const dps_tile_loop loop = {.tiles = groups,
                                .threads = dps_run_threads(run, groups),
                                .bytes = (size_t)most * ((size_t)d + 2) * sizeof(double),
                                .memory = "orthogonal frequencies (map.orthogonal)",
                                .visit = draw_group,
                                .context = draw,
                                .stops = run,
                                .doing = "drawing the map"};
    return dps_tile_loop_run(&loop, err);
}

static const dps_block *block_of_panel(const dps_map *map, int32_t p)
{
    int32_t b = 0;
    while (p >= map->first_panel[b] + dps_panel_count(&map->layout.block[b])) {
        b++;
    }
    return &map->layout.block[b];
}

static dps_status draw_panel(void *context, int64_t panel, DPS_UNUSED void *memory,
                             DPS_UNUSED dps_error *err)
{
    const drawing *draw = context;
    dps_map *map = draw->map;
    const dps_map_recipe *recipe = draw->recipe;
    const int32_t p = (int32_t)panel;
    const dps_block *block = block_of_panel(map, p);
    const int32_t before = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL;
    for (int32_t lane = 0; lane < DPS_PANEL && before + lane < block->columns; lane++) {
        const bool imaginary = block->kind == DPS_BLOCK_SIGNS && map->pairs && lane % 2 == 1;
        map->weight[(size_t)p * DPS_PANEL + (size_t)lane] = imaginary ? 0.0f : (float)block->weight;
        if (recipe->refine == DPS_REFINE_PROJECTIONS && recipe->moved != NULL) {
            continue;
        }
        if (block->kind == DPS_BLOCK_SIGNS) {
            draw_sign_lane(map, recipe, block, p, lane);
        } else if (block->kind == DPS_BLOCK_AFFINE) {
            draw_affine_lane(map, recipe, block, p, lane);
        } else if (block->kind == DPS_BLOCK_GAUSSIANS) {
            draw_gaussian_lane(map, recipe, block, p, lane);
        } else if (block->kind == DPS_BLOCK_COSINES) {
            draw_cosine_lane(map, recipe, block, p, lane);
        } else {
            copy_linear_lane(map, block, p, lane);
        }
    }
    return DPS_OK;
}

static dps_status draw_panels(drawing *draw, const dps_run *run, dps_error *err)
{
    /* Threads cost more than they bring below some tens of thousands of draws each. */
    const dps_map_layout *layout = &draw->map->layout;
    const size_t worth = 1 + (layout->sign_words + 8 * layout->frequencies) / DRAWS_PER_THREAD;
    const dps_tile_loop loop = {.tiles = (int64_t)layout->panels,
                                .threads = worth < (size_t)run->threads ? (int)worth : run->threads,
                                .visit = draw_panel,
                                .context = draw,
                                .stops = run,
                                .doing = "drawing the map"};
    return dps_tile_loop_run(&loop, err);
}

static dps_status draw_blocks(dps_map *map, const dps_map_recipe *recipe, const dps_run *run,
                              dps_error *err)
{
    drawing draw = {map, recipe};
    DPS_TRY(draw_panels(&draw, run, err));
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        for (int32_t f = 0; block->kind == DPS_BLOCK_ADDITIVE && f < block->columns; f++) {
            draw_additive(map, recipe, block, f);
            if (f % 4096 == 0 && dps_run_stopped(run)) {
                return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while drawing the map");
            }
        }
    }
    if (map->layout.hadamard_words > 0) {
        return dps_hadamard_map_init(&map->hadamard, &map->layout, recipe, run, err);
    }
    if (recipe->orthogonal) {
        return draw_orthogonal_block(&draw, run, err);
    }
    return DPS_OK;
}

/* From as drawn to as the recipe says. */
static dps_status move(dps_map *map, const dps_map_recipe *recipe, dps_error *err)
{
    const int64_t d = map->layout.columns, factors = dps_map_factors(map);
    const int64_t count = recipe->refine == DPS_REFINE_METRIC
                              ? dps_metric_numbers(map->layout.columns)
                              : (d + 1) * factors;
    if (recipe->moved_count != count) {
        return dps_error_set(err, DPS_ERROR_DATA, "the map moves by %lld numbers, found %lld",
                             (long long)count, (long long)recipe->moved_count);
    }
    if (recipe->refine == DPS_REFINE_PROJECTIONS) {
        dps_map_move(map, recipe->moved);
        return DPS_OK;
    }
    float *v;
    DPS_NEED(v, 2 * (size_t)((d + 1) * factors), "the map's projections", err);
    dps_map_projections(map, v);
    dps_metric_apply(map->layout.columns, (int32_t)factors, recipe->moved, v,
                     v + (d + 1) * factors);
    dps_map_move(map, v + (d + 1) * factors);
    dps_free(v);
    return DPS_OK;
}

static dps_status build(dps_map *map, const dps_map_recipe *recipe, int32_t columns,
                        const dps_map_widths *widths, const dps_run *run, dps_error *err)
{
    DPS_TRY(dps_map_layout_init(&map->layout, recipe, columns, widths, run, err));
    DPS_TRY(dps_exact_init(&map->exact, recipe, columns, err));
    DPS_TRY(allocate(map, err));
    map->type = recipe->type;
    map->input_inverse = (float)(1.0 / recipe->input_scale);
    const double base_amplitude = dps_recipe_is_additive(recipe) ? sqrt(columns) : 1.0;
    map->amplitude =
        (float)(recipe->type == DPS_MAP_FOURIER ? base_amplitude : root_two * base_amplitude);
    map->pairs = dps_projects_pairs(recipe);
    map->moves = recipe->refine != DPS_REFINE_NONE;
    place_panels(map);
    size_scratch(map);
    dps_map_recipe drawn = *recipe;
    drawn.features = (int32_t)dps_recipe_drawn(recipe);
    DPS_TRY(draw_blocks(map, &drawn, run, err));
    if (map->layout.crafted) {
        DPS_TRY(dps_hadamard_mixing_init(&map->mixing, recipe->seed, map->layout.random,
                                         recipe->features, err));
    }
    return map->moves && recipe->moved != NULL ? move(map, recipe, err) : DPS_OK;
}

dps_status dps_map_new_as(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                          const dps_map_widths *widths, const dps_run *run, dps_error *err)
{
    *map = NULL;
    DPS_TRY(dps_map_check_recipe(recipe, columns, err));
    DPS_NEED(*map, 1, "the feature map", err);
    const dps_status status = build(*map, recipe, columns, widths, run, err);
    if (status != DPS_OK) {
        dps_map_free(*map);
        *map = NULL;
    }
    return status;
}

dps_status dps_map_new(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                       const dps_run *run, dps_error *err)
{
    return dps_map_new_as(map, recipe, columns, NULL, run, err);
}

void dps_map_free(dps_map *map)
{
    if (map == NULL) {
        return;
    }
    dps_free(map->first_panel);
    dps_free(map->degree);
    dps_free(map->offset);
    dps_free(map->phase_offset);
    dps_free(map->weight);
    dps_free(map->word);
    dps_free(map->frequency);
    dps_free(map->phase);
    dps_free(map->pick);
    dps_hadamard_map_release(&map->hadamard);
    dps_hadamard_map_release(&map->mixing);
    dps_exact_release(&map->exact);
    dps_map_layout_release(&map->layout);
    dps_free(map);
}
