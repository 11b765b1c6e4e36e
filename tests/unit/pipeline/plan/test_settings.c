/* Options to settings: what each option becomes, and combinations that are refused by name. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "settings.h"

/* Options from "section.key=value" texts, NULL-terminated, with data.train set. */
static void set_all(dps_options *options, const char *const *texts)
{
    dps_error err;
    assert_int_equal(dps_options_init(options, &err), DPS_OK);
    assert_int_equal(dps_options_set_text(options, "data.train=rows.svm", &err), DPS_OK);
    for (; *texts != NULL; texts++) {
        if (dps_options_set_text(options, *texts, &err) != DPS_OK) {
            fail_msg("%s: %s", *texts, err.text);
        }
    }
}

#define SETTINGS(...)                                                                              \
    dps_options options;                                                                           \
    dps_settings settings;                                                                         \
    dps_error err;                                                                                 \
    (void)state;                                                                                   \
    set_all(&options, (const char *const[]){__VA_ARGS__, NULL});                                   \
    dps_status status = dps_settings_read(&options, &settings, &err)

static void taken(dps_status status, const dps_error *err)
{
    if (status != DPS_OK) {
        fail_msg("refused: %s", err->text);
    }
}

static void refused(const char *says, const char *const *texts)
{
    dps_options options;
    dps_settings settings;
    dps_error err;
    set_all(&options, texts);
    assert_int_equal(dps_settings_read(&options, &settings, &err), DPS_ERROR_CONFIG);
    if (strstr(err.text, says) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", says, err.text);
    }
    dps_options_release(&options);
}
#define REFUSED(says, ...) refused(says, (const char *const[]){__VA_ARGS__, NULL})

static void defaults_are_the_papers_polynomial(void **state)
{
    SETTINGS("run.verbosity=quiet");
    taken(status, &err);
    assert_string_equal(settings.request.kernel.kernel->name, "polynomial");
    assert_int_equal(settings.request.kernel.degree, 10);
    assert_int_equal(settings.request.type, DPS_MAP_MACLAURIN);
    assert_int_equal(settings.request.exact_degree, DPS_EXACT_AUTO);
    assert_int_equal(settings.request.features, 500);
    assert_int_equal(settings.load.path_count, 1);
    assert_int_equal(settings.load.scaling, DPS_SCALE_MAX_ABS);
    assert_int_equal(settings.load.normalize, DPS_NORMALIZE_MAX_NORM);
    assert_string_equal(settings.loss->name, "squared_hinge");
    assert_true(settings.C == 1 && settings.bias == 1);
    dps_options_release(&options);
}

static void linear_kernel_has_no_map(void **state)
{
    SETTINGS("kernel.type=linear");
    taken(status, &err);
    assert_int_equal(settings.request.type, DPS_MAP_NONE);
    dps_options_release(&options);
}

static void maps_without_a_kernel_take_the_linear_one(void **state)
{
    SETTINGS("map.type=fourier", "map.gamma=scale");
    taken(status, &err);
    assert_int_equal(settings.request.type, DPS_MAP_FOURIER);
    assert_string_equal(settings.request.kernel.kernel->name, "linear");
    assert_true(settings.request.base_gamma_scale && isnan(settings.request.base_gamma));
    dps_options_release(&options);
}

static void a_map_that_has_no_use_for_the_kernel_is_refused(void **state)
{
    (void)state;
    REFUSED("map.type", "map.type=fourier", "kernel.type=polynomial");
    REFUSED("map.type", "map.type=none", "kernel.type=exponential");
    SETTINGS("map.type=none", "kernel.type=linear");
    taken(status, &err);
    dps_options_release(&options);
}

static void h01_is_a_name_for_exact_degree(void **state)
{
    {
        SETTINGS("map.h01=on");
        taken(status, &err);
        assert_int_equal(settings.request.exact_degree, 1);
        dps_options_release(&options);
    }
    {
        SETTINGS("map.h01=off");
        taken(status, &err);
        assert_int_equal(settings.request.exact_degree, DPS_EXACT_NONE);
        dps_options_release(&options);
    }
    {
        SETTINGS("map.exact_degree=3", "map.h01=auto");
        taken(status, &err);
        assert_int_equal(settings.request.exact_degree, 3);
        dps_options_release(&options);
    }
    {
        SETTINGS("map.exact_degree=none", "map.h01=off");
        taken(status, &err);
        assert_int_equal(settings.request.exact_degree, DPS_EXACT_NONE);
        dps_options_release(&options);
    }
    REFUSED("map.h01", "map.h01=on", "map.exact_degree=2");
    REFUSED("map.h01", "map.h01=on", "map.exact_degree=auto");
    REFUSED("map.h01", "map.h01=off", "map.exact_degree=1");
}

static void coefficients_are_needed_and_counted(void **state)
{
    (void)state;
    REFUSED("kernel.coefficients", "kernel.type=maclaurin");
    SETTINGS("kernel.type=maclaurin", "kernel.coefficients=1, 0, 0.5");
    taken(status, &err);
    assert_int_equal(settings.request.kernel.coefficient_count, 3);
    assert_true(settings.request.kernel.coefficient[2] == 0.5);
    dps_options_release(&options);
}

static void training_data_must_be_named(void **state)
{
    dps_options options;
    dps_settings settings;
    dps_error err;
    (void)state;
    assert_int_equal(dps_options_init(&options, &err), DPS_OK);
    assert_int_equal(dps_settings_read(&options, &settings, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "data.train"));
    dps_options_release(&options);
}

static void class_weights_are_read_with_the_settings(void **state)
{
    (void)state;
    REFUSED("solver.class_weight", "solver.class_weight=heavy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_papers_polynomial),
        cmocka_unit_test(linear_kernel_has_no_map),
        cmocka_unit_test(maps_without_a_kernel_take_the_linear_one),
        cmocka_unit_test(a_map_that_has_no_use_for_the_kernel_is_refused),
        cmocka_unit_test(h01_is_a_name_for_exact_degree),
        cmocka_unit_test(coefficients_are_needed_and_counted),
        cmocka_unit_test(training_data_must_be_named),
        cmocka_unit_test(class_weights_are_read_with_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
