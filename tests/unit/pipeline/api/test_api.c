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

/* The model in model_path, or from the arrays of s as well. */
static dpsvm_model *train(const sample *s, const char *const *label)
{
    static const char *const settings[] = {"map.features=40", "kernel.degree=4",
                                           "data.train=test_api.rows",
                                           "output.model=test_api.model"};
    dpsvm_training training = {.settings = settings, .setting_count = label == NULL ? 4 : 2};
    dpsvm_error error;
    dpsvm_model *model;
    if (label != NULL) {
        training.rows =
            (dpsvm_rows){.rows = ROWS, .start = s->start, .index = s->index, .value = s->value};
        training.label = label;
    }
    if (dpsvm_train(&model, &training, &error) != DPSVM_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

static const char *class_of(const double *x)
{
    return x[0] > 0.1 ? "high" : x[1] > 0 ? "mid" : "low";
}

static void arrays_make_the_model_of_the_file(void **state)
{
    static sample s;
    static const char *label[ROWS];
    void *bytes;
    size_t size;
    (void)state;
    make_rows(&s);
    for (int i = 0; i < ROWS; i++) {
        label[i] = class_of(s.value + i * FEATURES);
    }
    dpsvm_model_close(train(&s, NULL));
    dpsvm_model *model = train(&s, label);
    assert_int_equal(dpsvm_model_bytes(model, &bytes, &size, NULL), DPSVM_OK);
    dpsvm_model_close(model);
    FILE *file = fopen(model_path, "rb");
    char *written = malloc(size + 1);
    assert_non_null(written);
    assert_int_equal(fread(written, 1, size + 1, file), size);
    assert_memory_equal(bytes, written, size);
    assert_int_equal(dpsvm_model_read(&model, written, size, NULL), DPSVM_OK);
    dpsvm_model_close(model);
    written[size / 2] ^= 1;
    assert_int_equal(dpsvm_model_read(&model, written, size, NULL), DPSVM_DATA);
    assert_null(model);
    free(written);
    fclose(file);
    dpsvm_bytes_free(bytes);
}

static int stop(void *context, const dpsvm_progress *progress)
{
    assert_non_null(progress->stage);
    return ++*(int *)context == 2;
}

static void a_training_stops_when_it_is_told(void **state)
{
    static const char *const settings[] = {"data.train=test_api.rows", "map.features=40"};
    int calls = 0;
    const dpsvm_training training = {
        .settings = settings, .setting_count = 2, .progress = stop, .context = &calls};
    dpsvm_error error;
    dpsvm_model *model;
    (void)state;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_STOPPED);
    assert_null(model);
    assert_true(calls >= 2);
}

static void rows_at_fault_are_named(void **state)
{
    static sample s;
    static double target[ROWS];
    dpsvm_training training = {.rows = {.rows = ROWS, .columns = FEATURES, .dense = s.value},
                               .target = target};
    const char *format = "data.format=csv";
    dpsvm_error error;
    dpsvm_model *model;
    (void)state;
    make_rows(&s);
    for (int i = 0; i < ROWS; i++) {
        target[i] = i % 2;
    }
    s.value[17 * FEATURES + 1] = INFINITY;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_DATA);
    assert_int_equal(error.row, 17);
    s.value[17 * FEATURES + 1] = NAN;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_DATA);
    assert_int_equal(error.row, 17);
    assert_non_null(strstr(error.text, "data.missing"));
    s.value[17 * FEATURES + 1] = 0;
    target[3] = NAN;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_DATA);
    assert_int_equal(error.row, 3);
    training.settings = &format;
    training.setting_count = 1;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_CONFIG);
    assert_non_null(strstr(error.text, "data.format"));
}

static void predictions_are_those_of_the_command(void **state)
{
    static sample s;
    static double scores[ROWS * 3];
    static int32_t predicted[ROWS];
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    (void)state;
    make_rows(&s);
    model = train(&s, NULL);
    assert_int_equal(dpsvm_class_count(model), 3);
    assert_int_equal(dpsvm_score_count(model), 3);
    assert_string_equal(dpsvm_class_label(model, 0), "high");
    assert_null(dpsvm_class_label(model, 3));
    assert_int_equal(dpsvm_scorer_new(&scorer, model, &error), DPSVM_OK);
    const dpsvm_rows rows = {.rows = ROWS, .start = s.start, .index = s.index, .value = s.value};
    const dpsvm_answers answers = {.label = predicted, .score = scores};
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_OK);
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);

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
    dpsvm_error error;
    double scores[6], chances[6];
    const dpsvm_answers answers = {.score = scores}, likely = {.probability = chances};
    dpsvm_rows rows = {.rows = 2, .start = start, .index = index, .value = value};
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    (void)state;
    assert_int_equal(dpsvm_model_open(&model, model_path, &error), DPSVM_OK);
    assert_int_equal(dpsvm_scorer_new(&scorer, model, &error), DPSVM_OK);
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_OK);
    assert_int_equal(error.code, DPSVM_OK);
    assert_memory_equal(scores, scores + 3, 3 * sizeof *scores);
    assert_int_equal(dpsvm_scorer_unknown(scorer), 1);
    assert_int_equal(dpsvm_score(scorer, &rows, &likely, &error), DPSVM_CONFIG);
    assert_int_equal(dpsvm_scorer_threshold(scorer, 1, 0.5, 0, &error), DPSVM_CONFIG);
    rows.index = twice;
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_DATA);
    assert_int_equal(error.row, 1);
    rows.index = index;
    rows.value = infinite;
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_DATA);
    assert_int_equal(error.row, 1);
    rows.rows = 0;
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, NULL), DPSVM_OK);
    rows.dense = value;
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, NULL), DPSVM_CONFIG);
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
}

