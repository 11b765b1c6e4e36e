/* The public C API: the numbers of the commands, errors as numbers and text. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <dpsvm/dpsvm.h>
#include "cpu.h"
#include "predict.h"
#include "train.h"
#include "random.h"

enum { ROWS = 500, FEATURES = 3 };
static const char rows_path[] = "test_api.rows", model_path[] = "test_api.model",
                  scores_path[] = "test_api.scores";

typedef struct sample {
    int64_t start[ROWS + 1];
    int32_t index[ROWS * FEATURES];
    double value[ROWS * FEATURES];
} sample;

/* Rows of three classes, some values zero, written as text with all digits. */
static void make_rows(sample *s)
{
    FILE *file = fopen(rows_path, "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++) {
        double x[FEATURES];
        for (int j = 0; j < FEATURES; j++) {
            x[j] =
                (i + j) % 4 == 0
                    ? 0
                    : dps_random_uniform(1, DPS_STREAM_SAMPLE, (uint32_t)i, 0, (uint32_t)j) - 0.5;
        }
        fprintf(file, "%s", x[0] > 0.1 ? "high" : x[1] > 0 ? "mid" : "low");
        s->start[i] = i * FEATURES;
        for (int j = 0; j < FEATURES; j++) {
            s->index[i * FEATURES + j] = j;
            s->value[i * FEATURES + j] = x[j];
            fprintf(file, " %d:%.17g", j + 1, x[j]);
        }
        fprintf(file, "\n");
    }
    s->start[ROWS] = ROWS * FEATURES;
    assert_int_equal(fclose(file), 0);
}

static void train(void)
{
    static const char *const settings[] = {"data.train=test_api.rows",
                                           "output.model=test_api.model", "map.features=40",
                                           "kernel.degree=4"};
    char error[500];
    if (dpsvm_train(NULL, settings, 4, error, sizeof error) != DPSVM_OK) {
        fail_msg("%s", error);
    }
}

static void predictions_are_those_of_the_command(void **state)
{
    static sample s;
    static double scores[ROWS * 3];
    static int32_t predicted[ROWS];
    char error[500];
    dpsvm_model *model;
    (void)state;
    make_rows(&s);
    train();
    assert_int_equal(dpsvm_open(&model, model_path, error, sizeof error), DPSVM_OK);
    assert_int_equal(dpsvm_class_count(model), 3);
    assert_int_equal(dpsvm_score_count(model), 3);
    assert_string_equal(dpsvm_class_label(model, 0), "high");
    assert_null(dpsvm_class_label(model, 3));
    assert_int_equal(dpsvm_predict(model, ROWS, s.start, s.index, s.value, predicted, scores, error,
                                   sizeof error),
                     DPSVM_OK);
    dpsvm_close(model);

    const char *path = rows_path;
    const dps_run run = {.threads = 2, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 30};
    dps_predict_request request = {.model_path = model_path,
                                   .paths = &path,
                                   .path_count = 1,
                                   .output_path = scores_path,
                                   .output = DPS_PREDICT_SCORES,
                                   .format = "libsvm"};
    dps_predict_result result;
    dps_error err;
    assert_int_equal(dps_predict(&request, &run, &result, &err), DPS_OK);
    FILE *file = fopen(scores_path, "r");
    assert_non_null(file);
    int correct = 0;
    for (int i = 0; i < ROWS; i++) {
        double x[3];
        assert_int_equal(fscanf(file, "%lf %lf %lf", &x[0], &x[1], &x[2]), 3);
        assert_memory_equal(x, scores + 3 * i, sizeof x);
        int best = x[1] > x[0] ? 1 : 0;
        best = x[2] > x[best] ? 2 : best;
        assert_int_equal(predicted[i], best);
        double high = s.value[i * FEATURES], mid = s.value[i * FEATURES + 1];
        correct += predicted[i] == (high > 0.1 ? 0 : mid > 0 ? 2 : 1);
    }
    fclose(file);
    assert_int_equal(result.correct, correct);
    assert_true(correct > ROWS * 8 / 10);
}

static void unknown_features_are_left_out_and_bad_rows_refused(void **state)
{
    static const int64_t start[] = {0, 2, 4};
    static const int32_t index[] = {0, 900, 0, 1}, twice[] = {0, 1, 1, 1};
    static const double value[] = {0.3, 5, 0.3, 0}, infinite[] = {0, 0, 0, INFINITY};
    char error[500];
    double scores[6];
    dpsvm_model *model;
    (void)state;
    assert_int_equal(dpsvm_open(&model, model_path, error, sizeof error), DPSVM_OK);
    assert_int_equal(
        dpsvm_predict(model, 2, start, index, value, NULL, scores, error, sizeof error), DPSVM_OK);
    assert_memory_equal(scores, scores + 3, 3 * sizeof *scores);
    assert_int_equal(
        dpsvm_predict(model, 2, start, twice, value, NULL, scores, error, sizeof error),
        DPSVM_DATA);
    assert_non_null(strstr(error, "row 1"));
    assert_int_equal(
        dpsvm_predict(model, 2, start, index, infinite, NULL, scores, error, sizeof error),
        DPSVM_DATA);
    assert_int_equal(dpsvm_predict(model, 0, start, index, value, NULL, NULL, NULL, 0), DPSVM_OK);
    dpsvm_close(model);
}

static void errors_are_numbers_with_a_text(void **state)
{
    static const char *const unknown[] = {"map.feature=3"};
    char error[500];
    dpsvm_model *model;
    (void)state;
    assert_int_equal(dpsvm_open(&model, "no_such.model", error, sizeof error), DPSVM_IO);
    assert_non_null(strstr(error, "no_such.model"));
    assert_null(model);
    assert_int_equal(dpsvm_open(&model, rows_path, NULL, 0), DPSVM_DATA);
    assert_int_equal(dpsvm_train(NULL, NULL, 0, error, sizeof error), DPSVM_CONFIG);
    assert_non_null(strstr(error, "data.train"));
    assert_int_equal(dpsvm_train(NULL, unknown, 1, error, sizeof error), DPSVM_CONFIG);
    assert_non_null(strstr(error, "features"));
    dpsvm_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_the_command),
        cmocka_unit_test(unknown_features_are_left_out_and_bad_rows_refused),
        cmocka_unit_test(errors_are_numbers_with_a_text),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(rows_path);
    unlink(model_path);
    unlink(scores_path);
    return failed;
}
