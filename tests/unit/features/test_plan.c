#include "unit/features/map_fixture.h"

/* What a configuration gives before planning: everything automatic. */
static dps_map_recipe wanted(const char *kernel)
{
    dps_map_recipe recipe = fixture_recipe(kernel, 200);
    recipe.kernel.sigma = NAN;
    recipe.kernel.domain_scale = NAN;
    recipe.kernel.degree = 10;
    recipe.mean_norm2 = NAN;
    recipe.exact_degree = DPS_EXACT_AUTO;
    recipe.collapse = true;
    recipe.allocation = DPS_ALLOCATION_STRATIFIED;
    recipe.scale = DPS_MAP_SCALE_UNIT;
    recipe.factor = NAN;
    recipe.input_scale = NAN;
    recipe.base = DPS_BASE_RBF;
    recipe.base_gamma = NAN;
    return recipe;
}

static double radius2_of(const fixture_rows *r)
{
    double largest = 0.0;
    for (int64_t i = 0; i < r->rows; i++) {
        largest = fmax(largest, fixture_inner(r, i, i));
    }
    return sqrt(largest);
}

static dps_map_facts facts;
static dps_error err;

static dps_status plan(dps_map_recipe *recipe, const fixture_rows *r, bool dense)
{
    const dps_row_source source = fixture_source(r, dense);
    const dps_run run = fixture_run(1);
    return dps_map_plan(recipe, &source, 1.0, radius2_of(r), dense, &run, &facts, &err);
}

static void expect_plan(dps_map_recipe *recipe, const fixture_rows *r)
{
    if (plan(recipe, r, true) != DPS_OK) {
        fail_msg("%s", err.text);
    }
}

static void expect_refusal(dps_map_recipe recipe, const fixture_rows *r, const char *named)
{
    const dps_status status = plan(&recipe, r, true);
    if (status != DPS_ERROR_CONFIG || strstr(err.text, named) == NULL) {
        fail_msg("expected a refusal that names %s, found status %d: %s", named, status, err.text);
    }
}

static fixture_rows rows;

static int make_rows(void **state)
{
    (void)state;
    rows = fixture_rows_new(900, 12, 1.0, 1.0, 51);
    return 0;
}

static int free_rows(void **state)
{
    (void)state;
    fixture_rows_free(&rows);
    return 0;
}

static void automatic_values_are_the_documented_ones(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("polynomial");
    expect_plan(&recipe, &rows);
    double norm2 = 0.0, diagonal = 0.0;
    for (int64_t i = 0; i < rows.rows; i++) {
        const double t = fixture_inner(&rows, i, i);
        norm2 += t / 900.0;
        diagonal += pow(1.0 + t, 10) / 900.0;
    }
    assert_int_equal(recipe.exact_degree, 1);
    assert_true(fabs(recipe.mean_norm2 - norm2) < 1e-12);
    assert_true(fabs(facts.mean_diagonal / diagonal - 1.0) < 1e-12);
    assert_true(fabs(recipe.factor * sqrt(diagonal) - 1.0) < 1e-12);
    assert_true(recipe.input_scale == 1.0);
    assert_true(recipe.kernel.domain_scale == 1.0);
    assert_false(recipe.sparse_linear);
    assert_int_equal(facts.exact_columns, 13);
    assert_int_equal(facts.degree_count[0] + facts.degree_count[1], 0);
    recipe = wanted("polynomial");
    recipe.scale = DPS_MAP_SCALE_NONE;
    expect_plan(&recipe, &rows);
    assert_true(recipe.factor == 1.0);
}

static void facts_are_those_of_the_built_map(void **state)
{
    (void)state;
    for (const char *const *name = dps_kernel_names(); *name != NULL; name++) {
        for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_COMPOSITIONAL; type++) {
            dps_map_recipe recipe = wanted(*name);
            recipe.kernel.degree = 4;
            recipe.kernel.coefficient_count = 3;
            recipe.kernel.coefficient[2] = 1.0;
            recipe.type = (dps_map_type)type;
            expect_plan(&recipe, &rows);
            dps_map *map;
            const dps_run run = fixture_run(1);
            assert_int_equal(dps_map_new(&map, &recipe, rows.columns, &run, &err), DPS_OK);
            assert_int_equal(dps_map_width(map), facts.width);
            assert_int_equal(facts.width, facts.exact_columns + facts.random_columns);
            dps_map_free(map);
            /* Planning again what is resolved changes nothing. */
            dps_map_recipe again = recipe;
            expect_plan(&again, &rows);
            assert_true(
                again.factor == recipe.factor && again.kernel.sigma == recipe.kernel.sigma &&
                again.exact_degree == recipe.exact_degree && again.features == recipe.features);
        }
    }
}

