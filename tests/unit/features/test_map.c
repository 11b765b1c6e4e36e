#include "unit/features/map_fixture.h"

/* |<z_a(x), z_a(y)> - <z_b(x), z_b(y)>| relative to the norms, over all pairs of tile 0. */
static double gram_difference(const float *a, int32_t wa, const float *b, int32_t wb, int64_t rows)
{
    double worst = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k <= i; k++) {
            const double difference =
                fixture_dot(a + i * wa, a + k * wa, wa) - fixture_dot(b + i * wb, b + k * wb, wb);
            const double size = sqrt(fixture_dot(a + i * wa, a + i * wa, wa) *
                                     fixture_dot(a + k * wa, a + k * wa, wa));
            worst = fmax(worst, fabs(difference) / size);
        }
    }
    return worst;
}

static void check_collapse(const char *kernel, dps_map_type type, dps_base base, int32_t features,
                           int32_t columns, bool narrower)
{
    fixture_rows r = fixture_rows_new(30, columns, 1.0, 1.0, 31);
    dps_map_recipe recipe = fixture_recipe(kernel, features);
    recipe.type = type;
    recipe.base = base;
    int32_t off, on;
    float *z_off = fixture_map(&recipe, &r, true, dps_cpu_best(), &off);
    recipe.collapse = true;
    float *z_on = fixture_map(&recipe, &r, true, dps_cpu_best(), &on);
    assert_int_equal(off, features);
    assert_true(on < off - features / 4);
    assert_true(!narrower || on < off / 4);
    const double difference = gram_difference(z_off, off, z_on, on, r.rows);
    print_message("%s: %d columns, collapsed %d, difference %.2g\n", kernel, off, on, difference);
    assert_true(difference < 1e-6);
    dps_free(z_off);
    dps_free(z_on);
    fixture_rows_free(&r);
}

static void collapse_keeps_the_gram_matrix(void **state)
{
    (void)state;
    check_collapse("polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 800, 9, false);
    check_collapse("exponential", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 300, 40, false);
    check_collapse("linear", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 500, 12, true);
    check_collapse("polynomial", DPS_MAP_COMPOSITIONAL, DPS_BASE_DOT, 800, 9, false);
    check_collapse("polynomial", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, 800, 9, false);
}

/* Features of a map of D are among those of D' > D, times sqrt(D / D'). */
static void check_nested(dps_map_recipe recipe, const fixture_rows *r, int32_t larger)
{
    int32_t few, many;
    float *a = fixture_map(&recipe, r, true, dps_cpu_best(), &few);
    const double factor = sqrt((double)recipe.features / larger);
    recipe.features = larger;
    float *b = fixture_map(&recipe, r, true, dps_cpu_best(), &many);
    for (int32_t j = 0; j < few; j++) {
        bool found = false;
        for (int32_t k = 0; k < many && !found; k++) {
            found = true;
            for (int64_t i = 0; i < r->rows && found; i++) {
                const double expected = factor * a[i * few + j];
                found = fabs(b[i * many + k] - expected) <= 1e-6 * fabs(expected) + 1e-7;
            }
        }
        assert_true(found);
    }
    dps_free(a);
    dps_free(b);
}

static void the_features_of_d_are_among_those_of_a_larger_d(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(5, 10, 1.0, 1.0, 32);
    for (int allocation = 0; allocation < 2; allocation++) {
        dps_map_recipe recipe = fixture_recipe("exponential", 50);
        recipe.allocation = (dps_allocation)allocation;
        check_nested(recipe, &r, 133);
        for (int p = DPS_PROJECTION_GAUSSIAN; p <= DPS_PROJECTION_COMPLEX_HADAMARD; p++) {
            recipe.projection = (dps_projection)p;
            check_nested(recipe, &r, 134);
        }
        recipe.projection = DPS_PROJECTION_RADEMACHER;
        recipe.type = DPS_MAP_COMPOSITIONAL;
        recipe.base = DPS_BASE_RBF;
        check_nested(recipe, &r, 133);
        recipe.base = DPS_BASE_CHI2;
        check_nested(recipe, &r, 133);
        recipe.base = DPS_BASE_RBF;
        recipe.type = DPS_MAP_FOURIER;
        check_nested(recipe, &r, 134);
        recipe.orthogonal = true;
        check_nested(recipe, &r, 128); /* whole panels: what is written behind them is outside */
    }
    fixture_rows_free(&r);
    r = fixture_rows_new(5, 64, 1.0, 1.0, 33); /* whole words of signs */
    check_nested(fixture_recipe("exponential", 50), &r, 133);
    fixture_rows_free(&r);
}

/* The real and the imaginary part of a constant carry the weight of both. */
static void pairs_of_degrees_0_and_1_are_merged_as_single_features_are(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(30, 9, 1.0, 1.0, 34);
    dps_map_recipe recipe = fixture_recipe("polynomial", 800);
    recipe.projection = DPS_PROJECTION_COMPLEX;
    int32_t off, on;
    float *z_off = fixture_map(&recipe, &r, true, dps_cpu_best(), &off);
    recipe.collapse = true;
    float *z_on = fixture_map(&recipe, &r, true, dps_cpu_best(), &on);
    assert_int_equal(off, 800);
    assert_true(on < 200);
    assert_true(gram_difference(z_off, off, z_on, on, r.rows) < 1e-6);
    dps_free(z_off);
    dps_free(z_on);
    fixture_rows_free(&r);
}

static void algorithm_2_over_the_dot_product_is_algorithm_1_bit_for_bit(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(50, 21, 1.0, 1.0, 33);
    for (int exact = DPS_EXACT_NONE; exact <= 2; exact++) {
        for (int collapse = 0; collapse < 2; collapse++) {
            dps_map_recipe recipe = fixture_recipe("exponential", 400);
            recipe.exact_degree = exact;
            recipe.collapse = collapse;
            int32_t width[2];
            float *a = fixture_map(&recipe, &r, true, dps_cpu_best(), &width[0]);
            recipe.type = DPS_MAP_COMPOSITIONAL;
            float *b = fixture_map(&recipe, &r, true, dps_cpu_best(), &width[1]);
            assert_int_equal(width[0], width[1]);
            assert_memory_equal(a, b, (size_t)width[0] * 50 * sizeof(float));
            dps_free(a);
            dps_free(b);
        }
    }
    fixture_rows_free(&r);
}

/* A rounding of x / 4 is none (power of two), one of the weight is of relative size 2^-24. */
static void input_scale_changes_nothing_but_the_range(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 15, 1.0, 1.0, 34);
    dps_map_recipe recipe = fixture_recipe("polynomial", 200);
    recipe.exact_degree = 3;
    recipe.kernel.degree = 6;
    int32_t width;
    float *a = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
    recipe.input_scale = 4.0;
    float *b = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
    assert_true(gram_difference(a, width, b, width, r.rows) < 1e-6);
    dps_free(a);
    dps_free(b);
    fixture_rows_free(&r);
}

