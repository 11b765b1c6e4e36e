/* Reading with all threads: blocks in the order of the input, places of rows, memory given back. */
#include "unit/data/load_fixture.h"

#include "raw_rows.h"
#include "row_arrays.h"

static void read_ok(dps_raw_rows *raw, const char *const *paths, size_t count, size_t chunk_bytes,
                    int threads)
{
    const dps_run run = run_with(threads);
    dps_error err;
    if (dps_raw_rows_read(raw, paths, count, &training_rows, NULL, chunk_bytes, &run, &err) !=
        DPS_OK) {
        fail_msg("%s", err.text);
    }
}

static void rows_stand_in_the_order_of_the_input(void **state)
{
    (void)state;
    dps_text text = {0};
    for (int i = 0; i < 5000; i++) {
        dps_text_format(&text, "1 %d:%d\n%s", i % 10 + 1, i + 1, i % 3 == 0 ? "\n" : "");
    }
    char *name = make_text_file(text.data);
    const char *path = name;
    for (int threads = 1; threads <= 4; threads++) {
        dps_raw_rows raw;
        read_ok(&raw, &path, 1, 700, threads);
        assert_int_equal(raw.rows, 5000);
        assert_true(raw.blocks > 50);
        for (int64_t i = 0; i < raw.rows; i++) {
            const dps_raw_block *block = &raw.block[dps_raw_rows_block_of(&raw, i)];
            const uint32_t at = block->start[i - block->first_row];
            assert_true(block->value[at] == (double)(i + 1));
            assert_int_equal(block->first_entry + at, i);
        }
        dps_raw_rows_forget(&raw, 4999); /* inside the last block: still needed */
        assert_non_null(raw.slab[raw.slabs - 1].bytes);
        const dps_raw_block *last = &raw.block[raw.blocks - 1];
        assert_true(last->value[last->start[last->rows] - 1] == 5000.0);
        dps_raw_rows_forget(&raw, 5000);
        assert_null(raw.slab[0].bytes);
        dps_raw_rows_release(&raw);
    }
    drop_file(name);
    dps_text_release(&text);
}

static void places_are_file_and_line(void **state)
{
    (void)state;
    char *names[] = {make_text_file("1 1:1\n1 1:2\n1 1:3\n"), make_text_file("1 1:4\n\n1 1:5\n")};
    dps_raw_rows raw;
    read_ok(&raw, (const char *const *)names, 2, 12, 2);
    int64_t line;
    for (int64_t i = 0; i < 3; i++) {
        assert_string_equal(dps_raw_rows_place(&raw, i, &line), names[0]);
        assert_int_equal(line, i + 1);
    }
    dps_raw_rows_release(&raw);
    read_ok(&raw, (const char *const *)names, 2, 1000, 2);
    assert_string_equal(dps_raw_rows_place(&raw, 4, &line), names[1]);
    assert_int_equal(line, 0); /* a blank line in the chunk: not known */
    dps_raw_rows_release(&raw);
    drop_file(names[0]);
    drop_file(names[1]);
}

static void a_fault_in_the_second_file_counts_lines_of_that_file(void **state)
{
    (void)state;
    char *names[] = {make_text_file("1 1:1\n1 1:2\n"), make_text_file("1 1:4\n\n1 1:5\n1 x\n")};
    for (int threads = 1; threads <= 4; threads++) {
        for (size_t chunk = 1; chunk < 40; chunk += 3) {
            const dps_run run = run_with(threads);
            dps_raw_rows raw;
            dps_error err;
            assert_int_equal(dps_raw_rows_read(&raw, (const char *const *)names, 2, &training_rows,
                                               NULL, chunk, &run, &err),
                             DPS_ERROR_DATA);
            assert_int_equal(err.line, 4);
            assert_string_equal(err.file, names[1]);
        }
    }
    drop_file(names[0]);
    drop_file(names[1]);
}

/* The first fault is found last: at the end of a long chunk, while the next chunk fails at once. */
static void the_earlier_of_two_faults_counts(void **state)
{
    (void)state;
    enum { LINES = 200000, LENGTH = 12 };
    dps_text text = {0};
    for (int i = 0; i < 2 * LINES; i++) {
        const bool bad = i == LINES - 1 || i == LINES;
        dps_text_format(&text, "1 1:%05d%s\n", i % 100000, bad ? "xx" : "  ");
    }
    assert_int_equal(text.length, 2 * LINES * LENGTH);
    char *name = make_text_file(text.data);
    const char *path = name;
    for (int repeat = 0; repeat < 5; repeat++) {
        const dps_run run = run_with(2);
        dps_raw_rows raw;
        dps_error err;
        assert_int_equal(
            dps_raw_rows_read(&raw, &path, 1, &training_rows, NULL, LINES * LENGTH, &run, &err),
            DPS_ERROR_DATA);
        assert_int_equal(err.line, LINES);
    }
    drop_file(name);
    dps_text_release(&text);
}

