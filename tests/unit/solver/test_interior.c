/* The ending for few rows: for every loss, and every solver that can hand over to it. At any C:
 * tests/contract/solver/test_interior_losses.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "interior_private.h"

static const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                     "squared_epsilon_insensitive", "epsilon_insensitive"};

/* Alone: against dcd where dcd is good, with rows left out and several classes. */
static void it_agrees_with_dcd_where_rows_have_weights_and_classes_are_three(void **state)
{
    (void)state;
    for (size_t l = 0; l < 5; l++) {
        synthetic *s = synthetic_new(500, 10, 3, losses[l], 0.5);
        const bool regression = s->problem.loss->regression;
        const dps_solver_settings settings = {.tolerance = 1e-6, .max_iterations = 9000, .seed = 1};
        double weight[500];
        dps_solution dcd, mine;
        dps_error err;
        for (int i = 0; i < 500; i++) {
            weight[i] = (double)(i % 3);
        }
        s->problem.row_weight = weight;
        s->class_weight[1] = 2.0;
        assert_int_equal(synthetic_solve(s, "dcd", 1e-6, 9000, &dcd, &err), DPS_OK);
        assert_int_equal(dps_solution_init(&mine, &s->problem, &err), DPS_OK);
        for (int32_t k = 0; k < mine.models; k++) {
            mine.certificate[k].gap = INFINITY;
        }
        mine.solver = &dps_solver_dcd;
        assert_int_equal(dps_interior_finish(&s->problem, &settings, &s->run, &mine, &err), DPS_OK);
        dps_solution_judge(&mine, 1e-6);
        assert_int_equal(mine.models, regression ? 1 : 3);
        assert_int_equal(mine.outcome, DPS_CONVERGED);
        assert_true(fabs(mine.worst.primal - dcd.worst.primal) <= 2e-6 * dcd.worst.primal);
        assert_true(mine.iterations < 40);
        dps_solution_release(&dcd);
        dps_solution_release(&mine);
        synthetic_free(s);
    }
}

static void inner_products_are_those_of_dense_and_sparse_columns(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(400, 7, 2, "hinge", 1.0); /* two tiles */
    synthetic_add_sparse(s, 30);
    s->source.resident = false;
    const size_t length = dps_weight_length(&s->source);
    double *gram = dps_alloc(400 * 400, sizeof *gram), *w = dps_alloc(length, sizeof *w);
    dps_error err;
    dps_few_rows few;
    assert_int_equal(dps_few_rows_gather(&few, &s->problem, &s->run, &err), DPS_OK);
    assert_int_equal(dps_few_rows_gram(&few, &s->run, gram, &err), DPS_OK);
    dps_few_rows_release(&few);
    for (int64_t j = 0; j < 400; j += 7) {
        memset(w, 0, length * sizeof *w);
        for (int32_t c = 0; c < 7; c++) {
            w[c] = (double)s->z[(size_t)j * s->source.stride + (size_t)c];
        }
        for (int64_t e = s->start[j]; e < s->start[j + 1]; e++) {
            w[s->source.stride + (size_t)s->column[e]] += s->sparse_scale * (double)s->value[e];
        }
        for (int64_t i = 0; i < 400; i++) {
            assert_true(fabs(gram[i * 400 + j] - synthetic_score(s, w, i)) < 1e-13);
            assert_true(gram[i * 400 + j] == gram[j * 400 + i]);
        }
    }
    dps_free(gram);
    dps_free(w);
    synthetic_free(s);
}

/* An sgd whose objective has settled goes on to the tolerance; a limit stays a limit. */
static void few_rows_of_sgd_are_ended_too_and_limits_are_kept(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(200, 10, 2, "hinge", 10.0);
    dps_solution solution;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "sgd", 1e-3, 1000, &solution, &err), DPS_OK);
    assert_ptr_equal(solution.solver, &dps_solver_interior);
    assert_ptr_equal(solution.first_solver, &dps_solver_sgd);
    assert_int_equal(solution.outcome, DPS_CONVERGED);
    dps_solution_release(&solution);
    assert_int_equal(synthetic_solve(s, "sgd", 1e-3, 3, &solution, &err), DPS_OK);
    assert_ptr_equal(solution.solver, &dps_solver_sgd);
    assert_int_equal(solution.outcome, DPS_ITERATION_LIMIT);
    dps_solution_release(&solution);
    synthetic_free(s);
}

