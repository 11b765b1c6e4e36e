/* Losses against their definitions: conjugates, derivatives, the bound of the smoothing, the
 * proximal step. */
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
#define EPSILON              0.25 /* of the tube */

#define EACH_LOSS(loss)                                                                            \
    for (const char *const *name_ = dps_loss_names; *name_ != NULL; name_++)                       \
        for (const dps_loss *loss = dps_loss_find(*name_); loss != NULL; loss = NULL)

/* Targets that a loss may meet. */
static const double labels[] = {-1.0, 1.0}, targets[] = {-0.9, 0.0, 2.1};
#define EACH_TARGET(loss, y)                                                                       \
    for (const double *y = (loss)->regression ? targets : labels;                                  \
         y < ((loss)->regression ? targets + 3 : labels + 2); y++)

static void values_are_those_of_the_formulas(void **state)
{
    (void)state;
    assert_true(dps_loss_hinge.value(-2.0, 1.0, 9.0) == 3.0);
    assert_true(dps_loss_hinge.value(-1.5, -1.0, 9.0) == 0.0);
    assert_true(dps_loss_squared_hinge.value(2.0, -1.0, 9.0) == 9.0);
    assert_true(dps_loss_squared_hinge.value(2.0, 1.0, 9.0) == 0.0);
    assert_true(dps_loss_epsilon_insensitive.value(2.0, 5.0, 0.5) == 2.5);
    assert_true(dps_loss_epsilon_insensitive.value(5.25, 5.0, 0.5) == 0.0);
    assert_true(dps_loss_squared_epsilon_insensitive.value(2.0, -1.0, 0.5) == 6.25);
    assert_true(fabs(dps_loss_logistic.value(0.0, 1.0, 9.0) - log(2.0)) < 1e-15);
    assert_true(fabs(dps_loss_logistic.value(2.0, -1.0, 9.0) - log(1.0 + exp(2.0))) < 1e-15);
}

static void the_table_finds_names_and_the_default_of_a_task(void **state)
{
    (void)state;
    EACH_LOSS(loss)
    {
        assert_ptr_equal(dps_loss_find(loss->name), loss);
    }
    assert_null(dps_loss_find("Hinge"));
    assert_null(dps_loss_find(""));
    assert_string_equal(dps_loss_default(false)->name, "squared_hinge");
    assert_string_equal(dps_loss_default(true)->name, "squared_epsilon_insensitive");
}

/* Scores of any size: no overflow, no underflow to a wrong value, and slopes that stay feasible. */
static void the_logistic_loss_is_exact_in_both_tails(void **state)
{
    (void)state;
    const dps_loss *loss = &dps_loss_logistic;
    assert_true(loss->value(1e6, -1.0, 0.0) == 1e6 && loss->value(1e6, 1.0, 0.0) == 0.0);
    assert_true(fabs(loss->value(40.0, 1.0, 0.0) / exp(-40.0) - 1.0) < 1e-15);
    assert_true(loss->slope(-1e6, 1.0, 0.0, 1.0) == 1.0 && loss->slope(1e6, 1.0, 0.0, 1.0) == 0.0);
    assert_true(fabs(loss->slope(-40.0, -1.0, 0.0, 1.0) / -exp(-40.0) - 1.0) < 1e-15);
    assert_true(loss->bend(1e6, 1.0, 0.0, 1.0) == 0.0);
    assert_true(loss->gain(0.0, 1.0, 0.0) == 0.0 && loss->gain(-1.0, -1.0, 0.0) == 0.0);
}

/* dual(a) = min over u of loss(u) + a u, by search on a grid of step 1e-3 (error <= 1e-6 where
 * curved), from -20 to 20 (the logistic minimum at a = 1/16 and 15/16 lies within 3). */
static void dual_is_the_negative_conjugate(void **state)
{
    (void)state;
    EACH_LOSS(loss)
    {
        EACH_TARGET(loss, y)
        {
            for (double a = -0.9375; a < 1.0; a += 0.0625) {
                const double dual = dps_loss_dual(loss, a, *y, EPSILON);
                double least = INFINITY;
                for (int i = -20000; i <= 20000; i++) {
                    least = fmin(least, loss->value(1e-3 * i, *y, EPSILON) + a * 1e-3 * i);
                }
                if (!loss->regression && a * *y < 0.0) {
                    assert_true(dual == -INFINITY && least < -1.0);
                } else {
                    assert_true(fabs(least - dual) < 1e-6);
                }
            }
            assert_true(isinf(loss->dual_top) ||
                        dps_loss_dual(loss, 1.5 * loss->dual_top, *y, EPSILON) == -INFINITY);
            assert_true(loss->gain(0.0, *y, EPSILON) == 0.0);
        }
    }
}

