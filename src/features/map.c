/* Task: build the random feature map of a recipe and apply it to tiles of rows.
 *
 *   Z(x) = factor [ exact columns | (1/sqrt(D)) Z_i(x) ],
 *   Z_i(x) = sqrt(a_N / q(N)) prod_{j<=N} W_ij(x),
 *   W_ij(x) = <w_ij, x>, w_ij of signs            (Kar & Karnick 2012, Algorithm 1)
 *   W_ij(x) = sqrt(2) cos(<w_ij, x> + b_ij)       (Algorithm 2 over Rahimi & Recht 2007)
 *   fourier: sqrt(2/D) [cos <w_i, x>, sin <w_i, x>], i < D/2
 *
 * Signs are Philox words of (seed, SIGN, feature, factor); frequencies w ~ N(0, 2 gamma I) and
 * phases of (GAUSS, PHASE; feature, factor), kept in turns (divided by 2 pi). Source and numbers:
 * docs/algorithms.md, equations 4, 13 to 17.
 *
 * Layout: features sorted by degree, panels of DPS_PANEL of one degree; a block (one degree) is one
 * call of a fused kernel, which stores its columns packed. Cost: map_layout.h.
 *
 * Why compressed tiles are made dense up to DENSE_COLUMNS: the fused kernels beat the sparse ones
 * there, and the bits are the same. */
#include "map.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include "map_layout.h"
#include "memory.h"
#include "projection.h"
#include "signs.h"
#include "sparse_project.h"

enum {
    dense_columns = 2048, /* widest compressed rows that are made dense */
    dense_rows = 96       /* so many at a time */
};

static const double two_pi = 6.283185307179586;
static const double root_two = 1.4142135623730951;

struct dps_map {
    dps_map_layout layout;
    dps_exact exact;
    dps_map_type type;
    float input_inverse;
    float amplitude;
    int32_t *first_panel; /* of each block */
    int32_t *degree;      /* per panel, as in projection.h */
    size_t *offset, *phase_offset;
    float *weight;
    uint32_t *word;
    float *frequency, *phase;
    /* Scratch of one thread: dense rows, then exact monomials, then the kernels' own. */
    size_t exact_at, kernel_at, scratch_bytes;
};

static int32_t panel_count(const dps_block *block)
{
    const bool random = block->kind == DPS_BLOCK_SIGNS || block->kind == DPS_BLOCK_COSINES ||
                        block->kind == DPS_BLOCK_LINEAR;
    return random ? (block->columns + DPS_PANEL - 1) / DPS_PANEL : 0;
}

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

