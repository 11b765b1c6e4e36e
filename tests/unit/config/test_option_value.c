/* Values of options: what is read, what is refused, and that text goes round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "allocation.h"
#include "option_value.h"

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

static void accept(const char *assignment)
{
    if (dps_options_set_text(&options, assignment, &err) != DPS_OK) {
        fail_msg("%s: %s", assignment, err.text);
    }
}

/* Refused as a configuration error whose text holds both words. */
static void refuse(const char *assignment, const char *word, const char *other)
{
    assert_int_equal(dps_options_set_text(&options, assignment, &err), DPS_ERROR_CONFIG);
    if (strstr(err.text, word) == NULL || strstr(err.text, other) == NULL) {
        fail_msg("%s: '%s' lacks '%s' or '%s'", assignment, err.text, word, other);
    }
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    assert_int_equal(options.data_train.count, 0);
    assert_string_equal(options.data_format, "auto");
    assert_false(options.data_zero_based);
    assert_int_equal(options.kernel_degree, 10);
    assert_string_equal(options.kernel_sigma.choice, "auto");
    assert_true(options.solver_tolerance == 1e-3);
    assert_int_equal(options.run_memory, 0);
    assert_string_equal(options.output_model, "model.dpsvm");
    assert_string_equal(options.output_report, "");
    assert_false(options.origin[DPS_OPT_solver_C].set);
}

static void numbers_are_read_whole(void **state)
{
    (void)state;
    accept("solver.C=2.5e1");
    assert_true(options.solver_C.number == 25.0);
    refuse("solver.C=10x", "--solver.C=10x", "a number above 0");
    refuse("solver.C=1 2", "1 2", "number");
    refuse("solver.C=", "solver.C", "number");
    refuse("map.seed=1.5", "map.seed=1.5", "whole number");
    assert_true(options.solver_C.number == 25.0);
    assert_int_equal(options.map_seed.item[0], 1);
}

static void numbers_out_of_range_are_refused_with_the_range(void **state)
{
    (void)state;
    refuse("solver.C=0", "C=0", "above 0");
    refuse("solver.C=-1", "C=-1", "above 0");
    refuse("solver.C=1e999", "1e999", "at most");
    refuse("solver.C=nan", "nan", "number");
    refuse("solver.C=inf", "inf", "number");
    refuse("run.threads=100000", "100000", "from 1 to 1024");
    refuse("run.threads=-2", "-2", "auto or a whole number");
    refuse("map.seed=99999999999999999999", "map.seed", "whole number");
    refuse("map.seed=9007199254740993", "map.seed", "9007199254740992");
    accept("map.seed=9007199254740992");
    assert_true(options.map_seed.item[0] == INT64_C(9007199254740992));
    accept("solver.C=4.9406564584124654e-324");
}

static void whole_numbers_and_ranges_make_a_list(void **state)
{
    (void)state;
    static const int64_t wanted[] = {7, 1, 2, 3, 12};
    accept("map.seed=7, 1..3 12");
    assert_int_equal(options.map_seed.count, 5);
    assert_memory_equal(options.map_seed.item, wanted, sizeof wanted);
    dps_text text = {0};
    dps_options_value_text(&options, DPS_OPT_map_seed, &text);
    assert_string_equal(text.data, "7, 1..3, 12");
    dps_text_release(&text);
    refuse("map.seed=", "map.seed", "whole numbers");
    refuse("map.seed=3..1", "3..1", "whole numbers, as 1, 2 or 1..5");
    refuse("map.seed=1..", "1..", "whole numbers");
    refuse("map.seed=..3", "..3", "whole numbers");
    refuse("map.seed=1...3", "1...3", "whole numbers");
    refuse("map.seed=4,2..5", "4 is given twice", "map.seed");
    refuse("map.seed=1..101", "at most 100 numbers", "map.seed");
    accept("map.seed=1..100");
    assert_int_equal(options.map_seed.count, 100);
    accept("map.seed=5");
    assert_int_equal(options.map_seed.count, 1);
}

static void choices_are_exact_and_slips_get_the_nearest(void **state)
{
    (void)state;
    accept("kernel.type=vovk_real");
    assert_string_equal(options.kernel_type, "vovk_real");
    refuse("kernel.type=vovk_reel", "did you mean vovk_real", "polynomial");
    refuse("kernel.type=auto libsvm", "expected", "linear");
    refuse("data.format=", "expected", "libsvm");
    assert_string_equal(options.kernel_type, "vovk_real");
}

