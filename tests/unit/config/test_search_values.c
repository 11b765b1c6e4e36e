/* Lists and ranges of [tune], and copies of options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "option_value.h"
#include "search_values.h"

/* The values of `text` for an option, joined by blanks, or "!" and the problem. */
static const char *expand(dps_option_id id, const char *text)
{
    static char joined[512];
    dps_list values;
    dps_text problem = {0};
    joined[0] = '\0';
    if (dps_search_values(id, text, &values, &problem) != DPS_OK) {
        strcpy(joined, "!");
        strncat(joined, problem.data == NULL ? "" : problem.data, sizeof joined - 2);
    }
    for (size_t i = 0; i < values.count; i++) {
        strcat(joined, i > 0 ? " " : "");
        strcat(joined, values.item[i]);
    }
    dps_list_release(&values);
    dps_text_release(&problem);
    return joined;
}

static void lists_and_ranges_stand_for_their_values(void **state)
{
    (void)state;
    assert_string_equal(expand(DPS_OPT_solver_C, "1, 10 ,100"), "1 10 100");
    assert_string_equal(expand(DPS_OPT_solver_C, "2^-2..2^2"), "0.25 0.5 1 2 4");
    assert_string_equal(expand(DPS_OPT_solver_C, "2^-4..2^4:4"), "0.0625 1 16");
    assert_string_equal(expand(DPS_OPT_solver_C, "0.1..0.3:0.1, 2^3"),
                        "0.1 0.2 0.30000000000000004 8");
    assert_string_equal(expand(DPS_OPT_map_features, "100..500:200"), "100 300 500");
    assert_string_equal(expand(DPS_OPT_kernel_degree, "2..5"), "2 3 4 5");
    assert_string_equal(expand(DPS_OPT_kernel_type, "linear exponential"), "linear exponential");
    assert_string_equal(expand(DPS_OPT_solver_class_weight, "none, \"a:1, b:2\""), "none a:1, b:2");
    assert_string_equal(expand(DPS_OPT_kernel_sigma, "auto, 0.5"), "auto 0.5");
}

static void what_is_no_list_of_values_is_refused(void **state)
{
    (void)state;
    static const struct {
        dps_option_id id;
        const char *text, *problem;
    } bad[] = {{DPS_OPT_solver_C, "", "expected values"},
               {DPS_OPT_solver_C, "4..1", "range"},
               {DPS_OPT_solver_C, "2^1..3^4", "range"},
               {DPS_OPT_solver_C, "0.1..0.9", "range"},
               {DPS_OPT_solver_C, "1..9:0", "range"},
               {DPS_OPT_solver_C, "1..9:", "range"},
               {DPS_OPT_solver_C, "-1, 1", "above 0"},
               {DPS_OPT_solver_C, "1..100000", "more than 1000"},
               {DPS_OPT_kernel_type, "linear, cubic", "cubic"},
               {DPS_OPT_map_features, "1..2:0.5", "whole number"},
               {DPS_OPT_solver_class_weight, "\"a:1", "not closed"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *found = expand(bad[i].id, bad[i].text);
        if (found[0] != '!' || strstr(found, bad[i].problem) == NULL) {
            fail_msg("'%s' gives '%s', expected '%s'", bad[i].text, found, bad[i].problem);
        }
    }
}

static void the_command_line_replaces_the_config(void **state)
{
    (void)state;
    dps_options options;
    dps_error err;
    assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
    assert_int_equal(dps_options_set(&options, "tune", "solver.C", "1 2", "", "x.ini", 3, &err), 0);
    assert_int_equal(dps_options_set(&options, "tune", "solver.C", "3", "", "x.ini", 5, &err),
                     DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "lines 3 and 5"));
    assert_int_equal(options.search.item[0].value.count, 2);
    assert_int_equal(dps_options_set_text(&options, "tune.solver.C=5,6,7", &err), DPS_OK);
    assert_int_equal(options.search.count, 1);
    assert_int_equal(options.search.item[0].value.count, 3);
    assert_int_equal(dps_options_set_text(&options, "tune.output.model=a,b", &err),
                     DPS_ERROR_CONFIG);
    assert_int_equal(options.search.count, 1);
    dps_options_release(&options);
}

static void a_copy_has_values_and_origins_but_no_search(void **state)
{
    (void)state;
    dps_options options, copy;
    dps_error err;
    assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
    assert_int_equal(
        dps_options_set(&options, "data", "train", "a.svm 'b c.svm'", "in/", "in/x.ini", 2, &err),
        0);
    assert_int_equal(dps_options_set_text(&options, "kernel.coefficients=1,0.1,2", &err), 0);
    assert_int_equal(dps_options_set_text(&options, "run.memory=2G", &err), 0);
    assert_int_equal(dps_options_set_text(&options, "tune.solver.C=5,6,7", &err), 0);
    assert_int_equal(dps_options_copy(&options, &copy, &err), DPS_OK);
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text a = {0}, b = {0};
        dps_options_value(&options, (dps_option_id)id, &a);
        dps_options_value(&copy, (dps_option_id)id, &b);
        assert_string_equal(a.data, b.data);
        assert_true(options.origin[id].set == copy.origin[id].set);
        dps_text_release(&a);
        dps_text_release(&b);
    }
    assert_int_equal(copy.data_train.count, 2);
    assert_string_equal(copy.data_train.item[1], "in/b c.svm");
    assert_string_equal(copy.origin[DPS_OPT_data_train].file, "in/x.ini");
    assert_int_equal(copy.search.count, 0);
    dps_options_release(&options);
    dps_options_release(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_ranges_stand_for_their_values),
        cmocka_unit_test(what_is_no_list_of_values_is_refused),
        cmocka_unit_test(the_command_line_replaces_the_config),
        cmocka_unit_test(a_copy_has_values_and_origins_but_no_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
