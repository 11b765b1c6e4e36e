/* Checked allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "allocation.h"

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
    void *block = NULL;
    size_t capacity = 0;
    size_t moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        const size_t before = capacity;
        assert_true(dps_grow(&block, &capacity, i + 1, sizeof(size_t)));
        assert_true(capacity > i);
        moves += capacity != before;
        ((size_t *)block)[i] = i;
    }
    for (size_t i = 0; i < 10000; i++) {
        assert_int_equal(((size_t *)block)[i], i);
    }
    assert_true(moves <= 15); /* 2^14 > 10000 */
    void *const kept = block;
    const size_t kept_capacity = capacity;
    assert_false(dps_grow(&block, &capacity, SIZE_MAX / 4, sizeof(size_t)));
    assert_ptr_equal(block, kept);
    assert_int_equal(capacity, kept_capacity);
    dps_free(block);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_padded),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(growing_keeps_content_and_doubles),
        cmocka_unit_test(failure_names_purpose_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