/* Frequencies and phase of one factor, in turns. */
static void draw_cosine(dps_map *map, const dps_map_recipe *recipe, uint32_t feature,
                        uint32_t factor, float *frequency)
{
    const double deviation = sqrt(2.0 * recipe->base_gamma) / two_pi;
    for (int32_t j = 0; j < map->layout.columns; j++) {
        frequency[(size_t)j * DPS_PANEL] =
            (float)(deviation * dps_random_normal(recipe->seed, DPS_STREAM_GAUSS, feature, factor,
                                                  (uint32_t)j));
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
        if (recipe->type == DPS_MAP_FOURIER) {
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

static void draw_panel(dps_map *map, const dps_map_recipe *recipe, const dps_block *block,
                       int32_t p)
{
    const int32_t before = (p - map->first_panel[block - map->layout.block]) * DPS_PANEL;
    for (int32_t lane = 0; lane < DPS_PANEL && before + lane < block->columns; lane++) {
        map->weight[(size_t)p * DPS_PANEL + (size_t)lane] = (float)block->weight;
        if (block->kind == DPS_BLOCK_SIGNS) {
            draw_sign_lane(map, recipe, block, p, lane);
        } else if (block->kind == DPS_BLOCK_COSINES) {
            draw_cosine_lane(map, recipe, block, p, lane);
        } else {
            copy_linear_lane(map, block, p, lane);
        }
    }
}

/* Places of all panels in words, frequencies and phases. */
static void place_panels(dps_map *map)
{
    const size_t d = (size_t)map->layout.columns;
    size_t words = 0, frequencies = 0, phases = 0;
    int32_t p = 0;
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        const size_t lanes = (size_t)block->degree * DPS_PANEL;
        map->first_panel[b] = p;
        for (int32_t end = p + panel_count(block); p < end; p++) {
            map->degree[p] = block->degree;
            map->phase_offset[p] = phases;
            if (block->kind == DPS_BLOCK_SIGNS) {
                map->offset[p] = words;
                words += lanes * ((d + 31) / 32);
            } else {
                map->offset[p] = frequencies;
                frequencies += lanes * d;
                phases += block->kind == DPS_BLOCK_COSINES ? lanes : 0;
            }
        }
    }
    assert((size_t)p == map->layout.panels && words == map->layout.sign_words &&
           frequencies == map->layout.frequencies && phases == map->layout.phases);
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
    if (map->first_panel == NULL || map->degree == NULL || map->offset == NULL ||
        map->phase_offset == NULL || map->weight == NULL || map->word == NULL ||
        map->frequency == NULL || map->phase == NULL) {
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
    const size_t rows = d <= dense_columns ? dense_rows : 1;
    size_t kernel = 0;
    if (map->layout.sign_words > 0) {
        kernel = larger(kernel, dps_sign_scratch_bytes(d));
    }
    if (map->layout.frequencies > 0) {
        kernel = larger(kernel, d <= dense_columns ? dps_real_scratch_bytes(d)
                                                   : dps_sparse_real_scratch_bytes(d));
    }
    map->exact_at = rows * padded * sizeof(float);
    map->kernel_at =
        map->exact_at + dps_round_up(dps_exact_scratch(&map->exact), DPS_PAD) * sizeof(float);
    map->scratch_bytes = dps_round_up(map->kernel_at + kernel, DPS_ALIGN);
}

static dps_status build(dps_map *map, const dps_map_recipe *recipe, int32_t columns,
                        const dps_run *run, dps_error *err)
{
    dps_status status = dps_map_layout_init(&map->layout, recipe, columns, run, err);
    if (status == DPS_OK) {
        status = dps_exact_init(&map->exact, recipe, columns, err);
    }
    if (status == DPS_OK) {
        status = allocate(map, err);
    }
    if (status != DPS_OK) {
        return status;
    }
    map->type = recipe->type;
    map->input_inverse = (float)(1.0 / recipe->input_scale);
    map->amplitude = recipe->type == DPS_MAP_FOURIER ? 1.0f : (float)root_two;
    place_panels(map);
    size_scratch(map);
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        const int32_t begin = map->first_panel[b], end = begin + panel_count(block);
#pragma omp parallel for schedule(dynamic) num_threads(run->threads)
        for (int32_t p = begin; p < end; p++) {
            draw_panel(map, recipe, block, p);
        }
    }
    return DPS_OK;
}

/* A recipe may come from a file. Numbers beyond float's range show up later, in the weights. */
static bool in_range(const dps_map_recipe *recipe, int32_t columns)
{
    const bool pairs = recipe->type != DPS_MAP_FOURIER || recipe->features % 2 == 0;
    return columns > 0 && recipe->features >= 0 && pairs &&
           recipe->exact_degree >= DPS_EXACT_NONE && recipe->exact_degree <= DPS_MAX_EXACT_DEGREE &&
           recipe->input_scale > 0.0 && recipe->p > 1.0 &&
           (dps_recipe_is_dot(recipe) || recipe->base_gamma > 0.0);
}

dps_status dps_map_new(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                       const dps_run *run, dps_error *err)
{
    *map = NULL;
    dps_status status = dps_kernel_check(&recipe->kernel, err);
    if (status != DPS_OK) {
        return status;
    }
    if (!in_range(recipe, columns)) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "the map's recipe has a value out of range (D = %d, d = %d, "
                             "exact_degree = %d)",
                             recipe->features, columns, recipe->exact_degree);
    }
    *map = dps_alloc(1, sizeof(**map));
    if (*map == NULL) {
        return dps_out_of_memory(err, 1, sizeof(**map), "the feature map");
    }
    status = build(*map, recipe, columns, run, err);
    if (status != DPS_OK) {
        dps_map_free(*map);
        *map = NULL;
    }
    return status;
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
    dps_exact_release(&map->exact);
    dps_map_layout_release(&map->layout);
    dps_free(map);
}

int32_t dps_map_width(const dps_map *map)
{
    return map->layout.width;
}

int32_t dps_map_sparse_columns(const dps_map *map)
{
    return map->layout.sparse_columns;
}

double dps_map_sparse_scale(const dps_map *map)
{
    return map->layout.sparse_scale;
}

size_t dps_map_scratch_bytes(const dps_map *map)
{
    return map->scratch_bytes;
}

int32_t dps_map_column_degree(const dps_map *map, int32_t j)
{
    assert(0 <= j && j < map->layout.width);
    if (map->type == DPS_MAP_FOURIER) {
        return -1;
    }
    if (j < map->exact.width) {
        return dps_exact_column_degree(&map->exact, j);
    }
    int32_t b = 0;
    while (j >= map->layout.block[b].first + map->layout.block[b].columns) {
        b++;
    }
    return map->layout.block[b].degree;
}

