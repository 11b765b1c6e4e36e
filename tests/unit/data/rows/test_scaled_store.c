/* Rows out of core: the bits of rows in memory, pages given back and kept, any mix of both. */
#include "unit/data/load_fixture.h"

#include "hold_out.h"
#include "raw_rows.h"
#include "scaled_store.h"

/* 6,000 rows of 100 columns, every other or every fiftieth value there. */
static char *big_text(int sparsity)
{
    return random_text(6000, 100, sparsity, 5);
}

static dps_status every_third(const void *context, const int32_t *label, int64_t rows,
                              int32_t classes, int32_t *fold, dps_error *err)
{
    (void)context;
    (void)label;
    (void)classes;
    (void)err;
    for (int64_t i = 0; i < rows; i++) {
        fold[i] = i % 3 == 1 ? 0 : -1;
    }
    return DPS_OK;
}

static void load_in(size_t memory, int threads, size_t chunk, dps_load_options *options,
                    dps_dataset *data)
{
    dps_run run = run_with(threads);
    dps_error err;
    run.memory = memory;
    if (dps_dataset_load_chunked(options, chunk, &run, data, &err) != DPS_OK) {
        fail_msg("%s", err.text);
    }
}

static void compare_held(const dps_dataset *a, const dps_dataset *b)
{
    assert_int_equal(a->held.rows, b->held.rows);
    for (int64_t t = 0; t < dps_tile_count(a->held.rows); t++) {
        dps_row_tile x, y;
        dps_scaled_rows_tile(&a->held, t, &x);
        dps_scaled_rows_tile(&b->held, t, &y);
        assert_int_equal(x.rows, y.rows);
        for (int32_t i = 0; i < x.rows; i++) {
            if (x.dense != NULL) {
                assert_memory_equal(x.dense + (size_t)i * x.stride, y.dense + (size_t)i * y.stride,
                                    x.stride * sizeof(float));
                continue;
            }
            const int64_t count = x.start[i + 1] - x.start[i];
            assert_int_equal(count, y.start[i + 1] - y.start[i]);
            assert_memory_equal(x.value + x.start[i], y.value + y.start[i],
                                (size_t)count * sizeof(float));
        }
    }
}

static void check_same(int sparsity, dps_scaling scaling, bool hold_out)
{
    char *text = big_text(sparsity);
    char *name = make_text_file(text);
    const char *path = name;
    dps_load_options options = load_options(&path, 1, scaling, DPS_NORMALIZE_MAX_NORM);
    options.hold_out = hold_out ? every_third : NULL;
    dps_dataset inside, outside;
    load_in((size_t)1 << 30, 1, 0, &options, &inside);
    assert_null(inside.x.scratch);
    for (int threads = 1; threads <= 4; threads += 3) {
        for (size_t chunk = 1000; chunk <= 100000; chunk *= 100) {
            const size_t memory = ((size_t)threads << 20) + 300000; /* beside 12 bytes a row */
            load_in(memory, threads, chunk, &options, &outside);
            assert_true(sparsity > 2 || threads > 1 || outside.x.scratch != NULL);
            assert_same_data(&inside, &outside);
            compare_held(&inside, &outside);
            dps_dataset_release(&outside);
        }
    }
    dps_dataset_release(&inside);
    drop_file(name);
    dps_free(text);
}

static void rows_out_of_core_have_the_same_bits(void **state)
{
    (void)state;
    check_same(2, DPS_SCALE_STANDARD, false);
    check_same(2, DPS_SCALE_MAX_ABS, true);
    check_same(50, DPS_SCALE_MAX_ABS, false);
    check_same(50, DPS_SCALE_NONE, true);
    check_same(2, DPS_SCALE_RANK, true);
    check_same(2, DPS_SCALE_LOG, false);
    check_same(50, DPS_SCALE_LOG, true);
}

static void check_spill(int sparsity)
{
    char *text = big_text(sparsity);
    char *name = make_text_file(text);
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_NONE);
    dps_run run = run_with(2);
    dps_error err;
    dps_dataset inside, moved;
    load_in(run.memory, 2, 0, &options, &inside);
    load_in(run.memory, 2, 0, &options, &moved);
    run.memory = (size_t)1 << 20; /* a window smaller than the rows */
    const size_t promised = dps_dataset_memory_spilled(&moved, &run);
    assert_true(promised <= dps_dataset_memory(&moved));
    assert_int_equal(dps_dataset_spill(&moved, &run, &err), DPS_OK);
    assert_non_null(moved.x.scratch);
    for (int pass = 0; pass < 2; pass++) { /* pages come in again */
        for (int64_t t = 0; t < dps_tile_count(moved.x.rows); t++) {
            dps_row_tile tile;
            dps_scaled_rows_tile(&moved.x, t, &tile);
        }
        assert_same_data(&inside, &moved);
    }
    assert_int_equal(dps_dataset_spill(&moved, &run, &err), DPS_OK); /* once is enough */
    dps_dataset_release(&moved);
    dps_dataset_release(&inside);
    drop_file(name);
    dps_free(text);
}

static void rows_in_memory_move_to_a_scratch_file(void **state)
{
    (void)state;
    check_spill(2);
    check_spill(50);
}

static void a_scratch_folder_that_is_missing_is_named(void **state)
{
    (void)state;
    char *text = big_text(2);
    char *name = make_text_file(text);
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_NONE);
    dps_run run = run_with(2);
    dps_dataset data;
    dps_error err;
    run.memory = (size_t)3 << 20;
    run.scratch = "/nonexistent";
    assert_int_equal(dps_dataset_load(&options, &run, &data, &err), DPS_ERROR_IO);
    assert_non_null(strstr(err.text, "run.scratch"));
    drop_file(name);
    dps_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_out_of_core_have_the_same_bits),
        cmocka_unit_test(rows_in_memory_move_to_a_scratch_file),
        cmocka_unit_test(a_scratch_folder_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
