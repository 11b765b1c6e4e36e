/* Damage to a model's file is always seen: every single bit and every length, for a small model of
 * each kind of file. XXH3-64 promises it for neither; over so few bytes it is counted instead of
 * believed. */
#include "model_sample.h"

#include <unistd.h>

static const char path[] = "test_model_damage.model";

static void two_classes(dps_model *model)
{
    sample_model(model, 2);
}

static void table_of_three_classes(dps_model *model)
{
    sample_model(model, 3);
}

static void words_and_forms(dps_model *model)
{
    sample_model(model, 3);
    model->table.missing_words = sample_label("gone away");
    model->table.column[1].form = (dps_number_form){',', ' ', '%'};
    model->table.column[2].rest = true;
}

static void sigmoids(dps_model *model)
{
    sample_model(model, 3);
    model->probability = DPS_PROBABILITY_SIGMOID;
    model->sigmoid = dps_alloc(3, sizeof *model->sigmoid);
    for (int k = 0; k < 3; k++) {
        model->sigmoid[k] = (dps_sigmoid){-1.5 * k, 0.25};
    }
}

static void isotonic_curves(dps_model *model)
{
    static const double knot[] = {-1, 0.5, 0.25, 0.75};
    sample_model(model, 2);
    model->probability = DPS_PROBABILITY_ISOTONIC;
    model->knots = 2;
    model->isotonic = dps_alloc(1, sizeof *model->isotonic);
    model->knot = dps_alloc(4, sizeof *model->knot);
    memcpy(model->knot, knot, sizeof knot);
    model->isotonic[0] = (dps_isotonic){2, model->knot, model->knot + 2};
}

static void logarithms(dps_model *model)
{
    sample_model(model, 2);
    model->scaler.scaling = DPS_SCALE_LOG;
    model->scaler.unit = dps_alloc(3, sizeof(double));
    for (int k = 0; k < 3; k++) {
        model->scaler.unit[k] = 1.0 + k;
        model->scaler.shift[k] = 0;
    }
}

static void ranks(dps_model *model)
{
    sample_model(model, 2);
    dps_scaler *scaler = &model->scaler;
    scaler->scaling = DPS_SCALE_RANK;
    scaler->knots = 5;
    scaler->begin = dps_alloc(4, sizeof *scaler->begin);
    scaler->knot = dps_alloc(5, sizeof(double));
    scaler->level = dps_alloc(5, sizeof(double));
    for (int i = 0; i < 5; i++) {
        scaler->knot[i] = i;
        scaler->level[i] = i * 0.25;
    }
    scaler->begin[1] = 1;
    scaler->begin[2] = 3;
    scaler->begin[3] = 5;
}

static void moved_map(dps_model *model)
{
    sample_model(model, 2);
    model->recipe.refine = DPS_REFINE_METRIC;
    model->recipe.moved_count = 9;
    model->moved = dps_alloc(9, sizeof *model->moved);
    model->recipe.moved = model->moved;
}

static void self_test(dps_model *model)
{
    sample_model(model, 3);
    model->self_test_rows = 2;
    model->self_test = dps_alloc(6, sizeof *model->self_test);
}

static void regression(dps_model *model)
{
    sample_model(model, 2);
    dps_class_table_release(&model->classes);
    model->classes = (dps_class_table){0};
    model->task = DPS_TASK_REGRESSION;
    strcpy(model->loss, "epsilon_insensitive");
}

static const struct {
    const char *name;
    void (*make)(dps_model *model);
} kinds[] = {{"two classes", two_classes},
             {"table of three classes", table_of_three_classes},
             {"words and forms", words_and_forms},
             {"sigmoids", sigmoids},
             {"isotonic curves", isotonic_curves},
             {"logarithms", logarithms},
             {"ranks", ranks},
             {"moved map", moved_map},
             {"self-test", self_test},
             {"regression", regression}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Bytes of the file, which is left at `path` and can be read. */
static char *saved(size_t kind, size_t *size)
{
    dps_model model, read;
    dps_error err;
    kinds[kind].make(&model);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    dps_model_release(&model);
    if (dps_model_load(&read, path, &err) != DPS_OK) {
        fail_msg("%s: %s", kinds[kind].name, err.text);
    }
    dps_model_release(&read);
    return sample_bytes(path, size);
}

static void every_flipped_bit_is_refused(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t size;
        char *bytes = saved(kind, &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            const char flipped = (char)(bytes[bit / 8] ^ (1 << bit % 8));
            dps_model model;
            dps_error err;
            sample_poke(path, bit / 8, &flipped, 1);
            if (dps_model_load(&model, path, &err) != DPS_ERROR_DATA) {
                fail_msg("%s: bit %zu was flipped and the file taken", kinds[kind].name, bit);
            }
            assert_null(model.weight);
            sample_poke(path, bit / 8, &bytes[bit / 8], 1);
        }
        free(bytes);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t size;
        char *bytes = saved(kind, &size);
        for (size_t length = size; length-- > 0;) {
            dps_model model;
            dps_error err;
            assert_int_equal(truncate(path, (off_t)length), 0);
            if (dps_model_load(&model, path, &err) != DPS_ERROR_DATA) {
                fail_msg("%s: %zu of %zu bytes were taken", kinds[kind].name, length, size);
            }
        }
        free(bytes);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
