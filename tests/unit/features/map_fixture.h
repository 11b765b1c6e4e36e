/* Rows and recipes for tests of the feature maps. */
#ifndef DPS_MAP_FIXTURE_H
#define DPS_MAP_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "map.h"
#include "random.h"

/* Rows in memory, both ways: the same values as dense tiles and as compressed ones. */
typedef struct fixture_rows {
    int64_t rows;
    int32_t columns;
    size_t stride;
    float *dense;
    int64_t *start;
    int32_t *column;
    float *value;
} fixture_rows;

static inline dps_run fixture_run(int threads)
{
    return (dps_run){.threads = threads, .simd = dps_cpu_best(), .memory = (size_t)4 << 30};
}

/* Compressed form of what `dense` holds. */
static inline void fixture_compress(fixture_rows *r)
{
    int64_t at = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        for (int32_t j = 0; j < r->columns; j++) {
            const float x = r->dense[(size_t)i * r->stride + (size_t)j];
            if (x != 0.0f) {
                r->column[at] = j;
                r->value[at++] = x;
            }
        }
        r->start[i + 1] = at;
    }
}

/* Uniform values in (-1, 1), each kept with probability `density`, rows then scaled to a norm drawn
 * from (1/2, 1] * radius. */
static inline fixture_rows fixture_rows_new(int64_t rows, int32_t columns, double density,
                                            double radius, uint64_t seed)
{
    fixture_rows r = {
        .rows = rows, .columns = columns, .stride = dps_round_up((size_t)columns, DPS_PAD)};
    const size_t entries = (size_t)rows * (size_t)columns;
    r.dense = dps_alloc((size_t)dps_tile_count(rows) * DPS_TILE_ROWS * r.stride, sizeof(float));
    r.start = dps_alloc((size_t)rows + 1, sizeof(int64_t));
    r.column = dps_alloc(entries, sizeof(int32_t));
    r.value = dps_alloc(entries, sizeof(float));
    assert_true(r.dense != NULL && r.start != NULL && r.column != NULL && r.value != NULL);
    for (int64_t i = 0; i < rows; i++) {
        float *x = r.dense + (size_t)i * r.stride;
        double norm2 = 0.0;
        for (int32_t j = 0; j < columns; j++) {
            const uint32_t row = (uint32_t)i, at = (uint32_t)j;
            const double keep = dps_random_uniform(seed, DPS_STREAM_SHUFFLE, row, 1, at);
            const double u = dps_random_uniform(seed, DPS_STREAM_SHUFFLE, row, 2, at);
            x[j] = keep < density ? (float)(2.0 * u - 1.0) : 0.0f;
            norm2 += (double)x[j] * x[j];
        }
        const double u = dps_random_uniform(seed, DPS_STREAM_SHUFFLE, (uint32_t)i, 3, 0);
        const double factor = norm2 > 0.0 ? radius * (0.5 + 0.5 * u) / sqrt(norm2) : 0.0;
        for (int32_t j = 0; j < columns; j++) {
            x[j] = (float)(x[j] * factor);
        }
    }
    fixture_compress(&r);
    return r;
}

static inline void fixture_rows_free(fixture_rows *r)
{
    dps_free(r->dense);
    dps_free(r->start);
    dps_free(r->column);
    dps_free(r->value);
}

static inline dps_row_tile fixture_tile(const fixture_rows *r, int64_t t, bool dense)
{
    const int64_t first = t * DPS_TILE_ROWS, left = r->rows - first;
    dps_row_tile tile = {.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                         .columns = r->columns};
    if (dense) {
        tile.dense = r->dense + (size_t)first * r->stride;
        tile.stride = r->stride;
    } else {
        tile.start = r->start + first;
        tile.column = r->column;
        tile.value = r->value;
    }
    return tile;
}

static inline dps_status fixture_get_dense(const void *context, int64_t t, dps_row_tile *tile,
                                           dps_error *err)
{
    (void)err;
    *tile = fixture_tile(context, t, true);
    return DPS_OK;
}