static void columns_are_exact_then_random_by_degree_descending(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 300);
    recipe.exact_degree = 2;
    recipe.kernel.degree = 6;
    recipe.collapse = true;
    dps_map *map;
    dps_error err;
    const dps_run run = fixture_run(1);
    assert_int_equal(dps_map_new(&map, &recipe, 4, &run, &err), DPS_OK);
    assert_int_equal(dps_map_column_degree(map, 0), 0);
    assert_int_equal(dps_map_column_degree(map, 1), 1);
    assert_int_equal(dps_map_column_degree(map, 4), 1);
    assert_int_equal(dps_map_column_degree(map, 5), 2);
    assert_int_equal(dps_map_column_degree(map, 14), 2);
    assert_int_equal(dps_map_column_degree(map, 15), 6);
    for (int32_t j = 16; j < dps_map_width(map); j++) {
        assert_true(dps_map_column_degree(map, j) <= dps_map_column_degree(map, j - 1));
    }
    assert_int_equal(dps_map_column_degree(map, dps_map_width(map) - 1), 3);
    dps_map_free(map);
}

/* Columns beyond the width are the caller's (padding, bias). */
static void nothing_beyond_the_width_is_written(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(40, 9, 0.7, 1.0, 35);
    for (int dense = 0; dense < 2; dense++) {
        dps_map_recipe recipe = fixture_recipe("polynomial", 77);
        dps_map *map;
        dps_error err;
        const dps_run run = fixture_run(1);
        assert_int_equal(dps_map_new(&map, &recipe, 9, &run, &err), DPS_OK);
        const size_t width = (size_t)dps_map_width(map), stride = width + 5;
        float *z = dps_alloc(40 * stride, sizeof(float));
        void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
        assert_true(z != NULL && scratch != NULL);
        for (size_t k = 0; k < 40 * stride; k++) {
            z[k] = 123.0f;
        }
        const dps_row_tile tile = fixture_tile(&r, 0, dense);
        assert_int_equal(dps_map_apply(map, run.simd, &tile, z, stride, scratch, &err), DPS_OK);
        for (size_t i = 0; i < 40; i++) {
            for (size_t j = width; j < stride; j++) {
                assert_true(z[i * stride + j] == 123.0f);
            }
        }
        dps_free(z);
        dps_free(scratch);
        dps_map_free(map);
    }
    fixture_rows_free(&r);
}

static void a_feature_that_is_not_finite_names_row_and_degree(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(10, 4, 1.0, 1.0, 36);
    dps_map_recipe recipe = fixture_recipe("homogeneous", 40);
    recipe.kernel.degree = 5;
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    for (int32_t j = 0; j < 4; j++) {
        r.dense[6 * r.stride + (size_t)j] = 1e12f;
    }
    fixture_compress(&r);
    for (int dense = 0; dense < 2; dense++) {
        dps_map *map;
        dps_error err;
        const dps_run run = fixture_run(1);
        assert_int_equal(dps_map_new(&map, &recipe, 4, &run, &err), DPS_OK);
        float *z = dps_alloc(10 * 40, sizeof(float));
        void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
        assert_true(z != NULL && scratch != NULL);
        const dps_row_tile tile = fixture_tile(&r, 0, dense);
        assert_int_equal(dps_map_apply(map, run.simd, &tile, z, 40, scratch, &err),
                         DPS_ERROR_NUMERIC);
        assert_int_equal(err.line, 7);
        assert_non_null(strstr(err.text, "degree 5"));
        dps_free(z);
        dps_free(scratch);
        dps_map_free(map);
    }
    fixture_rows_free(&r);
}

