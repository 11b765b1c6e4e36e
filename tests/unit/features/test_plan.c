/* Planning: what is automatic, and the facts of the plan. */
#include "unit/features/plan_fixture.h"

static void automatic_values_are_the_documented_ones(void **state)
{
    (void)state;
    dps_map_request asked = wanted("polynomial");
    expect_plan(&asked, &rows);
    double norm2 = 0.0, diagonal = 0.0;
    for (int64_t i = 0; i < rows.rows; i++) {
        const double t = fixture_inner(&rows, i, i);
        norm2 += t / 900.0;
        diagonal += pow(1.0 + t, 10) / 900.0;
    }
    assert_int_equal(recipe.exact_degree, 1);
    assert_true(fabs(recipe.mean_norm2 - norm2) < 1e-12 && facts.mean_norm2 == recipe.mean_norm2);
    assert_true(fabs(facts.mean_diagonal / diagonal - 1.0) < 1e-12);
    assert_true(fabs(recipe.factor * sqrt(diagonal) - 1.0) < 1e-12);
    assert_true(recipe.input_scale == 1.0);
    assert_true(recipe.kernel.domain_scale == 1.0);
    assert_false(recipe.sparse_linear);
    assert_int_equal(facts.exact_columns, 13);
    assert_int_equal(facts.degree_count[0] + facts.degree_count[1], 0);
    asked = wanted("polynomial");
    asked.scale = DPS_MAP_SCALE_NONE;
    expect_plan(&asked, &rows);
    assert_true(recipe.factor == 1.0);
}

static void facts_are_those_of_the_built_map(void **state)
{
    (void)state;
    for (const char *const *name = dps_kernel_names; *name != NULL; name++) {
        for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_COMPOSITIONAL; type++) {
            dps_map_request asked = wanted(*name);
            asked.kernel.degree = 4;
            asked.kernel.coefficient_count = 3;
            asked.kernel.coefficient[2] = 1.0;
            asked.type = (dps_map_type)type;
            expect_plan(&asked, &rows);
            dps_map *map;
            const dps_run run = fixture_run(1);
            assert_int_equal(dps_map_new(&map, &recipe, rows.columns, &run, &err), DPS_OK);
            assert_int_equal(dps_map_width(map), facts.width);
            assert_int_equal(facts.width, facts.exact_columns + facts.random_columns);
            dps_map_free(map);
            /* Asking for what was found changes nothing. */
            const dps_map_recipe found = recipe;
            asked = fixture_request(found);
            expect_plan(&asked, &rows);
            assert_true(
                found.factor == recipe.factor && found.kernel.sigma == recipe.kernel.sigma &&
                found.exact_degree == recipe.exact_degree && found.features == recipe.features);
        }
    }
}

static void dense_and_compressed_rows_and_any_threads_plan_the_same_bits(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(700, 9, 0.4, 1.0, 52);
    for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_COMPOSITIONAL; type++) {
        dps_map_recipe found[4];
        for (int k = 0; k < 4; k++) {
            dps_map_request asked = wanted("exponential");
            asked.type = (dps_map_type)type;
            const dps_row_source source = fixture_source(&r, k % 2);
            const dps_run run = fixture_run(1 + k);
            assert_int_equal(dps_map_plan(&asked, &source, 1.0, radius2_of(&r), k % 2, &run,
                                          &found[k], &facts, &err),
                             DPS_OK);
            assert_true(found[k].kernel.sigma == found[0].kernel.sigma);
            assert_true(found[k].base_gamma == found[0].base_gamma);
            assert_true(found[k].factor == found[0].factor);
            assert_true(found[k].mean_norm2 == found[0].mean_norm2);
        }
    }
    fixture_rows_free(&r);
}

