/* Models whose map has moved (map.refine): the numbers come back exactly; what is not a map that can
 * have moved is refused by name. */
#include "model_sample.h"

#include <unistd.h>

static const char path[] = "test_model_moved.model";
static const float moved[] = {0.1f, -3.0e38f, 1.4e-45f, -0.0f, 16777217.0f, 7.0f};
enum { COUNT = sizeof moved / sizeof moved[0] };

static void move(dps_model *model, dps_refine refine)
{
    sample_model(model, 2);
    model->recipe.refine = refine;
    model->recipe.moved_count = COUNT;
    model->moved = dps_alloc(COUNT, sizeof *model->moved);
    assert_non_null(model->moved);
    memcpy(model->moved, moved, sizeof moved);
    model->recipe.moved = model->moved;
    model->refine_steps = 31;
    model->refine_rows = 4000000000;
}

static void moved_maps_come_back_and_make_version_4(void **state)
{
    (void)state;
    for (int refine = DPS_REFINE_PROJECTIONS; refine <= DPS_REFINE_METRIC; refine++) {
        dps_model model, read;
        dps_error err;
        size_t size, again;
        move(&model, (dps_refine)refine);
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char *first = sample_bytes(path, &size);
        assert_memory_equal(first, "dpsvm model 4\n", 14);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
        assert_int_equal(read.recipe.refine, refine);
        assert_int_equal(read.recipe.moved_count, COUNT);
        assert_ptr_equal(read.recipe.moved, read.moved);
        assert_memory_equal(read.moved, moved, sizeof moved);
        assert_int_equal(read.refine_steps, 31);
        assert_int_equal(read.refine_rows, 4000000000);
        assert_int_equal(dps_model_save(&read, path, &err), DPS_OK);
        char *second = sample_bytes(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        free(first);
        free(second);
        dps_model_release(&read);
        dps_model_release(&model);
    }
}

static void expect_refused(const char *says)
{
    dps_model read;
    dps_error err = {0};
    assert_int_equal(dps_model_load(&read, path, &err), DPS_ERROR_DATA);
    assert_string_equal(err.file, path);
    if (strstr(err.text, says) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", says, err.text);
    }
    assert_null(read.weight);
}

/* As drawn after all: no numbers. */
static void a_map_that_stayed_has_none(void **state)
{
    (void)state;
    dps_model model, read;
    dps_error err;
    sample_model(&model, 2);
    model.recipe.refine = DPS_REFINE_PROJECTIONS;
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
    assert_int_equal(read.recipe.refine, DPS_REFINE_PROJECTIONS);
    assert_int_equal(read.recipe.moved_count, 0);
    assert_null(read.recipe.moved);
    dps_model_release(&read);
    dps_model_release(&model);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        dps_model model;
        dps_error err;
        move(&model, DPS_REFINE_METRIC);
        model.moved[2 * k] = bad[k];
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char says[60];
        snprintf(says, sizeof says, "number %d of the map's projections is not finite", 2 * k + 1);
        expect_refused(says);
        dps_model_release(&model);
    }
}

/* Their count against the file's size, and against a map that does not move. */
static void counts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } change[] = {{"map.moved = 6", "map.moved = 5", "sizes do not add up"},
                  {"map.moved = 6", "map.moved = 7", "sizes do not add up"},
                  {"map.moved = 6", "map.moved = 0", "sizes do not add up"},
                  {"map.moved = 6", "map.moved = 4611686018427387904", "map.moved"},
                  {"map.moved = 6", "map.moved = -1", "map.moved"},
                  {"map.refine = metric", "map.refine = none", "map.refine"},
                  {"map.refine = metric", "map.refine = all", "map.refine"}};
    for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
        dps_model model;
        dps_error err;
        size_t size, length;
        move(&model, DPS_REFINE_METRIC);
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char *bytes = sample_bytes(path, &size);
        char *changed = sample_altered(bytes, size, change[k].from, change[k].to, &length);
        sample_put(path, changed, length);
        expect_refused(change[k].says);
        free(changed);
        free(bytes);
        dps_model_release(&model);
    }
}

/* Of version 4 for its columns alone. */
static void numbers_of_a_map_that_does_not_move_are_refused(void **state)
{
    (void)state;
    dps_model model;
    dps_error err;
    move(&model, DPS_REFINE_NONE);
    model.scaler.scaling = DPS_SCALE_LOG;
    model.scaler.unit = dps_alloc(3, sizeof(double));
    for (int k = 0; k < 3; k++) {
        model.scaler.unit[k] = 1.0;
        model.scaler.shift[k] = 0.0;
    }
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    expect_refused("map.moved: with map.refine = none nothing has moved");
    dps_model_release(&model);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    dps_model model;
    dps_error err;
    size_t size;
    move(&model, DPS_REFINE_PROJECTIONS);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    for (size_t length = size - 60; length < size; length++) {
        sample_put(path, bytes, length);
        expect_refused("incomplete");
    }
    free(bytes);
    dps_model_release(&model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_maps_come_back_and_make_version_4),
        cmocka_unit_test(a_map_that_stayed_has_none),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(counts_that_do_not_fit_are_refused),
        cmocka_unit_test(numbers_of_a_map_that_does_not_move_are_refused),
        cmocka_unit_test(every_truncation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
