/* Results on disk: what was written comes back, what was cut or changed does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "journal.h"

static char path[] = "/tmp/dps_journal_XXXXXX";

static int begin(void **state)
{
    (void)state;
    strcpy(path, "/tmp/dps_journal_XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int end(void **state)
{
    char other[64];
    (void)state;
    snprintf(other, sizeof other, "%s.1-of-2", path);
    (void)unlink(other);
    return unlink(path);
}

static void write_two(const char *file, uint64_t first)
{
    const double a[] = {0.1, NAN, 1e-300}, b[] = {7};
    dps_journal journal;
    memset(&journal, 0, sizeof journal);
    assert_int_equal(dps_journal_append_to(&journal, file, NULL), DPS_OK);
    assert_int_equal(dps_journal_add(&journal, first, a, 3, NULL), DPS_OK);
    assert_int_equal(dps_journal_add(&journal, first + 1, b, 1, NULL), DPS_OK);
    assert_non_null(dps_journal_find(&journal, first, 3));
    dps_journal_close(&journal);
}

static size_t entries(void)
{
    dps_journal journal;
    assert_int_equal(dps_journal_read(&journal, path, NULL), DPS_OK);
    const size_t count = journal.count;
    dps_journal_close(&journal);
    return count;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    dps_journal journal;
    write_two(path, 0xfedcba9876543210u);
    assert_int_equal(dps_journal_read(&journal, path, NULL), DPS_OK);
    const dps_journal_entry *entry = dps_journal_find(&journal, 0xfedcba9876543210u, 3);
    assert_non_null(entry);
    assert_true(entry->value[0] == 0.1 && isnan(entry->value[1]) && entry->value[2] == 1e-300);
    assert_null(dps_journal_find(&journal, 0xfedcba9876543210u, 2));
    assert_null(dps_journal_find(&journal, 1, 3));
    dps_journal_close(&journal);
}

static void a_missing_file_is_empty(void **state)
{
    (void)state;
    dps_journal journal;
    assert_int_equal(dps_journal_read(&journal, "/tmp/dps_journal_that_is_not_there", NULL),
                     DPS_OK);
    assert_int_equal(journal.count, 0);
    dps_journal_close(&journal);
}

static void journals_of_shards_are_read_too(void **state)
{
    (void)state;
    char other[64];
    snprintf(other, sizeof other, "%s.1-of-2", path);
    write_two(path, 1);
    write_two(other, 100);
    assert_int_equal(entries(), 4);
}

/* At every length: the lines that are whole, never one more; appending after a cut works. */
static void a_cut_line_is_passed_over_and_does_not_spoil_the_next(void **state)
{
    (void)state;
    char text[512];
    write_two(path, 1);
    FILE *file = fopen(path, "rb");
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    const size_t line = (size_t)(strchr(text, '\n') - text) + 1;
    for (size_t length = 0; length <= size; length++) {
        assert_int_equal(truncate(path, 0), 0);
        file = fopen(path, "wb");
        fwrite(text, 1, length, file);
        fclose(file);
        const size_t whole = (size_t)(length >= line) + (size_t)(length >= size);
        assert_int_equal(entries(), whole);
        write_two(path, 50);
        /* a line cut just before its newline is completed by the newline that appending adds */
        const size_t completed = length == line - 1 || length == size - 1;
        assert_int_equal(entries(), whole + completed + 2);
    }
}

static void a_changed_byte_is_noticed(void **state)
{
    (void)state;
    char text[512];
    write_two(path, 1);
    FILE *file = fopen(path, "rb");
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n') {
            continue;
        }
        const char old = text[i];
        text[i] = (char)(old == '1' ? '2' : '1');
        file = fopen(path, "wb");
        fwrite(text, 1, size, file);
        fclose(file);
        text[i] = old;
        assert_int_equal(entries(), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_comes_back, begin, end),
        cmocka_unit_test_setup_teardown(a_missing_file_is_empty, begin, end),
        cmocka_unit_test_setup_teardown(journals_of_shards_are_read_too, begin, end),
        cmocka_unit_test_setup_teardown(a_cut_line_is_passed_over_and_does_not_spoil_the_next,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_changed_byte_is_noticed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
