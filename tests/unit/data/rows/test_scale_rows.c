/* Applying a scaler to parsed blocks, as prediction does. */
#include <sys/mman.h>

#include "unit/data/load_fixture.h"
#include "scale_rows.h"

static void scale_text(const dps_scaler *scaler, const char *text, dps_scaled_rows *out)
{
    const dps_read_options options = {.format = "auto", .labels = DPS_LABELS_OPTIONAL};
    dps_row_block block = {0};
    dps_error err;
    assert_int_equal(parse_bytes("libsvm", text, strlen(text), &options, &block, &err), DPS_OK);
    assert_int_equal(dps_scale_block(scaler, &block, out, &err), DPS_OK);
    dps_row_block_release(&block);
}

static void prediction_scales_as_training_did(void **state)
{
    (void)state;
    for (int kind = 0; kind < 36; kind++) {
        const int sparsity = kind < 18 ? 2 : 25;
        char *text = random_text(500, 40, sparsity, 11);
        char *name = make_text_file(text);
        const char *path = name;
        const dps_load_options options =
            load_options(&path, 1, (dps_scaling)(kind % 6), (dps_normalize)(kind / 6 % 3));
        dps_dataset data;
        load_ok(&options, 0, 2, &data);
        dps_scaled_rows out = {0};
        scale_text(&data.scaler, text, &out);
        scale_text(&data.scaler, text, &out); /* buffers are used again */
        assert_int_equal(out.rows, 500);
        assert_int_equal(out.outside, 0);
        assert_int_equal(out.unknown, 0);
        if (data.scaler.dense) {
            const size_t floats = (size_t)(dps_tile_count(500) * DPS_TILE_ROWS) * out.stride;
            assert_memory_equal(out.dense, data.x.dense, floats * sizeof(float));
        } else {
            const size_t entries = (size_t)data.x.start[500];
            assert_memory_equal(out.start, data.x.start, 501 * sizeof *out.start);
            assert_memory_equal(out.column, data.x.column, entries * sizeof *out.column);
            assert_memory_equal(out.value, data.x.value, entries * sizeof *out.value);
        }
        dps_scaled_rows_release(&out);
        dps_dataset_release(&data);
        drop_file(name);
        dps_free(text);
    }
}

static int32_t index_of[] = {1, 4, 9, 100000};
static double no_shift[] = {0, 0, 0, 0};
static double some_shift[] = {1, 0, -2, 0};
static double factor_of[] = {2, 1, 0.5, 1};

static dps_scaler small_scaler(bool dense, bool shifted)
{
    return (dps_scaler){.scaling = shifted ? DPS_SCALE_STANDARD : DPS_SCALE_MAX_ABS,
                        .normalize = DPS_NORMALIZE_NONE,
                        .dense = dense,
                        .columns = 4,
                        .index = index_of,
                        .shift = shifted ? some_shift : no_shift,
                        .factor = factor_of,
                        .row_factor = 1.0,
                        .radius2 = 5.0};
}

static double cell(const dps_scaled_rows *rows, int64_t i, int32_t j)
{
    dps_row_tile tile;
    dps_scaled_rows_tile(rows, 0, &tile);
    if (tile.dense != NULL) {
        return (double)tile.dense[(size_t)i * tile.stride + (size_t)j];
    }
    for (int64_t k = tile.start[i]; k < tile.start[i + 1]; k++) {
        if (tile.column[k] == j) {
            return (double)tile.value[k];
        }
    }
    return 0.0;
}

static void unknown_features_are_left_out_and_counted(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        const dps_scaler scaler = small_scaler(dense, false);
        dps_scaled_rows out = {0};
        scale_text(&scaler, "1 1:7 2:1 3:7 5:3 100001:1 100002:7\n\n2 2147483646:1\n3 10:-8\n",
                   &out);
        static const double expected[3][4] = {{2, 3, 0, 1}, {0}, {0, 0, -4, 0}};
        for (int64_t i = 0; i < 3; i++) {
            for (int32_t j = 0; j < 4; j++) {
                assert_true(cell(&out, i, j) == expected[i][j]);
            }
        }
        assert_int_equal(out.unknown, 4);
        assert_int_equal(out.outside, 0);
        dps_scaled_rows_release(&out);
    }
}

static void a_smaller_block_leaves_nothing_of_a_larger_one(void **state)
{
    (void)state;
    const dps_scaler scaler = small_scaler(true, true);
    dps_scaled_rows out = {0};
    scale_text(&scaler, "1 2:5\n1 2:5\n1 2:5\n", &out);
    scale_text(&scaler, "1 2:5\n", &out);
    for (size_t k = out.stride; k < DPS_TILE_ROWS * out.stride; k++) {
        assert_true(out.dense[k] == 0.0f);
    }
    dps_scaled_rows_release(&out);
}

