/* Task: apply the random feature map of a recipe to tiles of rows (map_build.c draws it).
 *
 *   Z(x) = factor [ exact columns | (1/sqrt(D)) Z_i(x) ],
 *   Z_i(x) = sqrt(a_N / q(N)) prod_{j<=N} W_ij(x),
 *   W_ij(x) = <w_ij, x>, w_ij of signs            (Kar & Karnick 2012, Algorithm 1)
 *   W_ij(x) = sqrt(2) cos(<w_ij, x> + b_ij)       (Algorithm 2 over Rahimi & Recht 2007)
 *   fourier: sqrt(2/D) [cos <w_i, x>, sin <w_i, x>], i < D/2
 *
 * With map.craft the random columns are mixed down to D by one Hadamard transform (equation 30).
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
#include "allocation.h"
#include "map_private.h"
#include "map_view.h"
#include "sparse_project.h"

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
    if (j < map->exact.width) {
        return dps_exact_column_degree(&map->exact, j);
    }
    if (map->layout.crafted ||
        (map->type == DPS_MAP_FOURIER && j - map->exact.width < map->layout.rows_at)) {
        return -1;
    }
    int32_t b = 0;
    j -= map->exact.width;
    while (j >= map->layout.block[b].first + map->layout.block[b].columns) {
        b++;
    }
    return map->layout.block[b].degree;
}

static int32_t panels_of(int32_t columns)
{
    return (columns + DPS_PANEL - 1) / DPS_PANEL;
}

static void apply_constant(const dps_block *block, int32_t columns, int32_t rows, float *z,
                           size_t stride)
{
    const float value = block->kind == DPS_BLOCK_CONSTANT ? (float)block->weight : 0.0f;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            z[(size_t)i * stride + (size_t)j] = value;
        }
    }
}

/* Columns of block b from its column `begin`, a multiple of DPS_PANEL unless the block has no
 * panels. */
typedef struct block_part {
    int32_t b, begin, columns;
} block_part;

static void apply_signs(const dps_map *map, dps_simd simd, block_part part,
                        const dps_row_tile *tile, float *z, size_t stride, void *scratch)
{
    const int32_t first = map->first_panel[part.b] + part.begin / DPS_PANEL;
    const dps_sign_panels signs = {.columns = map->layout.columns,
                                   .panels = panels_of(part.columns),
                                   .degree = map->degree + first,
                                   .offset = map->offset + first,
                                   .word = map->word,
                                   .weight = map->weight + (size_t)first * DPS_PANEL,
                                   .input_scale_inverse = map->input_inverse,
                                   .pairs = map->pairs};
    if (tile->dense != NULL) {
        dps_sign_project(simd, &signs, tile, z, stride, part.columns, scratch);
    } else {
        dps_sparse_sign_project(simd, &signs, tile, z, stride, part.columns);
    }
}

static void apply_real(const dps_map *map, dps_simd simd, block_part part, const dps_row_tile *tile,
                       float *z, size_t stride, void *scratch)
{
    const int32_t first = map->first_panel[part.b] + part.begin / DPS_PANEL;
    const dps_block *block = &map->layout.block[part.b];
    const bool cosine = block->kind == DPS_BLOCK_COSINES;
    const dps_real_panels real = {.kind = cosine ? DPS_REAL_COSINE : DPS_REAL_LINEAR,
                                  .columns = map->layout.columns,
                                  .panels = panels_of(part.columns),
                                  .degree = map->degree + first,
                                  .offset = map->offset + first,
                                  .frequency = map->frequency,
                                  .phase_offset = map->phase_offset + first,
                                  .phase = dps_block_has_phases(block) ? map->phase : NULL,
                                  .amplitude = cosine ? map->amplitude : 1.0f,
                                  .weight = map->weight + (size_t)first * DPS_PANEL};
    if (tile->dense != NULL) {
        dps_real_project(simd, &real, tile, z, stride, part.columns, scratch);
    } else {
        dps_sparse_real_project(simd, &real, tile, z, stride, part.columns, scratch);
    }
}

static void apply_additive(const dps_map *map, dps_simd simd, int32_t b, const dps_row_tile *tile,
                           float *z, size_t stride, void *scratch)
{
    const dps_additive_panels panels = dps_map_view_additive(map, b);
    dps_additive_project(simd, &panels, tile, z, stride, scratch);
}

/* Hadamard and additive blocks take dense rows only: compressed and wide tiles go two ways. */
typedef enum block_choice { ALL_BLOCKS, DENSE_BLOCKS, OTHER_BLOCKS } block_choice;

