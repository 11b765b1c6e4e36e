/* Words for a missing value. */
#include "unit/data/data_fixture.h"
#include "missing_word.h"
#include <math.h>
#include "number.h"
#include "number_form.h"

static void words_of_many_programs_are_known(void **state)
{
    (void)state;
    static const char *const known[] = {"",
                                        "NA",
                                        "N/A",
                                        "n/a",
                                        "NaN",
                                        "-nan",
                                        "null",
                                        "NULL",
                                        "None",
                                        "none?",
                                        "#N/A",
                                        "#N/A N/A",
                                        "#NA",
                                        "<NA>",
                                        "1.#IND",
                                        "-1.#IND",
                                        "1.#QNAN",
                                        "?",
                                        "-",
                                        ".",
                                        "..",
                                        "\\N",
                                        "\\n",
                                        ".a",
                                        ".Z",
                                        "missing",
                                        "NaT",
                                        "#REF!",
                                        "#VALUE!",
                                        "#DIV/0!",
                                        "#NUM!",
                                        "#NAME?",
                                        "#NULL!",
                                        "---",
                                        "--",
                                        "??",
                                        "???",
                                        "...",
                                        "*",
                                        "+nan",
                                        "nil",
                                        "none",
                                        "undefined",
                                        "void",
                                        "<null>",
                                        "[null]",
                                        "1.#SNAN",
                                        "-1.#QNAN",
                                        "#ERROR!",
                                        "#SPILL!",
                                        "#CALC!",
                                        "#FIELD!",
                                        "#BLOCKED!",
                                        "#UNKNOWN!",
                                        "#GETTING_DATA",
                                        "\xe2\x80\x94",
                                        "\xe2\x80\x93",
                                        "(null)"};
    static const char *const unknown[] = {"0",   "-1",  "na na",   "no",    "x", "N",   ".5",
                                          "..5", ".ab", "unknown", "nanny", "#", "1.#", "--1"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!dps_is_missing_word(known[k], strlen(known[k]))) {
            fail_msg("%s is not known", known[k]);
        }
        dps_number_signs signs = {0}; /* numbers are tried before words */
        double number;
        if (dps_number_look(known[k], strlen(known[k]), &signs) ||
            (dps_text_to_double(known[k], strlen(known[k]), &number) && isfinite(number))) {
            fail_msg("%s looks like a number", known[k]);
        }
    }
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++) {
        if (dps_is_missing_word(unknown[k], strlen(unknown[k]))) {
            fail_msg("%s is taken as missing", unknown[k]);
        }
    }
}

static void the_user_may_add_words(void **state)
{
    (void)state;
    dps_missing_words words = {0};
    assert_true(dps_missing_words_add(&words, "unknown, not given ,,"));
    assert_true(dps_missing_words_add(&words, NULL));
    assert_false(dps_missing_words_hold_number(&words));
    assert_true(dps_missing_words_add(&words, "-999"));
    assert_true(dps_missing_words_hold_number(&words));
    assert_true(dps_is_listed_word(&words, "unknown", 7));
    assert_true(dps_is_listed_word(&words, "not given", 9));
    assert_true(dps_is_listed_word(&words, "-999", 4));
    assert_false(dps_is_listed_word(&words, "not", 3));
    assert_false(dps_is_listed_word(&words, "", 0));
    dps_missing_words_release(&words);
    assert_false(dps_is_listed_word(&words, "x", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_many_programs_are_known),
        cmocka_unit_test(the_user_may_add_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