static void an_rbf_takes_its_gamma_from_the_rows(void **state)
{
    (void)state;
    dps_map_request asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    expect_plan(&asked, &rows);
    assert_true(recipe.base_gamma > 0.1 && recipe.base_gamma < 10.0);
    assert_true(recipe.factor == 1.0 && facts.mean_diagonal == 1.0 && facts.coverage == 1.0);
    assert_int_equal(facts.width, 200);
    assert_true(recipe.exact_degree == DPS_EXACT_NONE && recipe.kernel.gamma == 1.0);
    asked = wanted("linear");
    asked.type = DPS_MAP_FOURIER;
    asked.base_gamma_scale = true;
    expect_plan(&asked, &rows);
    double norm2 = 0.0, mean = 0.0;
    for (int64_t i = 0; i < rows.rows; i++) {
        for (int32_t j = 0; j < rows.columns; j++) {
            const double x = fixture_row(&rows, i)[j];
            norm2 += x * x / (900.0 * 12.0);
            mean += x / (900.0 * 12.0);
        }
    }
    assert_true(fabs(recipe.base_gamma * 12.0 * (norm2 - mean * mean) - 1.0) < 1e-12);
    /* One that is refined has the rows beside its cosines, of mean norm 1. */
    asked.refine = DPS_REFINE_PROJECTIONS;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.exact_degree, 1);
    assert_int_equal(facts.exact_columns, 12);
    assert_true(fabs(recipe.kernel.gamma * 12.0 * norm2 - 1.0) < 1e-12);
}

/* However near the rows are to each other. */
static void sigma_is_the_mean_distance_of_the_rows(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(40, 3, 1.0, 0.01, 56);
    double sum = 0.0;
    for (int64_t i = 0; i < r.rows; i++) {
        for (int64_t k = 0; k < i; k++) {
            sum += sqrt(fixture_distance2(&r, i, k)) / 780.0;
        }
    }
    dps_map_request asked = wanted("exponential");
    expect_plan(&asked, &r);
    assert_true(fabs(recipe.kernel.sigma / sum - 1.0) < 1e-12);
    fixture_rows_free(&r);
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
    dps_map_request asked = wanted("vovk_infinite");
    asked.kernel.gamma = 3.0;
    expect_plan(&asked, &rows);
    const double radius2 = radius2_of(&rows);
    const double c = 1.1 * 3.0 * fmax(radius2 * radius2, sqrt(2.0 * m));
    assert_true(fabs(recipe.kernel.domain_scale / c - 1.0) < 1e-12);
    asked = wanted("vovk_infinite");
    asked.type = DPS_MAP_COMPOSITIONAL;
    expect_plan(&asked, &rows);
    assert_true(fabs(recipe.kernel.domain_scale - 1.1 * sqrt(3.0)) < 1e-12);
    asked = wanted("vovk_infinite");
    asked.kernel.domain_scale = 0.5;
    expect_refusal(asked, &rows, "kernel.domain_scale");
}

/* m of an additive base is 3/2 d |x|^2. */
static void amounts_scale_the_domain_by_their_own_moment(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(30, 12, 1.0, 0.28, 58);
    for (size_t j = 0; j < 30 * r.stride; j++) {
        r.dense[j] = fabsf(r.dense[j]); /* L1 norms below the 1 that planning is told */
    }
    dps_map_request asked = wanted("vovk_infinite");
    asked.type = DPS_MAP_COMPOSITIONAL;
    asked.base = DPS_BASE_INTERSECTION;
    expect_plan(&asked, &r);
    const double c = 1.1 * sqrt(2.0 * 1.5 * 12.0) * radius2_of(&r);
    assert_true(c > 1.1 && fabs(recipe.kernel.domain_scale / c - 1.0) < 1e-12);
    fixture_rows_free(&r);
}