/* Row starts go up and down within a block: more entries than the block has room for. */
static void row_starts_that_descend_are_refused(void **state)
{
    enum { MANY = 700 };
    static const int64_t start[] = {0, MANY, 0, MANY, 0, MANY}, below[] = {-1, 1};
    static int32_t index[MANY];
    static double value[MANY];
    double scores[15];
    const dpsvm_answers answers = {.score = scores};
    dpsvm_rows rows = {.rows = 5, .start = start, .index = index, .value = value};
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    (void)state;
    for (int e = 0; e < MANY; e++) {
        index[e] = e;
        value[e] = 1;
    }
    assert_int_equal(dpsvm_model_open(&model, model_path, &error), DPSVM_OK);
    assert_int_equal(dpsvm_scorer_new(&scorer, model, &error), DPSVM_OK);
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_DATA);
    assert_int_equal(error.row, 1);
    rows.start = below;
    rows.rows = 1;
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &error), DPSVM_DATA);
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
}

/* On several threads as on one: the number of the row in the text, too. */
static void threads_name_the_row_at_fault(void **state)
{
    enum { MANY = 5000, AT = 4321 };
    static double dense[MANY * FEATURES], scores[MANY * 3];
    const dpsvm_answers answers = {.score = scores};
    const dpsvm_rows rows = {.rows = MANY, .columns = FEATURES, .dense = dense};
    dpsvm_error error, alone;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    (void)state;
    dense[AT * FEATURES + 1] = INFINITY;
    assert_int_equal(dpsvm_model_open(&model, model_path, &error), DPSVM_OK);
    assert_int_equal(dpsvm_scorer_new(&scorer, model, &error), DPSVM_OK);
    assert_int_equal(dpsvm_score(scorer, &rows, &answers, &alone), DPSVM_DATA);
    assert_int_equal(dpsvm_score_threads(scorer, 2, &rows, &answers, &error), DPSVM_DATA);
    assert_int_equal(error.row, AT);
    assert_string_equal(error.text, alone.text);
    assert_non_null(strstr(error.text, "row 4321"));
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
}

static void characters_that_separate_nothing_are_refused(void **state)
{
    int64_t rows = 7;
    const dpsvm_answers none = {0};
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    (void)state;
    assert_int_equal(dpsvm_model_open(&model, model_path, &error), DPSVM_OK);
    assert_int_equal(dpsvm_scorer_new(&scorer, model, &error), DPSVM_OK);
    assert_int_equal(dpsvm_scorer_text(scorer, NULL, '\n', NULL, &error), DPSVM_CONFIG);
    assert_int_equal(dpsvm_scorer_text(scorer, NULL, '"', NULL, &error), DPSVM_CONFIG);
    assert_int_equal(dpsvm_score_text(scorer, "", 0, 1, &none, &rows, &error), DPSVM_OK);
    assert_int_equal(rows, 0);
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
}

static void errors_are_numbers_with_a_text(void **state)
{
    static const char *const unknown[] = {"map.feature=3"};
    dpsvm_training training = {0};
    dpsvm_error error;
    dpsvm_model *model;
    (void)state;
    assert_int_equal(dpsvm_model_open(&model, "no_such.model", &error), DPSVM_IO);
    assert_non_null(strstr(error.text, "no_such.model"));
    assert_int_equal(error.code, DPSVM_IO);
    assert_null(model);
    assert_int_equal(dpsvm_model_open(&model, rows_path, NULL), DPSVM_DATA);
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_CONFIG);
    assert_non_null(strstr(error.text, "data.train"));
    training.settings = unknown;
    training.setting_count = 1;
    assert_int_equal(dpsvm_train(&model, &training, &error), DPSVM_CONFIG);
    assert_non_null(strstr(error.text, "features"));
    dpsvm_model_close(NULL);
    dpsvm_scorer_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_the_command),
        cmocka_unit_test(arrays_make_the_model_of_the_file),
        cmocka_unit_test(a_training_stops_when_it_is_told),
        cmocka_unit_test(rows_at_fault_are_named),
        cmocka_unit_test(unknown_features_are_left_out_and_bad_rows_refused),
        cmocka_unit_test(row_starts_that_descend_are_refused),
        cmocka_unit_test(threads_name_the_row_at_fault),
        cmocka_unit_test(characters_that_separate_nothing_are_refused),
        cmocka_unit_test(errors_are_numbers_with_a_text),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(rows_path);
    unlink(model_path);
    unlink(scores_path);
    return failed;
}
