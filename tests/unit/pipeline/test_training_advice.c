/* Advice follows from figures: nothing where they are good, the matching sentence where not. */
#include "training_advice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct run {
    dps_options options;
    dps_train_result result;
    dps_class_metrics train[2], validation[2];
    char *text[2];
    int64_t rows[2];
} run;

/* A good model of 1000 rows, 500 of each class, 200 held out. */
static void begin(run *r)
{
    static char negative[] = "-1", positive[] = "+1";
    memset(r, 0, sizeof *r);
    assert_int_equal(dps_options_init(&r->options, NULL), DPS_OK);
    r->text[0] = negative;
    r->text[1] = positive;
    for (int k = 0; k < 2; k++) {
        r->rows[k] = 500;
        r->train[k] = (dps_class_metrics){.rows = 500, .recall = 0.95};
        r->validation[k] = (dps_class_metrics){.rows = 100, .recall = 0.94};
    }
    dps_train_result *result = &r->result;
    result->rows = 1000;
    result->converged = true;
    result->majority_accuracy = 0.5;
    result->model.classes = (dps_class_table){.count = 2, .text = r->text, .rows = r->rows};
    result->model.recipe.type = DPS_MAP_MACLAURIN;
    strcpy(result->model.solver, "newton");
    strcpy(result->model.outcome, "converged");
    result->train = (dps_fit){.rows = 1000, .accuracy = 0.95, .of_class = r->train};
    result->validation = (dps_fit){.rows = 200, .accuracy = 0.94, .of_class = r->validation};
    result->test.accuracy = NAN;
    result->linear.rows = 1000;
    result->linear.train = (dps_fit){.rows = 1000, .accuracy = 0.85};
    result->linear.validation = (dps_fit){.rows = 200, .accuracy = 0.84};
}

static void advise(run *r)
{
    dps_training_advise(&r->options, &r->result);
    dps_options_release(&r->options);
}

static void assert_advice(const run *r, const char *part)
{
    assert_int_equal(r->result.advices, 1);
    assert_non_null(strstr(r->result.advice[0], part));
}

static void a_good_model_gets_no_advice(void **state)
{
    (void)state;
    run r;
    begin(&r);
    advise(&r);
    assert_int_equal(r.result.advices, 0);
}

static void a_rare_class_that_is_not_found_gets_weights(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.rows[0] = 950;
    r.rows[1] = 50;
    r.validation[1].recall = 0.05;
    r.result.majority_accuracy = 0.8;
    advise(&r);
    assert_advice(&r, "class +1 is rare and hardly found (recall 0.05): try "
                      "solver.class_weight = balanced");
    /* common classes that are not found are no matter of weights */
    begin(&r);
    r.validation[1].recall = 0.05;
    advise(&r);
    assert_int_equal(r.result.advices, 0);
    /* without validation rows the training rows speak */
    begin(&r);
    r.rows[0] = 950;
    r.rows[1] = 50;
    r.result.validation.rows = 0;
    r.train[1].recall = 0;
    r.options.solver_class_weight[0] = 'x'; /* not "none" */
    advise(&r);
    assert_advice(&r, "raise its weight");
}

static void a_fit_that_does_not_carry_over_gets_a_smaller_C(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.train.accuracy = 1;
    r.result.validation.accuracy = 0.88;
    advise(&r);
    assert_advice(&r, "12.0 points better than those of data.validation: try a smaller solver.C");
    /* 12 points on 20 rows may be chance: 2 sqrt(0.88 0.12 / 20) = 14.5 */
    begin(&r);
    r.result.train.accuracy = 1;
    r.result.validation.accuracy = 0.88;
    r.result.validation.rows = 20;
    advise(&r);
    assert_int_equal(r.result.advices, 0);
}

static void a_map_without_a_gain_is_told(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.linear.validation.accuracy = 0.94;
    advise(&r);
    assert_advice(&r, "a linear SVM is as good");
    begin(&r);
    r.result.majority_accuracy = 0.95;
    advise(&r);
    assert_advice(&r, "no better than guessing the largest class");
}

static void an_end_short_of_the_target_names_what_is_easier(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.result.converged = false;
    strcpy(r.result.model.outcome, "iteration_limit");
    strcpy(r.result.model.solver, "dcd");
    advise(&r);
    assert_advice(&r, "solver.type = newton");
    begin(&r);
    r.result.converged = false;
    strcpy(r.result.model.outcome, "iteration_limit");
    r.options.solver_C.number = 100;
    advise(&r);
    assert_advice(&r, "a smaller solver.C is easier");
    /* early stopping is what was asked for */
    begin(&r);
    r.result.converged = false;
    r.result.best_pass = 3;
    strcpy(r.result.model.outcome, "stopped_early");
    strcpy(r.result.model.solver, "sgd");
    advise(&r);
    assert_int_equal(r.result.advices, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_model_gets_no_advice),
        cmocka_unit_test(a_rare_class_that_is_not_found_gets_weights),
        cmocka_unit_test(a_fit_that_does_not_carry_over_gets_a_smaller_C),
        cmocka_unit_test(a_map_without_a_gain_is_told),
        cmocka_unit_test(an_end_short_of_the_target_names_what_is_easier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
