/* Small inputs for the tests of data: text in exact buffers, temporary files, runs. */
#ifndef DPS_DATA_FIXTURE_H
#define DPS_DATA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/parse_target.h"
#include "run.h"

static inline dps_run run_with(int threads)
{
    return (dps_run){.threads = threads, .memory = (size_t)1 << 30};
}

/* A file with this content; the name is freed by drop_file. */
static inline char *make_file(const char *bytes, size_t length)
{
    char *name = malloc(64);
    assert_non_null(name);
    strcpy(name, "/tmp/dpsvm-test-XXXXXX");
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return name;
}

static inline char *make_text_file(const char *text)
{
    return make_file(text, strlen(text));
}

static inline void drop_file(char *name)
{
    unlink(name);
    free(name);
}

/* Parses bytes that stand in a buffer of exactly their size, so that a sanitizer sees every read
 * beyond it. The labels of the block stay readable: nothing in it points into the text. */
static inline dps_status parse_bytes(const char *format, const char *bytes, size_t length,
                                     const dps_read_options *options, dps_row_block *block,
                                     dps_error *err)
{
    char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    const dps_chunk chunk = {
        .bytes = exact, .length = length, .file = "data.svm", .first_of_file = true};
    const dps_format *found = dps_format_find(format);
    assert_non_null(found);
    const dps_status status = parse_whole(found, options, &chunk, false, block, err);
    free(exact);
    return status;
}

static const dps_read_options training_rows = {.format = "auto"};

#endif
