/* A model made ready to predict: layout of weights, choice of the class, refusals. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "plain_weights.h"
#include "predictor.h"
#include "random.h"

static const dps_run run = {
    .threads = 1, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 28, .log = NULL};

static void weights_go_to_the_model_and_back(void **state)
{
    enum { WIDTH = 5, SPARSE = 3, STRIDE = 16, LENGTH = 32, MODELS = 3 };
    double w[MODELS * LENGTH] = {0}, back[MODELS * LENGTH];
    double weight[MODELS * (WIDTH + SPARSE + 1)];
    dps_model model = {.width = WIDTH,
                       .sparse_columns = SPARSE,
                       .bias = 0.5,
                       .models = MODELS,
                       .weights_per_model = WIDTH + SPARSE + 1,
                       .weight = weight};
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        for (int j = 0; j <= WIDTH; j++) { /* the bias follows the panel */
            w[k * LENGTH + j] = 100 * k + j + 1;
        }
        for (int j = 0; j < SPARSE; j++) {
            w[k * LENGTH + STRIDE + j] = 100 * k + 50 + j;
        }
    }
    dps_weights_to_model(w, LENGTH, STRIDE, &model);
    assert_true(weight[0] == 1 && weight[4] == 5);
    assert_true(weight[5] == 50 && weight[7] == 52 && weight[8] == 6);
    memset(back, 0xff, sizeof back);
    dps_weights_from_model(&model, LENGTH, STRIDE, back);
    assert_memory_equal(w, back, sizeof w);
}

static void class_of_scores(void **state)
{
    double scores[3 * DPS_TILE_ROWS] = {0};
    (void)state;
    scores[1] = 1e-300;
    scores[2] = -1;
    assert_int_equal(dps_predicted_class(2, 0, scores, 0), 0); /* 0 is not positive */
    assert_int_equal(dps_predicted_class(2, 0, scores, 1), 1);
    assert_int_equal(dps_predicted_class(2, 0, scores, 2), 0);
    scores[2] = 0.5;
    assert_int_equal(dps_predicted_class(2, 0.5, scores, 2), 0);
    assert_int_equal(dps_predicted_class(2, 0.25, scores, 2), 1);
    scores[DPS_TILE_ROWS] = 0;
    scores[2 * DPS_TILE_ROWS] = 2;
    assert_int_equal(dps_predicted_class(3, 0, scores, 0), 2);
    scores[2 * DPS_TILE_ROWS] = 0;
    assert_int_equal(dps_predicted_class(3, 0, scores, 0), 0); /* the first of equals */
}

static int32_t column_index[2] = {0, 3};
static double column_shift[2] = {0.25, 0}, column_factor[2] = {2, 0.5};

/* The linear kernel on two columns, features 0 and 3: score = w0 x0 + w1 x1 + bias weight * bias, x
 * the columns after scaling. */
static dps_model linear_model(double weight[3])
{
    dps_model model = {.random_scheme = DPS_RANDOM_SCHEME,
                       .scaler = {.dense = true,
                                  .columns = 2,
                                  .index = column_index,
                                  .shift = column_shift,
                                  .factor = column_factor,
                                  .row_factor = 1},
                       .classes = {.count = 2},
                       .width = 2,
                       .bias = 1,
                       .models = 1,
                       .weights_per_model = 3,
                       .weight = weight};
    model.recipe = (dps_map_recipe){.type = DPS_MAP_NONE,
                                    .p = 2,
                                    .exact_degree = 1,
                                    .collapse = true,
                                    .scale = DPS_MAP_SCALE_NONE,
                                    .factor = 1,
                                    .input_scale = 1};
    model.recipe.kernel = (dps_kernel_params){.kernel = dps_kernel_find("linear"),
                                              .degree = 1,
                                              .gamma = 1,
                                              .sigma = NAN,
                                              .domain_scale = 1};
    return model;
}

