/* The header of ARFF. */
#include "unit/data/data_fixture.h"
#include "arff_header.h"

static dps_arff_header header_of(const char *text)
{
    dps_arff_header header;
    dps_error err;
    assert_int_equal(dps_arff_header_read(&header, text, strlen(text), "t.arff", &err), DPS_OK);
    return header;
}

static void refused(const char *text, int64_t line, int64_t column)
{
    dps_arff_header header;
    dps_error err;
    assert_int_equal(dps_arff_header_read(&header, text, strlen(text), "t.arff", &err),
                     DPS_ERROR_DATA);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
    dps_arff_header_release(&header);
}

static void a_file_is_told_by_its_first_word(void **state)
{
    (void)state;
    assert_true(dps_arff_is("@relation r\n", 12));
    assert_true(dps_arff_is("% c\r\n\r\n \t@ATTRIBUTE\tx real\n", 28));
    assert_false(dps_arff_is("@relations,b\n", 13));
    assert_false(dps_arff_is("% @relation\n1,2\n", 16));
    assert_false(dps_arff_is("", 0));
}

static void names_kinds_and_levels_are_read(void **state)
{
    (void)state;
    const char *text = "@relation 'a % b'\n\n% c\n@attribute 'sepal \\'l\\'' REAL\r\n"
                       "@ATTRIBUTE y{ p, 'q r' ,\"s,t\",}\n@attribute d date 'yyyy'\n"
                       "@attribute n Integer [0,1]\n@DATA % c\n1,p\n";
    dps_arff_header header = header_of(text);
    assert_int_equal(header.count, 4);
    assert_string_equal(header.attribute[0].name, "sepal 'l'");
    assert_int_equal(header.attribute[0].kind, DPS_ARFF_NUMBER);
    assert_string_equal(header.attribute[1].name, "y");
    assert_int_equal(header.attribute[1].kind, DPS_ARFF_NOMINAL);
    assert_int_equal(header.attribute[1].levels_length, 10);
    assert_memory_equal(header.attribute[1].levels, "p\0q r\0s,t", 10);
    assert_int_equal(header.attribute[2].kind, DPS_ARFF_TEXT);
    assert_int_equal(header.attribute[3].kind, DPS_ARFF_NUMBER);
    assert_int_equal(header.attribute[3].line, 7);
    assert_int_equal(header.lines, 8);
    assert_string_equal(text + header.bytes, "1,p\n");
    assert_int_equal(dps_arff_header_bytes(text, strlen(text)), header.bytes);
    assert_int_equal(dps_arff_header_bytes(text, header.bytes - 8), 0);
    assert_true(dps_arff_has_level(&header.attribute[1], "q r", 3));
    assert_false(dps_arff_has_level(&header.attribute[1], "q", 1));
    dps_arff_header_release(&header);
}

static void the_first_difference_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t differs;
    } cases[] = {{"@relation s\n@ATTRIBUTE x real\n%\n@attribute y {a, b}\n@data\n", -1},
                 {"@relation r\n@attribute x string\n@attribute y {a,b}\n@data\n", 0},
                 {"@relation r\n@attribute x numeric\n@attribute y {b,a}\n@data\n", 1},
                 {"@relation r\n@attribute x numeric\n@attribute y {a}\n@data\n", 1},
                 {"@relation r\n@attribute x numeric\n@attribute z {a,b}\n@data\n", 1},
                 {"@relation r\n@attribute x numeric\n@data\n", 1}};
    dps_arff_header first =
        header_of("@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_arff_header other = header_of(cases[k].text);
        assert_int_equal(dps_arff_header_compare(&first, &other), cases[k].differs);
        assert_int_equal(dps_arff_header_compare(&other, &first), cases[k].differs);
        dps_arff_header_release(&other);
    }
    dps_arff_header_release(&first);
}

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
    refused("@relation r\n  @attribute x number\n@data\n", 2, 16);
    refused("@relation r\n@attribute\n@data\n", 2, 11);
    refused("@relation r\n@attribute 'x real\n@data\n", 2, 12);
    refused("@relation r\n@attribute x {a b\n@data\n", 2, 18);
    refused("@relation r\n@attribute x {'a' b}\n@data\n", 2, 19);
    refused("@relation r\n\n@end r\n", 3, 1);
    refused("@relation r\n@data\n", 2, 1);
    refused("@relation r\n@attribute x real\n", 2, 0);
    refused("", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_told_by_its_first_word),
        cmocka_unit_test(names_kinds_and_levels_are_read),
        cmocka_unit_test(the_first_difference_is_found),
        cmocka_unit_test(faults_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
