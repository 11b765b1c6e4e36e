/* Words of the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "arguments.h"

#define ALL_FLAGS ((1u << DPS_FLAG_COUNT) - 1)

static dps_arguments arguments;
static dps_error err;

/* Parses words separated by blanks (argv is kept until the next call). */
static dps_status parse(unsigned flags, const char *line)
{
    static char text[400];
    char *words[20], *rest = text;
    int count = 0;
    strcpy(text, line);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    memset(&err, 0, sizeof err);
    return dps_arguments_parse(&arguments, "train", flags, count, words, &err);
}

static void refuse(unsigned flags, const char *line, const char *words)
{
    assert_int_equal(parse(flags, line), DPS_ERROR_CONFIG);
    if (strstr(err.text, words) == NULL) {
        fail_msg("%s: '%s' lacks '%s'", line, err.text, words);
    }
}

static void words_are_sorted_into_operands_flags_and_assignments(void **state)
{
    (void)state;
    assert_int_equal(parse(ALL_FLAGS, "a.ini --solver.C=3 -o out - --report=r.json -q b --strict "
                                      "--map.seed 4"),
                     DPS_OK);
    assert_int_equal(arguments.operand_count, 3);
    assert_string_equal(arguments.operand[0], "a.ini");
    assert_string_equal(arguments.operand[1], "-");
    assert_string_equal(arguments.operand[2], "b");
    assert_int_equal(arguments.assignment_count, 4);
    assert_string_equal(arguments.assignment[0], "solver.C=3");
    assert_string_equal(arguments.assignment[1], "output.report=r.json");
    assert_string_equal(arguments.assignment[2], "run.verbosity=quiet");
    assert_string_equal(arguments.assignment[3], "map.seed=4");
    assert_string_equal(arguments.flag[DPS_FLAG_OUTPUT], "out");
    assert_string_equal(arguments.flag[DPS_FLAG_STRICT], "");
    assert_null(arguments.flag[DPS_FLAG_SCORES]);
    dps_arguments_release(&arguments);
}

static void after_two_dashes_all_words_are_operands(void **state)
{
    (void)state;
    assert_int_equal(parse(ALL_FLAGS, "-- -o --solver.C=3 --"), DPS_OK);
    assert_int_equal(arguments.operand_count, 3);
    assert_string_equal(arguments.operand[0], "-o");
    assert_string_equal(arguments.operand[2], "--");
    assert_int_equal(arguments.assignment_count, 0);
    dps_arguments_release(&arguments);
}

static void a_value_may_hold_dots_equals_and_dashes(void **state)
{
    (void)state;
    assert_int_equal(parse(ALL_FLAGS, "--report=a.b=c.json -o -x --data.train=d=e.svm"), DPS_OK);
    assert_string_equal(arguments.assignment[0], "output.report=a.b=c.json");
    assert_string_equal(arguments.assignment[1], "data.train=d=e.svm");
    assert_string_equal(arguments.flag[DPS_FLAG_OUTPUT], "-x");
    dps_arguments_release(&arguments);
}

static void unknown_flags_get_the_nearest_name(void **state)
{
    (void)state;
    refuse(ALL_FLAGS, "--reprot x", "did you mean --report?");
    refuse(ALL_FLAGS, "--C=3", "did you mean --solver.C?");
    refuse(ALL_FLAGS, "--seed=3", "--map.seed or --solver.seed");
    refuse(ALL_FLAGS, "-z", "unknown flag -z");
    refuse(ALL_FLAGS, "--somethingelse", "dpsvm help train");
    refuse(ALL_FLAGS, "-oout", "unknown flag -oout");
}

static void flags_of_other_commands_are_refused_as_such(void **state)
{
    (void)state;
    refuse(DPS_TAKES(QUIET), "--scores", "train does not take it");
    refuse(DPS_TAKES(QUIET), "-o x", "train does not take it");
}

static void missing_and_needless_values_are_refused(void **state)
{
    (void)state;
    refuse(ALL_FLAGS, "a -o", "--output needs a value");
    refuse(ALL_FLAGS, "--report=", "--report needs a value");
    refuse(ALL_FLAGS, "--strict=yes", "takes no value");
    refuse(ALL_FLAGS, "--solver.C", "--solver.C=VALUE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_sorted_into_operands_flags_and_assignments),
        cmocka_unit_test(after_two_dashes_all_words_are_operands),
        cmocka_unit_test(a_value_may_hold_dots_equals_and_dashes),
        cmocka_unit_test(unknown_flags_get_the_nearest_name),
        cmocka_unit_test(flags_of_other_commands_are_refused_as_such),
        cmocka_unit_test(missing_and_needless_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
