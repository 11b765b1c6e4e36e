/* The first lines of a table: names or values, lines that are no rows, delimiters. */
#include "unit/data/data_fixture.h"
#include "table_sample.h"

/* known: the table of a model, or NULL. */
static dps_table_sample sample_for(const char *text, const dps_table_options *options,
                                   const dps_table *known)
{
    dps_table_sample sample;
    dps_error err;
    const dps_chunk chunk = {.bytes = text, .length = strlen(text), .file = "t.csv"};
    const dps_table_options none = {0};
    const dps_missing_words no_words = {0};
    assert_int_equal(dps_table_sample_take(&sample, &chunk, 0, options == NULL ? &none : options,
                                           &no_words, known, NULL, &err),
                     DPS_OK);
    return sample;
}

static dps_table_sample sample_of(const char *text, const dps_table_options *options)
{
    return sample_for(text, options, NULL);
}

static bool header_of(const char *text, const dps_table_options *options)
{
    dps_table_sample sample = sample_of(text, options);
    const bool header = sample.header;
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
    assert_true(header_of("\na,b\n1,2\n", NULL));           /* blank lines do not count */
    assert_true(header_of("a,b\n1,oops\n3,4\n5,6\n7,8\n9,8\n1,2\n3,4\n5,6\n7,8\n9,1\n", NULL));
    assert_true(header_of("y,a\n1,2\ny,a\n3,4\n", NULL)); /* files that were joined */
    assert_false(header_of("y,1\ny,1\nn,3\n", NULL));     /* rows alike */
    assert_false(header_of("1,2,3\n4,5,6\n", NULL));
    assert_false(header_of("yes,1\nno,2\nyes,3\n", NULL));
    assert_false(header_of("p,x,p\ne,x,s\n", NULL));          /* two alike */
    assert_false(header_of("red,small\nblue,small\n", NULL)); /* comes again */
    assert_false(header_of("y,1\ny,2\nn,3\n", NULL)); /* a value, though also a label's name */
    assert_false(header_of("1,?\n2,3\n", NULL));
}

static void numbers_that_count_the_columns_are_names(void **state)
{
    (void)state;
    assert_true(header_of("0,1,2,3\n0.5,0.25,-1.5,0\n1.5,2.5,3.5,1\n0.1,0.2,0.3,1\n", NULL));
    assert_true(header_of("1,2,3\n0.5,0.25,0\n1.5,2.5,1\n0.1,0.2,1\n", NULL));
    assert_true(header_of(",0,1,2\n0,0.5,1.5,0\n1,2.5,3.5,1\n2,0.5,1.5,0\n", NULL));
    assert_true(header_of("\"1\",\"2\"\n0.5,1\n7.5,0\n", NULL)); /* as R writes names */
    assert_true(
        header_of("country,1990,1991,1992\nfr,1.5,2.5,3.5\nde,1.5,0.5,2.5\nit,3.5,0.5,2.5\n",
                  NULL)); /* years */
    assert_true(header_of("kind,400,410.5,425,460\na,1,2,3,4\nb,1,2,3,4\nc,1,2,3,4\na,1,2,3,4\n"
                          "b,1,2,3,4\nc,1,2,3,4\na,1,2,3,4\nb,1,2,3,4\nc,1,2,3,4\na,1,2,3,4\n"
                          "b,1,2,3,4\n",
                          NULL));                                          /* wavelengths */
    assert_false(header_of("0,1,2,3\n3,1,0,2\n2,1,0,3\n1,0,2,3\n", NULL)); /* ranks */
    assert_false(header_of("1,2\n3.5,4.5\n5.5,6.5\n", NULL));
    assert_false(header_of("1,2\n3.5,4.5\n5.5,6.5\n3.5,1.5\n", NULL)); /* two tell nothing */
    assert_false(header_of("0,1,2,3\n0.5,1,0,2\n1.5,1,0,3\n2.5,0,2,3\n",
                           NULL)); /* one column of four is otherwise below */
    assert_false(header_of("1,2,4\n3.5,4.5,1.5\n5.5,6.5,1.5\n3.5,1.5,1.5\n", NULL));
}

