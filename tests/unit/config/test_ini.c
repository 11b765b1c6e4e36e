/* INI files: the syntax that docs/options.md promises, and the place of every error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options.h"

static char folder[32];
static char path[64];
static dps_options options;
static dps_error err;

static int set_up(void **state)
{
    (void)state;
    memset(&err, 0, sizeof err);
    strcpy(folder, "ini_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/test.ini", folder);
    return dps_options_init(&options, NULL) == DPS_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    rmdir(folder);
    dps_options_release(&options);
    return 0;
}

static dps_status read_bytes(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    return dps_options_read(&options, path, &err);
}

static void accept(const char *text)
{
    if (read_bytes(text, strlen(text)) != DPS_OK) {
        fail_msg("line %d: %s", (int)err.line, err.text);
    }
}

static void refuse(const char *text, int line, const char *words)
{
    dps_options_release(&options);
    assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
    assert_int_equal(read_bytes(text, strlen(text)), DPS_ERROR_CONFIG);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, line);
    if (strstr(err.text, words) == NULL) {
        fail_msg("'%s' lacks '%s'", err.text, words);
    }
}

static void assert_path(const char *actual, const char *name)
{
    char expected[128];
    snprintf(expected, sizeof expected, "%s/%s", folder, name);
    assert_string_equal(actual, expected);
}

static void two_lines_are_a_config(void **state)
{
    (void)state;
    accept("[data]\ntrain = rows.svm\n");
    assert_int_equal(options.data_train.count, 1);
    assert_path(options.data_train.item[0], "rows.svm");
    assert_string_equal(options.origin[DPS_OPT_data_train].file, path);
    assert_int_equal(options.origin[DPS_OPT_data_train].line, 2);
}

static void comments_start_at_line_start_or_after_white_space(void **state)
{
    (void)state;
    accept("# head\n; head\n  # indented\n[data] # note\ntrain = x#1;y.svm ; the rows\n"
           "[solver]\t; note\nC = 10 ; best\ntolerance=1e-4\t# small\nclass_weight = # nothing\n");
    assert_path(options.data_train.item[0], "x#1;y.svm");
    assert_true(options.solver_C.number == 10.0);
    assert_true(options.solver_tolerance == 1e-4);
    assert_string_equal(options.solver_class_weight, "");
}

static void quotes_protect_comments_commas_and_blanks(void **state)
{
    (void)state;
    accept("[data]\ntrain = \"a #1 ;b, c.svm\", 'd;e f.svm' # note \"x\n"
           "[output]\nmodel = ' m # 1 '\nreport = that's it.json # it's\n");
    assert_int_equal(options.data_train.count, 2);
    assert_path(options.data_train.item[0], "a #1 ;b, c.svm");
    assert_path(options.data_train.item[1], "d;e f.svm");
    assert_path(options.output_model, " m # 1 ");
    assert_path(options.output_report, "that's it.json");
}

static void an_open_quote_is_an_error_with_its_column(void **state)
{
    (void)state;
    refuse("[output]\nmodel = \"abc\n", 2, "not closed");
    assert_int_equal(err.column, 9);
}

static void lists_go_on_over_indented_lines(void **state)
{
    (void)state;
    accept("[data]\ntrain = a.svm,\n    b.svm # second\n\n# between\n\t'c d.svm'\ntest =\n  e.svm\n"
           "[kernel]\ncoefficients = 1\n  2, 3\n  4\n");
    assert_int_equal(options.data_train.count, 3);
    assert_path(options.data_train.item[1], "b.svm");
    assert_path(options.data_train.item[2], "c d.svm");
    assert_int_equal(options.data_test.count, 1);
    assert_int_equal(options.kernel_coefficients.count, 4);
}

static void keys_may_all_be_indented(void **state)
{
    (void)state;
    accept("  [solver]\n    C = 3\n    loss = hinge\n  [map]\n  seed = 4\n features = 7\n");
    assert_true(options.solver_C.number == 3.0);
    assert_string_equal(options.solver_loss, "hinge");
    assert_int_equal(options.map_seed.item[0], 4);
    assert_int_equal(options.map_features.number, 7);
}

static void a_key_indented_below_another_is_not_swallowed(void **state)
{
    (void)state;
    refuse("[solver]\nC = 3\n  loss = hinge\n", 3, "'C' of line 2");
    refuse("[data]\ntrain = a.svm\n  test = b.svm\n", 3, "'train' of line 2");
    refuse("[solver]\nC = 3\n  4\n", 3, "'C' of line 2");
}

static void byte_order_mark_and_crlf_are_accepted(void **state)
{
    (void)state;
    accept("\xEF\xBB\xBF[solver]\r\nC = 2\r\n\r\n[output]\r\nmodel = m.dpsvm\r\n");
    assert_true(options.solver_C.number == 2.0);
    assert_path(options.output_model, "m.dpsvm");
    refuse("\xEF\xBB\xBF[solver]\r\nC = 2\r\nD = 3\r\n", 3, "'D'");
}

static void the_last_line_needs_no_newline(void **state)
{
    (void)state;
    accept("[solver]\nC = 12");
    assert_true(options.solver_C.number == 12.0);
    accept("");
}

static void sections_may_be_reopened_but_keys_not(void **state)
{
    (void)state;
    accept("[solver]\nC = 2\n[map]\nseed = 3\n[solver]\nloss = hinge\n");
    assert_string_equal(options.solver_loss, "hinge");
    refuse("[solver]\nC = 2\n[map]\nseed = 3\n[solver]\nC = 2\n", 6, "lines 2 and 6");
}

static void unknown_names_are_errors_with_line_and_nearest_name(void **state)
{
    (void)state;
    refuse("[map]\ntype = fourier\ngama = 0.5\n", 3, "'gamma'");
    refuse("[data]\ntrain = a\n\n[solvr]\n", 4, "[solver]");
    refuse("[map]\nfeatures: = 3\n", 2, "'features:'");
    refuse("[map]\nfeatures : 3\n", 2, "key = value");
    refuse("[map]\nfeatures\n", 2, "key = value");
    refuse("[map]\n= 3\n", 2, "key before");
    refuse("C = 1\n[solver]\n", 1, "[section]");
    refuse("[solver\nC = 1\n", 1, "[solver]");
    refuse("[solver] C = 1\n", 1, "[solver]");
    refuse("[]\nC = 1\n", 1, "[]");
}

static void values_are_checked_with_key_value_range_and_line(void **state)
{
    (void)state;
    refuse("[solver]\n\nC = -1\n", 3, "solver.C = -1: expected auto or a number above 0");
    refuse("[solver]\nC = 10x ; note\n", 2, "solver.C = 10x: ");
    refuse("[run]\nthreads = 100000\n", 2, "from 1 to 1024");
    refuse("[data]\nformat = libsvn\n", 2, "did you mean libsvm");
}

static void long_values_are_kept_whole(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    char *text = malloc(LENGTH + 64), *name = malloc(LENGTH + 1);
    memset(name, 'n', LENGTH);
    name[LENGTH] = '\0';
    snprintf(text, LENGTH + 64, "[output]\nmodel = %s\nreport = r\n", name);
    accept(text);
    assert_path(options.output_report, "r");
    assert_int_equal(strlen(options.output_model), LENGTH + strlen(folder) + 1);
    assert_string_equal(options.output_model + strlen(folder) + 1, name);
    free(text);
    free(name);
}

static void long_names_are_refused(void **state)
{
    (void)state;
    char text[300], name[201];
    memset(name, 'n', 200);
    name[200] = '\0';
    snprintf(text, sizeof text, "[solver]\n%s = 1\n", name);
    refuse(text, 2, "unknown key");
    snprintf(text, sizeof text, "[%s]\nC = 1\n", name);
    refuse(text, 1, "unknown section");
    name[50] = '\0'; /* one too many */
    snprintf(text, sizeof text, "[solver]\n%s = 1\n", name);
    refuse(text, 2, "unknown key");
    name[49] = '\0';
    snprintf(text, sizeof text, "[solver]\n%s = 1\n", name);
    refuse(text, 2, "unknown key");
}

