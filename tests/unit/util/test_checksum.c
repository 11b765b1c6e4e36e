/* XXH3-64 through its wrapper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "checksum.h"

static void empty_input_has_the_published_value(void **state)
{
    (void)state;
    /* XXH3_64bits of nothing, seed 0, in xxHash's own self-test */
    assert_true(dps_checksum_of("", 0) == 0x2D06800538D394C2ULL);
}

static void pieces_give_the_value_of_the_whole(void **state)
{
    (void)state;
    unsigned char bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * i + i / 7);
    }
    for (size_t piece = 1; piece < sizeof bytes; piece = 3 * piece + 1) {
        dps_checksum *sum = dps_checksum_new();
        assert_non_null(sum);
        for (size_t at = 0; at < sizeof bytes; at += piece) {
            const size_t left = sizeof bytes - at;
            dps_checksum_add(sum, bytes + at, left < piece ? left : piece);
        }
        assert_true(dps_checksum_value(sum) == dps_checksum_of(bytes, sizeof bytes));
        dps_checksum_free(sum);
    }
}

static void every_flipped_byte_changes_the_value(void **state)
{
    (void)state;
    unsigned char bytes[700] = {0};
    const uint64_t value = dps_checksum_of(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] ^= 1;
        assert_true(dps_checksum_of(bytes, sizeof bytes) != value);
        bytes[i] ^= 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_input_has_the_published_value),
        cmocka_unit_test(pieces_give_the_value_of_the_whole),
        cmocka_unit_test(every_flipped_byte_changes_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
