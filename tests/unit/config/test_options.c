/* Options: names, origins, and the errors that need them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "options.h"

static dps_options options;
static dps_error err;

static int set_up(void **state)
{
    (void)state;
    memset(&err, 0, sizeof err);
    return dps_options_init(&options, NULL) == DPS_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    dps_options_release(&options);
    return 0;
}

static void expect_error(const char *assignment, const char *words)
{
    assert_int_equal(dps_options_set_text(&options, assignment, &err), DPS_ERROR_CONFIG);
    if (strstr(err.text, words) == NULL) {
        fail_msg("%s: '%s' lacks '%s'", assignment, err.text, words);
    }
}

static void unknown_keys_get_the_nearest_name(void **state)
{
    (void)state;
    expect_error("map.gama=1", "'gama' in [map]; did you mean 'gamma'");
    expect_error("solver.tolerence=1", "did you mean 'tolerance'");
    expect_error("solver.degree=2", "belongs to [kernel]");
    expect_error("solver.C: =1", "'C: '");
    expect_error("solver.completely_different=1", "dpsvm help options");
}

static void unknown_sections_get_the_nearest_name_or_the_list(void **state)
{
    (void)state;
    expect_error("kernl.type=linear", "did you mean [kernel]");
    expect_error("training.C=1", "[data] [kernel] [map] [solver] [tune] [run] [output]");
}

static void text_without_section_or_equals_is_explained(void **state)
{
    (void)state;
    expect_error("C=1", "--section.key=value");
    expect_error("solver.C", "--section.key=value");
    expect_error("C=a.b", "--section.key=value");
    expect_error("", "--section.key=value");
    char longest[300];
    memset(longest, 'a', sizeof longest);
    memcpy(longest + 100, ".b=1", 5);
    expect_error(longest, "long");
}

static void a_key_twice_in_one_file_names_both_lines(void **state)
{
    (void)state;
    assert_int_equal(dps_options_set(&options, "solver", "C", "2", "", "x.ini", 3, &err), DPS_OK);
    assert_int_equal(dps_options_set(&options, "solver", "C", "4", "", "x.ini", 17, &err),
                     DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "lines 3 and 17"));
    assert_string_equal(err.file, "x.ini");
    assert_int_equal(err.line, 17);
    assert_true(options.solver_C.number == 2.0);
}

static void the_command_line_wins_over_the_file_and_the_last_wins_there(void **state)
{
    (void)state;
    assert_int_equal(dps_options_set(&options, "solver", "C", "2", "", "x.ini", 3, &err), DPS_OK);
    assert_string_equal(options.origin[DPS_OPT_solver_C].file, "x.ini");
    assert_int_equal(options.origin[DPS_OPT_solver_C].line, 3);
    assert_int_equal(dps_options_set_text(&options, "solver.C=5", &err), DPS_OK);
    assert_int_equal(dps_options_set_text(&options, "solver.C=6", &err), DPS_OK);
    assert_true(options.solver_C.number == 6.0);
    assert_true(options.origin[DPS_OPT_solver_C].set);
    assert_null(options.origin[DPS_OPT_solver_C].file);
}

static void a_later_error_about_a_value_has_its_place(void **state)
{
    (void)state;
    assert_int_equal(dps_options_set(&options, "map", "features", "9", "", "x.ini", 3, &err),
                     DPS_OK);
    assert_int_equal(dps_options_error(&options, DPS_OPT_map_features, &err, "%d is odd", 9),
                     DPS_ERROR_CONFIG);
    assert_string_equal(err.text, "map.features: 9 is odd");
    assert_string_equal(err.file, "x.ini");
    assert_int_equal(err.line, 3);
    assert_int_equal(dps_options_set_text(&options, "map.features=9", &err), DPS_OK);
    assert_int_equal(dps_options_error(&options, DPS_OPT_map_features, &err, "%d is odd", 9),
                     DPS_ERROR_CONFIG);
    assert_string_equal(err.text, "--map.features: 9 is odd");
    assert_string_equal(err.file, "");
    assert_int_equal(err.line, 0);
}

static void a_refused_value_leaves_the_option_as_it_was(void **state)
{
    (void)state;
    assert_int_equal(dps_options_set_text(&options, "data.train=a b", &err), DPS_OK);
    assert_int_equal(dps_options_set(&options, "data", "train", "\"c", "", "x.ini", 2, &err),
                     DPS_ERROR_CONFIG);
    assert_int_equal(options.data_train.count, 2);
    assert_string_equal(options.data_train.item[1], "b");
    assert_null(options.origin[DPS_OPT_data_train].file);
}

static void control_characters_are_not_passed_on(void **state)
{
    (void)state;
    expect_error("solver.C=\033[31m", "solver.C");
    assert_null(strchr(err.text, '\033'));
    expect_error("map.ga\nma=1", "unknown key");
    assert_null(strchr(err.text, '\n'));
}

static void values_are_shown_with_their_names(void **state)
{
    (void)state;
    dps_text text = {0};
    dps_options_value(&options, DPS_OPT_solver_tolerance, &text);
    assert_string_equal(text.data, "solver.tolerance = 0.001");
    dps_text_release(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(unknown_keys_get_the_nearest_name),
        TEST(unknown_sections_get_the_nearest_name_or_the_list),
        TEST(text_without_section_or_equals_is_explained),
        TEST(a_key_twice_in_one_file_names_both_lines),
        TEST(the_command_line_wins_over_the_file_and_the_last_wins_there),
        TEST(a_later_error_about_a_value_has_its_place),
        TEST(a_refused_value_leaves_the_option_as_it_was),
        TEST(control_characters_are_not_passed_on),
        TEST(values_are_shown_with_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
