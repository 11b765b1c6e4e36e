/* Contract of a tile source made by feature_stream: kept and made-again tiles are the same bits for
 * every map, dense and compressed rows, any number of threads and any SIMD path. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "feature_stream.h"
#include "random.h"

enum { ROWS = 7 * DPS_TILE_ROWS + 17, COLUMNS = 7, STRIDE = DPS_PAD };

/* Rows dense and compressed, a third of the values zero. */
typedef struct memory_rows {
    bool compressed;
    float *dense;
    int64_t start[ROWS + 1];
    int32_t column[ROWS * COLUMNS];
    float value[ROWS * COLUMNS];
} memory_rows;

static dps_status get_rows(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    const memory_rows *rows = context;
    int64_t first = t * DPS_TILE_ROWS, left = ROWS - first;
    (void)err;
    *tile = (dps_row_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                           .columns = COLUMNS};
    if (rows->compressed) {
        tile->start = rows->start + first;
        tile->column = rows->column;
        tile->value = rows->value;
    } else {
        tile->dense = rows->dense + first * STRIDE;
        tile->stride = STRIDE;
    }
    return DPS_OK;
}

static void fill(memory_rows *rows)
{
    int64_t e = 0;
    rows->dense = dps_alloc((size_t)dps_tile_count(ROWS) * DPS_TILE_ROWS * STRIDE, sizeof(float));
    assert_non_null(rows->dense);
    for (int64_t i = 0; i < ROWS; i++) {
        rows->start[i] = e;
        for (int32_t j = 0; j < COLUMNS; j++) {
            double u = dps_random_uniform(5, DPS_STREAM_SAMPLE, (uint32_t)i, 0, (uint32_t)j);
            float x = (i + j) % 3 == 0 ? 0 : (float)((u - 0.5) / 1.5);
            rows->dense[i * STRIDE + j] = x;
            if (x != 0) {
                rows->column[e] = j;
                rows->value[e++] = x;
            }
        }
    }
    rows->start[ROWS] = e;
}

typedef struct map_case {
    const char *name;
    dps_map_type type;
    const char *kernel;
    bool sparse;
} map_case;

static const map_case cases[] = {
    {"maclaurin", DPS_MAP_MACLAURIN, "polynomial", false},
    {"compositional", DPS_MAP_COMPOSITIONAL, "exponential", false},
    {"fourier", DPS_MAP_FOURIER, "linear", false},
    {"none", DPS_MAP_NONE, "linear", false},
    {"none, the sparse row itself", DPS_MAP_NONE, "linear", true},
};

static dps_map *make_map(const map_case *c, const dps_row_source *rows, bool compressed,
                         const dps_run *run)
{
    dps_map_recipe recipe;
    dps_map_request asked = {.type = c->type,
                             .features = 50,
                             .seed = 3,
                             .p = 2,
                             .exact_degree = DPS_EXACT_AUTO,
                             .collapse = true,
                             .base = DPS_BASE_RBF,
                             .base_gamma = 0.5};
    asked.kernel = (dps_kernel_params){.kernel = dps_kernel_find(c->kernel),
                                       .degree = 4,
                                       .offset = 1,
                                       .gamma = 1,
                                       .sigma = 1,
                                       .domain_scale = NAN};
    dps_map_facts facts;
    dps_map *map = NULL;
    dps_error err;
    if (dps_map_plan(&asked, rows, 3, 1, !compressed, run, &recipe, &facts, &err) != DPS_OK) {
        fail_msg("%s: %s", c->name, err.text);
    }
    recipe.sparse_linear = c->sparse;
    if (dps_map_new(&map, &recipe, COLUMNS, run, &err) != DPS_OK) {
        fail_msg("%s: %s", c->name, err.text);
    }
    return map;
}

static double at(const dps_z_tile *z, int32_t i, int32_t j)
{
    return z->z[(size_t)i * z->stride + (size_t)j];
}

/* Padding, bias and tail as the solver may rely on them. */
static void check_shape(const dps_z_tile *z, const dps_tile_source *source, const dps_map *map,
                        double bias)
{
    int32_t width = dps_map_width(map);
    assert_int_equal(source->width, width + (bias != 0));
    assert_int_equal(z->width, source->width);
    assert_int_equal(z->stride, source->stride);
    assert_int_equal(z->stride % DPS_PAD, 0);
    assert_int_equal((uintptr_t)z->z % 64, 0);
    for (int32_t i = 0; i < DPS_TILE_ROWS; i++) {
        for (int32_t j = i < z->rows ? width : 0; j < (int32_t)z->stride; j++) {
            double expected = i < z->rows && j == width ? bias : 0;
            assert_true(at(z, i, j) == expected);
        }
    }
    assert_true((z->start != NULL) == (source->sparse_columns > 0));
}