static void exact_degree_auto_takes_what_d_columns_hold(void **state)
{
    (void)state;
    /* 12 columns: 1, 13, 91, 455, 1820 monomials up to degrees 0 .. 4 */
    static const int32_t features[][2] = {{1, 0},   {12, 0},  {13, 1},   {90, 1},  {91, 2},
                                          {454, 2}, {455, 3}, {1819, 3}, {1820, 4}};
    for (size_t k = 0; k < sizeof(features) / sizeof(features[0]); k++) {
        dps_map_request asked = wanted("polynomial");
        asked.features = features[k][0];
        asked.exact_degree = DPS_EXACT_WIDEST;
        expect_plan(&asked, &rows);
        assert_int_equal(recipe.exact_degree, features[k][1]);
    }
    dps_map_request asked = wanted("homogeneous");
    asked.measure = DPS_MEASURE_COEFFICIENT;
    asked.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.exact_degree, DPS_EXACT_NONE);
    asked = wanted("exponential");
    asked.type = DPS_MAP_COMPOSITIONAL;
    asked.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.exact_degree, 0);
    /* A kernel whose every degree fits draws nothing. */
    asked = wanted("polynomial");
    asked.kernel.degree = 2;
    asked.exact_degree = DPS_EXACT_WIDEST;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.exact_columns, 91);
}

static void h01_off_estimates_every_degree(void **state)
{
    (void)state;
    dps_map_request asked = wanted("polynomial");
    asked.exact_degree = DPS_EXACT_NONE;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.exact_degree, DPS_EXACT_NONE);
    assert_true(facts.degree_count[0] > 90 && facts.degree_count[1] > 40);
    assert_int_equal(facts.exact_columns, 0);
}

static void kernels_without_further_degrees_draw_nothing(void **state)
{
    (void)state;
    dps_map_request asked = wanted("linear");
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.width, 12);
    assert_int_equal(facts.max_degree_drawn, -1);
    assert_true(facts.coverage == 1.0);
    asked = wanted("polynomial");
    asked.kernel.degree = 3;
    asked.exact_degree = 3;
    expect_plan(&asked, &rows);
    assert_int_equal(recipe.features, 0);
    assert_int_equal(facts.width, 1 + 12 + 78 + 364);
    asked = wanted("linear");
    asked.type = DPS_MAP_NONE;
    expect_plan(&asked, &rows);
    assert_int_equal(facts.width, 12);
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
    dps_map_request asked = wanted("polynomial");
    asked.kernel.degree = 4;
    asked.features = 8; /* H0/1: q(2), q(3), q(4) = 1/2, 1/4, 1/8 */
    expect_plan(&asked, &rows);
    assert_true(facts.coverage == 1.0);
    asked = wanted("polynomial");
    asked.kernel.degree = 4;
    asked.features = 4;
    expect_plan(&asked, &rows);
    const double t = radius2_of(&rows) * radius2_of(&rows);
    assert_true(fabs(facts.coverage - (1.0 - pow(t, 4) / pow(1.0 + t, 4))) < 1e-12);
    asked = wanted("polynomial");
    asked.features = 4;
    const dps_log log = {.level = DPS_NORMAL, .write = count_warning};
    dps_run run = fixture_run(1);
    run.log = &log;
    const dps_row_source source = fixture_source(&rows, true);
    warnings = 0;
    assert_int_equal(
        dps_map_plan(&asked, &source, 1.0, radius2_of(&rows), true, &run, &recipe, &facts, &err),
        DPS_OK);
    assert_true(facts.coverage < 0.9);
    assert_int_equal(warnings, 1);
}

/* Terms of degrees 4 and 2, the smallest, together exceed what may be dropped: only the smaller is,
 * and the degrees that the kernel does not have. */
static void truncation_drops_no_more_than_it_may(void **state)
{
    (void)state;
    dps_map_request asked = wanted("maclaurin");
    static const double coefficient[] = {1.0, 0.5, 0.004, 2.0, 0.003};
    asked.kernel.coefficient_count = 5;
    memcpy(asked.kernel.coefficient, coefficient, sizeof coefficient);
    asked.measure = DPS_MEASURE_COEFFICIENT;
    asked.exact_degree = DPS_EXACT_NONE;
    asked.features = 2000;
    asked.truncate = 0.005;
    asked.truncate_mode = DPS_TRUNCATE_SUBSET;
    expect_plan(&asked, &rows);
    assert_true(fabs(facts.residual - 0.003 * pow(radius2_of(&rows), 8)) < 1e-12);
    assert_int_equal(facts.max_degree_drawn, 3);
    assert_true(facts.degree_count[2] > 0);
}

