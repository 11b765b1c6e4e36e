/* A chunk's own numbering of labels, and the sorting of a row. */
#include "unit/data/data_fixture.h"

#include "row_block.h"

static void spellings_are_numbered_in_order_of_appearance(void **state)
{
    (void)state;
    dps_row_block block = {0};
    for (int use = 0; use < 2; use++) { /* the second use must not know the first */
        assert_true(dps_row_block_begin(&block, 1, 1));
        char text[32];
        bool added;
        for (int i = 0; i < 3000; i++) {
            const int length = snprintf(text, sizeof text, "%d", i * 7 + use);
            assert_int_equal(dps_row_block_label(&block, text, (size_t)length, i + 1, &added), i);
            assert_true(added);
        }
        assert_int_equal(dps_row_block_label(&block, "70", (size_t)2 - (size_t)use, 1, &added),
                         use == 0 ? 10 : 3000);
        assert_true(added == (use == 1)); /* "70" is known, "7" is not */
        assert_int_equal(block.label_line[42], 43);
    }
    dps_row_block_release(&block);
}

static void sorting_tells_the_smallest_index_given_twice(void **state)
{
    (void)state;
    static const int32_t indices[] = {9, 4, 7, 4, 9, 1};
    dps_row_block block = {0};
    assert_true(dps_row_block_begin(&block, 1, 6));
    for (int k = 0; k < 6; k++) {
        block.index[k] = indices[k];
        block.value[k] = indices[k] + 0.5;
    }
    assert_int_equal(dps_row_block_sort(&block, 2, 3), -1);
    assert_int_equal(dps_row_block_sort(&block, 0, 6), 4);
    for (int k = 0; k < 6; k++) {
        assert_true(block.value[k] == block.index[k] + 0.5);
        assert_true(k == 0 || block.index[k] >= block.index[k - 1]);
    }
    dps_row_block_release(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_are_numbered_in_order_of_appearance),
        cmocka_unit_test(sorting_tells_the_smallest_index_given_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
