/* Names or values in the first line, and tables that are not separated by commas. */
#include "data_fixture.h"
#include "table_sample.h"

static bool header_of(const char *text, const dps_table_options *options)
{
    dps_table_sample sample;
    dps_error err;
    const dps_chunk chunk = {.bytes = text, .length = strlen(text), .file = "t.csv"};
    const dps_table_options none = {0};
    assert_int_equal(dps_table_sample_take(&sample, &chunk, ',', &err), DPS_OK);
    const bool header =
        dps_table_sample_has_header(&sample, options == NULL ? &none : options, NULL);
    dps_table_sample_release(&sample);
    return header;
}

static void a_first_line_of_names_is_told_from_values(void **state)
{
    (void)state;
    assert_true(header_of("label,a,b\n1,2,3\n", NULL));
    assert_true(header_of("\"a\",b\n1,2\n", NULL));
    assert_true(header_of("a,b,c\n", NULL));                /* nothing else to go by */
    assert_true(header_of("label,1,2\nyes,3,4\n", NULL));   /* a label's name */
    assert_true(header_of("0,x\n1,2\n3,4\n", NULL));        /* text over numbers */
    assert_true(header_of("name,colour\nann,red\n", NULL)); /* texts that do not come again */
    assert_false(header_of("1,2,3\n4,5,6\n", NULL));
    assert_false(header_of("yes,1\nno,2\nyes,3\n", NULL));
    assert_false(header_of("p,x,p\ne,x,s\n", NULL));          /* two alike */
    assert_false(header_of("red,small\nblue,small\n", NULL)); /* comes again */
    assert_false(header_of("y,1\ny,2\nn,3\n", NULL)); /* a value, though also a label's name */
    assert_false(header_of("1,?\n2,3\n", NULL));
    assert_false(header_of("\na,b\n1,2\n", NULL)); /* names stand in line 1 */
}

static void the_user_has_the_last_word(void **state)
{
    (void)state;
    const dps_table_options on = {.header = DPS_HEADER_ON}, off = {.header = DPS_HEADER_OFF};
    const dps_table_options named = {.label_column = "red"};
    assert_true(header_of("1,2\n3,4\n", &on));
    assert_false(header_of("label,a\n1,2\n", &off));
    assert_true(header_of("red,small\nblue,small\n", &named));
}

static void semicolons_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool refused;
    } cases[] = {{"1;0,5\n2;0,7\n", true},
                 {"y;a\n1;2\n", true},
                 {"1;2\n", true},
                 {"1,2\n3,4\n", false},
                 {"1,\"a;b\"\n2,\"c\"\n", false},
                 {"1,a;b\n2,c;d\n", false},
                 {"y,a;b\n1,2\n", false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_table_sample sample;
        dps_error err;
        const dps_chunk chunk = {
            .bytes = cases[k].text, .length = strlen(cases[k].text), .file = "t.csv"};
        const dps_status status = dps_table_sample_take(&sample, &chunk, ',', &err);
        assert_int_equal(status, cases[k].refused ? DPS_ERROR_DATA : DPS_OK);
        if (cases[k].refused) {
            assert_non_null(strstr(err.text, "semicolon"));
            assert_int_equal(err.line, 1);
        } else {
            dps_table_sample_release(&sample);
        }
    }
}

static void only_whole_lines_are_looked_at(void **state)
{
    (void)state;
    dps_table_sample sample;
    dps_error err;
    const char *text = "1,2\n3,4\n5,te";
    const dps_chunk chunk = {.bytes = text, .length = strlen(text), .file = "t.csv"};
    assert_int_equal(dps_table_sample_take(&sample, &chunk, ',', &err), DPS_OK);
    assert_int_equal(sample.fields, 2);
    assert_int_equal(sample.field[1].numbers, 1);
    assert_int_equal(sample.field[1].texts, 0);
    dps_table_sample_release(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_line_of_names_is_told_from_values),
        cmocka_unit_test(the_user_has_the_last_word),
        cmocka_unit_test(semicolons_are_recognised),
        cmocka_unit_test(only_whole_lines_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
