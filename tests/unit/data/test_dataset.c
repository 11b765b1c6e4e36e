/* Loading: the same bits for any number of threads and any cut, and what is refused. */
#include "load_fixture.h"

#include <math.h>

static void load_text(const char *text, dps_scaling scaling, dps_normalize normalize,
                      dps_dataset *data)
{
    char *name = make_text_file(text);
    const char *path = name;
    const dps_load_options options = load_options(&path, 1, scaling, normalize);
    load_ok(&options, 0, 2, data);
    drop_file(name);
}

/* Splits text at line ends into three files. */
static void make_parts(const char *text, char *names[3])
{
    const size_t length = strlen(text);
    size_t begin = 0;
    for (size_t p = 0; p < 3; p++) {
        size_t end = p == 2 ? length : length * (p + 1) / 3;
        while (end < length && end > 0 && text[end - 1] != '\n') {
            end++;
        }
        names[p] = make_file(text + begin, end - begin);
        begin = end;
    }
}

static void threads_chunks_and_files_change_no_bit(void **state)
{
    (void)state;
    static const struct {
        int rows, columns, sparsity;
    } shapes[] = {{2000, 9, 2}, {1500, 60, 3}, {1200, 90, 30}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        char *text = random_text(shapes[s].rows, shapes[s].columns, shapes[s].sparsity, s);
        char *whole = make_text_file(text), *parts[3];
        make_parts(text, parts);
        const char *path = whole;
        for (int scaling = 0; scaling < 4; scaling++) {
            const dps_normalize normalize = (dps_normalize)((scaling + (int)s) % 3);
            const dps_load_options one = load_options(&path, 1, (dps_scaling)scaling, normalize);
            const dps_load_options three =
                load_options((const char *const *)parts, 3, (dps_scaling)scaling, normalize);
            dps_dataset expected, got;
            load_ok(&one, 0, 1, &expected);
            assert_int_equal(expected.x.rows, shapes[s].rows);
            assert_int_equal(expected.classes.count, 3);
            for (int threads = 1; threads <= 4; threads++) {
                load_ok(&one, threads == 1 ? 1 : 997, threads, &got);
                assert_same_data(&expected, &got);
                dps_dataset_release(&got);
                load_ok(&three, threads == 1 ? 0 : 500, threads, &got);
                assert_same_data(&expected, &got);
                dps_dataset_release(&got);
            }
            dps_dataset_release(&expected);
        }
        drop_file(whole);
        for (int p = 0; p < 3; p++) {
            drop_file(parts[p]);
        }
        dps_free(text);
    }
}

static void classes_are_counted_and_ordered(void **state)
{
    (void)state;
    dps_dataset data;
    load_text("+1 1:1\n-1 2:1\n1 1:2\nx 1:1\n1.0 3:1\n", DPS_SCALE_NONE, DPS_NORMALIZE_NONE, &data);
    static const int32_t label[] = {1, 0, 1, 2, 1};
    assert_int_equal(data.classes.count, 3);
    assert_string_equal(data.classes.text[1], "+1");
    assert_int_equal(data.classes.rows[1], 3);
    assert_memory_equal(data.label, label, sizeof label);
    dps_dataset_release(&data);
}

static void only_features_with_a_value_are_columns(void **state)
{
    (void)state;
    dps_dataset data;
    load_text("1 5:1 9:0\n2 2000000000:3\n1 2147483647:4\n", DPS_SCALE_NONE, DPS_NORMALIZE_NONE,
              &data);
    static const int32_t index[] = {4, 1999999999, 2147483646};
    assert_int_equal(data.x.columns, 3);
    assert_memory_equal(data.scaler.index, index, sizeof index);
    assert_true(dps_dataset_memory(&data) < 100000);
    assert_true(value_at(&data, 1, 1) == 3.0);
    dps_dataset_release(&data);
}

static void tiles_are_padded_with_zeros(void **state)
{
    (void)state;
    char *text = random_text(DPS_TILE_ROWS + 5, 20, 2, 3);
    dps_dataset data;
    load_text(text, DPS_SCALE_STANDARD, DPS_NORMALIZE_MAX_NORM, &data);
    const dps_row_source rows = dps_dataset_rows(&data);
    dps_row_tile tile;
    dps_error err;
    assert_int_equal(rows.get(rows.context, 1, &tile, &err), DPS_OK);
    assert_int_equal(tile.rows, 5);
    assert_int_equal(tile.columns, 20);
    assert_int_equal(tile.stride % DPS_PAD, 0);
    assert_int_equal((uintptr_t)tile.dense % 64, 0);
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        for (size_t j = i < 5 ? 20 : 0; j < tile.stride; j++) {
            assert_true(tile.dense[i * tile.stride + j] == 0.0f);
        }
    }
    dps_dataset_release(&data);
    dps_free(text);
}

