/* Rows in coordinates of their span: the inner products of mapped rows, and weights of the map's
 * columns that score as the solution does. */
#include "unit/features/map_fixture.h"
#include "feature_stream.h"
#include "row_span.h"

enum { ROWS = 431, COLUMNS = 9 }; /* two tiles */

/* z (ROWS x width, bias column included), from the stream that solvers see. */
static float *mapped_rows(const dps_row_source *rows, const dps_map *map, double bias,
                          size_t *stride)
{
    const dps_run run = fixture_run(1);
    dps_feature_stream *stream;
    assert_int_equal(dps_feature_stream_new(&stream, rows, map, bias, (size_t)1 << 30, &run, NULL),
                     DPS_OK);
    const dps_tile_source *source = dps_feature_stream_source(stream);
    *stride = source->stride;
    float *z = dps_alloc((size_t)rows->rows * *stride, sizeof *z);
    for (int64_t t = 0; t < dps_tile_count(rows->rows); t++) {
        dps_z_tile tile;
        assert_int_equal(source->get(source->context, t, NULL, NULL, &tile, NULL), DPS_OK);
        memcpy(z + (size_t)t * DPS_TILE_ROWS * *stride, tile.z,
               (size_t)tile.rows * *stride * sizeof *z);
    }
    dps_feature_stream_free(stream);
    return z;
}

typedef struct fixture {
    fixture_rows rows;
    dps_row_source source;
    dps_map *map;
    double bias;
    float *z;
    size_t stride;
} fixture;

static fixture fixture_of(dps_map_recipe recipe, double bias)
{
    const dps_run run = fixture_run(1);
    fixture f = {.rows = fixture_rows_new(ROWS, COLUMNS, 0.8, 1.0, 5), .bias = bias};
    recipe.collapse = true;
    assert_int_equal(dps_map_new(&f.map, &recipe, COLUMNS, &run, NULL), DPS_OK);
    return f;
}

static void fixture_map_rows(fixture *f)
{
    f->source = fixture_source(&f->rows, true);
    f->z = mapped_rows(&f->source, f->map, f->bias, &f->stride);
}

static void fixture_free(fixture *f)
{
    fixture_rows_free(&f->rows);
    dps_map_free(f->map);
    dps_free(f->z);
}

/* The bound: K is summed in double, the ridge is 1e-8 of the mean diagonal, rows of L are floats,
 * 6e-8 each. */
static void check_products(const dps_row_span *span, const fixture *f)
{
    const dps_tile_source *source = dps_row_span_source(span);
    double worst = 0, largest = 0;
    assert_int_equal(source->rows, ROWS);
    for (int64_t i = 0; i < ROWS; i += 7) {
        for (int64_t k = 0; k <= i; k += 5) {
            dps_z_tile a, b;
            const int64_t s = i / DPS_TILE_ROWS, t = k / DPS_TILE_ROWS;
            assert_int_equal(source->get(source->context, s, NULL, NULL, &a, NULL), DPS_OK);
            assert_int_equal(source->get(source->context, t, NULL, NULL, &b, NULL), DPS_OK);
            const double found = fixture_dot(a.z + (size_t)(i % DPS_TILE_ROWS) * a.stride,
                                             b.z + (size_t)(k % DPS_TILE_ROWS) * b.stride, ROWS);
            const double expected = fixture_dot(f->z + (size_t)i * f->stride,
                                                f->z + (size_t)k * f->stride, (int32_t)f->stride);
            worst = fmax(worst, fabs(found - expected));
            largest = fmax(largest, fabs(expected));
        }
    }
    print_message("inner products differ by %.2g of %.3g\n", worst, largest);
    assert_true(largest > 0 && worst < 1e-6 * largest);
}

/* Scores of v over the span's rows, and of its weights over mapped rows. Rounding of L moves v by
 * 6e-8, which L^-T turns into a change of w of the same size. */
