/* Words of enums there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "names.h"

static const char *const colours[] = {"red", "green", "greenish", NULL};

static void every_name_is_found_again(void **state)
{
    (void)state;
    for (unsigned i = 0; colours[i] != NULL; i++) {
        assert_string_equal(dps_name_of(colours, i), colours[i]);
        assert_int_equal(dps_name_value(colours, colours[i]), i);
    }
}

static void a_part_or_a_longer_word_is_no_name(void **state)
{
    (void)state;
    static const char *const no_names[] = {"", "gree", "greens", "Red", "blue"};
    unsigned value = 7;
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; i++) {
        assert_false(dps_name_find(colours, no_names[i], strlen(no_names[i]), &value));
    }
    assert_int_equal(value, 7);
    assert_true(dps_name_find(colours, "greens", 5, &value));
    assert_int_equal(value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found_again),
        cmocka_unit_test(a_part_or_a_longer_word_is_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
