/* newton beyond the contract: refusals, warm starts, large C, the floor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"

static void newton_refuses_sparse_columns_and_a_hessian_beyond_memory(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(400, 50, 2, "squared_hinge", 1.0);
    dps_solution solution;
    dps_error err;
    s->run.memory = 100000;
    assert_int_equal(synthetic_solve(s, "newton", 1e-3, 10, &solution, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "run.memory"));
    dps_solution_release(&solution);
    synthetic_add_sparse(s, 30);
    assert_int_equal(synthetic_solve(s, "newton", 1e-3, 10, &solution, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "dcd"));
    dps_solution_release(&solution);
    synthetic_free(s);
}

static void newton_starts_from_the_weights_it_is_given(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(3000, 20, 2, "squared_hinge", 1.0);
    const dps_solver_settings settings = {.tolerance = 1e-6, .max_iterations = 100, .seed = 1};
    dps_solution solution;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "newton", 1e-6, 100, &solution, &err), DPS_OK);
    assert_true(solution.iterations > 1);
    assert_int_equal(
        dps_solve(&dps_solver_newton, &s->problem, &settings, &s->run, &solution, &err), DPS_OK);
    assert_int_equal(solution.iterations, 0);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    dps_solution_release(&solution);
    synthetic_free(s);
}

static void a_tolerance_beyond_the_arithmetic_ends_at_the_numerical_floor(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        synthetic *s = synthetic_new(700, 10, 2, losses[l], 1.0);
        dps_solution solution;
        dps_error err;
        assert_int_equal(synthetic_solve(s, "newton", 1e-300, 5000, &solution, &err), DPS_OK);
        assert_true(solution.outcome == DPS_NUMERICAL_FLOOR || solution.worst.gap == 0.0);
        assert_true(solution.worst.gap < 1e-8);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* Float sums make the Hessian inexact by about 1e-7 of its largest entries: at C = 1e6 that is far
 * more than the identity in it. The gradient is exact, so the gap is reached all the same. */
static void inexact_hessians_at_large_C_cost_steps_and_not_accuracy(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        synthetic *s = synthetic_new(2000, 30, 2, losses[l], 1e6);
        dps_solution solution;
        dps_error err;
        assert_int_equal(synthetic_solve(s, "newton", 1e-3, 1000, &solution, &err), DPS_OK);
        print_message("%s: %lld steps, gap %.2g\n", losses[l], (long long)solution.iterations,
                      solution.worst.gap);
        assert_int_equal(solution.outcome, DPS_CONVERGED);
        assert_true(solution.worst.gap <= 1e-3);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* Columns twice over: float sums make H indefinite, and a ridge alone would cost hundreds of steps;
 * from then on the sums are of doubles. */
static void an_indefinite_hessian_is_made_again_of_double_sums(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        synthetic *s = synthetic_new(3000, 60, 2, losses[l], 1e6);
        for (size_t i = 0; i < 3000; i++) {
            float *z = s->z + i * s->source.stride;
            for (size_t j = 0; j < 29; j++) {
                z[58 - j] = z[j] * (1.0f + 1e-4f * (float)(i % 2));
            }
        }
        dps_solution solution;
        dps_error err;
        assert_int_equal(synthetic_solve(s, "newton", 1e-3, 1000, &solution, &err), DPS_OK);
        print_message("%s: %lld steps, gap %.2g\n", losses[l], (long long)solution.iterations,
                      solution.worst.gap);
        assert_int_equal(solution.outcome, DPS_CONVERGED);
        assert_true(solution.iterations <= 30);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* 64 tiles of 384 rows and few columns: the tiles are thinned to 1/16 and 1/4 first, which must not
 * end the run. */
static void levels_on_part_of_the_rows_lead_to_the_optimum_of_all(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(64 * DPS_TILE_ROWS, 6, 2, "squared_hinge", 1.0);
    dps_solution solution, dcd;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "newton", 1e-6, 100, &solution, &err), DPS_OK);
    assert_int_equal(synthetic_solve(s, "dcd", 1e-6, 1000, &dcd, &err), DPS_OK);
    assert_true(fabs(solution.worst.primal - dcd.worst.primal) <= 1e-6 * dcd.worst.primal);
    assert_true(solution.row_visits / (double)s->source.rows < 3.0 * (double)solution.iterations);
    dps_solution_release(&solution);
    dps_solution_release(&dcd);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_refuses_sparse_columns_and_a_hessian_beyond_memory),
        cmocka_unit_test(newton_starts_from_the_weights_it_is_given),
        cmocka_unit_test(a_tolerance_beyond_the_arithmetic_ends_at_the_numerical_floor),
        cmocka_unit_test(inexact_hessians_at_large_C_cost_steps_and_not_accuracy),
        cmocka_unit_test(an_indefinite_hessian_is_made_again_of_double_sums),
        cmocka_unit_test(levels_on_part_of_the_rows_lead_to_the_optimum_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