static void check_equal(const dps_z_tile *a, const dps_z_tile *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->stride, b->stride);
    assert_memory_equal(a->z, b->z, a->stride * DPS_TILE_ROWS * sizeof(float));
    if (a->start != NULL) {
        assert_true(a->sparse_scale == b->sparse_scale);
        assert_ptr_equal(a->value, b->value);
    }
}

static void compare(const map_case *c, memory_rows *rows, bool compressed, double bias)
{
    rows->compressed = compressed;
    const dps_row_source source = {
        .rows = ROWS, .columns = COLUMNS, .context = rows, .get = get_rows};
    dps_run one = {.threads = 1, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 30};
    dps_run many = {.threads = 3, .simd = dps_cpu_best(), .memory = (size_t)1 << 30};
    dps_map *map = make_map(c, &source, compressed, &one);
    dps_feature_stream *kept = NULL, *made = NULL;
    dps_error err;
    assert_int_equal(
        dps_feature_stream_new(&kept, &source, map, bias, (size_t)1 << 30, &many, &err), DPS_OK);
    assert_int_equal(dps_feature_stream_new(&made, &source, map, bias, 0, &one, &err), DPS_OK);
    const dps_tile_source *a = dps_feature_stream_source(kept);
    const dps_tile_source *b = dps_feature_stream_source(made);
    assert_true(a->resident && !b->resident);
    float *buffer = dps_alloc(b->stride * DPS_TILE_ROWS, sizeof *buffer);
    void *scratch = dps_alloc(b->scratch_bytes, 1);
    for (int64_t t = dps_tile_count(ROWS) - 1; t >= 0; t--) {
        dps_z_tile x, y;
        memset(buffer, 0xff, b->stride * DPS_TILE_ROWS * sizeof *buffer);
        assert_int_equal(a->get(a->context, t, NULL, NULL, &x, &err), DPS_OK);
        assert_int_equal(b->get(b->context, t, buffer, scratch, &y, &err), DPS_OK);
        check_shape(&x, a, map, bias);
        check_shape(&y, b, map, bias);
        check_equal(&x, &y);
    }
    dps_free(buffer);
    dps_free(scratch);
    dps_feature_stream_free(kept);
    dps_feature_stream_free(made);
    dps_map_free(map);
}

static void kept_and_made_tiles_are_the_same_bits(void **state)
{
    static memory_rows rows;
    (void)state;
    fill(&rows);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        if (!cases[k].sparse) {
            compare(&cases[k], &rows, false, 1);
            compare(&cases[k], &rows, false, 0);
        }
        compare(&cases[k], &rows, true, 0.5);
    }
    dps_free(rows.dense);
}

static void bytes_to_keep_are_whole_padded_tiles(void **state)
{
    (void)state;
    assert_int_equal(dps_feature_stream_bytes(1, 15, 1), DPS_TILE_ROWS * 16 * 4);
    assert_int_equal(dps_feature_stream_bytes(DPS_TILE_ROWS + 1, 16, 1),
                     2 * DPS_TILE_ROWS * 32 * 4);
    assert_int_equal(dps_feature_stream_bytes(DPS_TILE_ROWS, 16, 0), DPS_TILE_ROWS * 16 * 4);
    /* 70,000 rows of 40,000 features: 2.8e9 values, beyond 32 bits */
    assert_true(dps_feature_stream_bytes(70000, 40000, 0) ==
                (size_t)183 * DPS_TILE_ROWS * 40000 * 4);
    assert_true(dps_feature_stream_bytes(INT64_MAX / 2, INT32_MAX, 1) == SIZE_MAX);
}

/* Rows of which many are so large that their cubes overflow float: the first is named, whichever
 * thread fails first. */
static void an_overflow_names_the_row_of_the_data(void **state)
{
    static memory_rows rows;
    dps_run run = {.threads = 4, .simd = dps_cpu_best(), .memory = (size_t)1 << 30};
    dps_feature_stream *stream = NULL;
    dps_error err;
    (void)state;
    fill(&rows);
    const dps_row_source source = {
        .rows = ROWS, .columns = COLUMNS, .context = &rows, .get = get_rows};
    dps_map *map = make_map(&cases[0], &source, false, &run);
    rows.dense[(DPS_TILE_ROWS + 4) * STRIDE + 1] = 3e38f;
    for (int64_t t = 2; t < dps_tile_count(ROWS) - 1; t++) {
        rows.dense[((t + 1) * DPS_TILE_ROWS - 1) * STRIDE + 1] = 3e38f;
    }
    for (int repeat = 0; repeat < 200; repeat++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(
            dps_feature_stream_new(&stream, &source, map, 1, (size_t)1 << 30, &run, &err),
            DPS_ERROR_NUMERIC);
        assert_null(stream);
        if (strncmp(err.text, "row 389:", 8) != 0) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(err.line, 0);
    }
    dps_map_free(map);
    dps_free(rows.dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_made_tiles_are_the_same_bits),
        cmocka_unit_test(bytes_to_keep_are_whole_padded_tiles),
        cmocka_unit_test(an_overflow_names_the_row_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
