/* dcd beyond the contract: stalling, shrinking, the floor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "dcd.h"

static dps_solution run_dcd(synthetic *s, double tolerance, int64_t most, bool may_stall)
{
    const dps_solver_settings settings = {
        .tolerance = tolerance, .max_iterations = most, .seed = 3};
    dps_solution solution;
    assert_int_equal(dps_solution_init(&solution, &s->problem, NULL), DPS_OK);
    assert_int_equal(dps_dcd_solve(&s->problem, &settings, may_stall, &s->run, &solution, NULL),
                     DPS_OK);
    return solution;
}

static void it_stalls_only_where_the_gap_comes_too_late_and_only_if_it_may(void **state)
{
    (void)state;
    synthetic *hard = synthetic_new(3000, 40, 2, "hinge", 3000.0);
    synthetic *easy = synthetic_new(3000, 40, 2, "hinge", 0.1);
    dps_solution solution = run_dcd(hard, 1e-3, 1000, true);
    assert_int_equal(solution.outcome, DPS_STALLED);
    assert_true(solution.iterations >= 20 && solution.iterations < 300);
    assert_true(solution.certificate[0].gap > 1e-3);
    dps_solution_release(&solution);
    solution = run_dcd(hard, 1e-3, 60, false);
    assert_int_equal(solution.outcome, DPS_ITERATION_LIMIT);
    assert_int_equal(solution.iterations, 60);
    dps_solution_release(&solution);
    solution = run_dcd(easy, 1e-3, 1000, true);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    dps_solution_release(&solution);
    synthetic_free(hard);
    synthetic_free(easy);
}

/* Rows far from the margin are left alone: most passes look at few rows. */
static void shrinking_saves_most_visits(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(6000, 20, 2, "hinge", 1.0);
    dps_solution solution = run_dcd(s, 1e-5, 3000, false);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    assert_true(solution.row_visits < 0.6 * 6000.0 * (double)solution.iterations);
    dps_solution_release(&solution);
    synthetic_free(s);
}

static int64_t fetched[3]; /* by tile */

static dps_status count_and_get(const void *context, int64_t t, float *buffer, void *scratch,
                                dps_z_tile *tile, dps_error *err)
{
    fetched[t]++;
    return synthetic_get(context, t, buffer, scratch, tile, err);
}

/* Of the middle tile all rows lie far from the margin of the models that take long; the model of a
 * class without rows, for which they are near, is done before. */
static void rows_of_interest_to_a_model_that_is_done_are_not_fetched(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(3 * DPS_TILE_ROWS, 10, 3, "hinge", 1.0);
    for (int64_t i = 0; i < s->source.rows; i++) {
        float *z = s->z + (size_t)i * s->source.stride;
        const double noise = 0.3 * synthetic_normal((uint32_t)i, 4, 0);
        s->label[i] = (double)z[0] + noise > 0.0 ? 0 : 1;
        if (i / DPS_TILE_ROWS == 1) {
            z[0] = s->label[i] == 0 ? 3.0f : -3.0f;
        }
    }
    s->source.resident = false;
    s->source.get = count_and_get;
    memset(fetched, 0, sizeof fetched);
    dps_solution solution = run_dcd(s, 1e-5, 3000, false);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    print_message("%lld passes, tiles fetched %lld, %lld, %lld times\n",
                  (long long)solution.iterations, (long long)fetched[0], (long long)fetched[1],
                  (long long)fetched[2]);
    assert_int_equal(fetched[0], fetched[2]);
    assert_true(fetched[1] < fetched[0] / 2);
    dps_solution_release(&solution);
    synthetic_free(s);
}

static void a_start_that_is_not_zero_is_of_no_consequence(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(1000, 10, 2, "squared_hinge", 1.0);
    const dps_solver_settings settings = {.tolerance = 1e-4, .max_iterations = 1000, .seed = 3};
    dps_solution cold = run_dcd(s, 1e-4, 1000, false), warm;
    assert_int_equal(dps_solution_init(&warm, &s->problem, NULL), DPS_OK);
    warm.w[3] = 7.0;
    assert_int_equal(dps_dcd_solve(&s->problem, &settings, false, &s->run, &warm, NULL), DPS_OK);
    assert_memory_equal(cold.w, warm.w, cold.length * sizeof(double));
    dps_solution_release(&cold);
    dps_solution_release(&warm);
    synthetic_free(s);
}

static void rows_of_zeros_do_no_harm(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        synthetic *s = synthetic_new(800, 10, 2, losses[l], 1.0);
        memset(s->z, 0, 40 * s->source.stride * sizeof(float));
        dps_solution solution = run_dcd(s, 1e-4, 3000, false);
        assert_int_equal(solution.outcome, DPS_CONVERGED);
        assert_true(solution.certificate[0].gap <= 1e-4);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* Other seeds, other orders of visits; the same optimum. */
static void the_seed_changes_the_order_and_not_the_optimum(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(3000, 15, 2, "squared_hinge", 1.0);
    dps_solution a = run_dcd(s, 1e-6, 1000, false), b;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "dcd", 1e-6, 1000, &b, &err), DPS_OK);
    assert_memory_not_equal(a.w, b.w, a.length * sizeof(double));
    assert_true(fabs(a.certificate[0].primal - b.worst.primal) <= 1e-6 * b.worst.primal);
    dps_solution_release(&a);
    dps_solution_release(&b);
    synthetic_free(s);
}

static void a_tolerance_beyond_the_arithmetic_ends_at_the_numerical_floor(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(700, 10, 2, "squared_hinge", 1.0);
    dps_solution solution = run_dcd(s, 1e-300, 5000, false);
    assert_true(solution.outcome == DPS_NUMERICAL_FLOOR || solution.certificate[0].gap == 0.0);
    assert_true(solution.certificate[0].gap < 1e-13);
    dps_solution_release(&solution);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stalls_only_where_the_gap_comes_too_late_and_only_if_it_may),
        cmocka_unit_test(shrinking_saves_most_visits),
        cmocka_unit_test(rows_of_interest_to_a_model_that_is_done_are_not_fetched),
        cmocka_unit_test(a_start_that_is_not_zero_is_of_no_consequence),
        cmocka_unit_test(rows_of_zeros_do_no_harm),
        cmocka_unit_test(the_seed_changes_the_order_and_not_the_optimum),
        cmocka_unit_test(a_tolerance_beyond_the_arithmetic_ends_at_the_numerical_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
