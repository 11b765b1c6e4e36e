/* Advice follows from figures: nothing where they are good, the matching sentence where not. */
#include "train.h"
#include "training_advice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include "solver.h"

typedef struct run {
    dps_options options;
    dps_train_result result;
    dps_class_metrics train[2], validation[2];
    char *text[2];
    int64_t rows[2];
} run;

static void set_class(dps_class_metrics *c, int64_t rows, int64_t correct)
{
    *c = (dps_class_metrics){.rows = (double)rows, .correct = (double)correct};
    c->recall = (double)correct / (double)rows;
}

/* Of both classes, rows and right ones of them. */
static void set_fit(dps_fit *fit, dps_class_metrics of_class[2], int64_t rows0, int64_t right0,
                    int64_t rows1, int64_t right1)
{
    set_class(&of_class[0], rows0, right0);
    set_class(&of_class[1], rows1, right1);
    fit->rows = rows0 + rows1;
    fit->weight = (double)fit->rows;
    fit->accuracy = (double)(right0 + right1) / (double)fit->rows;
    fit->balanced = (of_class[0].recall + of_class[1].recall) / 2;
    fit->of_class = of_class;
}

/* The training rows, and no others. */
static void set_training(run *r, int64_t rows0, int64_t right0, int64_t rows1, int64_t right1)
{
    dps_train_result *result = &r->result;
    set_fit(&result->fit.train, r->train, rows0, right0, rows1, right1);
    r->rows[0] = rows0;
    r->rows[1] = rows1;
    result->model.rows = rows0 + rows1;
    result->fit.validation.rows = result->linear.validation.rows = result->linear.rows = 0;
    result->data.majority_accuracy =
        (double)(rows0 > rows1 ? rows0 : rows1) / (double)(rows0 + rows1);
}

static void set_option(run *r, const char *assignment)
{
    assert_int_equal(dps_options_set_text(&r->options, assignment, NULL), DPS_OK);
}

/* A good model of 1000 rows, 500 of each class, 200 held out. */
static void begin(run *r)
{
    static char negative[] = "-1", positive[] = "+1";
    memset(r, 0, sizeof *r);
    assert_int_equal(dps_options_init(&r->options, NULL), DPS_OK);
    r->text[0] = negative;
    r->text[1] = positive;
    r->rows[0] = r->rows[1] = 500;
    dps_train_result *result = &r->result;
    result->model.rows = 1000;
    result->data.majority_accuracy = 0.5;
    result->model.C = 1;
    result->model.classes = (dps_class_table){.count = 2, .text = r->text, .rows = r->rows};
    result->model.recipe.type = DPS_MAP_MACLAURIN;
    result->model.recipe.kernel =
        (dps_kernel_params){.kernel = dps_kernel_find("polynomial"), .degree = 10};
    strcpy(result->model.solver, "newton");
    result->model.outcome = DPS_CONVERGED;
    result->model.scaler.scaling = DPS_SCALE_MAX_ABS;
    set_fit(&result->fit.train, r->train, 500, 475, 500, 475);
    set_fit(&result->fit.validation, r->validation, 100, 94, 100, 94);
    result->fit.test.accuracy = NAN;
    result->linear.rows = 1000;
    result->linear.train = (dps_fit){.rows = 1000, .accuracy = 0.85, .balanced = 0.85};
    result->linear.validation = (dps_fit){.rows = 200, .accuracy = 0.84, .balanced = 0.84};
}

static void advise(run *r)
{
    dps_training_advise(&r->options, &r->result);
    dps_options_release(&r->options);
}

static void assert_advice(const run *r, const char *part)
{
    assert_int_equal(r->result.advice.count, 1);
    assert_non_null(strstr(r->result.advice.text[0], part));
}

static void a_good_model_gets_no_advice(void **state)
{
    (void)state;
    run r;
    begin(&r);
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
}