static void linear_scores_are_inner_products(void **state)
{
    double weight[3] = {2, -3, 0.5};
    dps_model model = linear_model(weight);
    dps_predictor predictor;
    dps_error err;
    (void)state;
    assert_int_equal(dps_predictor_init(&predictor, &model, &run, &err), DPS_OK);
    float *x = dps_alloc((size_t)DPS_TILE_ROWS * DPS_PAD, sizeof *x);
    float *panel = dps_alloc(dps_z_panel_bytes(&predictor.builder), 1);
    void *scratch = dps_alloc(predictor.builder.scratch_bytes, 1);
    x[0] = 0.25f;
    x[1] = 0.5f;
    x[DPS_PAD] = -1;
    const dps_row_tile tile = {.rows = 2, .columns = 2, .dense = x, .stride = DPS_PAD};
    double scores[DPS_TILE_ROWS];
    dps_z_tile z;
    assert_int_equal(dps_z_build(&predictor.builder, &tile, panel, scratch, &z, &err), DPS_OK);
    dps_predictor_scores(&predictor, &z, scores);
    assert_true(scores[0] == 0.5 - 1.5 + 0.5);
    assert_true(scores[1] == -2 + 0.5);
    dps_free(x);
    dps_free(panel);
    dps_free(scratch);
    dps_predictor_release(&predictor);
}

/* In units of the input: 2 (x - 0.25) 2 - 3 y 0.5 + 0.5 = 4 x - 1.5 y - 0.5, where other features
 * do not count, and 0.1 is not rounded to float. */
static void scores_of_a_block_are_those_of_the_plain_weights(void **state)
{
    double weight[3] = {2, -3, 0.5}, scores[DPS_TILE_ROWS];
    int64_t start[] = {0, 1, 4, 4, 6};
    int32_t index[] = {7, 0, 1, 3, 3, 9};
    double value[] = {5, 0.1, 8, 0.3, 1, 2};
    const dps_row_block block = {.rows = 4, .start = start, .index = index, .value = value};
    const dps_z_tile z = {.rows = 3};
    dps_model model = linear_model(weight);
    dps_predictor predictor;
    dps_error err;
    (void)state;
    assert_int_equal(dps_predictor_init(&predictor, &model, &run, &err), DPS_OK);
    dps_predictor_block_scores(&predictor, &z, &block, 1, scores);
    assert_true(scores[0] == -0.5 + 4 * 0.1 + -1.5 * 0.3);
    assert_true(scores[1] == -0.5);
    assert_true(scores[2] == -0.5 - 1.5);
    dps_predictor_release(&predictor);
}

/* log bends columns: no weights in units of the input; those that are said are of the bent ones. */
static void bent_columns_have_weights_of_their_own(void **state)
{
    double weight[3] = {2, -3, 0.5}, unit[2] = {1, 1}, line[3];
    dps_model model = linear_model(weight);
    dps_predictor predictor;
    dps_error err;
    (void)state;
    dps_plain_weights(&model, line);
    assert_true(line[0] == 4 && line[1] == -1.5 && line[2] == -0.5);
    model.scaler.scaling = DPS_SCALE_LOG;
    model.scaler.unit = unit;
    assert_false(dps_has_plain_weights(&model));
    assert_int_equal(dps_predictor_init(&predictor, &model, &run, &err), DPS_OK);
    assert_null(predictor.plain);
    dps_predictor_release(&predictor);
    dps_plain_weights(&model, line);
    assert_true(line[1] == -3);
}

static void another_random_scheme_is_refused_by_number(void **state)
{
    double weight[3] = {0};
    dps_model model = linear_model(weight);
    dps_predictor predictor;
    dps_error err;
    (void)state;
    model.random_scheme = 977;
    assert_int_equal(dps_predictor_init(&predictor, &model, &run, &err), DPS_ERROR_DATA);
    assert_non_null(strstr(err.text, "977"));
    dps_predictor_release(&predictor);
}

static void weights_that_do_not_fit_the_map_are_refused(void **state)
{
    double weight[4] = {0};
    dps_model model = linear_model(weight);
    dps_predictor predictor;
    dps_error err;
    (void)state;
    model.width = 3;
    model.weights_per_model = 4;
    assert_int_equal(dps_predictor_init(&predictor, &model, &run, &err), DPS_ERROR_DATA);
    assert_null(predictor.map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_go_to_the_model_and_back),
        cmocka_unit_test(class_of_scores),
        cmocka_unit_test(linear_scores_are_inner_products),
        cmocka_unit_test(scores_of_a_block_are_those_of_the_plain_weights),
        cmocka_unit_test(bent_columns_have_weights_of_their_own),
        cmocka_unit_test(another_random_scheme_is_refused_by_number),
        cmocka_unit_test(weights_that_do_not_fit_the_map_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