static void a_choice_outlives_the_text_it_came_from(void **state)
{
    (void)state;
    char text[] = "solver.loss=hinge";
    accept(text);
    memset(text, 'x', sizeof text - 1);
    assert_string_equal(options.solver_loss, "hinge");
}

static void number_or_choice_takes_both(void **state)
{
    (void)state;
    accept("kernel.sigma=2.5");
    assert_null(options.kernel_sigma.choice);
    assert_true(options.kernel_sigma.number == 2.5);
    accept("kernel.sigma=auto");
    assert_string_equal(options.kernel_sigma.choice, "auto");
    accept("run.threads=3");
    assert_null(options.run_threads.choice);
    assert_int_equal(options.run_threads.number, 3);
}

static void flags_take_the_usual_words(void **state)
{
    (void)state;
    static const char *const words[] = {"on", "off", "true", "false", "yes", "no", "1", "0"};
    for (size_t i = 0; i < 8; i++) {
        char text[40];
        snprintf(text, sizeof text, "data.zero_based=%s", words[i]);
        accept(text);
        assert_int_equal(options.data_zero_based, i % 2 == 0);
    }
    refuse("data.zero_based=maybe", "maybe", "on or off");
}

static void sizes_count_by_1024(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {{"512k", 524288},
                 {"800M", 838860800},
                 {"4G", INT64_C(4294967296)},
                 {"1.5 GiB", INT64_C(1610612736)},
                 {"2KB", 2048},
                 {"1T", INT64_C(1099511627776)},
                 {"123456", 123456},
                 {"7B", 7},
                 {"auto", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];
        snprintf(text, sizeof text, "run.memory=%s", cases[i].text);
        accept(text);
        assert_true(options.run_memory == cases[i].bytes);
    }
    static const char *const bad[] = {"0",     "-1G",   "4X",      "4GG", "G",
                                      "1e400", "4GiBi", "9000T00", "4Bi"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[40];
        snprintf(text, sizeof text, "run.memory=%s", bad[i]);
        refuse(text, "run.memory", "800M");
    }
}

static void lists_of_files_split_at_commas_and_blanks_outside_quotes(void **state)
{
    (void)state;
    accept("data.train=a.svm, b.svm  c.svm,\"d e,f.svm\" 'g\"h.svm',");
    static const char *const expected[] = {"a.svm", "b.svm", "c.svm", "d e,f.svm", "g\"h.svm"};
    assert_int_equal(options.data_train.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(options.data_train.item[i], expected[i]);
    }
    accept("data.train=");
    assert_int_equal(options.data_train.count, 0);
    refuse("data.train=\"a.svm", "quote", "closed");
    refuse("data.train=\"a\"b", "after the closing quote", "data.train");
    refuse("data.train=\"\"", "empty", "data.train");
}

static void an_unquoted_list_that_names_a_file_is_that_file(void **state)
{
    (void)state;
    char folder[] = "values_XXXXXX", path[64], assignment[96];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/d\xC3\xA9j\xC3\xA0 vu, 1.svm", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    snprintf(assignment, sizeof assignment, "data.train= %s ", path);
    accept(assignment);
    assert_int_equal(options.data_train.count, 1);
    assert_string_equal(options.data_train.item[0], path);
    unlink(path);
    accept(assignment);
    assert_int_equal(options.data_train.count, 3);
    rmdir(folder);
}

static void one_path_keeps_its_blanks_and_loses_its_quotes(void **state)
{
    (void)state;
    accept("output.model=my model, 2.dpsvm");
    assert_string_equal(options.output_model, "my model, 2.dpsvm");
    accept("output.model='it is \"mine\"'");
    assert_string_equal(options.output_model, "it is \"mine\"");
    accept("output.model=d'apr\xC3\xA8s.dpsvm");
    assert_string_equal(options.output_model, "d'apr\xC3\xA8s.dpsvm");
    refuse("output.model=\"a\" b", "closing quote", "output.model");
    refuse("output.model=\"a", "closing quote", "output.model");
}