static void dense_and_compressed_rows_and_any_threads_plan_the_same_bits(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(700, 9, 0.4, 1.0, 52);
    for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_COMPOSITIONAL; type++) {
        dps_map_recipe recipe[4];
        for (int k = 0; k < 4; k++) {
            recipe[k] = wanted("exponential");
            recipe[k].type = (dps_map_type)type;
            const dps_row_source source = fixture_source(&r, k % 2);
            const dps_run run = fixture_run(1 + k);
            assert_int_equal(
                dps_map_plan(&recipe[k], &source, 1.0, radius2_of(&r), k % 2, &run, &facts, &err),
                DPS_OK);
            assert_true(recipe[k].kernel.sigma == recipe[0].kernel.sigma);
            assert_true(recipe[k].base_gamma == recipe[0].base_gamma);
            assert_true(recipe[k].factor == recipe[0].factor);
            assert_true(recipe[k].mean_norm2 == recipe[0].mean_norm2);
        }
    }
    fixture_rows_free(&r);
}

static void an_rbf_takes_its_gamma_from_the_rows(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    expect_plan(&recipe, &rows);
    assert_true(recipe.base_gamma > 0.1 && recipe.base_gamma < 10.0);
    assert_true(recipe.factor == 1.0 && facts.mean_diagonal == 1.0 && facts.coverage == 1.0);
    assert_int_equal(facts.width, 200);
    recipe = wanted("linear");
    recipe.type = DPS_MAP_FOURIER;
    recipe.base_gamma_scale = true;
    expect_plan(&recipe, &rows);
    double norm2 = 0.0, mean = 0.0;
    for (int64_t i = 0; i < rows.rows; i++) {
        for (int32_t j = 0; j < rows.columns; j++) {
            const double x = fixture_row(&rows, i)[j];
            norm2 += x * x / (900.0 * 12.0);
            mean += x / (900.0 * 12.0);
        }
    }
    assert_true(fabs(recipe.base_gamma * 12.0 * (norm2 - mean * mean) - 1.0) < 1e-12);
}

static void a_finite_radius_scales_the_domain_beyond_convergence_and_variance(void **state)
{
    (void)state;
    double m = 0.0;
    for (int64_t i = 0; i < rows.rows; i++) {
        double fourth = 0.0;
        for (int32_t j = 0; j < rows.columns; j++) {
            fourth += pow(fixture_row(&rows, i)[j], 4);
        }
        m = fmax(m, 3.0 * pow(fixture_inner(&rows, i, i), 2) - 2.0 * fourth);
    }
    dps_map_recipe recipe = wanted("vovk_infinite");
    recipe.kernel.gamma = 3.0;
    expect_plan(&recipe, &rows);
    const double radius2 = radius2_of(&rows);
    const double c = 1.1 * 3.0 * fmax(radius2 * radius2, sqrt(2.0 * m));
    assert_true(fabs(recipe.kernel.domain_scale / c - 1.0) < 1e-12);
    recipe = wanted("vovk_infinite");
    recipe.type = DPS_MAP_COMPOSITIONAL;
    expect_plan(&recipe, &rows);
    assert_true(fabs(recipe.kernel.domain_scale - 1.1 * sqrt(3.0)) < 1e-12);
    recipe = wanted("vovk_infinite");
    recipe.kernel.domain_scale = 0.5;
    expect_refusal(recipe, &rows, "kernel.domain_scale");
}

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

static void exact_degree_auto_takes_what_d_columns_hold(void **state)
{
    (void)state;
    /* 12 columns: 1, 13, 91, 455, 1820 monomials up to degrees 0 .. 4 */
    static const int32_t features[][2] = {{1, 0},   {12, 0},  {13, 1},   {90, 1},  {91, 2},
                                          {454, 2}, {455, 3}, {1819, 3}, {1820, 4}};
    for (size_t k = 0; k < sizeof(features) / sizeof(features[0]); k++) {
        dps_map_recipe recipe = wanted("polynomial");
        recipe.features = features[k][0];
        recipe.exact_degree_set = true;
        recipe.exact_degree = DPS_EXACT_WIDEST;
        expect_plan(&recipe, &rows);
        assert_int_equal(recipe.exact_degree, features[k][1]);
    }
    dps_map_recipe recipe = wanted("polynomial");
    recipe.exact_degree_set = true;
    recipe.exact_degree = DPS_EXACT_WIDEST;
    recipe.h01_set_on = true;
    expect_refusal(recipe, &rows, "map.h01 = on");
    recipe = wanted("homogeneous");
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.exact_degree_set = true;
    recipe.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.exact_degree, DPS_EXACT_NONE);
    recipe = wanted("exponential");
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.exact_degree_set = true;
    recipe.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.exact_degree, 0);
    /* A kernel whose every degree fits draws nothing. */
    recipe = wanted("polynomial");
    recipe.kernel.degree = 2;
    recipe.exact_degree_set = true;
    recipe.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.exact_columns, 91);
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