static void the_solver_that_began_is_kept_through_every_hand_over(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(300, 400, 2, "hinge", 1e4);
    dps_solution solution;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "auto", 1e-3, 1000, &solution, &err), DPS_OK);
    assert_ptr_equal(solution.solver, &dps_solver_interior);
    assert_ptr_equal(solution.first_solver, &dps_solver_dcd);
    /* nothing better to find: the solver stays */
    solution.solver = &dps_solver_newton;
    for (int32_t k = 0; k < solution.models; k++) {
        solution.certificate[k].gap = 0.0;
    }
    const dps_solver_settings settings = {.tolerance = 1e-3, .max_iterations = 9, .seed = 1};
    assert_int_equal(dps_interior_finish(&s->problem, &settings, &s->run, &solution, &err), DPS_OK);
    assert_ptr_equal(solution.solver, &dps_solver_newton);
    dps_solution_release(&solution);
    synthetic_free(s);
}

static void rows_of_weight_0_have_a_multiplier_of_0(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(60, 8, 2, "hinge", 1.0);
    double weight[60], gram[60 * 60] = {0}, alpha[60];
    dps_few_rows few;
    dps_error err;
    int64_t steps = 0;
    for (int i = 0; i < 60; i++) {
        weight[i] = (double)(i % 3);
        alpha[i] = 7.0;
    }
    s->problem.row_weight = weight;
    assert_int_equal(dps_few_rows_gather(&few, &s->problem, &s->run, &err), DPS_OK);
    assert_int_equal(dps_few_rows_gram(&few, &s->run, gram, &err), DPS_OK);
    assert_int_equal(
        dps_interior_solve(&few.problem, 0, gram, 1e-6, &s->run, alpha, 1, &steps, &err), DPS_OK);
    for (int i = 0; i < 60; i++) {
        assert_true(i % 3 != 0 || alpha[i] == 0.0);
    }
    dps_few_rows_release(&few);
    synthetic_free(s);
}

/* Powers of 2 change no digit: the same steps, and multipliers of the other unit. */
static void the_unit_of_the_target_changes_no_step(void **state)
{
    (void)state;
    enum { ROWS = 60 };
    const double unit = 0x1p-20;
    for (size_t l = 3; l < 5; l++) {
        synthetic *s = synthetic_new(ROWS, 8, 2, losses[l], 1.0);
        double gram[ROWS * ROWS] = {0}, alpha[2][ROWS];
        dps_few_rows few;
        dps_error err;
        int64_t steps[2] = {0, 0};
        assert_int_equal(dps_few_rows_gather(&few, &s->problem, &s->run, &err), DPS_OK);
        assert_int_equal(dps_few_rows_gram(&few, &s->run, gram, &err), DPS_OK);
        for (int v = 0; v < 2; v++) {
            assert_int_equal(dps_interior_solve(&s->problem, 0, gram, 1e-6, &s->run, alpha[v], 1,
                                                &steps[v], &err),
                             DPS_OK);
            for (int i = 0; i < ROWS; i++) {
                s->target[i] *= unit;
            }
            s->problem.epsilon *= unit;
            s->problem.C *= l == 4 ? unit : 1.0; /* a bound of multipliers */
        }
        assert_true(steps[0] > 3 && steps[0] == steps[1]);
        for (int i = 0; i < ROWS; i++) {
            assert_true(alpha[1][i] == unit * alpha[0][i]);
        }
        dps_few_rows_release(&few);
        synthetic_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_dcd_where_rows_have_weights_and_classes_are_three),
        cmocka_unit_test(inner_products_are_those_of_dense_and_sparse_columns),
        cmocka_unit_test(the_solver_that_began_is_kept_through_every_hand_over),
        cmocka_unit_test(rows_of_weight_0_have_a_multiplier_of_0),
        cmocka_unit_test(the_unit_of_the_target_changes_no_step),
        cmocka_unit_test(few_rows_of_sgd_are_ended_too_and_limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