/* Numbers, too: all features of the model, in its order, and nothing else. */
static void names_of_a_model_are_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool header;
    } cases[] = {{"7,8,9\n1,5,2\n", true},
                 {"8,9\n5,2\n", true}, /* without the label */
                 {"7,8\n1,5\n", false},
                 {"7,9,8\n1,2,5\n", false},
                 {"7,8,9,10\n1,5,2,3\n", false}};
    char name[3][2] = {"7", "8", "9"};
    dps_column column[3] = {
        {.name = name[0], .role = DPS_COLUMN_LABEL}, {.name = name[1]}, {.name = name[2]}};
    const dps_table known = {.count = 3, .column = column, .header = true};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_table_sample sample = sample_for(cases[k].text, NULL, &known);
        if (sample.header != cases[k].header) {
            fail_msg("case %zu", k);
        }
        dps_table_sample_release(&sample);
    }
}

static void the_user_has_the_last_word(void **state)
{
    (void)state;
    const dps_table_options on = {.header = DPS_SWITCH_ON}, off = {.header = DPS_SWITCH_OFF};
    const dps_table_options named = {.label_column = "red"};
    assert_true(header_of("1,2\n3,4\n", &on));
    assert_false(header_of("label,a\n1,2\n", &off));
    assert_true(header_of("red,small\nblue,small\n", &named));
}

static void the_delimiter_is_told_from_the_content(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char delimiter;
        int32_t fields;
    } cases[] = {{"1;0,5\n2;0,7\n", ';', 2},
                 {"y;a\n1;2\n", ';', 2},
                 {"1;2\n", ';', 2},
                 {"1,2\n3,4\n", ',', 2},
                 {"1,\"a;b\"\n2,\"c\"\n", ',', 2},
                 {"1,a;b\n2,c;d\n", ',', 2},
                 {"y,a;b\n1,2\n", ',', 2},
                 {"a|b|c\n1|2|3\n", '|', 3},
                 {"a|b\nx, y|2\nz|3\n", '|', 2},
                 {"a\tb\nx, y\t2\nz, w\t3\n", '\t', 2},
                 {"a,\tb,\tc\n1,\t2,\t3\n", ',', 3},
                 {"a b c\n1 2 3\n4 5 6\n", ' ', 3},
                 {"  a   b  c\n  1   2   3  \n", ' ', 3},
                 {"\"a b\" c\n\"x y\" 1,5\n", ' ', 2},
                 {"a b\n1,5 2,5\n", ' ', 2},
                 {"when,x\n2020-01-01 10:00,5\n2020-01-02 11:00,6\n", ',', 2},
                 {"sep=;\ny;a\n1;2\n", ';', 2},
                 {"\"sep=|\"\r\ny|a\r\n1|2\r\n", '|', 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_table_sample sample = sample_of(cases[k].text, NULL);
        if (sample.head.delimiter != cases[k].delimiter || sample.fields != cases[k].fields) {
            fail_msg("case %zu: delimiter %d, %ld fields", k, sample.head.delimiter,
                     (long)sample.fields);
        }
        dps_table_sample_release(&sample);
    }
}