static void relative_paths_get_the_base_folder(void **state)
{
    (void)state;
    static const struct {
        const char *base, *value, *path;
    } cases[] = {{"conf/", "a.svm", "conf/a.svm"},
                 {"conf", "a.svm", "conf/a.svm"},
                 {"", "a.svm", "a.svm"},
                 {"conf/", "/a.svm", "/a.svm"},
                 {"conf/", "-", "-"},
                 {"conf/", "\"a.svm\"", "conf/a.svm"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(
            dps_options_set(&options, "data", "test", cases[i].value, cases[i].base, NULL, 0, &err),
            DPS_OK);
        assert_int_equal(options.data_test.count, 1);
        assert_string_equal(options.data_test.item[0], cases[i].path);
        assert_int_equal(dps_options_set(&options, "output", "model", cases[i].value, cases[i].base,
                                         NULL, 0, &err),
                         DPS_OK);
        assert_string_equal(options.output_model, cases[i].path);
    }
    assert_int_equal(dps_options_set(&options, "output", "report", "", "conf", NULL, 0, &err),
                     DPS_OK);
    assert_string_equal(options.output_report, "");
}

static void lists_of_numbers_check_each_item(void **state)
{
    (void)state;
    accept("kernel.coefficients=1, 0.5 0 2e-3");
    assert_int_equal(options.kernel_coefficients.count, 4);
    assert_true(options.kernel_coefficients.item[1] == 0.5);
    assert_true(options.kernel_coefficients.item[3] == 2e-3);
    refuse("kernel.coefficients=1, -0.5", "-0.5", "list of numbers");
    refuse("kernel.coefficients=1, x", "x", "list of numbers");
    assert_int_equal(options.kernel_coefficients.count, 4);
}

/* value -> text -> value, for every option and some awkward values. */
static void written_values_read_back_the_same(void **state)
{
    (void)state;
    static const char *const assignments[] = {"data.train='a b.svm' c.svm \"x,y\" \"it's\"",
                                              "output.model=a #1;b.dpsvm",
                                              "output.report='\"'",
                                              "kernel.coefficients=0.1 1e-300 3",
                                              "solver.C=0.1",
                                              "kernel.sigma=0.30000000000000004",
                                              "run.threads=7",
                                              "run.memory=3G",
                                              "solver.class_weight=1:2, -1:3 ; x",
                                              "data.zero_based=on"};
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
        accept(assignments[i]);
    }
    dps_options again;
    assert_int_equal(dps_options_init(&again, NULL), DPS_OK);
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text first = {0}, second = {0};
        dps_options_value_text(&options, (dps_option_id)id, &first);
        const dps_option_info *row = &dps_option_table()[id];
        assert_int_equal(dps_options_set(&again, row->section, row->key,
                                         first.data == NULL ? "" : first.data, "", NULL, 0, &err),
                         DPS_OK);
        dps_options_value_text(&again, (dps_option_id)id, &second);
        assert_int_equal(first.length, second.length);
        if (first.length > 0) {
            assert_string_equal(first.data, second.data);
        }
        dps_text_release(&first);
        dps_text_release(&second);
    }
    assert_string_equal(again.output_model, "a #1;b.dpsvm");
    assert_string_equal(again.output_report, "\"");
    assert_string_equal(again.data_train.item[3], "it's");
    assert_true(again.kernel_sigma.number == 0.30000000000000004);
    dps_options_release(&again);
}

/* What docs/options.md says of values, for every row of the table. */
static bool has_choice(const dps_option_info *row, const char *name)
{
    for (const char *c = row->choices; *c != '\0'; c += strlen(c) + 1) {
        if (strcmp(c, name) == 0) {
            return true;
        }
    }
    return false;
}

static void expect_same(const dps_option_info *row, const char *text, const char *as)
{
    const int id = dps_option_find(row->section, row->key);
    char *value[2] = {NULL, NULL};
    const char *const texts[] = {text, as};
    for (int i = 0; i < 2; i++) {
        dps_text out = {0};
        if (dps_options_set(&options, row->section, row->key, texts[i], "", NULL, 0, &err) !=
            DPS_OK) {
            fail_msg("%s.%s = %s: %s", row->section, row->key, texts[i], err.text);
        }
        dps_options_value_text(&options, (dps_option_id)id, &out);
        value[i] = out.data;
    }
    if (strcmp(value[0] == NULL ? "" : value[0], value[1] == NULL ? "" : value[1]) != 0) {
        fail_msg("%s.%s = %s is %s, expected %s", row->section, row->key, text, value[0], value[1]);
    }
    dps_free(value[0]);
    dps_free(value[1]);
}