static void a_rare_class_that_is_not_found_gets_weights(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.rows[0] = 700;
    r.rows[1] = 200;
    set_fit(&r.result.fit.validation, r.validation, 160, 160, 40, 7);
    r.result.fit.train.accuracy = r.result.fit.validation.accuracy;
    r.result.linear.validation.accuracy = 0.7;
    advise(&r);
    assert_advice(&r, "class +1 is rare and hardly found (recall 0.17): try "
                      "solver.class_weight = balanced");
    /* one row that is not found says nothing of its class */
    begin(&r);
    r.rows[0] = 990;
    r.rows[1] = 10;
    set_fit(&r.result.fit.validation, r.validation, 199, 199, 2, 0);
    r.result.fit.train.accuracy = r.result.fit.validation.accuracy;
    r.result.linear.rows = 0;
    advise(&r);
    for (int32_t k = 0; k < r.result.advice.count; k++) {
        assert_null(strstr(r.result.advice.text[k], "hardly found"));
    }
    /* common classes that are not found are no matter of weights */
    begin(&r);
    set_fit(&r.result.fit.validation, r.validation, 100, 100, 100, 15);
    r.result.fit.train.accuracy = r.result.fit.validation.accuracy;
    r.result.linear.rows = 0;
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
    /* without validation rows the training rows speak; the weights that are set are named */
    begin(&r);
    set_option(&r, "solver.class_weight=+1:2");
    set_training(&r, 950, 950, 50, 5);
    advise(&r);
    assert_advice(&r, "raise its weight in solver.class_weight (now +1:2), or solver.C (now 1)");
}

static void a_fit_that_does_not_carry_over_gets_a_smoother_model(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.fit.train.accuracy = 1;
    r.result.fit.validation.accuracy = 0.88;
    advise(&r);
    assert_advice(&r, "12.0 points better than those of data.validation: try a smaller solver.C "
                      "(now 1; auto chooses it), a lower kernel.degree (now 10)");
    /* a search has chosen C; sigma is what this kernel has */
    begin(&r);
    r.result.fit.train.accuracy = 1;
    r.result.fit.validation.accuracy = 0.88;
    set_option(&r, "solver.C=auto");
    r.result.model.C = 64;
    r.result.model.recipe.kernel =
        (dps_kernel_params){.kernel = dps_kernel_find("exponential"), .sigma = 0.5};
    advise(&r);
    assert_advice(&r, "try a smaller solver.C (now 64), a larger kernel.sigma (now 0.5)");
    assert_null(strstr(r.result.advice.text[0], "auto"));
    /* a base of amounts has no width */
    begin(&r);
    r.result.fit.train.accuracy = 1;
    r.result.fit.validation.accuracy = 0.88;
    r.result.model.recipe.type = DPS_MAP_COMPOSITIONAL;
    r.result.model.recipe.base = DPS_BASE_CHI2;
    r.result.model.recipe.base_gamma = 1;
    advise(&r);
    assert_advice(&r, "auto chooses it), a lower kernel.degree (now 10)");
    /* 12 points on 20 rows may be chance: 2 sqrt(0.88 0.12 / 20) = 14.5 */
    begin(&r);
    r.result.fit.train.accuracy = 1;
    r.result.fit.validation.accuracy = 0.88;
    r.result.fit.validation.rows = 20;
    r.result.fit.validation.weight = 20;
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
    /* weights aim at the mean recall: accuracy may fall */
    begin(&r);
    set_option(&r, "solver.class_weight=balanced");
    r.result.fit.train.accuracy = 1;
    r.result.fit.validation.accuracy = 0.88;
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
    begin(&r);
    set_option(&r, "solver.class_weight=balanced");
    r.result.fit.train.balanced = 0.99;
    r.result.fit.validation.balanced = 0.84;
    r.result.linear.rows = 0;
    advise(&r);
    assert_advice(&r, "15.0 points better than those of data.validation (mean recall)");
}

