/* The table of solvers, the choice "auto", and the hand-over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"

static void solvers_are_found_by_name(void **state)
{
    (void)state;
    const char *const *names = dps_solver_names;
    assert_string_equal(names[0], "auto");
    for (size_t i = 1; names[i] != NULL; i++) {
        assert_string_equal(dps_solver_find(names[i])->name, names[i]);
    }
    assert_null(dps_solver_find("auto"));
    assert_null(dps_solver_find("cd"));
}

static void auto_looks_at_loss_width_and_sparse_columns_only(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(400, 5, 2, "squared_hinge", 1.0);
    assert_ptr_equal(dps_solver_choose(NULL, &s->problem), &dps_solver_newton);
    s->source.width = 5000;
    assert_ptr_equal(dps_solver_choose(NULL, &s->problem), &dps_solver_dcd);
    s->source.width = 5;
    s->source.sparse_columns = 1;
    assert_ptr_equal(dps_solver_choose(NULL, &s->problem), &dps_solver_dcd);
    s->source.sparse_columns = 0;
    s->problem.loss = &dps_loss_hinge;
    assert_ptr_equal(dps_solver_choose(NULL, &s->problem), &dps_solver_dcd);
    assert_ptr_equal(dps_solver_choose(&dps_solver_sgd, &s->problem), &dps_solver_sgd);
    synthetic_free(s);
}

static void count_warning(void *context, dps_level level, const char *text)
{
    int *warnings = context;
    *warnings += level == DPS_WARNING && strstr(text, "newton takes over") != NULL;
}

static void a_dcd_that_stalls_hands_over_to_newton_with_a_warning(void **state)
{
    (void)state;
    int warnings = 0;
    const dps_log log = {.level = DPS_NORMAL, .write = count_warning, .context = &warnings};
    synthetic *s = synthetic_new(3000, 40, 2, "hinge", 3000.0);
    s->run.log = &log;
    dps_solution solution;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "auto", 1e-3, 1000, &solution, &err), DPS_OK);
    assert_int_equal(warnings, 1);
    assert_ptr_equal(solution.solver, &dps_solver_newton);
    assert_ptr_equal(solution.first_solver, &dps_solver_dcd);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    assert_true(solution.worst.gap <= 1e-3);
    assert_true(solution.iterations > 20); /* of both */
    dps_solution_release(&solution);
    /* asked for by name, dcd goes on */
    assert_int_equal(synthetic_solve(s, "dcd", 1e-3, 50, &solution, &err), DPS_OK);
    assert_int_equal(solution.outcome, DPS_ITERATION_LIMIT);
    assert_null(solution.first_solver);
    dps_solution_release(&solution);
    synthetic_free(s);
}

/* Whatever ended the work, the word is the certificate's. */
static void converged_is_what_the_largest_gap_says(void **state)
{
    (void)state;
    dps_certificate certificate[2] = {{10.0, 9.99, 1e-3}, {5.0, 5.0, 0.0}};
    dps_solution solution = {.models = 2, .certificate = certificate};
    const dps_outcome ends[] = {DPS_CONVERGED,       DPS_SETTLED,       DPS_ITERATION_LIMIT,
                                DPS_NUMERICAL_FLOOR, DPS_STOPPED_EARLY, DPS_STALLED};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        solution.outcome = ends[i];
        dps_solution_judge(&solution, 1e-3);
        assert_int_equal(solution.outcome, DPS_CONVERGED);
        solution.outcome = ends[i];
        dps_solution_judge(&solution, 0.999e-3);
        assert_int_equal(solution.outcome,
                         ends[i] == DPS_CONVERGED ? DPS_NUMERICAL_FLOOR : ends[i]);
    }
    assert_true(solution.worst.primal == 15.0 && solution.worst.gap == 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converged_is_what_the_largest_gap_says),
        cmocka_unit_test(solvers_are_found_by_name),
        cmocka_unit_test(auto_looks_at_loss_width_and_sparse_columns_only),
        cmocka_unit_test(a_dcd_that_stalls_hands_over_to_newton_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
