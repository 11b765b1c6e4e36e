/* Checked allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "allocation.h"
#include "large_pages.h"

static void blocks_are_zeroed_aligned_and_padded(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        unsigned char *block = dps_alloc(n, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % DPS_ALIGN, 0);
        for (size_t i = 0; i < dps_round_up(n, DPS_ALIGN); i++) { /* padding can be read */
            assert_int_equal(block[i], 0);
        }
        memset(block, 0xFF, n);
        dps_free(block);
    }
    dps_free(NULL);
}

static void overflowing_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(dps_alloc(SIZE_MAX, 2));
    assert_null(dps_alloc(SIZE_MAX, 1));
    assert_null(dps_alloc(SIZE_MAX / 8, 8));
    size_t out = 42;
    assert_false(dps_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(dps_size_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 42);
    assert_true(dps_size_mul(SIZE_MAX, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_true(dps_size_mul(SIZE_MAX, 0, &out));
    assert_int_equal(out, 0);
    assert_true(dps_size_add(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
}

static void growing_keeps_content_and_doubles(void **state)
{
    (void)state;
    size_t *block = NULL;
    size_t capacity = 0;
    size_t moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        const size_t before = capacity;
        assert_true(DPS_GROW(block, capacity, i + 1));
        assert_true(capacity > i);
        moves += capacity != before;
        block[i] = i;
    }
    for (size_t i = 0; i < 10000; i++) {
        assert_int_equal(block[i], i);
    }
    assert_true(moves <= 15); /* 2^14 > 10000 */
    const size_t *const kept = block;
    const size_t kept_capacity = capacity;
    assert_false(DPS_GROW(block, capacity, SIZE_MAX / 4));
    assert_ptr_equal(block, kept);
    assert_int_equal(capacity, kept_capacity);
    dps_free(block);
}

static void two_blocks_grow_together_or_keep_their_capacity(void **state)
{
    (void)state;
    char *small = NULL;
    double *large = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 100; i++) {
        assert_true(DPS_GROW_BOTH(small, large, capacity, i + 1));
        assert_true(capacity > i);
        small[i] = (char)i;
        large[i] = (double)i;
    }
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(small[i], i);
        assert_true(large[i] == (double)i);
    }
    const size_t kept = capacity;
    assert_false(DPS_GROW_BOTH(small, large, capacity, SIZE_MAX / 2));
    assert_int_equal(capacity, kept);
    dps_free(small);
    dps_free(large);
}

static dps_status take_items(double **item, size_t *capacity, size_t needed, dps_error *err)
{
    DPS_NEED_MORE(*item, *capacity, needed, "the items", err);
    return DPS_OK;
}

static void without_memory_the_function_returns_its_error(void **state)
{
    (void)state;
    dps_error err;
    double *item = NULL;
    size_t capacity = 0;
    assert_int_equal(take_items(&item, &capacity, 3, &err), DPS_OK);
    item[2] = 1;
    assert_int_equal(take_items(&item, &capacity, SIZE_MAX / 4, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "the items"));
    assert_true(item[2] == 1);
    dps_free(item);
}

static void failure_names_purpose_and_size(void **state)
{
    (void)state;
    dps_error err;
    assert_int_equal(dps_out_of_memory(&err, 1000, 8, "the Hessian"), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "the Hessian"));
    assert_non_null(strstr(err.text, "8000 bytes"));
    assert_int_equal(dps_out_of_memory(&err, SIZE_MAX, 8, "the Hessian"), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "beyond the address space"));
}

static void large_blocks_are_aligned_and_zero_from_end_to_end(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, (4u << 20) - 1, 4u << 20, (9u << 20) + 12345};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        char *block = dps_alloc_large(sizes[k]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % DPS_ALIGN, 0);
        for (size_t i = 0; i < sizes[k]; i += i + 1 < sizes[k] && i + 4096 >= sizes[k] ? 1 : 4096) {
            assert_int_equal(block[i], 0);
            block[i] = 1;
        }
        dps_free(block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_padded),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(growing_keeps_content_and_doubles),
        cmocka_unit_test(two_blocks_grow_together_or_keep_their_capacity),
        cmocka_unit_test(without_memory_the_function_returns_its_error),
        cmocka_unit_test(failure_names_purpose_and_size),
        cmocka_unit_test(large_blocks_are_aligned_and_zero_from_end_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
