/* Unpacking: what went in comes out, whatever the pieces, and damage is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "byte_stream.h"

/* printf '1 1:1\n-1 2:2\n' twice, packed one after the other. */
static const char expected[] = "1 1:1\n-1 2:2\n1 1:1\n-1 2:2\n";
static const unsigned char packed_gzip[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x33, 0x54, 0x30, 0xb4,
    0x32, 0xe4, 0xd2, 0x35, 0x54, 0x30, 0xb2, 0x32, 0xe2, 0x02, 0x00, 0xf7, 0xa9, 0xe3,
    0x2d, 0x0d, 0x00, 0x00, 0x00, 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
    0x03, 0x33, 0x54, 0x30, 0xb4, 0x32, 0xe4, 0xd2, 0x35, 0x54, 0x30, 0xb2, 0x32, 0xe2,
    0x02, 0x00, 0xf7, 0xa9, 0xe3, 0x2d, 0x0d, 0x00, 0x00, 0x00};
static const unsigned char packed_zstd[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x69, 0x00, 0x00, 0x31, 0x20, 0x31, 0x3a,
    0x31, 0x0a, 0x2d, 0x31, 0x20, 0x32, 0x3a, 0x32, 0x0a, 0x5d, 0xc6, 0xb0, 0x43,
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x69, 0x00, 0x00, 0x31, 0x20, 0x31, 0x3a,
    0x31, 0x0a, 0x2d, 0x31, 0x20, 0x32, 0x3a, 0x32, 0x0a, 0x5d, 0xc6, 0xb0, 0x43};

/* An open file with these bytes, without a name. */
static int file_with(const void *bytes, size_t length)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fflush(file), 0);
    const int copy = dup(fileno(file));
    fclose(file);
    assert_true(copy >= 0);
    assert_int_equal(lseek(copy, 0, SEEK_SET), 0);
    return copy;
}

/* Reads everything in pieces of `piece` bytes. */
static dps_status read_all(const void *bytes, size_t length, size_t piece, char *out, size_t room,
                           size_t *filled, dps_error *err)
{
    dps_byte_stream *stream;
    *filled = 0;
    dps_status status =
        dps_byte_stream_open(&stream, file_with(bytes, length), "packed", NULL, err);
    for (size_t got = 1; status == DPS_OK && got > 0;) {
        assert_true(*filled + piece <= room);
        status = dps_byte_stream_read(stream, out + *filled, piece, &got, err);
        *filled += status == DPS_OK ? got : 0;
    }
    dps_byte_stream_close(stream);
    return status;
}

static void expect_text(const void *bytes, size_t length)
{
    char out[256];
    size_t filled;
    dps_error err;
    for (size_t piece = 1; piece < 100; piece += 7) {
        assert_int_equal(read_all(bytes, length, piece, out, sizeof out, &filled, &err), DPS_OK);
        assert_int_equal(filled, sizeof expected - 1);
        assert_memory_equal(out, expected, filled);
    }
}

static void plain_gzip_and_zstd_give_the_same_text(void **state)
{
    (void)state;
    expect_text(expected, sizeof expected - 1);
    expect_text(packed_gzip, sizeof packed_gzip);
    expect_text(packed_zstd, sizeof packed_zstd);
    assert_true(dps_is_compressed(packed_gzip, sizeof packed_gzip));
    assert_true(dps_is_compressed(packed_zstd, sizeof packed_zstd));
    assert_false(dps_is_compressed(expected, sizeof expected - 1));
}

static void short_plain_files_are_read_too(void **state)
{
    (void)state;
    char out[16];
    size_t filled;
    dps_error err;
    for (size_t length = 0; length < 6; length++) {
        assert_int_equal(read_all(expected, length, 8, out, sizeof out, &filled, &err), DPS_OK);
        assert_int_equal(filled, length);
    }
}

/* A file cut inside a member says so; a cut between two members is a shorter file. */
static void every_cut_is_told(const unsigned char *bytes, size_t length, size_t between)
{
    char out[256];
    size_t filled;
    dps_error err;
    for (size_t cut = 5; cut < length; cut++) {
        const dps_status status = read_all(bytes, cut, 50, out, sizeof out, &filled, &err);
        if (cut == between) {
            assert_int_equal(status, DPS_OK);
        } else {
            assert_int_equal(status, DPS_ERROR_DATA);
            assert_non_null(strstr(err.text, "cut short"));
            assert_string_equal(err.file, "packed");
        }
    }
}

static void cuts_are_told(void **state)
{
    (void)state;
    every_cut_is_told(packed_gzip, sizeof packed_gzip, sizeof packed_gzip / 2);
    every_cut_is_told(packed_zstd, sizeof packed_zstd, sizeof packed_zstd / 2);
}

static void damage_is_told(void **state)
{
    (void)state;
    unsigned char bytes[sizeof packed_gzip];
    char out[256];
    size_t filled;
    dps_error err;
    for (size_t i = 10; i < sizeof packed_gzip / 2; i++) { /* behind the first header */
        memcpy(bytes, packed_gzip, sizeof bytes);
        bytes[i] ^= 0x55;
        assert_int_equal(read_all(bytes, sizeof bytes, 50, out, sizeof out, &filled, &err),
                         DPS_ERROR_DATA);
        assert_non_null(strstr(err.text, "gzip data are"));
    }
}

static void a_stop_ends_the_wait_for_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    dps_byte_stream *stream;
    dps_error err;
    const volatile sig_atomic_t stop = 1;
    assert_int_equal(pipe(ends), 0); /* nothing is ever written */
    assert_int_equal(dps_byte_stream_open(&stream, ends[0], "pipe", &stop, &err),
                     DPS_ERROR_STOPPED);
    assert_null(stream);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_gzip_and_zstd_give_the_same_text),
        cmocka_unit_test(short_plain_files_are_read_too),
        cmocka_unit_test(cuts_are_told),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_stop_ends_the_wait_for_a_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