static void apply_part(const dps_map *map, dps_simd simd, block_part part, const dps_row_tile *tile,
                       float *z, size_t stride, void *scratch)
{
    const dps_block *block = &map->layout.block[part.b];
    switch (block->kind) {
    case DPS_BLOCK_ZERO:
    case DPS_BLOCK_CONSTANT:
        apply_constant(block, part.columns, tile->rows, z, stride);
        break;
    case DPS_BLOCK_HADAMARD: /* all of them in apply_blocks: they share transforms */
        break;
    case DPS_BLOCK_ADDITIVE:
        apply_additive(map, simd, part.b, tile, z, stride, scratch);
        break;
    case DPS_BLOCK_SIGNS:
        apply_signs(map, simd, part, tile, z, stride, scratch);
        break;
    case DPS_BLOCK_GAUSSIANS:
    case DPS_BLOCK_AFFINE:
    case DPS_BLOCK_COSINES:
    case DPS_BLOCK_LINEAR:
        apply_real(map, simd, part, tile, z, stride, scratch);
        break;
    }
}

/* Random columns first .. last - 1, to z + 0. */
static void apply_blocks(const dps_map *map, dps_simd simd, block_choice which, int32_t first,
                         int32_t last, const dps_row_tile *tile, float *z, size_t stride,
                         char *scratch)
{
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        const bool picks = block->kind == DPS_BLOCK_HADAMARD || block->kind == DPS_BLOCK_ADDITIVE;
        const block_choice kind = picks ? DENSE_BLOCKS : OTHER_BLOCKS;
        if (which != ALL_BLOCKS && which != kind) {
            continue;
        }
        const int32_t begin = first > block->first ? first - block->first : 0;
        const int32_t end =
            last - block->first < block->columns ? last - block->first : block->columns;
        if (begin < end) {
            const block_part part = {b, begin, end - begin};
            apply_part(map, simd, part, tile, z + (block->first + begin - first), stride,
                       scratch + map->kernel_at);
        }
    }
    if (map->hadamard.panels.blocks > 0 && which != OTHER_BLOCKS) {
        dps_hadamard_project(simd, &map->hadamard.panels, tile, z, stride,
                             scratch + map->kernel_at);
    }
}

/* Which columns are made and where those of a row go: the exact ones (NULL: not made), and the
 * random ones first .. last - 1 before they are mixed. */
typedef struct destination {
    float *exact, *random;
    size_t exact_stride, random_stride;
    int32_t first, last;
} destination;

