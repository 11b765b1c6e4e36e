/* Files, pipes and standard input as chunks cut at line ends. */
#include "unit/data/data_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include "source.h"

/* All chunks of the files, joined; checks how each is cut. */
static char *read_all(const char *const *paths, size_t count, size_t chunk_bytes, int *chunks)
{
    dps_source *source;
    dps_error err;
    assert_int_equal(dps_source_open(&source, paths, count, &err), DPS_OK);
    dps_source_set_chunk(source, chunk_bytes);
    char *all = calloc(1, 1 << 20);
    size_t length = 0;
    int32_t file = -1;
    *chunks = 0;
    for (;;) {
        dps_chunk chunk;
        bool end;
        assert_int_equal(dps_source_next(source, &chunk, &end, &err), DPS_OK);
        if (end) {
            break;
        }
        assert_true(chunk.length > 0);
        assert_true(chunk.first_of_file == (chunk.file_index != file));
        assert_true(length == 0 || all[length - 1] == '\n' || chunk.first_of_file);
        assert_string_equal(chunk.file, paths[chunk.file_index]);
        file = chunk.file_index;
        memcpy(all + length, chunk.bytes, chunk.length);
        length += chunk.length;
        ++*chunks;
        dps_chunk_release(&chunk);
    }
    dps_source_close(source);
    return all;
}

static void chunks_of_every_size_join_to_the_file(void **state)
{
    (void)state;
    const char *text = "1 1:1\n\n-1 2:2 3:3\r\n# a comment that is longer\n1\n1 9:9";
    char *name = make_text_file(text);
    const char *path = name;
    int most = 0;
    for (size_t size = 1; size < strlen(text) + 2; size++) {
        int chunks;
        char *all = read_all(&path, 1, size, &chunks);
        assert_string_equal(all, text);
        most = chunks > most ? chunks : most;
        free(all);
    }
    assert_true(most >= 5); /* it was cut at all */
    drop_file(name);
}

/* Chunks of one part after the other; *filled: parts that had lines. */
static char *read_parts(const char *const *paths, size_t count, int parts, int *filled)
{
    char *all = calloc(1, 1 << 20);
    size_t length = 0;
    *filled = 0;
    for (int part = 0; part < parts; part++) {
        dps_source *source;
        dps_chunk chunk;
        dps_error err;
        bool end = false;
        const size_t before = length;
        assert_int_equal(dps_source_open(&source, paths, count, &err), DPS_OK);
        dps_source_set_chunk(source, 5);
        if (part % 2 == 0) { /* whether or not the first file was looked at */
            assert_int_equal(dps_source_look(source, &chunk, &err), DPS_OK);
        }
        assert_int_equal(dps_source_take_part(source, part, parts, &err), DPS_OK);
        while (!end) {
            assert_int_equal(dps_source_next(source, &chunk, &end, &err), DPS_OK);
            if (!end) {
                memcpy(all + length, chunk.bytes, chunk.length);
                length += chunk.length;
            }
            dps_chunk_release(&chunk);
        }
        *filled += length > before;
        dps_source_close(source);
    }
    return all;
}

static void parts_of_any_number_join_to_the_files(void **state)
{
    (void)state;
    char *first = make_text_file("1 1:1\n\n-1 2:2 3:3\r\n# a comment that is longer\n1\n1 9:9");
    char *second = make_text_file("");
    char *third = make_text_file("\n3 1:1\n4 2:2\n");
    const char *const paths[] = {first, second, third};
    int chunks, most = 0;
    char *whole = read_all(paths, 3, 1000, &chunks);
    for (int parts = 1; parts < 90; parts++) {
        int filled;
        char *all = read_parts(paths, 3, parts, &filled);
        assert_string_equal(all, whole);
        most = filled > most ? filled : most;
        free(all);
    }
    assert_true(most >= 8); /* the lines there are, blank ones aside */
    free(whole);
    drop_file(first);
    drop_file(second);
    drop_file(third);
}

/* Nobody else can look at a pipe; compressed files are the first part's. */
static void pipes_have_no_parts(void **state)
{
    (void)state;
    const char *const path = "-";
    dps_source *source;
    dps_error err;
    assert_int_equal(dps_source_open(&source, &path, 1, &err), DPS_OK);
    assert_int_equal(dps_source_take_part(source, 0, 2, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "file"));
    dps_source_close(source);
}