static void on_and_off_have_their_spellings_in_every_option(void **state)
{
    static const char *const on[] = {"on",   "ON",  "On",  "true", "True",
                                     "TRUE", "yes", "Yes", "'on'"};
    static const char *const off[] = {"off", "OFF", "false", "False", "no", "No", "0", "\"off\""};
    int switches = 0;
    (void)state;
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_info *row = &dps_option_table()[id];
        const bool flag = strcmp(row->type, "FLAG") == 0;
        switches += flag;
        for (size_t i = 0; i < sizeof on / sizeof on[0] && (flag || has_choice(row, "on")); i++) {
            expect_same(row, on[i], "on");
        }
        for (size_t i = 0; i < sizeof off / sizeof off[0] && (flag || has_choice(row, "off"));
             i++) {
            expect_same(row, off[i], "off");
        }
        if (flag || strcmp(row->type, "CHOICE") == 0) {
            if (flag || has_choice(row, "on")) {
                expect_same(row, "1", "on");
            }
            assert_int_not_equal(
                dps_options_set(&options, row->section, row->key, "onn", "", NULL, 0, &err),
                DPS_OK);
        }
    }
    assert_true(switches > 3);
}

static void every_value_may_stand_in_quotes_and_sizes_take_their_units(void **state)
{
    static const struct {
        const char *text, *bytes;
    } sizes[] = {{"512k", "524288"},
                 {"512K", "524288"},
                 {"512KB", "524288"},
                 {"512KiB", "524288"},
                 {"512 KiB", "524288"},
                 {"1.5M", "1572864"},
                 {"2G", "2147483648"},
                 {"2GiB", "2147483648"},
                 {"2 g", "2147483648"},
                 {"1T", "1099511627776"},
                 {"7", "7"},
                 {"7B", "7"}};
    (void)state;
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_info *row = &dps_option_table()[id];
        if (row->default_text[0] != '\0') {
            for (const char *quote = "\"'"; *quote != '\0'; quote++) {
                char text[64];
                snprintf(text, sizeof text, " %c%s%c ", *quote, row->default_text, *quote);
                if (strcmp(row->type, "NAMES") != 0) { /* keeps them until it is taken apart */
                    expect_same(row, text, row->default_text);
                }
            }
        }
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            if (strcmp(row->type, "SIZE") == 0) {
                expect_same(row, sizes[i].text, sizes[i].bytes);
            }
        }
    }
}

static void lists_are_separated_by_commas_blanks_or_lines(void **state)
{
    int lists = 0;
    (void)state;
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_info *row = &dps_option_table()[id];
        const bool numbers = strcmp(row->type, "INTS") == 0 || strcmp(row->type, "REALS") == 0;
        if (!numbers && strcmp(row->type, "PATHS") != 0) {
            continue;
        }
        lists++;
        expect_same(row, "1 2", "1, 2");
        expect_same(row, "1,2", "1, 2");
        expect_same(row, " 1 ,\t2 ", "1, 2");
        expect_same(row, "1,\n  2", "1, 2");
        expect_same(row, "\"1\" '2'", "1, 2");
    }
    assert_true(lists >= 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(defaults_are_those_of_the_table),
        TEST(numbers_are_read_whole),
        TEST(numbers_out_of_range_are_refused_with_the_range),
        TEST(whole_numbers_and_ranges_make_a_list),
        TEST(choices_are_exact_and_slips_get_the_nearest),
        TEST(a_choice_outlives_the_text_it_came_from),
        TEST(number_or_choice_takes_both),
        TEST(on_and_off_have_their_spellings_in_every_option),
        TEST(every_value_may_stand_in_quotes_and_sizes_take_their_units),
        TEST(lists_are_separated_by_commas_blanks_or_lines),
        TEST(flags_take_the_usual_words),
        TEST(sizes_count_by_1024),
        TEST(lists_of_files_split_at_commas_and_blanks_outside_quotes),
        TEST(an_unquoted_list_that_names_a_file_is_that_file),
        TEST(one_path_keeps_its_blanks_and_loses_its_quotes),
        TEST(relative_paths_get_the_base_folder),
        TEST(lists_of_numbers_check_each_item),
        TEST(written_values_read_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
