#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include "bounds.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-12 * fmax(1.0, fabs(b)))

/* (t + 1)^2, p = 2. */
static dps_map_recipe square(void)
{
    dps_map_recipe recipe = {.type = DPS_MAP_MACLAURIN, .p = 2, .exact_degree = DPS_EXACT_NONE};
    recipe.allocation = DPS_ALLOCATION_IID;
    recipe.kernel = (dps_kernel_params){.kernel = dps_kernel_find("polynomial"),
                                        .degree = 2,
                                        .offset = 1,
                                        .gamma = 1,
                                        .domain_scale = 1,
                                        .sigma = 1};
    recipe.largest_argument = 1;
    return recipe;
}

static dps_map_recipe exponential(double sigma)
{
    dps_map_recipe recipe = square();
    recipe.kernel.kernel = dps_kernel_find("exponential");
    recipe.kernel.sigma = sigma;
    return recipe;
}

static void terms_of_the_square_kernel_are_those_computed_by_hand(void **state)
{
    (void)state;
    /* R = 1, d = 4: f(2) = 9, C = 2 * 9 = 18; f'(1) = 4, f'(2) = 6, L = 4 + 4 * 2 * 6 = 52. */
    const dps_map_recipe recipe = square();
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 1, 4);
    NEAR(exp(terms.log_c), 18.0);
    NEAR(exp(terms.log_l), 52.0);
    assert_false(terms.differs);
    /* p = 3: f(3) = 16, C = 3 * 16 / 2 = 24; f'(3) = 8, L = 4 + 9 * 2 * 8 / 2 = 76. */
    dps_map_recipe wider = square();
    wider.p = 3;
    NEAR(exp(dps_bound_terms_of(&wider, 1, 4).log_c), 24.0);
    NEAR(exp(dps_bound_terms_of(&wider, 1, 4).log_l), 76.0);
}

static void pointwise_and_uniform_bounds_are_those_computed_by_hand(void **state)
{
    (void)state;
    const dps_map_recipe recipe = square();
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 1, 4);
    /* eps = 1/2, D = 10^6: E = 10^6 / 4 / (8 * 324) = 96.450617... */
    const double E = 250000.0 / 2592.0;
    dps_bound bound = dps_bound_at(&terms, DPS_BOUND_POINTWISE, 0.5, 0.05, 1e6);
    NEAR(bound.log_probability, log(2.0) - E);
    NEAR(exp(bound.log_features), 2592.0 * 4.0 * log(40.0));
    bound = dps_bound_at(&terms, DPS_BOUND_UNIFORM, 0.5, 0.05, 1e6);
    NEAR(bound.log_probability, log(2.0) + 8.0 * log(32.0 * 52.0 / 0.5) - E);
    NEAR(exp(bound.log_features), 10368.0 * (log(40.0) + 8.0 * log(3328.0)));
}

static void the_wanted_number_of_features_reaches_delta(void **state)
{
    (void)state;
    dps_map_recipe over = square();
    over.type = DPS_MAP_COMPOSITIONAL;
    over.base = DPS_BASE_RBF;
    over.base_gamma = 0.5;
    const dps_map_recipe dot = square();
    for (int kind = DPS_BOUND_POINTWISE; kind <= DPS_BOUND_COMPOSED_CORRECTED; kind++) {
        const dps_map_recipe *recipe = kind <= DPS_BOUND_UNIFORM ? &dot : &over;
        const dps_bound_terms terms = dps_bound_terms_of(recipe, 1.5, 7);
        const dps_bound some = dps_bound_at(&terms, (dps_bound_kind)kind, 0.3, 0.01, 1);
        assert_true(some.exists);
        const dps_bound there =
            dps_bound_at(&terms, (dps_bound_kind)kind, 0.3, 0.01, exp(some.log_features));
        assert_true(fabs(there.log_probability - log(0.01)) < 1e-9);
    }
}

static void composed_terms_and_bounds_are_those_computed_by_hand(void **state)
{
    (void)state;
    /* gamma = 1/2, d = 2, p = 2: f(4) = 25, C_1 = 50; f'(1) = 4, f'(4) = 10;
     * L_1 = sqrt(1/e) * 4 + 2 sqrt(1) * 4 * sqrt(2) * 10. */
    dps_map_recipe recipe = square();
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.base = DPS_BASE_RBF;
    recipe.base_gamma = 0.5;
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 3, 2);
    const double L = 4.0 * exp(-0.5) + 80.0 * sqrt(2.0);
    NEAR(exp(terms.log_c), 50.0);
    NEAR(exp(terms.log_l), L);
    assert_true(terms.composed);
    assert_false(dps_bound_at(&terms, DPS_BOUND_UNIFORM, 1, 0.1, 10).exists);
    /* eps = 1, D = 200000: E = 10. */
    const dps_bound printed = dps_bound_at(&terms, DPS_BOUND_COMPOSED_PRINTED, 1, 0.1, 200000);
    NEAR(printed.log_probability, log(96.0 * L) - 5.0);
    const dps_bound corrected = dps_bound_at(&terms, DPS_BOUND_COMPOSED_CORRECTED, 1, 0.1, 200000);
    const double k1 = 2.0 * pow(12.0, 4.0) * exp(-10.0), k2 = 4.0 * L;
    NEAR(corrected.log_probability, log(2.0 * pow(k1, 0.2) * pow(k2, 0.8)));
    assert_true(corrected.log_features > printed.log_features);
}

