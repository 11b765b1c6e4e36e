/* Distinct texts by column. */
#include "unit/data/data_fixture.h"
#include "word_list.h"

static void words_are_numbered_in_the_order_of_appearance(void **state)
{
    (void)state;
    dps_word_list list = {0};
    bool added;
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < 1000; k++) { /* twice every word: the table grows on the way */
            char text[16];
            snprintf(text, sizeof text, "w%d", k % 500);
            assert_int_equal(dps_word_list_add(&list, k % 2, text, strlen(text), &added), k % 500);
            assert_int_equal(added, k < 500);
        }
        assert_int_equal(list.count, 500);
        assert_int_equal(list.slot[7], 1);
        assert_memory_equal(list.bytes + list.begin[7], "w7", 2);
        assert_int_equal(list.begin[8] - list.begin[7], 2);
        dps_word_list_clear(&list);
        assert_int_equal(list.count, 0);
    }
    dps_word_list_release(&list);
}

static void a_word_of_two_columns_is_two_words(void **state)
{
    (void)state;
    dps_word_list list = {0};
    bool added;
    assert_int_equal(dps_word_list_add(&list, 0, "a", 1, &added), 0);
    assert_int_equal(dps_word_list_add(&list, 1, "a", 1, &added), 1);
    assert_true(added);
    assert_int_equal(dps_word_list_add(&list, 0, "ab", 2, &added), 2);
    assert_int_equal(dps_word_list_add(&list, 1, "a", 1, &added), 1);
    assert_false(added);
    dps_word_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_numbered_in_the_order_of_appearance),
        cmocka_unit_test(a_word_of_two_columns_is_two_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