static void files_follow_one_another_and_marks_are_left_out(void **state)
{
    (void)state;
    char *names[] = {make_text_file("\xef\xbb\xbf"
                                    "1 1:1\n2 2:2"),
                     make_text_file(""), make_text_file("\xef\xbb\xbf"), make_text_file("3 3:3\n")};
    for (size_t size = 1; size < 20; size++) {
        int chunks;
        char *all = read_all((const char *const *)names, 4, size, &chunks);
        assert_string_equal(all, "1 1:1\n2 2:23 3:3\n"); /* a chunk each: not one line */
        free(all);
    }
    for (int i = 0; i < 4; i++) {
        drop_file(names[i]);
    }
}

static void sizes_add_up(void **state)
{
    (void)state;
    char *names[] = {make_text_file("12345"), make_text_file("123")};
    dps_source *source;
    dps_error err;
    assert_int_equal(dps_source_open(&source, (const char *const *)names, 2, &err), DPS_OK);
    assert_int_equal(dps_source_size(source), 8);
    dps_source_close(source);
    drop_file(names[0]);
    drop_file(names[1]);
}

static void expect_refusal(const char *path, dps_status status, const char *says)
{
    dps_source *source;
    dps_error err = {0};
    dps_status got = dps_source_open(&source, &path, 1, &err);
    if (got == DPS_OK) {
        dps_chunk chunk;
        bool end;
        got = dps_source_next(source, &chunk, &end, &err);
        assert_null(chunk.owned);
        dps_source_close(source);
    }
    assert_int_equal(got, status);
    if (strstr(err.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
    assert_string_equal(err.file, path);
}

static void missing_files_and_folders_are_refused_at_once(void **state)
{
    (void)state;
    expect_refusal("/nonexistent/file", DPS_ERROR_IO, "No such file");
    expect_refusal("/tmp", DPS_ERROR_IO, "folder");
}

static void compressed_and_binary_content_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *says;
    } cases[] = {{"\x1f\x8b\x08\0\0\0\0\0\n", 9, "gzip"},
                 {"\x28\xb5\x2f\xfd xx", 7, "zstd"},
                 {"\xfd"
                  "7zXZ\0\0",
                  7, "xz"},
                 {"\x93NUMPY\x01", 7, "npy header"},
                 {"\xff\xfe"
                  "1\0",
                  4, "UTF-16"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *name = make_file(cases[i].bytes, cases[i].length);
        expect_refusal(name, DPS_ERROR_DATA, cases[i].says);
        drop_file(name);
    }
}

static void an_endless_line_is_refused(void **state)
{
    (void)state;
    char *text = malloc(10000);
    memset(text, 'x', 10000);
    char *name = make_file(text, 10000);
    const char *path = name;
    dps_source *source;
    dps_error err;
    assert_int_equal(dps_source_open(&source, &path, 1, &err), DPS_OK);
    dps_source_set_chunk(source, 64);
    dps_source_set_line_limit(source, 4096);
    dps_chunk chunk;
    bool end;
    assert_int_equal(dps_source_next(source, &chunk, &end, &err), DPS_ERROR_DATA);
    assert_non_null(strstr(err.text, "longer than"));
    dps_source_close(source);
    drop_file(name);
    free(text);
}

static void standard_input_is_given_once_only(void **state)
{
    (void)state;
    const char *const paths[] = {"-", "/dev/stdin"};
    dps_source *source;
    dps_error err;
    assert_int_equal(dps_source_open(&source, paths, 2, &err), DPS_ERROR_CONFIG);
    assert_null(source);
}

static void *write_slowly(void *name)
{
    const int fd = open(name, O_WRONLY);
    for (int i = 0; i < 1000; i++) {
        if (write(fd, "1 1:1\n-1 2:2\n", 13) != 13) {
            break;
        }
    }
    close(fd);
    return NULL;
}

static void a_fifo_is_read_once_from_start_to_end(void **state)
{
    (void)state;
    char *name = make_text_file("");
    unlink(name);
    assert_int_equal(mkfifo(name, 0600), 0);
    const char *path = name;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_slowly, name), 0);
    int chunks;
    char *all = read_all(&path, 1, 100, &chunks);
    assert_int_equal(strlen(all), 13000);
    assert_true(chunks > 50);
    pthread_join(writer, NULL);
    free(all);
    drop_file(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_every_size_join_to_the_file),
        cmocka_unit_test(parts_of_any_number_join_to_the_files),
        cmocka_unit_test(pipes_have_no_parts),
        cmocka_unit_test(files_follow_one_another_and_marks_are_left_out),
        cmocka_unit_test(sizes_add_up),
        cmocka_unit_test(missing_files_and_folders_are_refused_at_once),
        cmocka_unit_test(compressed_and_binary_content_is_refused),
        cmocka_unit_test(an_endless_line_is_refused),
        cmocka_unit_test(standard_input_is_given_once_only),
        cmocka_unit_test(a_fifo_is_read_once_from_start_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
