/* Classes: what counts as one class, which spelling is kept, and their order. */
#include "unit/data/data_fixture.h"

#include <math.h>
#include "class_builder.h"

static int32_t add(dps_class_builder *builder, const char *text)
{
    return dps_class_builder_add(builder, text, strlen(text));
}

static void finish(dps_class_builder *builder, dps_class_table *table, int32_t *place)
{
    dps_error err;
    assert_int_equal(dps_class_builder_finish(builder, table, place, &err), DPS_OK);
}

static void equal_numbers_are_one_class_and_the_first_spelling_wins(void **state)
{
    (void)state;
    dps_class_builder builder = {0};
    assert_int_equal(add(&builder, "+1"), 0);
    assert_int_equal(add(&builder, "1"), 0);
    assert_int_equal(add(&builder, "1.0"), 0);
    assert_int_equal(add(&builder, "10e-1"), 0);
    assert_int_equal(add(&builder, "-0"), 1);
    assert_int_equal(add(&builder, "0"), 1);
    assert_int_equal(add(&builder, "1x"), 2);
    dps_class_table table;
    int32_t place[3];
    finish(&builder, &table, place);
    assert_int_equal(table.count, 3);
    assert_string_equal(table.text[0], "-0");
    assert_string_equal(table.text[1], "+1");
    assert_string_equal(table.text[2], "1x");
    assert_int_equal(dps_class_find(&table, "1.00", 4), 1);
    assert_int_equal(dps_class_find(&table, "0.0", 3), 0);
    dps_class_table_release(&table);
}

static void numbers_ascend_then_texts_by_their_bytes(void **state)
{
    (void)state;
    static const char *const given[] = {"b", "10", "a", "9", "-5", "B", "ab", "nan", "3.5"};
    static const char *const ordered[] = {"-5", "3.5", "9", "10", "B", "a", "ab", "b", "nan"};
    dps_class_builder builder = {0};
    for (int i = 0; i < 9; i++) {
        assert_int_equal(add(&builder, given[i]), i);
    }
    dps_class_table table;
    int32_t place[9];
    finish(&builder, &table, place);
    for (int32_t k = 0; k < 9; k++) {
        assert_string_equal(table.text[k], ordered[k]);
        assert_true(isnan(table.number[k]) == (k >= 4));
        assert_string_equal(table.text[place[k]], given[k]);
        assert_int_equal(dps_class_find(&table, ordered[k], strlen(ordered[k])), k);
    }
    assert_int_equal(dps_class_find(&table, "c", 1), -1);
    assert_int_equal(dps_class_find(&table, "aa", 2), -1);
    assert_int_equal(dps_class_find(&table, "11", 2), -1);
    assert_int_equal(dps_class_find(&table, "ab", 1), 5); /* "a": the length counts */
    dps_class_table_release(&table);
}

static void thousands_of_classes_are_told_apart(void **state)
{
    (void)state;
    dps_class_builder builder = {0};
    char text[32];
    enum { N = 5000 };
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            snprintf(text, sizeof text, i % 2 ? "%d" : "w%d", i);
            assert_int_equal(add(&builder, text), i);
        }
    }
    assert_int_equal(add(&builder, "0"), N);
    assert_int_equal(add(&builder, "-0.0"), N);
    int32_t *place = malloc((N + 1) * sizeof *place);
    dps_class_table table;
    finish(&builder, &table, place);
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, i % 2 ? "%d" : "w%d", i);
        assert_int_equal(dps_class_find(&table, text, strlen(text)), place[i]);
    }
    dps_class_table_release(&table);
    free(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_are_one_class_and_the_first_spelling_wins),
        cmocka_unit_test(numbers_ascend_then_texts_by_their_bytes),
        cmocka_unit_test(thousands_of_classes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