/* Lines that are no rows: what was passed over, where the names stand, how many rows are left. */
static void lines_that_are_no_rows_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t title, line, rows;
        bool header, units;
    } cases[] = {
        {"# exported\ny,a,b\n1,2,3\n0,3,4\n", 1, 2, 2, true, false},
        {"\n\nPump 7\ny,a,b\n1,2,3\n0,3,4\n", 3, 4, 2, true, false},
        {"Report,,\ny,a,b\n1,2,3\n0,3,4\n", 1, 2, 2, true, false},
        {",,\ny,a,b\n1,2,3\n0,3,4\n", 1, 2, 2, true, false},
        {"150,4,setosa,other,third\n5.1,3.5,1.4,0.2,0\n4.9,3.0,1.4,0.2,1\n5.9,3.0,1.4,0.2,2\n", 1,
         2, 3, false, false},
        {"2,3,,\n\"a\",\"b\",\"c\",\"y\"\n1.5,2,3,0\n2.5,3,4,1\n", 1, 2, 2, true, false},
        {"3,6,bad,good\n1,2,3,4,5,6,0\n2,2,3,4,5,6,1\n3,2,3,4,5,6,1\n", 1, 2, 3, false, false},
        {"40\n1,2\n3,4\n", 1, 2, 2, false, false},
        {"sep=,\ny,a\n1,2\n", 0, 2, 1, true, false},
        {"y,a,b\n-,m/s,kg\n1,2,3\n0,3,4\n1,2,2\n", 0, 1, 3, true, true},
        {"y,a,b\n0,m/s,kg\n1,2,3\n0,3,4\n1,2,2\n", 0, 1, 3, true, true},
        {"y,a\n[],[m]\n1,2\n0,3\n1,2\n", 0, 1, 3, true, true},
        {"y,a,b\nno,2,oops\nyes,3,4\nno,2,2\nno,2,2\n", 0, 1, 4, true, false},
        {"y,a,b\nno,NULL,NA\nyes,3,4\nno,2,2\nno,2,2\n", 0, 1, 4, true, false},
        {"y,a,b\n1,x,kg\n0,y,m\n1,z,m\n", 0, 1, 3, true, false},
        {"# y,a,b\n1,2,3\n0,3,4\n", 0, 1, 2, true, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_table_sample sample = sample_of(cases[k].text, NULL);
        if (sample.head.title_line != cases[k].title || sample.second_line != cases[k].line + 1 ||
            sample.head.line != cases[k].line || sample.rows != cases[k].rows ||
            sample.header != cases[k].header || sample.has_units != cases[k].units) {
            fail_msg("case %zu: title %ld, first line %ld, %ld rows, header %d, units %d", k,
                     (long)sample.head.title_line, (long)sample.head.line, (long)sample.rows,
                     sample.header, sample.has_units);
        }
        dps_table_sample_release(&sample);
    }
}

static void a_header_may_lack_the_name_of_the_row_names(void **state)
{
    (void)state;
    dps_table_sample sample = sample_of("\"mpg\" \"cyl\"\n\"Mazda\" 21 6\n\"Fiat\" 32 4\n", NULL);
    assert_int_equal(sample.fields, 3);
    assert_true(sample.header);
    assert_string_equal(sample.field[0].first, "");
    assert_string_equal(sample.field[2].first, "cyl");
    assert_int_equal(sample.rows, 2);
    assert_int_equal(sample.head.unnamed, DPS_FIRST_UNNAMED);
    dps_table_sample_release(&sample);
    sample = sample_of("a,b\n1,2,\n3,4,\n", NULL);
    assert_int_equal(sample.fields, 3);
    assert_string_equal(sample.field[0].first, "a");
    assert_string_equal(sample.field[2].first, "");
    assert_int_equal(sample.head.unnamed, DPS_LAST_UNNAMED);
    dps_table_sample_release(&sample);
}

static void only_whole_lines_are_looked_at(void **state)
{
    (void)state;
    dps_table_sample sample = sample_of("1,2\n3,4\n5,te", NULL);
    assert_int_equal(sample.fields, 2);
    assert_int_equal(sample.field[1].numbers, 2);
    assert_int_equal(sample.field[1].texts, 0);
    dps_table_sample_release(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_line_of_names_is_told_from_values),
        cmocka_unit_test(numbers_that_count_the_columns_are_names),
        cmocka_unit_test(names_of_a_model_are_names),
        cmocka_unit_test(the_user_has_the_last_word),
        cmocka_unit_test(the_delimiter_is_told_from_the_content),
        cmocka_unit_test(lines_that_are_no_rows_are_found),
        cmocka_unit_test(a_header_may_lack_the_name_of_the_row_names),
        cmocka_unit_test(only_whole_lines_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
