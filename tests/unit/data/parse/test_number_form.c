/* Numbers as people write them: what each text may be, and what a column of them is. */
#include "unit/data/data_fixture.h"
#include "number_form.h"

/* The form that the texts (ended by NULL) show together. */
static bool form_of(const char *const *text, char decimal, dps_number_form *form, const char **why)
{
    dps_number_signs signs = {0};
    for (; *text != NULL; text++) {
        if (!dps_number_look(*text, strlen(*text), &signs)) {
            fail_msg("%s is no number", *text);
        }
    }
    return dps_number_form_of(&signs, decimal, form, why);
}

static void a_column_of_numbers_is_read_in_its_own_form(void **state)
{
    (void)state;
    static const struct {
        const char *text[4];
        char decimal;
        double value[3];
    } cases[] = {
        {{"1.5", ".5", "5."}, 0, {1.5, 0.5, 5}},
        {{"+5", "-5", "1e3"}, 0, {5, -5, 1000}},
        {{"1D+05", "2d-1", "3E2"}, 0, {1e5, 0.2, 300}},
        {{" 7 ",
          "\xc2\xa0"
          "8",
          "9\xc2\xa0"},
         0,
         {7, 8, 9}},
        {{"\xe2\x88\x92"
          "5",
          "4", "-3.25"},
         0,
         {-5, 4, -3.25}},
        {{"1,5", "2,25", "-3"}, 0, {1.5, 2.25, -3}},
        {{"0,125", "3", "4,000"}, 0, {0.125, 3, 4}},
        {{"1,234.5", "12", "1,234,567"}, 0, {1234.5, 12, 1234567}},
        {{"1,234", "999", "1,234,567"}, 0, {1234, 999, 1234567}},
        {{"1.234,5", "12", "7"}, 0, {1234.5, 12, 7}},
        {{"1.234,5", "1.234", "2,5"}, 0, {1234.5, 1234, 2.5}},
        {{"1.234.567", "12", "2.000"}, 0, {1234567, 12, 2000}},
        {{"1 234,5", "12", "2,5"}, 0, {1234.5, 12, 2.5}},
        {{"1\xe2\x80\xaf"
          "234",
          "12", "999"},
         0,
         {1234, 12, 999}},
        {{"1'234.5", "12", "999"}, 0, {1234.5, 12, 999}},
        {{"$1,234.50", "$12", "-$7"}, 0, {1234.5, 12, -7}},
        {{"($1,234)", "$1,000,000", "0"}, 0, {-1234, 1000000, 0}},
        {{"1.234,50 \xe2\x82\xac", "12 \xe2\x82\xac", "0"}, 0, {1234.5, 12, 0}},
        {{"12%", "7.5 %", "0"}, 0, {12, 7.5, 0}},
        {{"1,234", "2,345", "12"}, '.', {1234, 2345, 12}},
        {{"1,234", "2,345", "12"}, ',', {1.234, 2.345, 12}},
        {{"1.234", "2.5", "12"}, 0, {1.234, 2.5, 12}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_number_form form;
        const char *why;
        if (!form_of(cases[k].text, cases[k].decimal, &form, &why)) {
            fail_msg("case %zu: %s", k, why);
        }
        for (int i = 0; i < 3; i++) {
            const char *text = cases[k].text[i];
            double number = 0;
            if (!dps_number_read(text, strlen(text), &form, &number) ||
                number != cases[k].value[i]) {
                fail_msg("case %zu: %s is %g, expected %g", k, text, number, cases[k].value[i]);
            }
        }
    }
}

static void what_is_not_certain_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"1,234", "2,345"}, {"1,234", "12"},      {"1,5", "1.5"},
                                           {"1,234.5", "1,5"}, {"1.234.567", "1.5"}, {"12%", "0.5"},
                                           {"$5", "7"},        {"1 234", "1'234"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_number_form form;
        const char *why = NULL;
        if (form_of(cases[k], 0, &form, &why)) {
            fail_msg("case %zu is taken as certain", k);
        }
        assert_non_null(why);
    }
}

static void what_is_no_number_is_none_in_any_form(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      "-",    ".",         ",",   "1,2,3",    "12.05.2019", "2019-01-02", "10:30",
        "1.5.2", "1e",   "e5",        "1 2", "1,23,456", "5 kg",       "(5)",        "--5",
        "+-5",   "1,,5", "12,345,67", "a1",  "1a",       "$",          "%",          "1234,567,890",
        "$5%",   "NaN",  "(1,234"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        dps_number_signs signs = {0};
        if (dps_number_look(texts[k], strlen(texts[k]), &signs)) {
            fail_msg("\"%s\" is taken as a number", texts[k]);
        }
    }
}

static void a_form_reads_its_own_numbers_only(void **state)
{
    (void)state;
    const dps_number_form plain = {0}, comma = {.decimal = ','}, thousands = {.group = ','};
    double number;
    assert_false(dps_number_read("1,5", 3, &plain, &number));
    assert_false(dps_number_read("1.5", 3, &comma, &number));
    assert_false(dps_number_read("1,5", 3, &thousands, &number));
    assert_false(dps_number_read("5%", 2, &plain, &number));
    assert_true(dps_number_read("1,500", 5, &thousands, &number));
    assert_true(number == 1500);
    assert_true(dps_number_read("1,500", 5, &comma, &number));
    assert_true(number == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_of_numbers_is_read_in_its_own_form),
        cmocka_unit_test(what_is_not_certain_is_refused),
        cmocka_unit_test(what_is_no_number_is_none_in_any_form),
        cmocka_unit_test(a_form_reads_its_own_numbers_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
