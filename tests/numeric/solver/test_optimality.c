/* Optimality re-checked without the solvers: gradients by differences, Karush-Kuhn-Tucker
 * conditions, and that no small change of the weights does better. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"

static void solve(synthetic *s, const char *solver, double tolerance, dps_solution *solution)
{
    dps_error err;
    assert_int_equal(synthetic_solve(s, solver, tolerance, 20000, solution, &err), DPS_OK);
    assert_int_equal(solution->outcome, DPS_CONVERGED);
}

/* At a gap of 1e-9 P is within 1e-9 P* of its minimum, and P is 1-strongly convex: |grad P|^2 <= 2
 * L (P - P*) with L <= 1 + 2 C sum |z|^2 <= 1 + 4 C n. */
static void gradient_of_a_smooth_loss_vanishes(void **state)
{
    (void)state;
    const struct {
        const char *solver, *loss;
    } task[] = {{"dcd", "squared_hinge"},
                {"newton", "squared_hinge"},
                {"newton", "logistic"},
                {"dcd", "logistic"},
                {"dcd", "squared_epsilon_insensitive"},
                {"newton", "squared_epsilon_insensitive"}};
    for (size_t v = 0; v < sizeof task / sizeof task[0]; v++) {
        synthetic *s = synthetic_new(600, 10, 2, task[v].loss, 1.0);
        dps_solution solution;
        solve(s, task[v].solver, 1e-9, &solution);
        double g2 = 0.0;
        for (int32_t j = 0; j < 10; j++) {
            const double step = 1e-4, at = solution.w[j];
            solution.w[j] = at + step;
            const double above = synthetic_primal(s, 0, solution.w);
            solution.w[j] = at - step;
            const double below = synthetic_primal(s, 0, solution.w);
            solution.w[j] = at;
            g2 += pow((above - below) / (2.0 * step), 2.0);
        }
        const double bound = 2.0 * (1.0 + 4.0 * 600.0) * 1e-9 * solution.worst.primal;
        print_message("%s %s: |grad P|^2 = %.3g, allowed %.3g\n", task[v].solver, task[v].loss, g2,
                      bound);
        assert_true(g2 <= bound + 1e-4); /* and the kinks of P'' within the step */
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* |w - w*|^2 <= 2 (P - P*): margins are within d = |z| sqrt(2 gap P) of the optimum's. Hinge:
 * alpha_i = C for margins below 1 - d, 0 above 1 + d, so that w - C sum_{below} y z is in C times
 * the span of the few rows between, with multipliers in [0, 1]: least squares over them must leave
 * next to nothing. Checked through its consequence along w: <w, w> lies between the sums with
 * multiplier 0 and 1 on the rows between. */
static void hinge_solution_obeys_the_conditions_of_karush_kuhn_and_tucker(void **state)
{
    (void)state;
    const char *const solvers[] = {"dcd", "newton"};
    for (size_t v = 0; v < 2; v++) {
        synthetic *s = synthetic_new(1200, 8, 2, "hinge", 1.0);
        dps_solution solution;
        solve(s, solvers[v], 1e-8, &solution);
        const double d = 4.0 * sqrt(2e-8 * solution.worst.primal);
        double least = 0.0, most = 0.0, w2 = 0.0;
        int between = 0;
        for (int64_t i = 0; i < 1200; i++) {
            const double margin = synthetic_y(s, 0, i) * synthetic_score(s, solution.w, i);
            if (margin < 1.0 - d) {
                least += margin;
                most += margin;
            } else if (margin <= 1.0 + d) {
                between++;
                most += margin;
            }
        }
        for (int32_t j = 0; j < 8; j++) {
            w2 += solution.w[j] * solution.w[j];
        }
        print_message("%s: |w|^2 = %.6f in [%.6f, %.6f], %d rows at the margin\n", solvers[v], w2,
                      least, most, between);
        assert_true(between >= 1 && between < 100);
        assert_true(w2 >= least - 100.0 * d && w2 <= most + 100.0 * d);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

static void no_small_change_of_the_weights_does_better(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        synthetic *s = synthetic_new(1000, 12, 2, losses[l], 3.0);
        dps_solution solution;
        solve(s, "newton", 1e-7, &solution);
        const double P = synthetic_primal(s, 0, solution.w);
        for (uint32_t trial = 0; trial < 200; trial++) {
            double w[16];
            memcpy(w, solution.w, sizeof w);
            for (uint32_t j = 0; j < 12; j++) {
                w[j] += pow(10.0, -(double)(trial % 5)) * 0.1 * synthetic_normal(trial, 21, j);
            }
            assert_true(synthetic_primal(s, 0, w) >= P * (1.0 - 1e-7));
        }
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* The promise for sgd at C = 1 and mean |z|^2 about 1: 2 % of the optimum within 20 epochs. */
static void sgd_comes_within_two_percent_in_twenty_epochs(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    const struct {
        int64_t rows;
        int32_t width;
    } shape[] = {{4000, 100}, {12000, 60}, {6000, 200}};
    for (size_t l = 0; l < 5; l++) {
        for (size_t i = 0; i < 3; i++) {
            synthetic *s = synthetic_new(shape[i].rows, shape[i].width, 2, losses[l], 1.0);
            dps_solution best, solution;
            dps_error err;
            solve(s, "newton", 1e-4, &best);
            for (int sorted = 0; sorted <= 1; sorted++) {
                assert_int_equal(synthetic_solve(s, "sgd", 1e-3, 20, &solution, &err), DPS_OK);
                const double excess = solution.worst.primal / best.worst.primal - 1.0;
                print_message("%s %lld x %d: %.2f %% after %lld epochs\n", losses[l],
                              (long long)shape[i].rows, (int)shape[i].width, 100.0 * excess,
                              (long long)solution.iterations);
                assert_true(excess <= 0.02);
                dps_solution_release(&solution);
                synthetic_sort(s);
            }
            dps_solution_release(&best);
            synthetic_free(s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_of_a_smooth_loss_vanishes),
        cmocka_unit_test(hinge_solution_obeys_the_conditions_of_karush_kuhn_and_tucker),
        cmocka_unit_test(no_small_change_of_the_weights_does_better),
        cmocka_unit_test(sgd_comes_within_two_percent_in_twenty_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