static void many_rows_have_the_bits_of_each(void **state)
{
    enum { ROWS = 301 };
    (void)state;
    EACH_LOSS(loss)
    {
        EACH_TARGET(loss, target)
        {
            double u[ROWS], y[ROWS], smoothed[ROWS], slope[ROWS], bend[ROWS];
            for (int32_t i = 0; i < ROWS; i++) {
                u[i] = 0.02 * (i - ROWS / 2);
                y[i] = *target;
            }
            loss->rows(ROWS, u, y, EPSILON, 0.5, smoothed, slope, bend);
            for (int32_t i = 0; i < ROWS; i++) {
                assert_true(smoothed[i] == loss->smoothed(u[i], y[i], EPSILON, 0.5));
                assert_true(slope[i] == loss->slope(u[i], y[i], EPSILON, 0.5));
                assert_true(bend[i] == loss->bend(u[i], y[i], EPSILON, 0.5));
            }
        }
    }
}

static void slope_and_bend_are_derivatives_of_the_smoothed_loss(void **state)
{
    (void)state;
    const double step = 1e-6;
    EACH_LOSS(loss)
    {
        EACH_TARGET(loss, y)
        {
            for (double h = 1.0; h > 0.01; h *= 0.25) {
                for (double u = -3.013; u < 3.0; u += 0.05) {
                    const double difference = (loss->smoothed(u + step, *y, EPSILON, h) -
                                               loss->smoothed(u - step, *y, EPSILON, h)) /
                                              (2.0 * step);
                    const double slope = loss->slope(u, *y, EPSILON, h);
                    assert_true(fabs(difference + slope) < DIFFERENCE_TOLERANCE);
                    const double second = (loss->slope(u - step, *y, EPSILON, h) -
                                           loss->slope(u + step, *y, EPSILON, h)) /
                                          (2.0 * step);
                    const double bend = loss->bend(u, *y, EPSILON, h) * loss->stiffness(h);
                    assert_true(fabs(second - bend) < 1e-4 * (1.0 + loss->stiffness(h)));
                    assert_true(dps_loss_dual(loss, slope, *y, EPSILON) > -INFINITY);
                }
            }
        }
    }
}

/* A hinge by h / 4, so two of them, which overlap where the tube is narrower than h, by h / 2. */
static void smoothing_exceeds_a_hinge_by_at_most_a_quarter_of_h(void **state)
{
    (void)state;
    EACH_LOSS(loss)
    {
        EACH_TARGET(loss, y)
        {
            for (double u = -4.0; u < 4.0; u += 0.01) {
                const double excess =
                    loss->smoothed(u, *y, EPSILON, 0.5) - loss->value(u, *y, EPSILON);
                assert_true(excess >= -1e-15);
                assert_true(excess <= (loss->regression ? 0.25 : 0.125) + 1e-15);
                assert_true(!loss->smooth || excess == 0.0);
            }
        }
    }
}

/* No other multiplier does better: a grid of step 1e-3 around it, and a coarse one. */
static void the_step_minimises_the_proximal_objective(void **state)
{
    (void)state;
    const double size[] = {1e-3, 0.3, 20.0}, norm2[] = {0.0, 0.5, 30.0};
    EACH_LOSS(loss)
    {
        EACH_TARGET(loss, y)
        {
            for (int i = 0; i < 9; i++) {
                const double q = norm2[i % 3], s = size[i / 3];
                for (double u = -61.0; u < 61.0; u += 1.37) {
                    const double a = loss->step(u, *y, EPSILON, q, s);
                    const double least = loss->value(u + a * q, *y, EPSILON) * s + 0.5 * a * a * q;
                    assert_true(isfinite(a));
                    for (int j = -40; j <= 40; j++) {
                        const double b = a + (j % 2 ? 1e-3 : 0.1) * j;
                        const double other =
                            loss->value(u + b * q, *y, EPSILON) * s + 0.5 * b * b * q;
                        assert_true(other >= least - 1e-9 * (1.0 + least));
                    }
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_formulas),
        cmocka_unit_test(the_table_finds_names_and_the_default_of_a_task),
        cmocka_unit_test(the_logistic_loss_is_exact_in_both_tails),
        cmocka_unit_test(dual_is_the_negative_conjugate),
        cmocka_unit_test(many_rows_have_the_bits_of_each),
        cmocka_unit_test(slope_and_bend_are_derivatives_of_the_smoothed_loss),
        cmocka_unit_test(smoothing_exceeds_a_hinge_by_at_most_a_quarter_of_h),
        cmocka_unit_test(the_step_minimises_the_proximal_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
