/* Rows held out: the rest loads as if they had never been there, and they are scaled as rows of a
 * second file. */
#include "unit/data/load_fixture.h"

#include "hold_out.h"

/* Every fifth row, from the second on. */
static dps_status every_fifth(const void *context, const int32_t *label, int64_t rows,
                              int32_t classes, int32_t *fold, dps_error *err)
{
    (void)label;
    (void)err;
    assert_int_equal(classes, 3);
    *(int64_t *)(uintptr_t)context = rows;
    for (int64_t i = 0; i < rows; i++) {
        fold[i] = i % 5 == 1 ? 0 : -1;
    }
    return DPS_OK;
}

/* Lines of text without comments and blank lines, those held or the others. */
static char *pick_lines(const char *text, bool held)
{
    dps_text out = {0};
    int64_t row = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n") + 1;
        if (*text != '\n' && *text != '#') {
            dps_text_append(&out, text, (row % 5 == 1) == held ? length : 0);
            row++;
        }
        text += length;
    }
    assert_false(out.failed);
    return out.data;
}

static void check_split(int sparsity, size_t chunk_bytes, int threads, dps_scaling scaling)
{
    char *text = random_text(1000, 40, sparsity, 99);
    char *kept_text = pick_lines(text, false), *held_text = pick_lines(text, true);
    char *all = make_text_file(text), *kept = make_text_file(kept_text);
    char *second = make_text_file(held_text);
    const char *path = all, *kept_path = kept, *second_path = second;
    int64_t seen = 0;
    dps_load_options options = load_options(&path, 1, scaling, DPS_NORMALIZE_MAX_NORM);
    options.hold_out = every_fifth;
    options.hold_out_context = &seen;
    dps_dataset split, rest, held;
    load_ok(&options, chunk_bytes, threads, &split);
    assert_int_equal(seen, 1000);
    dps_load_options plain = load_options(&kept_path, 1, scaling, DPS_NORMALIZE_MAX_NORM);
    load_ok(&plain, 0, 1, &rest);
    split.nonzeros = rest.nonzeros; /* counts what was read */
    assert_same_data(&split, &rest);
    plain.paths = &second_path;
    const dps_run run = run_with(1);
    dps_error err;
    assert_int_equal(dps_dataset_load_as(&plain, &rest, &run, &held, &err), DPS_OK);
    assert_int_equal(split.held.rows, 200);
    assert_int_equal(held.x.rows, 200);
    assert_memory_equal(split.held_label, held.label, 200 * sizeof *held.label);
    dps_dataset view = {.x = split.held};
    for (int64_t i = 0; i < 200; i++) {
        for (int32_t j = 0; j < held.x.columns; j++) {
            assert_true(value_at(&view, i, j) == value_at(&held, i, j));
        }
    }
    assert_int_equal(split.held.outside, held.x.outside);
    dps_dataset_release(&split);
    dps_dataset_release(&rest);
    dps_dataset_release(&held);
    drop_file(all);
    drop_file(kept);
    drop_file(second);
    dps_text texts[] = {{.data = text}, {.data = kept_text}, {.data = held_text}};
    for (size_t k = 0; k < 3; k++) {
        dps_text_release(&texts[k]);
    }
}

static void the_rest_loads_as_if_held_rows_had_never_been_there(void **state)
{
    (void)state;
    check_split(2, 0, 1, DPS_SCALE_MAX_ABS);
    check_split(2, 300, 4, DPS_SCALE_STANDARD);
    check_split(20, 1, 3, DPS_SCALE_MAX_ABS); /* compressed; a block a line */
}

static dps_status refuse(const void *context, const int32_t *label, int64_t rows, int32_t classes,
                         int32_t *fold, dps_error *err)
{
    (void)context;
    (void)label;
    (void)rows;
    (void)classes;
    (void)fold;
    return dps_error_set(err, DPS_ERROR_MEMORY, "no");
}

static void a_choice_that_fails_leaves_nothing(void **state)
{
    (void)state;
    char *name = make_text_file("1 1:1\n2 1:2\n");
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
    options.hold_out = refuse;
    const dps_run run = run_with(2);
    dps_dataset data;
    dps_error err;
    assert_int_equal(dps_dataset_load(&options, &run, &data, &err), DPS_ERROR_MEMORY);
    assert_null(data.label);
    drop_file(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_loads_as_if_held_rows_had_never_been_there),
        cmocka_unit_test(a_choice_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