static void maps_that_do_not_fit_are_refused_with_figures(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 1000000);
    dps_map *map = NULL;
    dps_error err;
    dps_run run = fixture_run(1);
    run.memory = (size_t)1 << 30;
    assert_int_equal(dps_map_new(&map, &recipe, 1000000, &run, &err), DPS_ERROR_MEMORY);
    assert_null(map);
    assert_non_null(strstr(err.text, "map.features"));
    assert_non_null(strstr(err.text, "run.memory"));
    recipe.exact_degree = 3;
    recipe.features = 10;
    assert_int_equal(dps_map_new(&map, &recipe, 2000, &run, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "map.exact_degree"));
}

static void a_wide_linear_part_can_be_the_sparse_row_itself(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("linear", 0);
    recipe.type = DPS_MAP_NONE;
    recipe.kernel.gamma = 4.0;
    recipe.exact_degree = 1;
    recipe.factor = 0.5;
    recipe.sparse_linear = true;
    dps_map *map;
    dps_error err;
    const dps_run run = fixture_run(1);
    assert_int_equal(dps_map_new(&map, &recipe, 5000, &run, &err), DPS_OK);
    assert_int_equal(dps_map_width(map), 0);
    assert_int_equal(dps_map_sparse_columns(map), 5000);
    assert_true(dps_map_sparse_scale(map) == 1.0);
    dps_map_free(map);
}

/* A file says how many columns its weights are for. */
static void a_map_is_refused_where_a_file_says_another_width(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 60);
    recipe.exact_degree = 1;
    for (int32_t more = -1; more <= 1; more++) {
        const dps_map_widths widths = {.dense = 65 + more};
        dps_map *map;
        dps_error err;
        const dps_run run = fixture_run(1);
        assert_int_equal(dps_map_new_as(&map, &recipe, 4, &widths, &run, &err),
                         more == 0 ? DPS_OK : DPS_ERROR_DATA);
        assert_true((map != NULL) == (more == 0));
        dps_map_free(map);
    }
}

/* 63 columns, padded with zeros, are mixed: of a row of zeros nothing comes out. */
static void mixtures_of_zeros_are_zeros(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 5, 0.0, 1.0, 38);
    dps_map_recipe recipe = fixture_recipe("homogeneous", 21);
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.craft = 3;
    for (int dense = 0; dense < 2; dense++) {
        int32_t width;
        float *z = fixture_map(&recipe, &r, dense, dps_cpu_best(), &width);
        assert_int_equal(width, 21);
        for (int32_t j = 0; j < 20 * width; j++) {
            assert_true(z[j] == 0.0f);
        }
        dps_free(z);
    }
    fixture_rows_free(&r);
}

static void building_does_not_depend_on_threads(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(12, 30, 1.0, 1.0, 37);
    for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_COMPOSITIONAL; type++) {
        dps_map_recipe recipe = fixture_recipe("exponential", 300);
        recipe.type = (dps_map_type)type;
        recipe.base = DPS_BASE_RBF;
        recipe.collapse = true;
        float z[2][12 * 300];
        memset(z, 0, sizeof(z));
        for (int k = 0; k < 2; k++) {
            dps_map *map;
            dps_error err;
            const dps_run run = fixture_run(1 + 3 * k);
            assert_int_equal(dps_map_new(&map, &recipe, 30, &run, &err), DPS_OK);
            void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
            assert_non_null(scratch);
            const dps_row_tile tile = fixture_tile(&r, 0, true);
            assert_int_equal(dps_map_apply(map, run.simd, &tile, z[k], 300, scratch, &err), DPS_OK);
            dps_free(scratch);
            dps_map_free(map);
        }
        assert_memory_equal(z[0], z[1], sizeof(z[0]));
    }
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collapse_keeps_the_gram_matrix),
        cmocka_unit_test(the_features_of_d_are_among_those_of_a_larger_d),
        cmocka_unit_test(pairs_of_degrees_0_and_1_are_merged_as_single_features_are),
        cmocka_unit_test(algorithm_2_over_the_dot_product_is_algorithm_1_bit_for_bit),
        cmocka_unit_test(input_scale_changes_nothing_but_the_range),
        cmocka_unit_test(columns_are_exact_then_random_by_degree_descending),
        cmocka_unit_test(nothing_beyond_the_width_is_written),
        cmocka_unit_test(a_feature_that_is_not_finite_names_row_and_degree),
        cmocka_unit_test(maps_that_do_not_fit_are_refused_with_figures),
        cmocka_unit_test(a_wide_linear_part_can_be_the_sparse_row_itself),
        cmocka_unit_test(a_map_is_refused_where_a_file_says_another_width),
        cmocka_unit_test(mixtures_of_zeros_are_zeros),
        cmocka_unit_test(building_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