static void expect_refusal(const char *text, dps_scaling scaling, const dps_run *run,
                           dps_status status, int64_t line, const char *says)
{
    char *name = make_text_file(text);
    const char *path = name;
    const dps_load_options options = load_options(&path, 1, scaling, DPS_NORMALIZE_MAX_NORM);
    dps_dataset data;
    dps_error err;
    assert_int_equal(dps_dataset_load(&options, run, &data, &err), status);
    if (strstr(err.text, says) == NULL || err.line != line) {
        fail_msg("line %lld: '%s' does not say '%s'", (long long)err.line, err.text, says);
    }
    if (status == DPS_ERROR_DATA) {
        assert_string_equal(err.file, name);
    }
    assert_null(data.label);
    drop_file(name);
}

static void data_without_rows_or_features_are_refused(void **state)
{
    (void)state;
    const dps_run run = run_with(2);
    expect_refusal("", DPS_SCALE_NONE, &run, DPS_ERROR_DATA, 0, "empty");
    expect_refusal("\n# x\n", DPS_SCALE_NONE, &run, DPS_ERROR_DATA, 0, "no rows");
    expect_refusal("1 1:0\n2\n", DPS_SCALE_NONE, &run, DPS_ERROR_DATA, 0, "other than 0");
}

static void one_class_is_refused_with_its_label_and_rows(void **state)
{
    (void)state;
    const dps_run run = run_with(1);
    expect_refusal("1 1:1\n+1 1:2\n1.0 1:2\n", DPS_SCALE_NONE, &run, DPS_ERROR_DATA, 0,
                   "all 3 rows have the label 1");
}

static void numbers_to_predict_are_not_taken_for_classes(void **state)
{
    (void)state;
    const dps_run run = run_with(2);
    dps_text text = {0};
    for (int i = 0; i < 101; i++) {
        dps_text_format(&text, "%d.5 1:%d\n", i, i);
    }
    expect_refusal(text.data, DPS_SCALE_NONE, &run, DPS_ERROR_DATA, 0, "solver.task = regression");
    for (int i = 0; i < 2000; i++) { /* 101 classes of 2,101 rows: fewer than 5 % */
        dps_text_format(&text, "1.5 1:%d\n", i);
    }
    dps_dataset data;
    load_text(text.data, DPS_SCALE_NONE, DPS_NORMALIZE_NONE, &data);
    assert_int_equal(data.classes.count, 101);
    dps_dataset_release(&data);
    dps_text_release(&text);
}

/* Rows with labels made of row numbers modulo `different`. */
static void labels_text(dps_text *text, const char *label, int rows, int different)
{
    const char *number = strstr(label, "%d");
    dps_text_release(text);
    for (int i = 0; i < rows; i++) {
        dps_text_format(text, "%.*s%d%s 1:%d\n", (int)(number - label), label, i % different,
                        number + 2, i + 1);
    }
}

static void labels_are_judged_by_what_they_are_at_every_size(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        int rows, different;
        const char *refusal; /* NULL: classes */
    } cases[] = {
        {"%d.25", 12, 12, "look like numbers to predict"},
        {"%d.25", 60, 60, "60 different numbers, fractions for the most part, in 60 rows"},
        {"%d.5", 60, 25, "look like numbers to predict"},
        {"%d.5", 60, 3, NULL},
        {"%d.5", 400, 12, NULL},
        {"%d.5", 2000, 150, "look like numbers to predict"},
        {"%d", 60, 55, "55 different numbers in 60 rows"},
        {"%d", 400, 150, NULL}, /* whole: many classes of few rows each */
        {"%d", 12, 12, "12 different numbers in 12 rows"},
        {"%d", 9, 9, NULL},
        {"name%d", 400, 150, NULL},
        {"name%d", 60, 60, "60 different texts in 60 rows"},
        {"name%d", 19, 9, NULL},
    };
    const dps_run run = run_with(2);
    dps_text text = {0};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        labels_text(&text, cases[k].label, cases[k].rows, cases[k].different);
        char *name = make_text_file(text.data);
        const char *path = name;
        dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
        for (int said = 0; said < 2; said++) { /* the user overrules every guess */
            dps_dataset data;
            dps_error err;
            options.read.table.classes = said == 1;
            const dps_status status = dps_dataset_load(&options, &run, &data, &err);
            if (cases[k].refusal != NULL && said == 0) {
                assert_int_equal(status, DPS_ERROR_DATA);
                assert_non_null(strstr(err.text, cases[k].refusal));
                assert_non_null(strstr(err.text, "data.label_column"));
                continue;
            }
            assert_int_equal(status, DPS_OK);
            assert_int_equal(data.classes.count, cases[k].different);
            dps_dataset_release(&data);
        }
        drop_file(name);
    }
    dps_text_release(&text);
}

