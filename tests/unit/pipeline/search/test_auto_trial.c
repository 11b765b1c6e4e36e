/* Comparing trials row by row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "auto_trial.h"

enum { ROWS = 100, FOLDS = 2 };

/* Wrong on rows [from, to). */
static void losses(float *loss, int from, int to)
{
    for (int i = 0; i < ROWS; i++) {
        loss[i] = i >= from && i < to ? 1 : 0;
    }
}

static void advantage_counts_the_rows_that_only_one_gets_right(void **state)
{
    (void)state;
    const dps_auto_search search = {.metric = DPS_METRIC_ACCURACY, .folds = FOLDS};
    float a[ROWS], b[ROWS];
    losses(a, 0, 20);
    losses(b, 5, 35); /* a is right on 15 that b misses, b on 5 that a misses */
    const dps_auto_trial first = {.loss = a, .rows = ROWS}, second = {.loss = b, .rows = ROWS};
    const dps_spread by = dps_auto_advantage(&search, &first, &second);
    /* mean (15 - 5) / n; error sqrt((15 + 5) / n - mean^2) / sqrt(n - 1), McNemar's */
    assert_float_equal(by.mean, 0.10, 1e-12);
    assert_float_equal(by.error, sqrt((0.20 - 0.01) / (ROWS - 1)), 1e-12);
    assert_float_equal(dps_auto_advantage(&search, &second, &first).mean, -0.10, 1e-12);
}

static void rows_that_were_never_held_out_do_not_count(void **state)
{
    (void)state;
    const dps_auto_search search = {.metric = DPS_METRIC_ACCURACY, .folds = 1};
    float a[ROWS], b[ROWS];
    losses(a, 0, 0);
    losses(b, 0, 10);
    for (int i = 50; i < ROWS; i++) {
        a[i] = b[i] = NAN;
    }
    const dps_auto_trial first = {.loss = a, .rows = ROWS}, second = {.loss = b, .rows = ROWS};
    assert_float_equal(dps_auto_advantage(&search, &first, &second).mean, 0.2, 1e-12);
}

static void other_metrics_are_compared_by_folds_in_their_own_direction(void **state)
{
    (void)state;
    const double low[FOLDS] = {0.3, 0.5}, high[FOLDS] = {0.6, 0.6};
    dps_auto_trial a = {.score = (double[]){0.3, 0.5}, .rows = ROWS};
    dps_auto_trial b = {.score = (double[]){0.6, 0.6}, .rows = ROWS};
    dps_auto_search search = {.metric = DPS_METRIC_F1, .folds = FOLDS};
    const double mean = (low[0] - high[0] + low[1] - high[1]) / FOLDS;
    const dps_spread by = dps_auto_advantage(&search, &a, &b);
    assert_float_equal(by.mean, mean, 1e-12);
    /* -0.3 and -0.1: the sample deviation is 0.2 / sqrt(2), that of the mean 0.1 */
    assert_float_equal(by.error, 0.1, 1e-12);
    search.metric = DPS_METRIC_LOG_LOSS; /* less is better */
    assert_float_equal(dps_auto_advantage(&search, &a, &b).mean, -mean, 1e-12);
}

static void one_part_is_compared_row_by_row_whatever_the_metric(void **state)
{
    (void)state;
    double first[1 + DPS_SCORE_PARTS] = {0.7, 0.02, -0.02}, second[1 + DPS_SCORE_PARTS] = {0.6};
    dps_auto_trial a = {.score = first, .rows = ROWS}, b = {.score = second, .rows = ROWS};
    const dps_auto_search search = {.metric = DPS_METRIC_AUC, .folds = 1};
    const dps_spread by = dps_auto_advantage(&search, &a, &b);
    assert_float_equal(by.mean, 0.1, 1e-12);
    assert_true(fabs(by.error - 0.02 * sqrt(2)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advantage_counts_the_rows_that_only_one_gets_right),
        cmocka_unit_test(rows_that_were_never_held_out_do_not_count),
        cmocka_unit_test(other_metrics_are_compared_by_folds_in_their_own_direction),
        cmocka_unit_test(one_part_is_compared_row_by_row_whatever_the_metric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
