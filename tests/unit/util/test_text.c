/* The growing buffer and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "text.h"

static void pieces_are_joined_and_terminated(void **state)
{
    (void)state;
    dps_text text = {0};
    dps_text_add(&text, "");
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; i++) {
        dps_text_add(&text, "ab");
        dps_text_append(&text, "c\0d", 3);
        dps_text_format(&text, "%03d", i);
    }
    assert_false(text.failed);
    assert_int_equal(text.length, 8000);
    assert_int_equal(text.data[text.length], '\0');
    assert_memory_equal(text.data + 8 * 999, "abc\0d999", 8);
    dps_text_release(&text);
    assert_null(text.data);
    dps_text_release(&text);
}

static void a_failed_append_keeps_what_was_there(void **state)
{
    (void)state;
    dps_text text = {0};
    dps_text_add(&text, "kept");
    dps_text_append(&text, "x", SIZE_MAX - 2);
    assert_true(text.failed);
    dps_text_add(&text, "ignored");
    assert_string_equal(text.data, "kept");
    dps_text_release(&text);
}

static void slips_find_the_name_that_was_meant(void **state)
{
    (void)state;
    static const char *const names[] = {"features", "degree", "measure", "C", "seed", "gamma"};
    static const struct {
        const char *typed;
        const char *meant;
    } cases[] = {
        {"faetures", "features"},
        {"feature", "features"},
        {"FEATURES", "features"},
        {"measrue", "measure"},
        {"dgree", "degree"},
        {"gama", "gamma"},
        {"sede", "seed"},
        {"c", "C"},
        {"kernel_cache_size", NULL},
        {"completely_different", NULL},
        {"", "C"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = dps_nearest_name(cases[i].typed, names, 6);
        if (cases[i].meant == NULL) {
            assert_null(found);
        } else {
            assert_non_null(found);
            assert_string_equal(found, cases[i].meant);
        }
    }
    assert_null(dps_nearest_name("x", names, 0));
}

static void distance_limit_is_one_plus_a_third(void **state)
{
    (void)state;
    static const char *const names[] = {"abcdef"};
    assert_non_null(dps_nearest_name("abcxyz", names, 1)); /* 3 edits, 1 + 6/3 = 3 allowed */
    assert_null(dps_nearest_name("abwxyz", names, 1));     /* 4 edits */
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(dps_nearest_name(endless, names, 1));
    const char *const long_names[] = {endless};
    assert_null(dps_nearest_name("aaaa", long_names, 1));
}

static void lists_keep_blanks_inside_names_and_commas_inside_quotes(void **state)
{
    static const char *const wanted[][2] = {{"sepal length", ""}, {"a, b", ""},  {"x", ":9"},
                                            {"it's", ""},         {"'open", ""}, {"last", ""}};
    const char *at = " sepal length ,, \"a, b\" ,'x' :9\nit's,\n'open , last";
    dps_list_item item;
    (void)state;
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        assert_true(dps_list_next(&at, &item));
        assert_int_equal(item.length, strlen(wanted[k][0]));
        assert_memory_equal(item.text, wanted[k][0], item.length);
        assert_int_equal(item.rest_length, strlen(wanted[k][1]));
        assert_memory_equal(item.rest, wanted[k][1], item.rest_length);
    }
    assert_false(dps_list_next(&at, &item));
    at = " , \n";
    assert_false(dps_list_next(&at, &item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_keep_blanks_inside_names_and_commas_inside_quotes),
        cmocka_unit_test(pieces_are_joined_and_terminated),
        cmocka_unit_test(a_failed_append_keeps_what_was_there),
        cmocka_unit_test(slips_find_the_name_that_was_meant),
        cmocka_unit_test(distance_limit_is_one_plus_a_third),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