static void apply_exact(const dps_map *map, const dps_row_tile *tile, const destination *to,
                        char *scratch)
{
    for (int32_t i = 0; to->exact != NULL && i < tile->rows; i++) {
        dps_exact_row(&map->exact, tile->dense + (size_t)i * tile->stride,
                      to->exact + (size_t)i * to->exact_stride,
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

static void apply_compressed(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                             const destination *to, char *scratch)
{
    const bool whole = tile->columns <= DPS_DENSE_COLUMNS;
    const int32_t step = whole ? DPS_DENSE_ROWS : 1;
    const bool dense_parts = whole || map->exact.width > 0 || map->layout.picks > 0;
    for (int32_t i = 0; dense_parts && i < tile->rows; i += step) {
        const int32_t rows = tile->rows - i < step ? tile->rows - i : step;
        const dps_row_tile dense = make_dense(tile, i, rows, (float *)(void *)scratch);
        destination part = *to;
        part.exact = to->exact != NULL ? to->exact + (size_t)i * to->exact_stride : NULL;
        part.random += (size_t)i * to->random_stride;
        apply_exact(map, &dense, &part, scratch);
        apply_blocks(map, simd, whole ? ALL_BLOCKS : DENSE_BLOCKS, to->first, to->last, &dense,
                     part.random, part.random_stride, scratch);
    }
    if (!whole) {
        apply_blocks(map, simd, OTHER_BLOCKS, to->first, to->last, tile, to->random,
                     to->random_stride, scratch);
    }
}

static void apply_tile(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                       const destination *to, char *scratch)
{
    if (tile->dense != NULL) {
        apply_exact(map, tile, to, scratch);
        apply_blocks(map, simd, ALL_BLOCKS, to->first, to->last, tile, to->random,
                     to->random_stride, scratch);
    } else {
        apply_compressed(map, simd, tile, to, scratch);
    }
}

/* Some rows at a time: the random columns into scratch, and D mixtures of them into z. */
static void apply_crafted(const dps_map *map, dps_simd simd, const dps_row_tile *tile, float *z,
                          size_t stride, char *scratch)
{
    const size_t random_stride = dps_round_up((size_t)map->layout.random, DPS_PAD);
    float *random = (float *)(void *)(scratch + map->craft_at);
    memset(random, 0, DPS_CRAFT_ROWS * random_stride * sizeof(float)); /* padding */
    for (int32_t i = 0; i < tile->rows; i += DPS_CRAFT_ROWS) {
        dps_row_tile part = *tile;
        part.rows = tile->rows - i < DPS_CRAFT_ROWS ? tile->rows - i : DPS_CRAFT_ROWS;
        part.dense = tile->dense != NULL ? tile->dense + (size_t)i * tile->stride : NULL;
        part.start = tile->start != NULL ? tile->start + i : NULL;
        float *out = z + (size_t)i * stride;
        const destination to = {.exact = out,
                                .random = random,
                                .exact_stride = stride,
                                .random_stride = random_stride,
                                .last = map->layout.random};
        apply_tile(map, simd, &part, &to, scratch);
        const dps_row_tile drawn = {.rows = part.rows,
                                    .columns = map->layout.random,
                                    .dense = random,
                                    .stride = random_stride};
        dps_hadamard_project(simd, &map->mixing.panels, &drawn, out + map->exact.width, stride,
                             scratch + map->mix_at);
    }
}

/* The exponent of infinities and NANs is all ones; comparing whole words is what SSE2 can do. */
static bool all_finite(const float *z, int32_t count)
{
    uint32_t found = 0;
    for (int32_t j = 0; j < count; j++) {
        uint32_t bits;
        memcpy(&bits, z + j, sizeof(bits));
        found |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return found == 0;
}

/* z: columns begin .. end - 1. */
static dps_status check_finite(const dps_map *map, int32_t begin, int32_t end, int32_t rows,
                               const float *z, size_t stride, dps_error *err)
{
    for (int32_t i = 0; i < rows; i++) {
        const float *row = z + (size_t)i * stride;
        if (all_finite(row, end - begin)) {
            continue;
        }
        int32_t j = begin;
        while (isfinite(row[j - begin])) {
            j++;
        }
        if (dps_map_column_degree(map, j) < 0) {
            return dps_error_at(err, DPS_ERROR_NUMERIC, NULL, i + 1, 0,
                                "a random feature leaves the range of float for this row; shrink "
                                "the rows (data.normalize = max_norm or unit)");
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
    if (map->layout.crafted) {
        apply_crafted(map, simd, tile, z, stride, scratch);
    } else {
        const destination to = {.exact = z,
                                .random = z + map->exact.width,
                                .exact_stride = stride,
                                .random_stride = stride,
                                .last = map->layout.random};
        apply_tile(map, simd, tile, &to, scratch);
    }
    return check_finite(map, 0, map->layout.width, tile->rows, z, stride, err);
}

bool dps_map_in_runs(const dps_map_recipe *recipe)
{
    return recipe->craft <= 1 && !dps_projects_hadamard(recipe) && !dps_recipe_is_additive(recipe);
}

int32_t dps_map_run_end(const dps_map *map, int32_t begin, int32_t most)
{
    assert(most >= DPS_PANEL && 0 <= begin && begin < map->layout.width);
    const int32_t exact = map->exact.width;
    if (begin < exact) {
        return exact;
    }
    int32_t b = 0;
    const int32_t at = begin - exact;
    while (at >= map->layout.block[b].first + map->layout.block[b].columns) {
        b++;
    }
    const int32_t left = map->layout.block[b].first + map->layout.block[b].columns - at;
    return begin + (left <= most ? left : most / DPS_PANEL * DPS_PANEL);
}

dps_status dps_map_apply_run(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                             int32_t begin, int32_t end, float *z, size_t stride, void *scratch,
                             dps_error *err)
{
    const int32_t exact = map->exact.width;
    assert(!map->layout.crafted && map->layout.hadamard_words == 0 && map->layout.picks == 0);
    const destination to = {.exact = begin < exact ? z : NULL,
                            .random = z,
                            .exact_stride = stride,
                            .random_stride = stride,
                            .first = begin < exact ? 0 : begin - exact,
                            .last = begin < exact ? 0 : end - exact};
    apply_tile(map, simd, tile, &to, scratch);
    return check_finite(map, begin, end, tile->rows, z, stride, err);
}
