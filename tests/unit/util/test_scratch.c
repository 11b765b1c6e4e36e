/* Memory in files: blocks keep what is written, pages given back come in again, nothing is left in
 * the folder, and every refusal names run.scratch. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

enum { BLOCK = 64 << 20 };

/* The thread sanitizer keeps notes of its own on every byte, several times as many. */
#if defined(__SANITIZE_THREAD__)
#define NOTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NOTED 1
#endif
#endif
#ifndef NOTED
#define NOTED 0
#endif

static char folder[] = "/tmp/dpsvm_scratch_XXXXXX";

static dps_run run_in(const char *where)
{
    return (dps_run){.threads = 1, .memory = (size_t)1 << 30, .scratch = where};
}

static int entries(void)
{
    int count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open) != NULL) {
        count++;
    }
    closedir(open);
    return count - 2;
}

/* Resident bytes of this process now. */
static size_t resident(void)
{
    size_t size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &size, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static char *new_block(size_t size)
{
    const dps_run run = run_in(folder);
    dps_error err;
    void *block;
    if (dps_scratch_new(&block, size, &run, &err) != DPS_OK) {
        fail_msg("%s", err.text);
    }
    return block;
}

static char pattern(size_t i)
{
    return (char)(i * 2654435761u >> 13);
}

static void pages_given_back_keep_their_content(void **state)
{
    (void)state;
    char *block = new_block(BLOCK);
    const size_t before = resident();
    for (size_t i = 0; i < BLOCK; i++) {
        assert_int_equal(block[i], 0);
        block[i] = pattern(i);
    }
    assert_true(resident() > before + BLOCK / 2);
    dps_scratch_rest(block, BLOCK);
    /* an eighth may be the address sanitizer's notes, as the kernel lends it their pages */
    assert_true(NOTED || resident() < before + BLOCK / 4);
    for (size_t i = 0; i < BLOCK; i++) {
        if (block[i] != pattern(i)) {
            fail_msg("byte %zu is lost", i);
        }
        if (i % 100000 == 0) {
            dps_scratch_rest(block + i, 1); /* the page that is being read */
        }
    }
    dps_scratch_free(block, BLOCK);
}

/* A fault brings in the pages around its own: they go with it. */
static void neighbours_of_a_page_do_not_stay(void **state)
{
    (void)state;
    char *block = new_block(BLOCK);
    memset(block, 1, BLOCK);
    dps_scratch_rest(block, BLOCK);
    const size_t before = resident();
    size_t sum = 0;
    for (size_t at = 50000; at + 4096 <= BLOCK; at += 100000) {
        sum += (size_t)block[at];
        dps_scratch_rest(block + at, 4096);
    }
    assert_int_equal(sum, (BLOCK - 54096) / 100000 + 1);
    assert_true(resident() < before + BLOCK / 16);
    dps_scratch_free(block, BLOCK);
}

static void the_folder_stays_empty(void **state)
{
    (void)state;
    char *block = new_block(100);
    block[99] = 1;
    assert_int_equal(entries(), 0);
    dps_scratch_free(block, 100);
    assert_int_equal(entries(), 0);
}

static void a_block_of_no_bytes_is_valid(void **state)
{
    (void)state;
    char *block = new_block(0);
    assert_non_null(block);
    dps_scratch_rest(block, 0);
    dps_scratch_free(block, 0);
    dps_scratch_free(NULL, 5);
}

static void refused(const dps_run *run, size_t size, const char *says)
{
    dps_error err;
    void *block;
    assert_int_equal(dps_scratch_new(&block, size, run, &err), DPS_ERROR_IO);
    assert_null(block);
    if (strstr(err.text, says) == NULL) {
        fail_msg("%s", err.text);
    }
}

static void refusals_name_the_remedy(void **state)
{
    (void)state;
    const dps_run missing = run_in("/nonexistent/folder"), here = run_in(folder);
    refused(&missing, 100, "run.scratch");
    refused(&here, (size_t)1 << 50, "run.memory"); /* no disk has a pebibyte */
    assert_int_equal(entries(), 0);
}

static void a_limit_on_file_sizes_is_an_error_and_no_signal(void **state)
{
    (void)state;
    struct rlimit old, low;
    const dps_run run = run_in(folder);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    refused(&run, 2 << 20, "ulimit -f");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void the_folder_is_the_option_then_tmpdir_then_tmp(void **state)
{
    (void)state;
    const dps_run asked = run_in("/a"), unset = run_in(NULL), empty = run_in("");
    assert_int_equal(setenv("TMPDIR", "/b", 1), 0);
    assert_string_equal(dps_scratch_folder(&asked), "/a");
    assert_string_equal(dps_scratch_folder(&unset), "/b");
    assert_string_equal(dps_scratch_folder(&empty), "/b");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(dps_scratch_folder(&empty), "/tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_given_back_keep_their_content),
        cmocka_unit_test(neighbours_of_a_page_do_not_stay),
        cmocka_unit_test(the_folder_stays_empty),
        cmocka_unit_test(a_block_of_no_bytes_is_valid),
        cmocka_unit_test(refusals_name_the_remedy),
        cmocka_unit_test(a_limit_on_file_sizes_is_an_error_and_no_signal),
        cmocka_unit_test(the_folder_is_the_option_then_tmpdir_then_tmp),
    };
    assert_non_null(mkdtemp(folder));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
