/* Means, deviations and errors of scores, and what is as good as the best. */
#include "score_spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void spread_is_that_of_the_textbook(void **state)
{
    (void)state;
    const double score[] = {0.5, 0.7, 0.9};
    const dps_spread s = dps_spread_of(score, 3);
    assert_true(fabs(s.mean - 0.7) < 1e-15);
    assert_true(fabs(s.deviation - 0.2) < 1e-15);
    assert_true(fabs(s.error - 0.2 / sqrt(3)) < 1e-15);
    const double one[1 + DPS_SCORE_PARTS] = {0.5, 0.03, 0, -0.04};
    assert_true(isnan(dps_spread_of(one, 1).deviation));
    assert_true(fabs(dps_spread_of(one, 1).error - 0.05) < 1e-15);
}

static void folds_that_say_nothing_are_left_out(void **state)
{
    (void)state;
    const double score[] = {0.5, NAN, 0.7, NAN, 0.9}, none[] = {NAN, NAN, NAN, NAN, NAN};
    const dps_spread s = dps_spread_of(score, 5);
    assert_true(fabs(s.mean - 0.7) < 1e-15 && fabs(s.error - 0.2 / sqrt(3)) < 1e-15);
    assert_true(isnan(dps_spread_of(none, 5).mean));
    assert_false(dps_within_one_error(DPS_METRIC_AUC, none, score, 5));
    assert_false(dps_metric_better(DPS_METRIC_AUC, NAN, 0.1));
    assert_true(dps_metric_better(DPS_METRIC_AUC, 0.1, NAN));
    assert_true(dps_metric_better(DPS_METRIC_LOG_LOSS, 0.1, 0.2));
    assert_false(dps_metric_better(DPS_METRIC_LOG_LOSS, 0.1, 0.1));
}

static void one_error_is_that_of_the_difference(void **state)
{
    (void)state;
    const double best[] = {0.5, 0.7, 0.9};
    const double near[] = {0.5, 0.7, 0.86};     /* mean difference = its error: allowed */
    const double always[] = {0.49, 0.69, 0.89}; /* less, but in every fold: a real difference */
    assert_true(dps_within_one_error(DPS_METRIC_ACCURACY, near, best, 3));
    assert_false(dps_within_one_error(DPS_METRIC_ACCURACY, always, best, 3));
    assert_true(dps_within_one_error(DPS_METRIC_LOG_LOSS, always, best, 3));
    /* one part: rows that both settings get right or wrong do not count */
    const double a[1 + DPS_SCORE_PARTS] = {0.56, 0.1, 0.1, 0.04},
                       b[1 + DPS_SCORE_PARTS] = {0.6, 0.1, 0.1, -0.02},
                       c[1 + DPS_SCORE_PARTS] = {0.56, 0.1, 0.1, 0};
    assert_true(dps_within_one_error(DPS_METRIC_AUC, a, b, 1));
    assert_false(dps_within_one_error(DPS_METRIC_AUC, c, b, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_is_that_of_the_textbook),
        cmocka_unit_test(folds_that_say_nothing_are_left_out),
        cmocka_unit_test(one_error_is_that_of_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
