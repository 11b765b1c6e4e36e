/* Numbering of features: small and huge indices give the same order, lookups find what is there. */
#include "unit/data/load_fixture.h"

#include "column_lookup.h"
#include "raw_rows.h"

static void seeking_equals_a_plain_search(void **state)
{
    (void)state;
    static const int32_t lists[4][9] = {{0, 1, 2, 3, 4, 5, 6, 7, 8},
                                        {1, 2, 3, 4, 5, 6, 7, 8, 9},
                                        {0, 1, 2, 7, 8, 20, 21, 1000, 2147483645},
                                        {5, 11, 12, 30, 31, 32, 33, 34, 90}};
    for (int l = 0; l < 4; l++) {
        for (int32_t count = 0; count <= 9; count++) {
            for (int32_t from = 0; from <= count; from++) {
                for (int32_t raw = 0; raw < 110; raw++) {
                    int32_t plain = 0;
                    while (plain < count && lists[l][plain] < raw) {
                        plain++;
                    }
                    if (plain >= from) { /* rows ascend */
                        assert_int_equal(dps_column_seek(lists[l], count, from, raw), plain);
                    }
                }
            }
        }
    }
}

static void seeking_in_long_lists_of_few_gaps_and_of_many(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static const int32_t every[] = {400, 97, 7, 2}; /* gap after so many indices */
    int32_t list[COUNT];
    for (size_t g = 0; g < sizeof every / sizeof every[0]; g++) {
        for (int32_t p = 0; p < COUNT; p++) {
            list[p] = p + p / every[g] * 3;
        }
        for (int32_t from = 0; from <= COUNT; from += 13) {
            int32_t plain = from;
            for (int32_t raw = from < COUNT ? list[from] : 0; raw < list[COUNT - 1] + 5; raw++) {
                plain += plain < COUNT && list[plain] < raw;
                assert_int_equal(dps_column_seek(list, COUNT, from, raw), plain);
            }
        }
    }
}

/* Reads rows whose index k is written as k * step + 1; returns the distinct ones. */
static int32_t *distinct_of(int64_t step, int32_t *count)
{
    dps_text text = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 800; i++) {
        int64_t k = next_random(&seed) % 50;
        dps_text_add(&text, "1");
        for (; k < 1000; k += 1 + next_random(&seed) % 300) {
            dps_text_format(&text, " %lld:1", (long long)(k * step + 1));
        }
        dps_text_add(&text, "\n");
    }
    char *name = make_text_file(text.data);
    const char *path = name;
    const dps_run run = run_with(3);
    dps_raw_rows raw;
    dps_error err;
    assert_int_equal(dps_raw_rows_read(&raw, &path, 1, &training_rows, NULL, 4000, &run, &err),
                     DPS_OK);
    int32_t *index;
    assert_int_equal(dps_raw_rows_distinct(&raw, &run, &index, count, &err), DPS_OK);
    dps_raw_rows_number(&raw, index, *count, &run);
    assert_int_equal(raw.unknown, 0);
    for (int64_t b = 0; b < raw.blocks; b++) {
        for (uint32_t k = 0; k < raw.block[b].start[raw.block[b].rows]; k++) {
            assert_in_range(raw.block[b].index[k], 0, *count - 1);
        }
    }
    dps_raw_rows_release(&raw);
    drop_file(name);
    dps_text_release(&text);
    return index;
}

static void huge_indices_are_numbered_like_small_ones(void **state)
{
    (void)state;
    int32_t small_count, huge_count;
    int32_t *small = distinct_of(1, &small_count);
    int32_t *huge = distinct_of(2000003, &huge_count);
    assert_int_equal(small_count, huge_count);
    assert_true(small_count > 500);
    for (int32_t j = 0; j < small_count; j++) {
        assert_int_equal((int64_t)small[j] * 2000003, huge[j]);
        assert_true(j == 0 || small[j] > small[j - 1]);
    }
    dps_free(small);
    dps_free(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeking_equals_a_plain_search),
        cmocka_unit_test(seeking_in_long_lists_of_few_gaps_and_of_many),
        cmocka_unit_test(huge_indices_are_numbered_like_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
