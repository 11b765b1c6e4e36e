#include "unit/features/map_fixture.h"

static void every_name_finds_its_kernel_and_nothing_else(void **state)
{
    (void)state;
    int count = 0;
    for (const char *const *name = dps_kernel_names; *name != NULL; name++, count++) {
        assert_non_null(dps_kernel_find(*name));
        assert_string_equal(dps_kernel_find(*name)->name, *name);
    }
    assert_null(dps_kernel_find("tanh"));
}

/* Central difference of step h: error h^2 f''' / 6 + eps f / h, below 1e-8 here for h = 1e-5. */
static void derivatives_match_differences(void **state)
{
    (void)state;
    for (const char *const *name = dps_kernel_names; *name != NULL; name++) {
        dps_kernel_params p = fixture_kernel(*name);
        p.degree = 5;
        p.sigma = 0.8;
        p.gamma = 1.5;
        p.domain_scale = 2.0;
        p.coefficient_count = 4;
        p.coefficient[1] = 1.0;
        p.coefficient[3] = 2.0;
        for (double t = -0.6; t < 0.9; t += 0.3) {
            const double h = 1e-5;
            const double slope =
                (dps_kernel_value(&p, t + h) - dps_kernel_value(&p, t - h)) / (2.0 * h);
            assert_true(fabs(dps_kernel_derivative(&p, t) - slope) < 1e-7);
        }
    }
}

static void the_removable_point_of_vovks_real_kernel_is_removed(void **state)
{
    (void)state;
    dps_kernel_params p = fixture_kernel("vovk_real");
    p.degree = 9;
    assert_true(dps_kernel_value(&p, 1.0) == 9.0);
    assert_true(fabs(dps_kernel_value(&p, 1.0 - 1e-13) - 9.0) < 1e-11);
    assert_true(dps_kernel_derivative(&p, 1.0) == 36.0);
    assert_int_equal(dps_kernel_last_degree(&p), 8);
}

static void gamma_and_domain_scale_move_radius_and_coefficients(void **state)
{
    (void)state;
    dps_kernel_params p = fixture_kernel("vovk_infinite");
    p.gamma = 4.0;
    p.domain_scale = 8.0;
    assert_true(dps_kernel_radius(&p) == 2.0);
    assert_true(dps_kernel_coefficient(&p, 3) == 0.125);
    assert_true(isinf(dps_kernel_value(&p, 2.0)));
    assert_true(dps_kernel_value(&p, 1.0) == 2.0);
    assert_true(isinf(dps_kernel_radius(&(dps_kernel_params){
        .kernel = dps_kernel_find("exponential"), .gamma = 1.0, .domain_scale = 1.0})));
}

/* 100^170 and 1/170! leave double's range one by one; the term is 1.4e33. */
static void terms_far_out_stay_in_range(void **state)
{
    (void)state;
    const dps_kernel_params p = fixture_kernel("exponential");
    const double term = dps_kernel_term(&p, 170, 100.0);
    const double expected = exp(170.0 * log(100.0) - lgamma(171.0));
    assert_true(fabs(term / expected - 1.0) < 1e-11);
    assert_true(dps_kernel_term(&p, 1000, 100.0) == 0.0);
}

static void refusals_name_the_option_and_the_coefficient(void **state)
{
    (void)state;
    dps_error err;
    dps_kernel_params p = fixture_kernel("maclaurin");
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "kernel.coefficients"));
    p.coefficient_count = 3;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    p.coefficient[0] = 1.0;
    p.coefficient[2] = -0.5;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "a_2 = -0.5"));
    p.coefficient[2] = 0.0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_OK); /* one that is positive is enough */
    p.coefficient[0] = -1.0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "a_0 = -1"));
    p = fixture_kernel("polynomial");
    p.offset = -1.0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "kernel.offset"));
    p = fixture_kernel("homogeneous");
    p.degree = 0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "kernel.degree"));
    p = fixture_kernel("exponential");
    p.sigma = 0.0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "kernel.sigma"));
    p.sigma = NAN; /* auto */
    assert_int_equal(dps_kernel_check(&p, &err), DPS_OK);
    p.gamma = -2.0;
    assert_int_equal(dps_kernel_check(&p, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "kernel.gamma"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_finds_its_kernel_and_nothing_else),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(the_removable_point_of_vovks_real_kernel_is_removed),
        cmocka_unit_test(gamma_and_domain_scale_move_radius_and_coefficients),
        cmocka_unit_test(terms_far_out_stay_in_range),
        cmocka_unit_test(refusals_name_the_option_and_the_coefficient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
