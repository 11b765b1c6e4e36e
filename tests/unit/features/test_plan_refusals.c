/* Planning: what is refused, and why. */
#include "unit/features/plan_fixture.h"

static void what_does_not_go_together_is_refused_by_name(void **state)
{
    (void)state;
    dps_map_request asked = wanted("homogeneous");
    asked.measure = DPS_MEASURE_COEFFICIENT;
    asked.exact_degree = 1;
    expect_refusal(asked, &rows, "map.h01 = on");
    asked = wanted("exponential");
    asked.type = DPS_MAP_COMPOSITIONAL;
    asked.exact_degree = 1;
    expect_refusal(asked, &rows, "map.base = dot only");
    asked.exact_degree = 2;
    expect_refusal(asked, &rows, "map.exact_degree");
    asked.exact_degree = 0;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.exact_degree, 0);
    asked = wanted("polynomial");
    asked.type = DPS_MAP_FOURIER;
    expect_refusal(asked, &rows, "kernel.type");
    asked.type = DPS_MAP_NONE;
    expect_refusal(asked, &rows, "map.type = none");
    asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    asked.features = 201;
    expect_refusal(asked, &rows, "map.features");
    asked.features = 200;
    asked.kernel.gamma = 2.0;
    expect_refusal(asked, &rows, "map.gamma");
    asked = wanted("linear");
    asked.type = DPS_MAP_NONE;
    asked.exact_degree = DPS_EXACT_NONE;
    expect_refusal(asked, &rows, "map.h01");
}

static void projections_that_mean_nothing_are_refused_with_the_reason(void **state)
{
    (void)state;
    for (int p = DPS_PROJECTION_GAUSSIAN; p <= DPS_PROJECTION_COMPLEX_HADAMARD; p++) {
        dps_map_request asked = wanted("exponential");
        asked.projection = (dps_projection)p;
        expect_plan(&asked, &rows);
        asked = wanted("exponential");
        asked.projection = (dps_projection)p;
        asked.type = DPS_MAP_COMPOSITIONAL;
        expect_refusal(asked, &rows, "draw frequencies of their own");
        asked.base = DPS_BASE_DOT;
        expect_plan(&asked, &rows);
        asked = wanted("linear");
        asked.projection = (dps_projection)p;
        asked.type = DPS_MAP_FOURIER;
        expect_refusal(asked, &rows, "draw frequencies of their own");
        asked.type = DPS_MAP_NONE;
        expect_refusal(asked, &rows, "no use with map.type = none");
    }
    dps_map_request asked = wanted("exponential");
    asked.features = 201;
    asked.projection = DPS_PROJECTION_COMPLEX;
    expect_refusal(asked, &rows, "needs an even number, found 201");
    asked.projection = DPS_PROJECTION_COMPLEX_HADAMARD;
    expect_refusal(asked, &rows, "needs an even number, found 201");
}

static void truncation_that_drops_everything_is_refused(void **state)
{
    (void)state;
    dps_map_request asked = wanted("homogeneous");
    asked.truncate = 10.0;
    expect_refusal(asked, &rows, "map.truncate = 10 drops every degree");
    asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    asked.truncate = 0.1;
    expect_refusal(asked, &rows, "map.truncate");
    asked = wanted("polynomial");
    asked.truncate = -1.0;
    expect_refusal(asked, &rows, "map.truncate");
    /* What is exact stays. */
    asked = wanted("polynomial");
    asked.truncate = 1e9;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.exact_columns, 13);
    assert_true(facts.residual > 900.0 && facts.residual < 1100.0); /* 2^10 - 1 - 10 at most */
}

static void amounts_below_0_are_refused_by_additive_bases(void **state)
{
    (void)state;
    fixture_rows amounts = fixture_rows_new(50, 5, 1.0, 1.0, 52);
    for (int base = DPS_BASE_INTERSECTION; base <= DPS_BASE_CHI2; base++) {
        dps_map_request asked = wanted("exponential");
        asked.type = DPS_MAP_COMPOSITIONAL;
        asked.base = (dps_base)base;
        expect_refusal(asked, &amounts, "data.scaling = min_max");
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
        dps_map_request asked = wanted("exponential");
        asked.kernel.sigma = 1.0;
        asked.type = DPS_MAP_COMPOSITIONAL;
        asked.base = (dps_base)base;
        expect_plan(&asked, &amounts);
        assert_true(fabs(recipe.mean_norm2 - mean) < 1e-6);
        assert_true(recipe.largest_argument == 1.0 && largest <= 1.0);
        assert_true(facts.mean_diagonal > exp(0.5 * mean) && facts.mean_diagonal < exp(largest));
        asked.exact_degree = 1;
        expect_refusal(asked, &amounts, "map.base = dot only");
        asked = wanted("linear");
        asked.type = DPS_MAP_FOURIER;
        asked.base = (dps_base)base;
        asked.scale = DPS_MAP_SCALE_NONE;
        expect_plan(&asked, &amounts);
        assert_true(fabs(facts.mean_diagonal - mean) < 1e-6);
    }
    fixture_rows_free(&amounts);
}

static void orthogonal_frequencies_and_mixtures_are_refused_where_they_mean_nothing(void **state)
{
    (void)state;
    dps_map_request asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    asked.orthogonal = true;
    expect_plan(&asked, &rows);
    asked.base = DPS_BASE_LAPLACIAN;
    expect_refusal(asked, &rows, "map.orthogonal");
    asked = wanted("exponential");
    asked.orthogonal = true;
    expect_refusal(asked, &rows, "map.orthogonal");
    asked = wanted("linear");
    asked.type = DPS_MAP_NONE;
    asked.craft = 2;
    expect_refusal(asked, &rows, "map.craft");
    asked = wanted("polynomial");
    asked.features = 1000000;
    asked.craft = 5000;
    expect_refusal(asked, &rows, "map.craft");
    asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    asked.base = DPS_BASE_DOT;
    expect_refusal(asked, &rows, "map.base = dot");
}

static void a_map_without_columns_is_refused(void **state)
{
    (void)state;
    dps_map_request asked = wanted("homogeneous");
    asked.features = 30; /* degree 10 has probability 2^-11 */
    expect_refusal(asked, &rows, "map.measure");
    assert_non_null(strstr(err.text, "D' = 0"));
    asked.collapse = false;
    expect_refusal(asked, &rows, "map.measure");
}

static void equal_rows_and_rows_of_zeros_are_refused_where_a_width_is_wanted(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 3, 1.0, 1.0, 53);
    for (int64_t i = 1; i < 20; i++) {
        memcpy(r.dense + (size_t)i * r.stride, r.dense, 3 * sizeof(float));
    }
    dps_map_request asked = wanted("exponential");
    expect_refusal(asked, &r, "kernel.sigma");
    asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    expect_refusal(asked, &r, "map.gamma");
    memset(r.dense, 0, 20 * r.stride * sizeof(float));
    asked = wanted("linear");
    asked.type = DPS_MAP_NONE;
    assert_int_equal(plan(&asked, &r, true), DPS_ERROR_NUMERIC);
    fixture_rows_free(&r);
}

static void kernels_that_overflow_on_the_rows_are_refused(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(20, 3, 1.0, 100.0, 54);
    dps_map_request asked = wanted("exponential");
    asked.kernel.sigma = 1.0;
    assert_int_equal(plan(&asked, &r, true), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "data.normalize"));
    asked = wanted("polynomial"); /* input_scale 2^7, degrees to 10: in range only as unit */
    expect_plan(&asked, &r);
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