static void values_beyond_float_are_refused_with_row_and_feature(void **state)
{
    (void)state;
    const dps_run run = run_with(2);
    char *name = make_text_file("1 1:1\n2 1:2 7:-1e39\n");
    const char *path = name;
    const dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
    dps_dataset data;
    dps_error err;
    assert_int_equal(dps_dataset_load(&options, &run, &data, &err), DPS_ERROR_DATA);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.text, "row 2: feature 7 "));
    assert_non_null(strstr(err.text, "max_abs"));
    drop_file(name);
}

static void memory_beyond_the_budget_is_refused_with_numbers(void **state)
{
    (void)state;
    dps_run run = run_with(1);
    run.memory = (size_t)3 << 20;
    dps_text many = {0}; /* 2.4 MB of labels beside 1 MiB of buffers */
    for (int i = 0; i < 200000; i++) {
        dps_text_format(&many, "%d %d:1\n", i % 2, i % 50 + 1);
    }
    expect_refusal(many.data, DPS_SCALE_NONE, &run, DPS_ERROR_MEMORY, 0, "run.memory");
    dps_text_release(&many);
    /* one entry in each of 400 columns: compressed it is nothing, shifted 400 x 384 floats */
    dps_text wide = {0};
    for (int i = 0; i < 3000; i++) {
        dps_text_format(&wide, "%d %d:1\n", i % 2, i + 1);
    }
    expect_refusal(wide.data, DPS_SCALE_STANDARD, &run, DPS_ERROR_MEMORY, 0,
                   "use data.scaling = max_abs");
    dps_text_release(&wide);
}

static void a_raised_flag_stops_the_work(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    dps_run run = run_with(2);
    run.stop = &stop;
    expect_refusal("1 1:1\n2 2:2\n", DPS_SCALE_NONE, &run, DPS_ERROR_STOPPED, 0, "stopped");
}

static void a_second_file_is_scaled_and_labelled_by_the_first(void **state)
{
    (void)state;
    dps_dataset train, test;
    load_text("+1 1:4 3:2\n-1 1:-2\n", DPS_SCALE_MAX_ABS, DPS_NORMALIZE_NONE, &train);
    char *name = make_text_file("1.0 1:2 2:9 3:1\n7 3:4 99:1\n1:8\n-1\n");
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
    options.read.labels = DPS_LABELS_OPTIONAL;
    const dps_run run = run_with(2);
    dps_error err;
    assert_int_equal(dps_dataset_load_as(&options, &train, &run, &test, &err), DPS_OK);
    static const int32_t label[] = {1, -1, -1, 0};
    assert_memory_equal(test.label, label, sizeof label);
    static const double expected[4][2] = {{0.5, 0.5}, {0, 2}, {2, 0}, {0, 0}};
    for (int64_t i = 0; i < 4; i++) {
        assert_true(value_at(&test, i, 0) == expected[i][0]);
        assert_true(value_at(&test, i, 1) == expected[i][1]);
    }
    assert_int_equal(test.x.unknown, 2);
    assert_int_equal(test.x.outside, 2); /* the radius of training is sqrt(2) */
    assert_int_equal(test.classes.rows[1], 1);
    dps_dataset_release(&test);
    dps_dataset_release(&train);
    drop_file(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_chunks_and_files_change_no_bit),
        cmocka_unit_test(classes_are_counted_and_ordered),
        cmocka_unit_test(only_features_with_a_value_are_columns),
        cmocka_unit_test(tiles_are_padded_with_zeros),
        cmocka_unit_test(data_without_rows_or_features_are_refused),
        cmocka_unit_test(one_class_is_refused_with_its_label_and_rows),
        cmocka_unit_test(numbers_to_predict_are_not_taken_for_classes),
        cmocka_unit_test(labels_are_judged_by_what_they_are_at_every_size),
        cmocka_unit_test(values_beyond_float_are_refused_with_row_and_feature),
        cmocka_unit_test(memory_beyond_the_budget_is_refused_with_numbers),
        cmocka_unit_test(a_raised_flag_stops_the_work),
        cmocka_unit_test(a_second_file_is_scaled_and_labelled_by_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
