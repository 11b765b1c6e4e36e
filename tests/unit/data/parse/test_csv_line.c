/* One field of a line. */
#include "unit/data/data_fixture.h"
#include "csv_line.h"

/* Field at the start of `line`, and where it ends (NULL: a fault). */
static void expect_field(const char *line, const char *text, int end)
{
    dps_csv_field field;
    const char *why = NULL;
    char plain[64];
    const char *after = dps_csv_read_field(line, ',', &field, &why);
    if (end < 0) {
        assert_null(after);
        assert_non_null(why);
        return;
    }
    assert_int_equal(after - line, end);
    const size_t length = dps_csv_unescape(&field, plain);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(plain, text, length);
}

static void fields_of_arff_have_quotes_of_either_kind(void **state)
{
    (void)state;
    static const struct {
        const char *line, *text;
        int end;
    } cases[] = {{"'a,b', c\n", "a,b", 5},  {" \"it's\" ,c\n", "it's", 8},
                 {"'it\\'s'\n", "it's", 7}, {"'a\\\\b\\tc'\n", "a\\b c", 9},
                 {"'it''s'\n", "it's", 7},  {"o'clock,1\n", "o'clock", 7},
                 {"'open\\'\n", NULL, -1},  {"'a'b,c\n", NULL, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_csv_field field;
        const char *why = NULL;
        char plain[64];
        const char *after = dps_arff_read_field(cases[k].line, ',', &field, &why);
        if (cases[k].end < 0) {
            assert_null(after);
            assert_non_null(why);
            continue;
        }
        assert_int_equal(after - cases[k].line, cases[k].end);
        assert_int_equal(dps_csv_unescape(&field, plain), strlen(cases[k].text));
        assert_memory_equal(plain, cases[k].text, strlen(cases[k].text));
    }
}

static void fields_are_cut_as_rfc_4180_says(void **state)
{
    (void)state;
    expect_field("a,b\n", "a", 1);
    expect_field(" a b \t,c\n", "a b", 6);
    expect_field("\n", "", 0);
    expect_field(",\n", "", 0);
    expect_field("x\r\n", "x", 1);
    expect_field("a\rb\n", "a\rb", 3);
    expect_field("\"a,b\",c\n", "a,b", 5);
    expect_field(" \"a\" ,c\n", "a", 5);
    expect_field("\"say \"\"hi\"\"\"\n", "say \"hi\"", 12);
    expect_field("5\" disk,1\n", "5\" disk", 7);
    expect_field("\"\"\r\n", "", 2);
    expect_field("\"open\n", "", -1);
    expect_field("\"a\"b,c\n", "", -1);
}

static void missing_values_have_five_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool missing;
    } cases[] = {{"\n", true},      {"?\n", true},    {"NA\n", true},      {"NaN\n", true},
                 {"nan,\n", true},  {"\"\"\n", true}, {"\"NA\"\n", false}, {"na\n", false},
                 {"NAN1\n", false}, {"0\n", false},   {"nope\n", false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_csv_field field;
        const char *why;
        assert_non_null(dps_csv_read_field(cases[k].line, ',', &field, &why));
        assert_int_equal(dps_csv_is_missing(&field), cases[k].missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_cut_as_rfc_4180_says),
        cmocka_unit_test(fields_of_arff_have_quotes_of_either_kind),
        cmocka_unit_test(missing_values_have_five_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