/* Rows in the caller's memory, with weights and without. */
static void weights_of_rows_in_memory_are_kept(void **state)
{
    (void)state;
    static const double dense[] = {1, 2, 3, 4, 5, 6}, target[] = {1, 0, 1}, weight[] = {0.5, 2, 3};
    dps_row_arrays arrays = {
        .rows = 3, .columns = 2, .stride = 2, .dense = dense, .target = target, .weight = weight};
    const dps_read_options options = {.format = "auto", .arrays = &arrays};
    const dps_run run = run_with(2);
    for (int weighs = 1; weighs >= 0; weighs--) {
        dps_raw_rows raw;
        dps_error err;
        arrays.weight = weighs ? weight : NULL;
        assert_int_equal(dps_raw_rows_read(&raw, NULL, 0, &options, NULL, 0, &run, &err), DPS_OK);
        assert_int_equal(raw.rows, 3);
        SAME_ARRAY(raw.file_weight, arrays.weight, 0, 3);
        dps_raw_rows_release(&raw);
    }
}

/* An eighth of the memory, but always a MiB. */
static void memory_says_how_long_a_line_may_be(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    char *row = calloc(1, 3 * MIB / 2 + 7);
    assert_non_null(row);
    memset(row, ' ', 3 * MIB / 2);
    for (int k = 0; k < 3; k++) { /* lines of 3/4 and 3/2 MiB in 7 MiB, of 3/2 MiB in 16 MiB */
        const size_t length = k == 0 ? 3 * MIB / 4 : 3 * MIB / 2;
        memcpy(row + length - 5, "1 1:1\n", 7);
        char *name = make_text_file(row);
        const char *path = name;
        dps_run run = run_with(1);
        dps_raw_rows raw;
        dps_error err;
        run.memory = (k == 2 ? 16 : 7) * MIB;
        assert_int_equal(dps_raw_rows_read(&raw, &path, 1, &training_rows, NULL, 4096, &run, &err),
                         k == 1 ? DPS_ERROR_DATA : DPS_OK);
        if (k == 1) {
            assert_non_null(strstr(err.text, "a line is longer than 1.0 MB"));
        } else {
            assert_int_equal(raw.rows, 1);
            dps_raw_rows_release(&raw);
        }
        drop_file(name);
        memset(row + length - 5, ' ', 7);
    }
    free(row);
}

static void an_unknown_format_is_refused(void **state)
{
    (void)state;
    char *name = make_text_file("1 1:1\n");
    const char *path = name;
    const dps_read_options options = {.format = "xlsx"};
    const dps_run run = run_with(1);
    dps_raw_rows raw;
    dps_error err;
    assert_int_equal(dps_raw_rows_read(&raw, &path, 1, &options, NULL, 0, &run, &err),
                     DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "data.format"));
    drop_file(name);
}

typedef struct heard {
    int calls;
    double last;
} heard;

static void hear(void *context, const dps_progress *progress)
{
    heard *h = context;
    assert_string_equal(progress->stage, "read");
    assert_true(progress->fraction >= h->last);
    h->last = progress->fraction;
    h->calls++;
}

static void progress_rises_to_one(void **state)
{
    (void)state;
    char *text = random_text(500, 10, 2, 1);
    char *name = make_text_file(text);
    const char *path = name;
    heard h = {0, 0.0};
    const dps_log log = {.level = DPS_NORMAL, .progress = hear, .context = &h};
    dps_run run = run_with(3);
    run.log = &log;
    dps_raw_rows raw;
    dps_error err;
    assert_int_equal(dps_raw_rows_read(&raw, &path, 1, &training_rows, NULL, 500, &run, &err),
                     DPS_OK);
    assert_true(h.calls > 10);
    assert_true(h.last == 1.0);
    dps_raw_rows_release(&raw);
    drop_file(name);
    dps_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_in_the_order_of_the_input),
        cmocka_unit_test(places_are_file_and_line),
        cmocka_unit_test(a_fault_in_the_second_file_counts_lines_of_that_file),
        cmocka_unit_test(the_earlier_of_two_faults_counts),
        cmocka_unit_test(weights_of_rows_in_memory_are_kept),
        cmocka_unit_test(memory_says_how_long_a_line_may_be),
        cmocka_unit_test(an_unknown_format_is_refused),
        cmocka_unit_test(progress_rises_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
