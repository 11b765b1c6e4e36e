/* Planning: what is refused, and why. */
#include "unit/features/plan_fixture.h"

static void what_does_not_go_together_is_refused_by_name(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("polynomial");
    recipe.h01_set_on = recipe.exact_degree_set = true;
    recipe.exact_degree = 2;
    expect_refusal(recipe, &rows, "map.exact_degree");
    recipe.exact_degree = 1;
    expect_plan(&recipe, &rows);
    recipe = wanted("polynomial");
    recipe.h01_set_off = recipe.exact_degree_set = true;
    recipe.exact_degree = 1;
    expect_refusal(recipe, &rows, "map.h01 = off");
    recipe = wanted("homogeneous");
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.h01_set_on = true;
    expect_refusal(recipe, &rows, "map.h01 = on");
    recipe = wanted("exponential");
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.h01_set_on = true;
    expect_refusal(recipe, &rows, "map.base = dot only");
    recipe.h01_set_on = false;
    recipe.exact_degree_set = true;
    recipe.exact_degree = 2;
    expect_refusal(recipe, &rows, "map.exact_degree");
    recipe.exact_degree = 0;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.exact_degree, 0);
    recipe = wanted("polynomial");
    recipe.type = DPS_MAP_FOURIER;
    expect_refusal(recipe, &rows, "kernel.type");
    recipe.type = DPS_MAP_NONE;
    expect_refusal(recipe, &rows, "map.type = none");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    recipe.features = 201;
    expect_refusal(recipe, &rows, "map.features");
    recipe.features = 200;
    recipe.kernel.gamma = 2.0;
    expect_refusal(recipe, &rows, "map.gamma");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_NONE;
    recipe.h01_set_off = true;
    expect_refusal(recipe, &rows, "map.h01");
}

static void projections_that_mean_nothing_are_refused_with_the_reason(void **state)
{
    (void)state;
    for (int p = DPS_PROJECTION_GAUSSIAN; p <= DPS_PROJECTION_COMPLEX_HADAMARD; p++) {
        dps_map_recipe recipe = wanted("exponential");
        recipe.projection = (dps_projection)p;
        expect_plan(&recipe, &rows);
        recipe = wanted("exponential");
        recipe.projection = (dps_projection)p;
        recipe.type = DPS_MAP_COMPOSITIONAL;
        expect_refusal(recipe, &rows, "draw frequencies of their own");
        recipe.base = DPS_BASE_DOT;
        expect_plan(&recipe, &rows);
        recipe = wanted("linear");
        recipe.projection = (dps_projection)p;
        recipe.type = DPS_MAP_FOURIER;
        expect_refusal(recipe, &rows, "draw frequencies of their own");
        recipe.type = DPS_MAP_NONE;
        expect_refusal(recipe, &rows, "no use with map.type = none");
    }
    dps_map_recipe recipe = wanted("exponential");
    recipe.features = 201;
    recipe.projection = DPS_PROJECTION_COMPLEX;
    expect_refusal(recipe, &rows, "needs an even number, found 201");
    recipe.projection = DPS_PROJECTION_COMPLEX_HADAMARD;
    expect_refusal(recipe, &rows, "needs an even number, found 201");
}

static void truncation_that_drops_everything_is_refused(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("homogeneous");
    recipe.truncate = 10.0;
    expect_refusal(recipe, &rows, "map.truncate = 10 drops every degree");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    recipe.truncate = 0.1;
    expect_refusal(recipe, &rows, "map.truncate");
    recipe = wanted("polynomial");
    recipe.truncate = -1.0;
    expect_refusal(recipe, &rows, "map.truncate");
    /* What is exact stays. */
    recipe = wanted("polynomial");
    recipe.truncate = 1e9;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.exact_columns, 13);
    assert_true(facts.residual > 900.0 && facts.residual < 1100.0); /* 2^10 - 1 - 10 at most */
}

