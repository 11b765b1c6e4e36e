/* Losses against their definitions: conjugates, derivatives, the bound of the smoothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "loss.h"

/* Central differences with step 1e-6 of functions with second derivative <= 50: 1e-6 * 50 / 2 at a
 * kink. */
#define DIFFERENCE_TOLERANCE 1e-4

static const char *const names[] = {"squared_hinge", "hinge"};
#define EACH_LOSS(loss)                                                                            \
    for (size_t i_ = 0; i_ < 2; i_++)                                                              \
        for (const dps_loss *loss = dps_loss_find(names[i_]); loss != NULL; loss = NULL)

static void values_are_those_of_the_formulas(void **state)
{
    (void)state;
    assert_true(dps_loss_hinge.value(-2.0) == 3.0 && dps_loss_hinge.value(1.5) == 0.0);
    assert_true(dps_loss_squared_hinge.value(-2.0) == 9.0 &&
                dps_loss_squared_hinge.value(2.0) == 0.0);
    assert_ptr_equal(dps_loss_find("hinge"), &dps_loss_hinge);
    assert_null(dps_loss_find("Hinge"));
    assert_null(dps_loss_find(""));
    assert_string_equal(dps_loss_names()[0], "squared_hinge");
    assert_null(dps_loss_names()[2]);
}

/* dual(a) = min over m of loss(m) + a m, by search on a grid of step 1e-3 (error <= 1e-6 where
 * curved). */
static void dual_is_the_negative_conjugate(void **state)
{
    (void)state;
    EACH_LOSS(loss)
    {
        for (double a = 0.0; a <= 1.0; a += 0.0625) {
            double least = INFINITY;
            for (int m = -5000; m <= 5000; m++) {
                least = fmin(least, loss->value(1e-3 * m) + a * 1e-3 * m);
            }
            assert_true(fabs(least - loss->dual(a)) < 1e-6);
            assert_true(loss->dual(a) == a - loss->dual_bend * a * a);
        }
        assert_true(loss->dual(-0.1) == -INFINITY);
        assert_true(loss->dual(1.5 * loss->dual_top) == -INFINITY || isinf(loss->dual_top));
    }
}

static void slope_is_the_negative_derivative_of_the_smoothed_loss(void **state)
{
    (void)state;
    const double step = 1e-6;
    EACH_LOSS(loss)
    {
        for (double h = 1.0; h > 0.01; h *= 0.25) {
            for (double m = -3.013; m < 3.0; m += 0.05) {
                const double difference =
                    (loss->smoothed(m + step, h) - loss->smoothed(m - step, h)) / (2.0 * step);
                assert_true(fabs(difference + loss->slope(m, h)) < DIFFERENCE_TOLERANCE);
                const double second =
                    (loss->slope(m - step, h) - loss->slope(m + step, h)) / (2.0 * step);
                const double stiffness = loss->bends(m, h) ? loss->stiffness(h) : 0.0;
                assert_true(fabs(second - stiffness) < 1e-4 * (1.0 + stiffness));
            }
        }
    }
}

static void smoothing_exceeds_the_loss_by_at_most_a_quarter_of_h(void **state)
{
    (void)state;
    EACH_LOSS(loss)
    {
        for (double m = -2.0; m < 3.0; m += 0.01) {
            const double excess = loss->smoothed(m, 0.5) - loss->value(m);
            assert_true(excess >= -1e-15 && excess <= 0.125 + 1e-15);
            assert_true(!loss->smooth || excess == 0.0);
            assert_true(loss->slope(m, 0.5) >= 0.0 && loss->slope(m, 0.5) <= loss->dual_top);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_formulas),
        cmocka_unit_test(dual_is_the_negative_conjugate),
        cmocka_unit_test(slope_is_the_negative_derivative_of_the_smoothed_loss),
        cmocka_unit_test(smoothing_exceeds_the_loss_by_at_most_a_quarter_of_h),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