static inline dps_status fixture_get_compressed(const void *context, int64_t t, dps_row_tile *tile,
                                                dps_error *err)
{
    (void)err;
    *tile = fixture_tile(context, t, false);
    return DPS_OK;
}

static inline dps_row_source fixture_source(const fixture_rows *r, bool dense)
{
    return (dps_row_source){.rows = r->rows,
                            .columns = r->columns,
                            .context = r,
                            .get = dense ? fixture_get_dense : fixture_get_compressed};
}

static inline dps_kernel_params fixture_kernel(const char *name)
{
    return (dps_kernel_params){.kernel = dps_kernel_find(name),
                               .degree = 3,
                               .offset = 1.0,
                               .gamma = 1.0,
                               .sigma = 1.0,
                               .domain_scale = 1.0};
}

/* A recipe: geometric, p = 2, iid, nothing exact, not collapsed, kernel's own scale. */
static inline dps_map_recipe fixture_recipe(const char *kernel, int32_t features)
{
    return (dps_map_recipe){.type = DPS_MAP_MACLAURIN,
                            .kernel = fixture_kernel(kernel),
                            .features = features,
                            .seed = 7,
                            .measure = DPS_MEASURE_GEOMETRIC,
                            .p = 2.0,
                            .mean_norm2 = 1.0,
                            .allocation = DPS_ALLOCATION_IID,
                            .exact_degree = DPS_EXACT_NONE,
                            .collapse = false,
                            .scale = DPS_MAP_SCALE_NONE,
                            .factor = 1.0,
                            .input_scale = 1.0,
                            .base = DPS_BASE_DOT,
                            .base_gamma = 0.5};
}

/* What asks for a map like this. */
static inline dps_map_request fixture_request(dps_map_recipe recipe)
{
    return (dps_map_request){
        .kernel = recipe.kernel,
#define ASKED(key, member, type, kind, low, high, names) .member = recipe.member,
#define FOUND(key, member, type, kind, low, high, names)
#include "map_fields.def"
#undef FOUND
#undef ASKED
    };
}

/* z of tile 0 under `recipe`, stride = width; *width is set. The caller frees. */
static inline float *fixture_map(const dps_map_recipe *recipe, const fixture_rows *r, bool dense,
                                 dps_simd simd, int32_t *width)
{
    const dps_run run = fixture_run(1);
    dps_map *map = NULL;
    dps_error err = {0};
    if (dps_map_new(&map, recipe, r->columns, &run, &err) != DPS_OK) {
        fail_msg("map: %s", err.text);
    }
    const dps_row_tile tile = fixture_tile(r, 0, dense);
    *width = dps_map_width(map);
    float *z = dps_alloc((size_t)tile.rows * (size_t)*width, sizeof(float));
    void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
    assert_true(z != NULL && scratch != NULL);
    if (dps_map_apply(map, simd, &tile, z, (size_t)*width, scratch, &err) != DPS_OK) {
        fail_msg("apply: %s", err.text);
    }
    dps_free(scratch);
    dps_map_free(map);
    return z;
}

static inline double fixture_dot(const float *a, const float *b, int32_t n)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += (double)a[j] * b[j];
    }
    return sum;
}

static inline const float *fixture_row(const fixture_rows *r, int64_t i)
{
    return r->dense + (size_t)i * r->stride;
}

static inline double fixture_inner(const fixture_rows *r, int64_t i, int64_t k)
{
    return fixture_dot(fixture_row(r, i), fixture_row(r, k), r->columns);
}

/* sum_j (x_j - y_j)^2 */
static inline double fixture_distance2(const fixture_rows *r, int64_t i, int64_t k)
{
    double sum = 0.0;
    for (int32_t j = 0; j < r->columns; j++) {
        const double difference = (double)fixture_row(r, i)[j] - fixture_row(r, k)[j];
        sum += difference * difference;
    }
    return sum;
}

#endif