static void amounts_below_0_are_refused_by_additive_bases(void **state)
{
    (void)state;
    fixture_rows amounts = fixture_rows_new(50, 5, 1.0, 1.0, 52);
    for (int base = DPS_BASE_INTERSECTION; base <= DPS_BASE_CHI2; base++) {
        dps_map_recipe recipe = wanted("exponential");
        recipe.type = DPS_MAP_COMPOSITIONAL;
        recipe.base = (dps_base)base;
        expect_refusal(recipe, &amounts, "data.scaling = min_max");
    }
    double mean = 0.0, largest = 0.0;
    for (int64_t i = 0; i < amounts.rows; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < amounts.columns; j++) {
            float *x = amounts.dense + (size_t)i * amounts.stride + (size_t)j;
            *x = fabsf(*x) / 3.0f; /* sums below 1, the radius1 of plan() */
            sum += *x;
        }
        mean += sum / 50.0;
        largest = fmax(largest, sum);
    }
    for (int base = DPS_BASE_INTERSECTION; base <= DPS_BASE_CHI2; base++) {
        dps_map_recipe recipe = wanted("exponential");
        recipe.kernel.sigma = 1.0;
        recipe.type = DPS_MAP_COMPOSITIONAL;
        recipe.base = (dps_base)base;
        expect_plan(&recipe, &amounts);
        assert_true(fabs(recipe.mean_norm2 - mean) < 1e-6);
        assert_true(recipe.largest_argument == 1.0 && largest <= 1.0);
        assert_true(facts.mean_diagonal > exp(0.5 * mean) && facts.mean_diagonal < exp(largest));
        recipe.exact_degree_set = true;
        recipe.exact_degree = 1;
        expect_refusal(recipe, &amounts, "map.base = dot only");
        recipe = wanted("linear");
        recipe.type = DPS_MAP_FOURIER;
        recipe.base = (dps_base)base;
        recipe.scale = DPS_MAP_SCALE_NONE;
        expect_plan(&recipe, &amounts);
        assert_true(fabs(facts.mean_diagonal - mean) < 1e-6);
    }
    fixture_rows_free(&amounts);
}

static void orthogonal_frequencies_and_mixtures_are_refused_where_they_mean_nothing(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    recipe.orthogonal = true;
    expect_plan(&recipe, &rows);
    recipe.base = DPS_BASE_LAPLACIAN;
    expect_refusal(recipe, &rows, "map.orthogonal");
    recipe = wanted("exponential");
    recipe.orthogonal = true;
    expect_refusal(recipe, &rows, "map.orthogonal");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_NONE;
    recipe.craft = 2;
    expect_refusal(recipe, &rows, "map.craft");
    recipe = wanted("polynomial");
    recipe.features = 1000000;
    recipe.craft = 5000;
    expect_refusal(recipe, &rows, "map.craft");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    recipe.base = DPS_BASE_DOT;
    expect_refusal(recipe, &rows, "map.base = dot");
}

static void a_map_without_columns_is_refused(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("homogeneous");
    recipe.features = 30; /* degree 10 has probability 2^-11 */
    expect_refusal(recipe, &rows, "map.measure");
    assert_non_null(strstr(err.text, "D' = 0"));
    recipe.collapse = false;
    recipe.exact_degree = DPS_EXACT_AUTO;
    expect_refusal(recipe, &rows, "map.measure");
}

static void equal_rows_and_rows_of_zeros_are_refused_where_a_width_is_wanted(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 3, 1.0, 1.0, 53);
    for (int64_t i = 1; i < 20; i++) {
        memcpy(r.dense + (size_t)i * r.stride, r.dense, 3 * sizeof(float));
    }
    dps_map_recipe recipe = wanted("exponential");
    expect_refusal(recipe, &r, "kernel.sigma");
    recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    expect_refusal(recipe, &r, "map.gamma");
    memset(r.dense, 0, 20 * r.stride * sizeof(float));
    recipe = wanted("linear");
    recipe.type = DPS_MAP_NONE;
    assert_int_equal(plan(&recipe, &r, true), DPS_ERROR_NUMERIC);
    fixture_rows_free(&r);
}

static void kernels_that_overflow_on_the_rows_are_refused(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 3, 1.0, 100.0, 54);
    dps_map_recipe recipe = wanted("exponential");
    recipe.kernel.sigma = 1.0;
    assert_int_equal(plan(&recipe, &r, true), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "data.normalize"));
    recipe = wanted("polynomial"); /* input_scale 2^7, degrees to 10: in range only as unit */
    expect_plan(&recipe, &r);
    assert_true(recipe.input_scale == 128.0);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_go_together_is_refused_by_name),
        cmocka_unit_test(projections_that_mean_nothing_are_refused_with_the_reason),
        cmocka_unit_test(truncation_that_drops_everything_is_refused),
        cmocka_unit_test(amounts_below_0_are_refused_by_additive_bases),
        cmocka_unit_test(orthogonal_frequencies_and_mixtures_are_refused_where_they_mean_nothing),
        cmocka_unit_test(a_map_without_columns_is_refused),
        cmocka_unit_test(equal_rows_and_rows_of_zeros_are_refused_where_a_width_is_wanted),
        cmocka_unit_test(kernels_that_overflow_on_the_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, make_rows, free_rows);
}
