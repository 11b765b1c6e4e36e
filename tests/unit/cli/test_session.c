/* From words to options: config or data file, what each command takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "session.h"

static dps_session session;
static dps_error err;
static char folder[40], path[80];

static int set_up(void **state)
{
    (void)state;
    memset(&session, 0, sizeof session);
    memset(&err, 0, sizeof err);
    strcpy(folder, "session_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    rmdir(folder);
    dps_options_release(&session.options);
    return 0;
}

static void write_file(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static dps_status options_of(dps_accepts accepts, const char *operand, const char *assignment)
{
    static dps_command command = {.name = "that"};
    char copy[200];
    char *assignments[] = {copy};
    snprintf(copy, sizeof copy, "%s", assignment == NULL ? "" : assignment);
    command.options = accepts;
    session.command = &command;
    session.arguments = (dps_arguments){.operand = &operand,
                                        .operand_count = operand != NULL,
                                        .assignment = assignments,
                                        .assignment_count = assignment != NULL};
    dps_options_release(&session.options);
    return dps_session_options(&session, &err);
}

static void the_first_significant_line_tells_config_from_data(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        bool config;
    } cases[] = {{"a", "[data]\n", true},
                 {"a", "\xEF\xBB\xBF# note\r\n\r\n ; note\n  [data]\n", true},
                 {"a", "solver.C = 3\n", false},
                 {"a", "train = x\n", true},
                 {"a", "# note\n+1 1:2 3:4\n", false},
                 {"a", "1 1:2 # x = [3]\n", false},
                 {"a", "yes 1:2\n", false},
                 {"a", "", false},
                 {"a.ini", "+1 1:2\n", true},
                 {"a.ini", "", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool config = !cases[i].config;
        write_file(cases[i].name, cases[i].text);
        assert_int_equal(dps_is_config(path, &config, &err), DPS_OK);
        if (config != cases[i].config) {
            fail_msg("case %zu is taken for a %s", i, config ? "config" : "data file");
        }
        unlink(path);
    }
}

static void a_missing_file_and_a_folder_are_io_errors(void **state)
{
    (void)state;
    bool config;
    assert_int_equal(dps_is_config("no/such/file", &config, &err), DPS_ERROR_IO);
    assert_string_equal(err.file, "no/such/file");
    assert_int_equal(dps_is_config(folder, &config, &err), DPS_ERROR_IO);
}

static void a_data_file_becomes_data_train_whatever_its_name(void **state)
{
    (void)state;
    static const char *const names[] = {"rows, 1.svm", "it's.svm", "a\"b.svm"};
    for (size_t i = 0; i < 3; i++) {
        write_file(names[i], "+1 1:2\n");
        assert_int_equal(options_of(DPS_ACCEPTS_ALL, path, NULL), DPS_OK);
        assert_int_equal(session.options.data_train.count, 1);
        assert_string_equal(session.options.data_train.item[0], path);
        unlink(path);
    }
    assert_int_equal(options_of(DPS_ACCEPTS_ALL, "-", NULL), DPS_OK);
    assert_string_equal(session.options.data_train.item[0], "-");
}

static void the_command_line_wins_over_the_config(void **state)
{
    (void)state;
    write_file("a.ini", "[solver]\nC = 3\n");
    assert_int_equal(options_of(DPS_ACCEPTS_ALL, path, "solver.C=5"), DPS_OK);
    assert_true(session.options.solver_C.number == 5.0);
}

static void commands_with_a_model_refuse_what_the_model_holds(void **state)
{
    (void)state;
    static const struct {
        const char *assignment, *reason;
    } cases[] = {{"kernel.degree=3", "part of the model"},
                 {"data.scaling=none", "part of the model"},
                 {"data.train=x", "as FILE"},
                 {"output.model=x", "first operand"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(options_of(DPS_ACCEPTS_PREDICT, "m", cases[i].assignment),
                         DPS_ERROR_CONFIG);
        if (strstr(err.text, cases[i].reason) == NULL) {
            fail_msg("%s: %s", cases[i].assignment, err.text);
        }
    }
    static const char *const taken[] = {"data.format=libsvm", "data.zero_based=on",
                                        "data.unknown=error", "run.threads=1", "output.report=x"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        assert_int_equal(options_of(DPS_ACCEPTS_PREDICT, "m", taken[i]), DPS_OK);
    }
    assert_int_equal(options_of(DPS_ACCEPTS_RUN, "m", "data.format=libsvm"), DPS_ERROR_CONFIG);
}

static void the_run_follows_the_options(void **state)
{
    (void)state;
    assert_int_equal(options_of(DPS_ACCEPTS_ALL, NULL, "run.threads=2"), DPS_OK);
    assert_int_equal(dps_session_run(&session, &err), DPS_OK);
    assert_int_equal(session.run.threads, 2);
    assert_string_equal(session.threads.source, "run.threads");
    assert_true(session.run.memory > 0);
    assert_int_equal(options_of(DPS_ACCEPTS_ALL, NULL, "run.simd=portable"), DPS_OK);
    assert_int_equal(dps_session_run(&session, &err), DPS_OK);
    assert_int_equal(session.run.simd, DPS_SIMD_PORTABLE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_first_significant_line_tells_config_from_data),
        TEST(a_missing_file_and_a_folder_are_io_errors),
        TEST(a_data_file_becomes_data_train_whatever_its_name),
        TEST(the_command_line_wins_over_the_config),
        TEST(commands_with_a_model_refuse_what_the_model_holds),
        TEST(the_run_follows_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