/* map.measure = variance: a_n sqrt(V_n), V_n the mean of second moments over the pairs of rows that
 * the seed draws. These draws may not change: with its seed a map is planned as it was before. */
static void the_seed_draws_the_pairs_that_weigh_the_degrees(void **state)
{
    (void)state;
    enum { PAIRS = 10000, ROWS = 3, DEGREE = 3 };
    fixture_rows r = fixture_rows_new(ROWS, 5, 1.0, 1.0, 57);
    dps_map_request asked = wanted("polynomial");
    asked.kernel.degree = DEGREE;
    asked.exact_degree = DPS_EXACT_NONE;
    asked.measure = DPS_MEASURE_VARIANCE;
    asked.allocation = DPS_ALLOCATION_IID;
    expect_plan(&asked, &r);
    double mean[DEGREE + 1] = {0.0};
    for (uint32_t k = 0; k < PAIRS; k++) {
        const uint64_t i = dps_random_below(asked.seed, DPS_STREAM_SAMPLE, 1, 0, k, ROWS);
        const uint64_t step =
            1 + dps_random_below(asked.seed, DPS_STREAM_SAMPLE, 1, 1, k, ROWS - 1);
        const int64_t x = (int64_t)i, y = (int64_t)((i + step) % ROWS);
        double moment = fixture_inner(&r, x, x) * fixture_inner(&r, y, y) +
                        2.0 * pow(fixture_inner(&r, x, y), 2);
        for (int32_t j = 0; j < r.columns; j++) {
            moment -= 2.0 * pow((double)fixture_row(&r, x)[j] * fixture_row(&r, y)[j], 2);
        }
        for (int32_t n = 0; n <= DEGREE; n++) {
            mean[n] += pow(moment, n) / PAIRS;
        }
    }
    assert_int_equal(recipe.weight_count, DEGREE + 1);
    for (int32_t n = 0; n <= DEGREE; n++) {
        const double expected = dps_kernel_coefficient(&recipe.kernel, n) * sqrt(mean[n]);
        assert_true(fabs(recipe.weight[n] / expected - 1.0) < 1e-10);
    }
    fixture_rows_free(&r);
}

static void wide_compressed_rows_pass_their_linear_part_through(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(10, 4097, 0.01, 1.0, 55);
    dps_map_request asked = wanted("polynomial");
    assert_int_equal(plan(&asked, &r, false), DPS_OK);
    assert_true(recipe.sparse_linear);
    assert_int_equal(facts.sparse_columns, 4097);
    assert_int_equal(facts.width, 1 + facts.random_columns);
    asked = wanted("polynomial");
    assert_int_equal(plan(&asked, &r, true), DPS_OK);
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
        cmocka_unit_test(sigma_is_the_mean_distance_of_the_rows),
        cmocka_unit_test(a_finite_radius_scales_the_domain_beyond_convergence_and_variance),
        cmocka_unit_test(amounts_scale_the_domain_by_their_own_moment),
        cmocka_unit_test(exact_degree_auto_takes_what_d_columns_hold),
        cmocka_unit_test(h01_off_estimates_every_degree),
        cmocka_unit_test(kernels_without_further_degrees_draw_nothing),
        cmocka_unit_test(coverage_is_the_share_of_degrees_that_are_drawn),
        cmocka_unit_test(truncation_drops_no_more_than_it_may),
        cmocka_unit_test(the_seed_draws_the_pairs_that_weigh_the_degrees),
        cmocka_unit_test(wide_compressed_rows_pass_their_linear_part_through),
    };
    return cmocka_run_group_tests(tests, make_rows, free_rows);
}