static void what_is_not_text_is_refused(void **state)
{
    (void)state;
    static const char zero[] = "[solver]\nC = 1\0\n", utf16[] = "\xFF\xFE[\0";
    assert_int_equal(read_bytes(zero, sizeof zero - 1), DPS_ERROR_CONFIG);
    assert_int_equal(err.line, 2);
    assert_int_equal(read_bytes(utf16, sizeof utf16 - 1), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "UTF-8"));
}

static void a_missing_file_or_a_folder_is_an_io_error(void **state)
{
    (void)state;
    assert_int_equal(dps_options_read(&options, "no/such.ini", &err), DPS_ERROR_IO);
    assert_string_equal(err.file, "no/such.ini");
    assert_int_equal(dps_options_read(&options, folder, &err), DPS_ERROR_IO);
}

static void absolute_paths_and_stdin_stay(void **state)
{
    (void)state;
    accept("[data]\ntrain = -\ntest = /tmp/a.svm\n");
    assert_string_equal(options.data_train.item[0], "-");
    assert_string_equal(options.data_test.item[0], "/tmp/a.svm");
}

static void a_file_with_blanks_and_accents_needs_no_quotes(void **state)
{
    (void)state;
    char name[96];
    snprintf(name, sizeof name, "%s/\xC3\xA9t\xC3\xA9 2.svm", folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
    accept("[data]\ntrain = \xC3\xA9t\xC3\xA9 2.svm ; one file\n");
    assert_int_equal(options.data_train.count, 1);
    assert_string_equal(options.data_train.item[0], name);
    unlink(name);
}

/* As the command line gives them, where nothing but outer blanks and quotes is taken off. */
static void values_that_are_written_into_a_file_read_back_the_same(void **state)
{
    (void)state;
    static const char *const values[] = {
        "none",      "'tis:2, a:1", "\"New York\":2, b:1", "\"a #1\":2, b:3", "a#1;b:2",
        "a:1 ; b:2", "'\"a\"'",     "\" a: 1 \"",          "a 'b c:1, d:2",   "\"it's\":2, \"b\":1",
        "",          "\"a\", \"b\""};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        dps_text line = {0};
        assert_int_equal(
            dps_options_set(&options, "data", "label_column", values[i], "", NULL, 0, NULL),
            DPS_OK);
        char *before = strdup(options.data_label_column);
        dps_text_add(&line, "[data]\nlabel_column = ");
        dps_options_value_text(&options, DPS_OPT_data_label_column, &line);
        dps_text_add(&line, "\n");
        accept(line.data);
        assert_string_equal(options.data_label_column, before);
        dps_options_release(&options);
        assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
        dps_text_release(&line);
        free(before);
    }
}

