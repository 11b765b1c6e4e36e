/* When kernel.type = auto searches, and what it leaves to the user. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "auto_search.h"
#include "settings.h"

static bool wanted_with(const char *first, const char *second)
{
    dps_options options;
    assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
    assert_int_equal(dps_options_set_text(&options, first, NULL), DPS_OK);
    if (second != NULL) {
        assert_int_equal(dps_options_set_text(&options, second, NULL), DPS_OK);
    }
    const bool wanted = dps_auto_search_wanted(&options);
    dps_options_release(&options);
    return wanted;
}

static void auto_searches_beside_keys_of_data_solver_features_and_seed(void **state)
{
    (void)state;
    static const char *const free_keys[] = {
        "data.scaling=standard", "data.normalize=unit", "solver.C=3", "solver.loss=logistic",
        "map.features=100",      "map.features=auto",   "map.seed=7", "run.threads=2",
        "tune.folds=4"};
    assert_true(wanted_with("kernel.type=auto", NULL));
    for (size_t k = 0; k < sizeof free_keys / sizeof free_keys[0]; k++) {
        assert_true(wanted_with("kernel.type=auto", free_keys[k]));
    }
}

static void a_key_of_kernel_or_map_names_the_kernel(void **state)
{
    (void)state;
    static const char *const fixing[] = {
        "kernel.degree=3", "kernel.gamma=2",     "map.type=fourier", "map.measure=coefficient",
        "map.gamma=1",     "map.exact_degree=2", "map.p=3",          "tune.map.features=10,20"};
    assert_false(wanted_with("kernel.type=linear", NULL));
    assert_false(wanted_with("map.features=100", NULL)); /* as a user of polynomial writes it */
    assert_false(wanted_with("kernel.type=polynomial", "map.features=100"));
    for (size_t k = 0; k < sizeof fixing / sizeof fixing[0]; k++) {
        assert_false(wanted_with("kernel.type=auto", fixing[k]));
    }
}

static const char *kernel_with(const char *first, const char *second)
{
    dps_options options;
    assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
    assert_int_equal(dps_options_set_text(&options, first, NULL), DPS_OK);
    assert_int_equal(dps_options_set_text(&options, second, NULL), DPS_OK);
    const char *kernel = dps_settings_kernel_type(&options); /* text of the table */
    dps_options_release(&options);
    return kernel;
}

static void auto_without_a_search_is_what_the_map_wants_or_polynomial(void **state)
{
    (void)state;
    assert_string_equal(kernel_with("kernel.type=auto", "map.type=maclaurin"), "polynomial");
    assert_string_equal(kernel_with("kernel.type=auto", "map.type=fourier"), "linear");
    assert_string_equal(kernel_with("kernel.type=auto", "map.type=none"), "linear");
    assert_string_equal(kernel_with("kernel.type=vovk_real", "map.type=auto"), "vovk_real");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_searches_beside_keys_of_data_solver_features_and_seed),
        cmocka_unit_test(a_key_of_kernel_or_map_names_the_kernel),
        cmocka_unit_test(auto_without_a_search_is_what_the_map_wants_or_polynomial)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