/* One block of a tile that is dense, or compressed and wide. */
static void apply_block(const dps_map *map, dps_simd simd, int32_t b, const dps_row_tile *tile,
                        float *z, size_t stride, void *scratch)
{
    const dps_block *block = &map->layout.block[b];
    const int32_t first = map->first_panel[b];
    const int32_t panels = panel_count(block);
    const bool dense = tile->dense != NULL;
    z += block->first;
    if (panels == 0) {
        const float value = block->kind == DPS_BLOCK_CONSTANT ? (float)block->weight : 0.0f;
        for (int32_t i = 0; i < tile->rows; i++) {
            for (int32_t j = 0; j < block->columns; j++) {
                z[(size_t)i * stride + (size_t)j] = value;
            }
        }
        return;
    }
    if (block->kind == DPS_BLOCK_SIGNS) {
        const dps_sign_panels signs = {.columns = map->layout.columns,
                                       .panels = panels,
                                       .degree = map->degree + first,
                                       .offset = map->offset + first,
                                       .word = map->word,
                                       .weight = map->weight + (size_t)first * DPS_PANEL,
                                       .input_scale_inverse = map->input_inverse};
        if (dense) {
            dps_sign_project(simd, &signs, tile, z, stride, block->columns, scratch);
        } else {
            dps_sparse_sign_project(simd, &signs, tile, z, stride, block->columns);
        }
        return;
    }
    const bool cosine = block->kind == DPS_BLOCK_COSINES;
    const dps_real_panels real = {.kind = cosine ? DPS_REAL_COSINE : DPS_REAL_LINEAR,
                                  .columns = map->layout.columns,
                                  .panels = panels,
                                  .degree = map->degree + first,
                                  .offset = map->offset + first,
                                  .frequency = map->frequency,
                                  .phase_offset = map->phase_offset + first,
                                  .phase = cosine ? map->phase : NULL,
                                  .amplitude = cosine ? map->amplitude : 1.0f,
                                  .weight = map->weight + (size_t)first * DPS_PANEL};
    if (dense) {
        dps_real_project(simd, &real, tile, z, stride, block->columns, scratch);
    } else {
        dps_sparse_real_project(simd, &real, tile, z, stride, block->columns, scratch);
    }
}

static void apply_blocks(const dps_map *map, dps_simd simd, const dps_row_tile *tile, float *z,
                         size_t stride, char *scratch)
{
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        apply_block(map, simd, b, tile, z, stride, scratch + map->kernel_at);
    }
}

static void apply_exact(const dps_map *map, const dps_row_tile *tile, float *z, size_t stride,
                        char *scratch)
{
    for (int32_t i = 0; i < tile->rows; i++) {
        dps_exact_row(&map->exact, tile->dense + (size_t)i * tile->stride, z + (size_t)i * stride,
                      (float *)(void *)(scratch + map->exact_at));
    }
}

/* Rows begin .. begin + rows - 1 of a compressed tile, as a dense one in x. */
static dps_row_tile make_dense(const dps_row_tile *tile, int32_t begin, int32_t rows, float *x)
{
    const size_t stride = dps_round_up((size_t)tile->columns, DPS_PAD);
    memset(x, 0, (size_t)rows * stride * sizeof(float));
    for (int32_t i = 0; i < rows; i++) {
        for (int64_t k = tile->start[begin + i]; k < tile->start[begin + i + 1]; k++) {
            x[(size_t)i * stride + (size_t)tile->column[k]] = tile->value[k];
        }
    }
    return (dps_row_tile){.rows = rows, .columns = tile->columns, .dense = x, .stride = stride};
}

static void apply_compressed(const dps_map *map, dps_simd simd, const dps_row_tile *tile, float *z,
                             size_t stride, char *scratch)
{
    const bool whole = tile->columns <= dense_columns;
    const int32_t step = whole ? dense_rows : 1;
    for (int32_t i = 0; (whole || map->exact.width > 0) && i < tile->rows; i += step) {
        const int32_t rows = tile->rows - i < step ? tile->rows - i : step;
        const dps_row_tile dense = make_dense(tile, i, rows, (float *)(void *)scratch);
        float *part = z + (size_t)i * stride;
        apply_exact(map, &dense, part, stride, scratch);
        if (whole) {
            apply_blocks(map, simd, &dense, part, stride, scratch);
        }
    }
    if (!whole) {
        apply_blocks(map, simd, tile, z, stride, scratch);
    }
}

static bool all_finite(const float *z, int32_t count)
{
    uint32_t worst = 0;
    for (int32_t j = 0; j < count; j++) {
        uint32_t bits;
        memcpy(&bits, z + j, sizeof(bits));
        bits &= 0x7fffffffu;
        worst = bits > worst ? bits : worst;
    }
    return worst < 0x7f800000u;
}

static dps_status check_finite(const dps_map *map, int32_t rows, const float *z, size_t stride,
                               dps_error *err)
{
    for (int32_t i = 0; i < rows; i++) {
        const float *row = z + (size_t)i * stride;
        if (all_finite(row, map->layout.width)) {
            continue;
        }
        int32_t j = 0;
        while (isfinite(row[j])) {
            j++;
        }
        return dps_error_at(err, DPS_ERROR_NUMERIC, NULL, i + 1, 0,
                            "a random feature of degree %d leaves the range of float for this row; "
                            "shrink the rows (data.normalize = max_norm or unit) or lower "
                            "kernel.degree",
                            dps_map_column_degree(map, j));
    }
    return DPS_OK;
}

dps_status dps_map_apply(const dps_map *map, dps_simd simd, const dps_row_tile *tile, float *z,
                         size_t stride, void *scratch, dps_error *err)
{
    assert(tile->columns == map->layout.columns && stride >= (size_t)map->layout.width);
    if (tile->dense != NULL) {
        apply_exact(map, tile, z, stride, scratch);
        apply_blocks(map, simd, tile, z, stride, scratch);
    } else {
        apply_compressed(map, simd, tile, z, stride, scratch);
    }
    return check_finite(map, tile->rows, z, stride, err);
}