static void check_weights(const dps_row_span *span, const fixture *f, int32_t models)
{
    const dps_run run = fixture_run(2);
    const dps_tile_source *source = dps_row_span_source(span);
    const size_t length = dps_weight_length(source), width = (size_t)dps_map_width(f->map);
    const size_t weights = width + (f->bias != 0 ? 1 : 0);
    double *v = dps_alloc((size_t)models * length, sizeof *v);
    double *w = dps_alloc((size_t)models * weights, sizeof *w);
    for (int32_t m = 0; m < models; m++) {
        for (int64_t i = 0; i < ROWS; i++) { /* sums of rows: solutions are such */
            const double alpha =
                dps_random_uniform(3, DPS_STREAM_PHASE, (uint32_t)m, 0, (uint32_t)i) - 0.5;
            dps_z_tile a;
            assert_int_equal(source->get(source->context, i / DPS_TILE_ROWS, NULL, NULL, &a, NULL),
                             DPS_OK);
            for (int32_t j = 0; j < ROWS; j++) {
                v[(size_t)m * length + (size_t)j] +=
                    alpha * (double)a.z[(size_t)(i % DPS_TILE_ROWS) * a.stride + (size_t)j];
            }
        }
    }
    double *alpha = dps_alloc((size_t)models * ROWS, sizeof *alpha);
    dps_row_span_alpha(span, v, models, length, alpha);
    assert_int_equal(dps_row_span_weights(span, alpha, models, w, &run, NULL), DPS_OK);
    dps_free(alpha);
    double worst = 0, largest = 0;
    for (int32_t m = 0; m < models; m++) {
        for (int64_t i = 0; i < ROWS; i++) {
            dps_z_tile a;
            double expected = 0, found = 0;
            assert_int_equal(source->get(source->context, i / DPS_TILE_ROWS, NULL, NULL, &a, NULL),
                             DPS_OK);
            for (size_t j = 0; j < ROWS; j++) {
                expected += v[(size_t)m * length + j] *
                            (double)a.z[(size_t)(i % DPS_TILE_ROWS) * a.stride + j];
            }
            for (size_t j = 0; j < weights; j++) {
                found += w[(size_t)m * weights + j] * (double)f->z[(size_t)i * f->stride + j];
            }
            worst = fmax(worst, fabs(found - expected));
            largest = fmax(largest, fabs(expected));
        }
    }
    print_message("scores differ by %.2g of %.3g\n", worst, largest);
    assert_true(largest > 0 && worst < 1e-5 * largest);
    dps_free(v);
    dps_free(w);
}

static void check(fixture *f, int32_t models)
{
    const dps_run run = fixture_run(2);
    dps_row_span *span;
    fixture_map_rows(f);
    assert_int_equal(dps_row_span_new(&span, &f->source, f->map, f->bias, &run, NULL), DPS_OK);
    check_products(span, f);
    check_weights(span, f, models);
    dps_row_span_free(span);
    fixture_free(f);
}

static void a_span_has_the_inner_products_of_mapped_rows_and_gives_their_weights(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("exponential", 2500);
    recipe.exact_degree = 1;
    fixture f = fixture_of(recipe, 1.0);
    check(&f, 1);
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.base = DPS_BASE_RBF;
    recipe.exact_degree = DPS_EXACT_NONE;
    f = fixture_of(recipe, 0.0);
    check(&f, 3);
}

/* Fewer columns than rows, and rows that are equal: K is singular. */
static void rows_that_depend_on_each_other_are_no_obstacle(void **state)
{
    (void)state;
    fixture f = fixture_of(fixture_recipe("polynomial", 40), 1.0);
    for (size_t i = 1; i < ROWS; i += 2) {
        memcpy(f.rows.dense + i * f.rows.stride, f.rows.dense + (i - 1) * f.rows.stride,
               f.rows.stride * sizeof(float));
    }
    check(&f, 1);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    fixture f = fixture_of(fixture_recipe("exponential", 1500), 1.0);
    fixture_map_rows(&f);
    float *first = NULL;
    const size_t stride = dps_round_up(ROWS, DPS_PAD);
    const size_t floats = 2 * DPS_TILE_ROWS * stride;
    for (int threads = 1; threads <= 3; threads += 2) {
        const dps_run run = fixture_run(threads);
        dps_row_span *span;
        dps_z_tile tile;
        assert_int_equal(dps_row_span_new(&span, &f.source, f.map, 1.0, &run, NULL), DPS_OK);
        const dps_tile_source *source = dps_row_span_source(span);
        assert_int_equal(source->get(source->context, 0, NULL, NULL, &tile, NULL), DPS_OK);
        if (first == NULL) {
            first = dps_alloc(floats, sizeof *first);
            memcpy(first, tile.z, floats * sizeof *first);
        } else {
            assert_memory_equal(first, tile.z, floats * sizeof *first);
        }
        dps_row_span_free(span);
    }
    dps_free(first);
    fixture_free(&f);
}

static void only_few_rows_under_very_wide_maps_are_trained_so(void **state)
{
    (void)state;
    const dps_run run = fixture_run(1);
    const dps_map_recipe recipe = fixture_recipe("exponential", 100000);
    dps_map_facts facts = {.width = 100000, .exact_columns = 10};
    assert_true(dps_row_span_wanted(&recipe, &facts, 30000, &run));
    assert_false(dps_row_span_wanted(&recipe, &facts, 30001, &run));
    facts.width = 65536;
    assert_false(dps_row_span_wanted(&recipe, &facts, 1000, &run));
    facts.width = 65537;
    assert_true(dps_row_span_wanted(&recipe, &facts, 1000, &run));
    facts.sparse_columns = 5000;
    assert_false(dps_row_span_wanted(&recipe, &facts, 1000, &run));
    facts.sparse_columns = 0;
    dps_map_recipe hadamard = recipe;
    hadamard.projection = DPS_PROJECTION_HADAMARD;
    assert_false(dps_row_span_wanted(&hadamard, &facts, 1000, &run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_has_the_inner_products_of_mapped_rows_and_gives_their_weights),
        cmocka_unit_test(rows_that_depend_on_each_other_are_no_obstacle),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(only_few_rows_under_very_wide_maps_are_trained_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