static void a_map_without_a_gain_is_told(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.linear.validation.accuracy = 0.94;
    advise(&r);
    assert_advice(&r, "a linear SVM is as good (accuracy 0.9400, here 0.9400): kernel.type = "
                      "linear is quicker, or try another kernel (map.type = fourier; now "
                      "kernel.type = polynomial), solver.C = auto (now 1)");
    /* weights: the mean recall decides */
    begin(&r);
    set_option(&r, "solver.class_weight=balanced");
    r.result.linear.validation.accuracy = 0.99;
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
}

/* All rows to the larger class, and a little luck. */
static void guessing_is_called_so_with_what_is_set(void **state)
{
    (void)state;
    run r;
    begin(&r);
    set_training(&r, 600, 598, 400, 3);
    advise(&r);
    assert_int_equal(r.result.advice.count, 1);
    assert_advice(&r, "no better than guessing the largest class on the training rows (mean recall "
                      "0.50): try solver.C = auto (now 1), solver.class_weight = balanced (now "
                      "none), data.scaling = standard (now max_abs), another kernel");
    /* nothing is proposed that is set */
    begin(&r);
    set_option(&r, "solver.C=auto");
    set_option(&r, "solver.class_weight=balanced");
    r.result.model.scaler.scaling = DPS_SCALE_STANDARD;
    r.result.model.recipe.type = DPS_MAP_FOURIER;
    set_training(&r, 600, 310, 400, 195);
    advise(&r);
    assert_advice(&r, "try another kernel (kernel.type = polynomial; now map.type = fourier)");
    assert_null(strstr(r.result.advice.text[0], "class_weight"));
    assert_null(strstr(r.result.advice.text[0], "solver.C"));
    assert_null(strstr(r.result.advice.text[0], "scaling"));
}

static void a_model_that_finds_a_rare_class_is_not_called_guessing(void **state)
{
    (void)state;
    static const int64_t fits[][4] = {{995, 995, 5, 5},    {9999, 9999, 1, 1},
                                      {199, 199, 2, 2},   /* perfect */
                                      {990, 985, 10, 9},  /* as many wrong as guessing has */
                                      {990, 960, 10, 10}, /* more wrong, but all are found */
                                      {600, 540, 400, 150}};
    for (size_t k = 0; k < sizeof fits / sizeof fits[0]; k++) {
        for (int weighted = 0; weighted < 2; weighted++) {
            run r;
            begin(&r);
            if (weighted == 1) {
                set_option(&r, "solver.class_weight=balanced");
            }
            set_training(&r, fits[k][0], fits[k][1], fits[k][2], fits[k][3]);
            advise(&r);
            assert_int_equal(r.result.advice.count, 0);
        }
    }
}

static void an_end_short_of_the_target_names_what_is_easier(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.model.outcome = DPS_ITERATION_LIMIT;
    strcpy(r.result.model.solver, "dcd");
    advise(&r);
    assert_advice(&r, "solver.type = newton");
    begin(&r);
    r.result.model.outcome = DPS_ITERATION_LIMIT;
    r.options.solver_C.number = r.result.model.C = 100;
    advise(&r);
    assert_advice(&r, "a smaller solver.C (now 100) is easier");
    /* early stopping is what was asked for */
    begin(&r);
    r.result.curve.best_pass = 3;
    r.result.model.outcome = DPS_STOPPED_EARLY;
    strcpy(r.result.model.solver, "sgd");
    advise(&r);
    assert_int_equal(r.result.advice.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_model_gets_no_advice),
        cmocka_unit_test(a_rare_class_that_is_not_found_gets_weights),
        cmocka_unit_test(a_fit_that_does_not_carry_over_gets_a_smoother_model),
        cmocka_unit_test(a_map_without_a_gain_is_told),
        cmocka_unit_test(guessing_is_called_so_with_what_is_set),
        cmocka_unit_test(a_model_that_finds_a_rare_class_is_not_called_guessing),
        cmocka_unit_test(an_end_short_of_the_target_names_what_is_easier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
