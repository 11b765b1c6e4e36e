/* Errors of predicted numbers against their definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "residuals.h"

#define ROWS 1000
/* 1000 additions in two orders: 1000 * 2^-53 = 1.2e-13 relative. */
#define SUM_TOLERANCE 1e-12

static double target(int i)
{
    return 1e6 + (i * 37 % 101) * 0.25; /* far from 0 */
}

static double prediction(int i)
{
    return target(i) + (i * 11 % 13) * 0.125 - 0.5;
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= SUM_TOLERANCE * fabs(b));
}

static void figures_are_those_of_the_definitions(void **state)
{
    (void)state;
    dps_residuals all = {0};
    double squares = 0, absolute = 0, mean = 0, spread = 0;
    for (int i = 0; i < ROWS; i++) {
        dps_residuals_add(&all, target(i), prediction(i), 1);
        squares += pow(target(i) - prediction(i), 2);
        absolute += fabs(target(i) - prediction(i));
        mean += (target(i) - 1e6) / ROWS;
    }
    for (int i = 0; i < ROWS; i++) {
        spread += pow(target(i) - 1e6 - mean, 2);
    }
    assert_near(dps_residuals_rmse(&all), sqrt(squares / ROWS));
    assert_near(dps_residuals_mae(&all), absolute / ROWS);
    /* the running mean near 1e6 rounds by 1e6 2^-53 = 1e-10 a row, the targets differ by 10 */
    assert_true(fabs(dps_residuals_r2(&all) - (1 - squares / spread)) < 1e-10);
}

static void parts_merge_to_the_whole(void **state)
{
    (void)state;
    dps_residuals whole = {0}, merged = {0};
    for (int begin = 0; begin < ROWS; begin += 384) {
        dps_residuals part = {0};
        for (int i = begin; i < ROWS && i < begin + 384; i++) {
            dps_residuals_add(&whole, target(i), prediction(i), 1);
            dps_residuals_add(&part, target(i), prediction(i), 1);
        }
        dps_residuals_merge(&merged, &part);
        dps_residuals_merge(&merged, &(dps_residuals){0});
    }
    assert_int_equal(merged.rows, ROWS);
    assert_near(merged.squares, whole.squares);
    assert_near(merged.absolute, whole.absolute);
    assert_near(merged.mean, whole.mean);
    assert_true(fabs(merged.spread / whole.spread - 1) < 1e-10);
}

static void what_does_not_exist_is_nan(void **state)
{
    (void)state;
    dps_residuals none = {0}, equal = {0};
    assert_true(isnan(dps_residuals_rmse(&none)) && isnan(dps_residuals_mae(&none)));
    assert_true(isnan(dps_residuals_r2(&none)));
    dps_residuals_add(&equal, 3, 2, 1);
    dps_residuals_add(&equal, 3, 5, 1);
    assert_true(isnan(dps_residuals_r2(&equal)));
    assert_true(dps_residuals_mae(&equal) == 1.5 && dps_residuals_rmse(&equal) == sqrt(2.5));
}

static void a_row_of_weight_k_is_k_rows(void **state)
{
    (void)state;
    dps_residuals weighted = {0}, copies = {0};
    for (int i = 0; i < ROWS; i++) {
        const int k = 1 + i * i % 4;
        dps_residuals_add(&weighted, target(i), prediction(i), k);
        for (int c = 0; c < k; c++) {
            dps_residuals_add(&copies, target(i), prediction(i), 1);
        }
    }
    assert_true(weighted.weight == (double)copies.rows && weighted.rows == ROWS);
    assert_near(dps_residuals_rmse(&weighted), dps_residuals_rmse(&copies));
    assert_near(dps_residuals_mae(&weighted), dps_residuals_mae(&copies));
    assert_true(fabs(dps_residuals_r2(&weighted) - dps_residuals_r2(&copies)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definitions),
        cmocka_unit_test(parts_merge_to_the_whole),
        cmocka_unit_test(what_does_not_exist_is_nan),
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
