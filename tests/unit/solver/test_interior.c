/* The ending for few rows: the optimum at any C, for every loss, and every solver that can hand
 * over to it. What is compared with is computed here, from the weights alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "interior_private.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_reach_the_tolerance_at_every_C_with_every_loss),
        cmocka_unit_test(auto_is_never_worse_than_its_best_solver),
        cmocka_unit_test(it_agrees_with_dcd_where_rows_have_weights_and_classes_are_three),
        cmocka_unit_test(inner_products_are_those_of_dense_and_sparse_columns),
        cmocka_unit_test(the_solver_that_began_is_kept_through_every_hand_over),
        cmocka_unit_test(rows_of_weight_0_have_a_multiplier_of_0),
        cmocka_unit_test(few_rows_of_sgd_are_ended_too_and_limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
