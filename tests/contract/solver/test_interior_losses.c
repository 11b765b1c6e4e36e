/* The ending for few rows: the optimum at any C, for every loss. What is compared with is computed
 * here, from the weights alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"

static const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                     "squared_epsilon_insensitive", "epsilon_insensitive"};

static double scale_of(const synthetic *s, double P)
{
    return fmax(fabs(P), s->problem.C * (double)s->source.rows);
}

/* 20 rows of 40 columns can be told apart, 300 of 12 cannot: hard and soft margins. */
static void few_rows_reach_the_tolerance_at_every_C_with_every_loss(void **state)
{
    (void)state;
    const struct {
        int64_t rows;
        int32_t width;
    } shape[] = {{20, 40}, {300, 12}, {300, 400}};
    for (size_t l = 0; l < 5; l++) {
        for (size_t h = 0; h < 3; h++) {
            for (double C = 1e-6; C < 3e10; C *= 100.0) {
                synthetic *s = synthetic_new(shape[h].rows, shape[h].width, 2, losses[l], C);
                dps_solution solution;
                dps_error err;
                assert_int_equal(synthetic_solve(s, "auto", 1e-3, 1000, &solution, &err), DPS_OK);
                const double P = synthetic_primal(s, 0, solution.w);
                print_message("%s %lld x %d, C %g: %s, P %g, gap %.2g\n", losses[l],
                              (long long)shape[h].rows, shape[h].width, C, solution.solver->name, P,
                              solution.worst.gap);
                assert_int_equal(solution.outcome, DPS_CONVERGED);
                assert_true(solution.worst.gap <= 1e-3);
                assert_true(fabs(solution.worst.primal - P) <= 1e-9 * scale_of(s, P));
                dps_solution_release(&solution);
                synthetic_free(s);
            }
        }
    }
}

/* P of auto and of newton differ by no more than both gaps allow. */
static void auto_is_never_worse_than_its_best_solver(void **state)
{
    (void)state;
    for (size_t l = 0; l < 5; l++) {
        for (double C = 1e6; C < 3e10; C *= 10.0) {
            synthetic *s = synthetic_new(20, 30, 2, losses[l], C);
            dps_solution automatic, newton;
            dps_error err;
            assert_int_equal(synthetic_solve(s, "auto", 1e-3, 1000, &automatic, &err), DPS_OK);
            assert_int_equal(synthetic_solve(s, "newton", 1e-3, 1000, &newton, &err), DPS_OK);
            assert_true(automatic.worst.primal <= 1.0011 * newton.worst.primal);
            assert_true(newton.worst.primal <= 1.0011 * automatic.worst.primal);
            dps_solution_release(&automatic);
            dps_solution_release(&newton);
            synthetic_free(s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_reach_the_tolerance_at_every_C_with_every_loss),
        cmocka_unit_test(auto_is_never_worse_than_its_best_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