/* Lists of names are taken apart later: what is written means the same and stays as it is. */
static void lists_that_are_written_into_a_file_mean_the_same(void **state)
{
    (void)state;
    static const char *const values[][2] = {{"a, b c", "a, b c"},
                                            {"\"a, b\" , c", "\"a, b\", c"},
                                            {"'tis:2, a", "\"'tis:2\", a"},
                                            {"'a':2,b", "\"a\":2, b"},
                                            {"a #1", "\"a #1\""},
                                            {"5\" pipe", "'5\" pipe'"},
                                            {"a, 5' 6\", b", "a, 5' 6\", b"},
                                            {"a, #5' 6\", b", "a,#5' 6\", b"},
                                            {";5' 6\"", ",;5' 6\""},
                                            {"'a'  \"b #1\" c", "\"a\" \"b #1\" c"},
                                            {"\"a # b\"'# c, d", "\"a # b\"'# c, d"},
                                            {"a\n b", "a, b"},
                                            {"", ""},
                                            {"'a, b'", "\"a, b\""}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        dps_text line = {0}, again = {0};
        assert_int_equal(
            dps_options_set(&options, "data", "ignore_columns", values[i][0], "", NULL, 0, NULL),
            DPS_OK);
        dps_text_add(&line, "[data]\nignore_columns = ");
        const size_t head = line.length;
        dps_options_value_text(&options, DPS_OPT_data_ignore_columns, &line);
        assert_string_equal(line.data + head, values[i][1]);
        accept(line.data);
        dps_options_value_text(&options, DPS_OPT_data_ignore_columns, &again);
        assert_string_equal(again.data == NULL ? "" : again.data, values[i][1]);
        dps_options_release(&options);
        assert_int_equal(dps_options_init(&options, NULL), DPS_OK);
        dps_text_release(&line);
        dps_text_release(&again);
    }
}

static void relative_paths_get_the_folder_in_front_for_another_place(void **state)
{
    (void)state;
    dps_text text = {0};
    assert_int_equal(dps_options_set_text(&options, "data.train=a.svm, /b.svm, -, 'c d.svm'", NULL),
                     DPS_OK);
    dps_options_value_from(&options, DPS_OPT_data_train, "/top", &text);
    assert_string_equal(text.data, "/top/a.svm, /b.svm, -, \"/top/c d.svm\"");
    text.length = 0;
    dps_options_value_from(&options, DPS_OPT_output_model, "/top", &text);
    assert_string_equal(text.data, "/top/model.dpsvm");
    dps_text_release(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_lines_are_a_config),
        TEST(comments_start_at_line_start_or_after_white_space),
        TEST(quotes_protect_comments_commas_and_blanks),
        TEST(an_open_quote_is_an_error_with_its_column),
        TEST(lists_go_on_over_indented_lines),
        TEST(keys_may_all_be_indented),
        TEST(a_key_indented_below_another_is_not_swallowed),
        TEST(byte_order_mark_and_crlf_are_accepted),
        TEST(the_last_line_needs_no_newline),
        TEST(sections_may_be_reopened_but_keys_not),
        TEST(unknown_names_are_errors_with_line_and_nearest_name),
        TEST(values_are_checked_with_key_value_range_and_line),
        TEST(long_values_are_kept_whole),
        TEST(long_names_are_refused),
        TEST(what_is_not_text_is_refused),
        TEST(a_missing_file_or_a_folder_is_an_io_error),
        TEST(absolute_paths_and_stdin_stay),
        TEST(a_file_with_blanks_and_accents_needs_no_quotes),
        TEST(values_that_are_written_into_a_file_read_back_the_same),
        TEST(lists_that_are_written_into_a_file_mean_the_same),
        TEST(relative_paths_get_the_folder_in_front_for_another_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
