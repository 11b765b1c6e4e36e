/* A model's self-test: the same bits on every path, one bit that differs is told, and a file that
 * carries it comes back as it was. */
#include "unit/model/model_sample.h"

#include <unistd.h>
#include "cpu.h"
#include "map.h"
#include "random.h"
#include "self_test.h"

static const char path[] = "test_self_test.model";
static const dps_run run = {.threads = 1, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)64 << 20};

/* The sample with a map that its kernel has, and weights for it. */
static void ready(dps_model *model)
{
    dps_error err;
    dps_map *map;
    sample_model(model, 2);
    model->random_scheme = DPS_RANDOM_SCHEME;
    model->recipe.features = 100;
    model->recipe.measure = DPS_MEASURE_GEOMETRIC;
    model->recipe.p = 2;
    model->recipe.factor = 1;
    model->recipe.input_scale = 2;
    model->recipe.kernel.kernel = dps_kernel_find("polynomial");
    model->recipe.kernel.degree = 3;
    assert_int_equal(dps_map_new(&map, &model->recipe, 3, &run, &err), DPS_OK);
    model->width = dps_map_width(map);
    dps_map_free(map);
    dps_free(model->weight);
    dps_model_shape(model);
    model->weight = dps_alloc(model->weights_per_model, sizeof(double));
    for (size_t j = 0; j < model->weights_per_model; j++) {
        model->weight[j] = 1.0 / (1.0 + (double)j);
    }
}

static void the_scores_are_those_of_every_path(void **state)
{
    (void)state;
    dps_model model;
    dps_error err;
    dps_text text = {0};
    ready(&model);
    assert_int_equal(dps_self_test_make(&model, &run, &err), DPS_OK);
    assert_int_equal(model.self_test_rows, DPS_SELF_TEST_ROWS);
    for (int i = 1; i < DPS_SELF_TEST_ROWS; i++) { /* of rows that differ */
        assert_true(model.self_test[i] != model.self_test[0]);
    }
    assert_int_equal(dps_self_test_verify(&model, &run, &text, &err), DPS_OK);
    assert_non_null(strstr(text.data, "those in the model"));
    for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has((dps_simd)simd)) {
            assert_non_null(strstr(text.data, dps_simd_names[simd]));
        }
    }
    dps_text_release(&text);
    dps_model_release(&model);
}

static void one_bit_that_differs_is_told(void **state)
{
    (void)state;
    dps_model model;
    dps_error err;
    dps_text text = {0};
    ready(&model);
    assert_int_equal(dps_self_test_make(&model, &run, &err), DPS_OK);
    for (int k = 0; k < DPS_SELF_TEST_ROWS; k++) {
        const double right = model.self_test[k];
        model.self_test[k] = nextafter(right, 1e300);
        assert_int_equal(dps_self_test_verify(&model, &run, &text, &err), DPS_ERROR_NUMERIC);
        model.self_test[k] = right;
    }
    model.weight[3] *= 1 + 1e-12; /* as a machine that computes otherwise */
    assert_int_equal(dps_self_test_verify(&model, &run, &text, &err), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "the machine that trained the model"));
    dps_text_release(&text);
    dps_model_release(&model);
}

static void a_file_carries_it_and_only_then_is_of_version_5(void **state)
{
    (void)state;
    dps_model model, read;
    dps_error err;
    size_t size;
    ready(&model);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    assert_memory_equal(bytes, "dpsvm model 1\n", 14);
    free(bytes);
    assert_int_equal(dps_self_test_make(&model, &run, &err), DPS_OK);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    bytes = sample_bytes(path, &size);
    assert_memory_equal(bytes, "dpsvm model 5\n", 14);
    assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
    assert_int_equal(read.self_test_rows, DPS_SELF_TEST_ROWS);
    assert_memory_equal(read.self_test, model.self_test, DPS_SELF_TEST_ROWS * sizeof(double));
    dps_model_release(&read);
    for (size_t length = size - 400; length < size; length++) {
        sample_put(path, bytes, length);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_ERROR_DATA);
    }
    static const char *const rows[] = {"0", "31", "33", "1024", "1025", "-1", "4294967328"};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char to[40];
        size_t length;
        snprintf(to, sizeof to, "self_test.rows = %s\n", rows[k]);
        char *changed = sample_altered(bytes, size, "self_test.rows = 32\n", to, &length);
        sample_put(path, changed, length);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_ERROR_DATA);
        free(changed);
    }
    free(bytes);
    dps_model_release(&model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scores_are_those_of_every_path),
        cmocka_unit_test(one_bit_that_differs_is_told),
        cmocka_unit_test(a_file_carries_it_and_only_then_is_of_version_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
