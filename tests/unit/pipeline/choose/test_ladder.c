/* The rule that ends a growth and the one that chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "ladder.h"

enum { FOLDS = 4, PATIENCE = 2 };

/* A noise whose four values add up to 0, as an error of the mean of 0.01: deviation 0.02. */
static const double noise[FOLDS] = {0.0245, 0, -0.0245, 0};

/* Steps with these means; fold f of step j is off by noise[(f + j) % FOLDS]. */
static dps_ladder steps_of(const double *mean, int32_t count, dps_metric metric,
                           double score[DPS_RUNGS][FOLDS])
{
    dps_ladder steps = {.metric = metric, .folds = FOLDS, .count = count};
    for (int32_t j = 0; j < count; j++) {
        for (int32_t f = 0; f < FOLDS; f++) {
            score[j][f] = mean[j] + noise[(f + j) % FOLDS];
        }
        steps.rung[j].score = score[j];
        steps.rung[j].spread = dps_spread_of(score[j], FOLDS);
    }
    return steps;
}

static void growth_goes_on_while_scores_gain(void **state)
{
    (void)state;
    double score[DPS_RUNGS][FOLDS];
    const double mean[] = {0.5, 0.6, 0.7, 0.8, 0.9};
    for (int32_t count = 0; count <= 5; count++) {
        const dps_ladder steps = steps_of(mean, count, DPS_METRIC_ACCURACY, score);
        assert_false(dps_ladder_level(&steps, PATIENCE));
    }
    dps_ladder steps = steps_of(mean, 5, DPS_METRIC_ACCURACY, score);
    assert_int_equal(dps_ladder_choose(&steps), 4);
}

static void one_step_without_gain_does_not_end_growth(void **state)
{
    (void)state;
    double score[DPS_RUNGS][FOLDS];
    const double mean[] = {0.5, 0.5, 0.9};
    for (int32_t count = 2; count <= 3; count++) {
        const dps_ladder steps = steps_of(mean, count, DPS_METRIC_ACCURACY, score);
        assert_false(dps_ladder_level(&steps, PATIENCE));
    }
}

static void two_steps_within_one_error_end_growth_at_the_first_of_the_level(void **state)
{
    (void)state;
    double score[DPS_RUNGS][FOLDS];
    const double mean[] = {0.5, 0.9, 0.9001, 0.9002};
    dps_ladder steps = steps_of(mean, 4, DPS_METRIC_ACCURACY, score);
    assert_true(dps_ladder_level(&steps, PATIENCE));
    assert_int_equal(dps_ladder_choose(&steps), 1);
}

static void two_half_gains_count_as_one(void **state)
{
    (void)state;
    double score[DPS_RUNGS][FOLDS];
    /* the error of a difference of steps one apart is 0.0141, of steps two apart 0.02 */
    const double mean[] = {0.8, 0.81, 0.83};
    const dps_ladder steps = steps_of(mean, 3, DPS_METRIC_ACCURACY, score);
    assert_false(dps_ladder_level(&steps, PATIENCE));
}

static void the_metric_says_which_way_is_better(void **state)
{
    (void)state;
    double score[DPS_RUNGS][FOLDS];
    const double falling[] = {0.9, 0.6, 0.3};
    dps_ladder steps = steps_of(falling, 3, DPS_METRIC_LOG_LOSS, score);
    assert_false(dps_ladder_level(&steps, PATIENCE));
    assert_int_equal(dps_ladder_choose(&steps), 2);
    steps = steps_of(falling, 3, DPS_METRIC_ACCURACY, score);
    assert_true(dps_ladder_level(&steps, PATIENCE));
    assert_int_equal(dps_ladder_choose(&steps), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_goes_on_while_scores_gain),
        cmocka_unit_test(one_step_without_gain_does_not_end_growth),
        cmocka_unit_test(two_steps_within_one_error_end_growth_at_the_first_of_the_level),
        cmocka_unit_test(two_half_gains_count_as_one),
        cmocka_unit_test(the_metric_says_which_way_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