static void h01_off_estimates_every_degree(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("polynomial");
    recipe.h01_set_off = true;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.exact_degree, DPS_EXACT_NONE);
    assert_true(facts.degree_count[0] > 90 && facts.degree_count[1] > 40);
    assert_int_equal(facts.exact_columns, 0);
}

static void kernels_without_further_degrees_draw_nothing(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("linear");
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.width, 12);
    assert_int_equal(facts.max_degree_drawn, -1);
    assert_true(facts.coverage == 1.0);
    recipe = wanted("polynomial");
    recipe.kernel.degree = 3;
    recipe.exact_degree_set = true;
    recipe.exact_degree = 3;
    expect_plan(&recipe, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.width, 1 + 12 + 78 + 364);
    recipe = wanted("linear");
    recipe.type = DPS_MAP_NONE;
    expect_plan(&recipe, &rows);
    assert_int_equal(facts.width, 12);
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

static int warnings;

static void count_warning(void *context, dps_level level, const char *text)
{
    (void)context;
    (void)text;
    warnings += level == DPS_WARNING;
}

static void coverage_is_the_share_of_degrees_that_are_drawn(void **state)
{
    (void)state;
    dps_map_recipe recipe = wanted("polynomial");
    recipe.kernel.degree = 4;
    recipe.features = 8; /* H0/1: q(2), q(3), q(4) = 1/2, 1/4, 1/8 */
    expect_plan(&recipe, &rows);
    assert_true(facts.coverage == 1.0);
    recipe = wanted("polynomial");
    recipe.kernel.degree = 4;
    recipe.features = 4;
    expect_plan(&recipe, &rows);
    const double t = radius2_of(&rows) * radius2_of(&rows);
    assert_true(fabs(facts.coverage - (1.0 - pow(t, 4) / pow(1.0 + t, 4))) < 1e-12);
    recipe = wanted("polynomial");
    recipe.features = 4;
    const dps_log log = {.level = DPS_NORMAL, .write = count_warning};
    dps_run run = fixture_run(1);
    run.log = &log;
    const dps_row_source source = fixture_source(&rows, true);
    warnings = 0;
    assert_int_equal(
        dps_map_plan(&recipe, &source, 1.0, radius2_of(&rows), true, &run, &facts, &err), DPS_OK);
    assert_true(facts.coverage < 0.9);
    assert_int_equal(warnings, 1);
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

static void wide_compressed_rows_pass_their_linear_part_through(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(10, 4097, 0.01, 1.0, 55);
    dps_map_recipe recipe = wanted("polynomial");
    assert_int_equal(plan(&recipe, &r, false), DPS_OK);
    assert_true(recipe.sparse_linear);
    assert_int_equal(facts.sparse_columns, 4097);
    assert_int_equal(facts.width, 1 + facts.random_columns);
    recipe = wanted("polynomial");
    assert_int_equal(plan(&recipe, &r, true), DPS_OK);
    assert_false(recipe.sparse_linear);
    assert_int_equal(facts.width, 4098 + facts.random_columns);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automatic_values_are_the_documented_ones),
        cmocka_unit_test(facts_are_those_of_the_built_map),
        cmocka_unit_test(dense_and_compressed_rows_and_any_threads_plan_the_same_bits),
        cmocka_unit_test(an_rbf_takes_its_gamma_from_the_rows),
        cmocka_unit_test(a_finite_radius_scales_the_domain_beyond_convergence_and_variance),
        cmocka_unit_test(what_does_not_go_together_is_refused_by_name),
        cmocka_unit_test(projections_that_mean_nothing_are_refused_with_the_reason),
        cmocka_unit_test(exact_degree_auto_takes_what_d_columns_hold),
        cmocka_unit_test(truncation_that_drops_everything_is_refused),
        cmocka_unit_test(amounts_below_0_are_refused_by_additive_bases),
        cmocka_unit_test(orthogonal_frequencies_and_mixtures_are_refused_where_they_mean_nothing),
        cmocka_unit_test(h01_off_estimates_every_degree),
        cmocka_unit_test(kernels_without_further_degrees_draw_nothing),
        cmocka_unit_test(a_map_without_columns_is_refused),
        cmocka_unit_test(coverage_is_the_share_of_degrees_that_are_drawn),
        cmocka_unit_test(equal_rows_and_rows_of_zeros_are_refused_where_a_width_is_wanted),
        cmocka_unit_test(kernels_that_overflow_on_the_rows_are_refused),
        cmocka_unit_test(wide_compressed_rows_pass_their_linear_part_through),
    };
    return cmocka_run_group_tests(tests, make_rows, free_rows);
}