static void zeros_move_with_a_shift(void **state)
{
    (void)state;
    const dps_scaler scaler = small_scaler(true, true);
    dps_scaled_rows out = {0};
    scale_text(&scaler, "1\n2 2:1 10:2\n", &out);
    static const double expected[2][4] = {{-2, 0, 1, 0}, {0, 0, 2, 0}};
    for (int64_t i = 0; i < 2; i++) {
        for (int32_t j = 0; j < 4; j++) {
            assert_true(cell(&out, i, j) == expected[i][j]);
        }
    }
    dps_scaled_rows_release(&out);
}

static void rows_outside_the_radius_are_counted(void **state)
{
    (void)state;
    const dps_scaler scaler = small_scaler(true, false);
    dps_scaled_rows out = {0};
    scale_text(&scaler, "1 5:5\n1 5:5.000004\n1 5:5.00001\n1 5:-6\n1 2:1.5 5:4\n", &out);
    assert_int_equal(out.outside, 2); /* beyond 5 (1 + 1e-6): 5.00001 and -6 */
    dps_scaled_rows_release(&out);
}

static void values_beyond_float_name_row_and_feature(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        const dps_scaler scaler = small_scaler(dense, false);
        const char *text = "1 5:1\n\n1 5:1 10:-1e39 100001:5e38\n1 5:1\n";
        dps_row_block block = {0};
        dps_scaled_rows out = {0};
        dps_error err;
        assert_int_equal(parse_bytes("libsvm", text, strlen(text), &training_rows, &block, &err),
                         DPS_OK);
        assert_int_equal(dps_scale_block(&scaler, &block, &out, &err), DPS_ERROR_DATA);
        assert_int_equal(err.line, 2); /* the row in the block, not the line */
        assert_non_null(strstr(err.text, "feature 10 "));
        dps_row_block_release(&block);
        dps_scaled_rows_release(&out);
    }
}

static void a_block_without_rows_is_no_trouble(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        const dps_scaler scaler = small_scaler(dense, false);
        dps_scaled_rows out = {0};
        scale_text(&scaler, "# nothing\n", &out);
        assert_int_equal(out.rows, 0);
        dps_scaled_rows_release(&out);
    }
}

/* 22 million rows of 100 values are 2.2e9 of them, more than 2^31: sizes and places of such data,
 * without the data. */
static void more_than_two_to_the_31_values_are_counted_and_found(void **state)
{
    const int64_t rows = 22000000, entries = 100 * rows, t = rows / DPS_TILE_ROWS - 1;
    const int64_t first = t * DPS_TILE_ROWS;
    const int64_t padded = (rows + DPS_TILE_ROWS - 1) / DPS_TILE_ROWS * DPS_TILE_ROWS;
    (void)state;
    assert_true(entries > INT32_MAX);
    assert_true(dps_scaled_bytes(true, rows, 100, entries) ==
                (size_t)padded * dps_round_up(100, DPS_PAD) * sizeof(float));
    assert_true(dps_scaled_bytes(false, rows, 100, entries) ==
                (size_t)entries * 8 + ((size_t)rows + 1) * 8);
    assert_true(dps_scaled_bytes(true, INT64_MAX / 1024, INT32_MAX, 1) == SIZE_MAX);

    /* the rows of tile t begin at entry 100 first: reserved, and only these pages are touched */
    const size_t bytes = (size_t)entries * sizeof(float);
    float *value = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (value == MAP_FAILED) {
        skip(); /* the address space is limited */
    }
    int64_t *start = dps_alloc((size_t)first + DPS_TILE_ROWS + 1, sizeof *start);
    assert_non_null(start);
    for (int64_t i = first; i <= first + DPS_TILE_ROWS; i++) {
        start[i] = 100 * i;
    }
    value[100 * (first + 7) + 42] = 0.5f;
    dps_scaled_rows compressed = {.rows = rows, .columns = 100, .start = start, .value = value};
    dps_row_tile tile;
    dps_scaled_rows_tile(&compressed, t, &tile);
    assert_int_equal(tile.rows, DPS_TILE_ROWS);
    assert_true(tile.start[7] == 100 * (first + 7));
    assert_true(tile.value[tile.start[7] + 42] == 0.5f);

    /* a dense panel of rows of 112 */
    const int64_t far = (INT32_MAX / 112 + 1) / DPS_TILE_ROWS + 1;
    dps_scaled_rows panel = {.rows = rows, .columns = 100, .stride = 112, .dense = value};
    assert_true(far * DPS_TILE_ROWS * 112 > INT32_MAX);
    dps_scaled_rows_tile(&panel, far, &tile);
    assert_true(tile.dense == value + (size_t)(far * DPS_TILE_ROWS) * 112);
    dps_free(start);
    munmap(value, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prediction_scales_as_training_did),
        cmocka_unit_test(unknown_features_are_left_out_and_counted),
        cmocka_unit_test(a_smaller_block_leaves_nothing_of_a_larger_one),
        cmocka_unit_test(zeros_move_with_a_shift),
        cmocka_unit_test(rows_outside_the_radius_are_counted),
        cmocka_unit_test(values_beyond_float_name_row_and_feature),
        cmocka_unit_test(a_block_without_rows_is_no_trouble),
        cmocka_unit_test(more_than_two_to_the_31_values_are_counted_and_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