/* The paper proves Theorem 16 for eps < 8 R L_1. */
static void theorem_16_ends_where_its_proof_does(void **state)
{
    (void)state;
    dps_map_recipe over = square();
    over.type = DPS_MAP_COMPOSITIONAL;
    over.base = DPS_BASE_RBF;
    over.base_gamma = 0.5;
    const dps_bound_terms terms = dps_bound_terms_of(&over, 3, 2);
    const double end = 8.0 * 3.0 * exp(terms.log_l);
    for (int kind = DPS_BOUND_COMPOSED_PRINTED; kind <= DPS_BOUND_COMPOSED_CORRECTED; kind++) {
        assert_true(dps_bound_at(&terms, (dps_bound_kind)kind, 0.99 * end, 0.1, 10).exists);
        assert_false(dps_bound_at(&terms, (dps_bound_kind)kind, 1.01 * end, 0.1, 10).exists);
    }
    assert_true(dps_bound_at(&terms, DPS_BOUND_POINTWISE, 2 * end, 0.1, 10).exists);
}

static void kernels_that_overflow_have_finite_logarithms(void **state)
{
    (void)state;
    /* exp(2 * 100^2 / 1): far beyond 10^308. */
    const dps_map_recipe recipe = exponential(1);
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 100, 3);
    NEAR(terms.log_c, log(2.0) + 20000.0);
    const dps_bound bound = dps_bound_at(&terms, DPS_BOUND_POINTWISE, 1, 0.05, 1e6);
    assert_true(bound.log_probability > 0); /* says nothing */
    NEAR(bound.log_features, log(8.0) + 2.0 * terms.log_c + log(log(40.0)));
    dps_map_recipe high = square();
    high.kernel.degree = 200;
    high.kernel.gamma = 1e5; /* (1e5 t + 1)^200 */
    NEAR(dps_kernel_log_value(&high.kernel, NULL, 1), 200.0 * log(100001.0));
    NEAR(dps_kernel_log_derivative(&high.kernel, NULL, 1),
         log(200.0) + log(1e5) + 199.0 * log(100001.0));
}

static void a_series_that_diverges_says_nothing(void **state)
{
    (void)state;
    dps_map_recipe recipe = square();
    recipe.kernel.kernel = dps_kernel_find("vovk_infinite");
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 0.8, 3); /* p R^2 = 1.28 > 1 */
    const dps_bound bound = dps_bound_at(&terms, DPS_BOUND_POINTWISE, 0.5, 0.05, 1e9);
    assert_true(bound.exists);
    assert_true(isinf(bound.log_probability));
    assert_true(isinf(bound.log_features));
    /* R = 1/2: f(1/2) = 2, C = 4. */
    NEAR(exp(dps_bound_terms_of(&recipe, 0.5, 3).log_c), 4.0);
}

static void dropped_degrees_take_their_residual_from_epsilon(void **state)
{
    (void)state;
    /* exp(t), largest t = 1, at most 0.3 dropped: degrees 3, 4, ... = e - 2.5 = 0.218. */
    dps_map_recipe recipe = exponential(1);
    recipe.truncate = 0.3;
    recipe.largest_argument = 1;
    const dps_bound_terms terms = dps_bound_terms_of(&recipe, 1, 3);
    NEAR(terms.residual, exp(1.0) - 2.5);
    NEAR(exp(terms.log_c), 2.0 * (1.0 + 2.0 + 2.0)); /* p (1 + 2 + 4/2) */
    const dps_bound bound = dps_bound_at(&terms, DPS_BOUND_POINTWISE, 1, 0.05, 1000);
    const double left = 3.5 - exp(1.0);
    NEAR(bound.log_probability, log(2.0) - 1000.0 * left * left / 800.0);
    assert_true(isinf(dps_bound_at(&terms, DPS_BOUND_POINTWISE, 0.2, 0.05, 1e12).log_features));
}

static void maps_without_a_bound_and_other_maps_are_told_apart(void **state)
{
    (void)state;
    dps_map_recipe recipe = square();
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.base = DPS_BASE_LAPLACIAN;
    recipe.base_gamma = 1;
    dps_bound_terms terms = dps_bound_terms_of(&recipe, 1, 2);
    assert_true(dps_bound_at(&terms, DPS_BOUND_POINTWISE, 1, 0.1, 10).exists);
    assert_false(dps_bound_at(&terms, DPS_BOUND_COMPOSED_CORRECTED, 1, 0.1, 10).exists);
    recipe.base = DPS_BASE_CHI2;
    terms = dps_bound_terms_of(&recipe, 1, 2);
    assert_false(dps_bound_at(&terms, DPS_BOUND_POINTWISE, 1, 0.1, 10).exists);
    dps_map_recipe other = square();
    other.projection = DPS_PROJECTION_GAUSSIAN;
    assert_true(dps_bound_terms_of(&other, 1, 2).differs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_of_the_square_kernel_are_those_computed_by_hand),
        cmocka_unit_test(pointwise_and_uniform_bounds_are_those_computed_by_hand),
        cmocka_unit_test(the_wanted_number_of_features_reaches_delta),
        cmocka_unit_test(composed_terms_and_bounds_are_those_computed_by_hand),
        cmocka_unit_test(theorem_16_ends_where_its_proof_does),
        cmocka_unit_test(kernels_that_overflow_have_finite_logarithms),
        cmocka_unit_test(a_series_that_diverges_says_nothing),
        cmocka_unit_test(dropped_degrees_take_their_residual_from_epsilon),
        cmocka_unit_test(maps_without_a_bound_and_other_maps_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
