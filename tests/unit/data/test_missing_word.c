/* Words for a missing value. */
#include "data_fixture.h"
#include "missing_word.h"

static void words_of_many_programs_are_known(void **state)
{
    (void)state;
    static const char *const known[] = {
        "",      "NA",      "N/A",    "n/a",          "NaN",     "-nan",
        "null",  "NULL",    "None",   "none?",        "#N/A",    "#N/A N/A",
        "#NA",   "<NA>",    "1.#IND", "-1.#IND",      "1.#QNAN", "?",
        "-",     ".",       "..",     "\\N",          "\\n",     ".a",
        ".Z",    "missing", "NaT",    "#REF!",        "#VALUE!", "#DIV/0!",
        "#NUM!", "#NAME?",  "#NULL!", "\xe2\x80\x93", "(null)"};
    static const char *const unknown[] = {"0",   "-1",  "na na",   "no",    "x", "N",   ".5",
                                          "..5", ".ab", "unknown", "nanny", "#", "1.#", "--1"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!dps_is_missing_word(known[k], strlen(known[k]))) {
            fail_msg("%s is not known", known[k]);
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
    assert_true(dps_is_listed_word("unknown, not given ,-999", "unknown", 7));
    assert_true(dps_is_listed_word("unknown, not given ,-999", "not given", 9));
    assert_true(dps_is_listed_word("unknown, not given ,-999", "-999", 4));
    assert_false(dps_is_listed_word("unknown, not given ,-999", "not", 3));
    assert_false(dps_is_listed_word("unknown,,", "", 0));
    assert_false(dps_is_listed_word(NULL, "x", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_many_programs_are_known),
        cmocka_unit_test(the_user_may_add_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
