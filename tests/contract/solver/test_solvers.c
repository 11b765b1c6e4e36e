/* What every solver promises, for every loss it takes: the same optimum, a certificate that holds,
 * class weights, one-vs-rest, the same bits for any number of threads and for tiles in memory or
 * made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"

/* Values of P computed in two orders of summation over 1e4 rows: 1e4 * 2^-53 = 1e-12. */
#define SUM_TOLERANCE 1e-11

static const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                     "squared_epsilon_insensitive", "epsilon_insensitive"};
static const char *const class_losses[] = {"squared_hinge", "hinge", "logistic"};
static const char *const exact[] = {"dcd", "newton"}; /* that stop on the gap */
static const char *const all[] = {"dcd", "newton", "sgd"};

#define EACH(item, list)                                                                           \
    size_t item = 0;                                                                               \
    item < sizeof(list) / sizeof((list)[0]);                                                       \
    item++

static void assert_near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)))) {
        fail_msg("%.17g and %.17g differ by %.3g relative, allowed %.3g", a, b,
                 fabs(a - b) / fmax(fabs(a), fabs(b)), relative);
    }
}

static void solve(synthetic *s, const char *solver, double tolerance, int64_t most,
                  dps_solution *solution)
{
    dps_error err;
    if (synthetic_solve(s, solver, tolerance, most, solution, &err) != DPS_OK) {
        fail_msg("%s: %s", solver, err.text);
    }
}

/* A solver or loss that is in the tables and not in the lists above would be held to nothing. */
static void the_lists_of_this_test_are_the_tables(void **state)
{
    (void)state;
    size_t found = 0, of_classes = 0;
    for (const char *const *name = dps_loss_names; *name != NULL; name++, found++) {
        assert_true(found < sizeof losses / sizeof losses[0]);
        assert_string_equal(losses[found], *name);
        if (!dps_loss_find(*name)->regression) {
            assert_true(of_classes < sizeof class_losses / sizeof class_losses[0]);
            assert_string_equal(class_losses[of_classes++], *name);
        }
    }
    assert_int_equal(found, sizeof losses / sizeof losses[0]);
    assert_int_equal(of_classes, sizeof class_losses / sizeof class_losses[0]);
    found = 0;
    for (const char *const *name = dps_solver_names + 1; *name != NULL; name++, found++) {
        bool listed = false;
        for (EACH(v, all)) {
            listed |= strcmp(all[v], *name) == 0;
        }
        assert_true(listed);
    }
    assert_int_equal(found, sizeof all / sizeof all[0]);
}

static void every_solver_reaches_the_optimum_of_the_textbook(void **state)
{
    (void)state;
    for (EACH(l, losses)) {
        synthetic *s = synthetic_new(1500, 20, 2, losses[l], 1.0);
        double *w = dps_alloc(dps_weight_length(&s->source), sizeof *w);
        const double optimum = synthetic_textbook(s, 300, w); /* from below */
        assert_true(synthetic_primal(s, 0, w) <= optimum * (1.0 + 1e-3));
        for (EACH(v, all)) {
            dps_solution solution;
            const bool sgd = strcmp(all[v], "sgd") == 0;
            solve(s, all[v], sgd ? 1e-3 : 1e-6, sgd ? 20 : 3000, &solution);
            const double P = synthetic_primal(s, 0, solution.w);
            print_message("%s %s: P / P* - 1 = %.3g\n", all[v], losses[l], P / optimum - 1.0);
            assert_true(P >= optimum * (1.0 - 1e-9));
            assert_true(P <= optimum * (1.0 + (sgd ? 0.02 : 1e-4)));
            assert_string_equal(solution.solver->name, all[v]);
            dps_solution_release(&solution);
        }
        dps_free(w);
        synthetic_free(s);
    }
}

static void certificates_hold_when_recomputed(void **state)
{
    (void)state;
    const double C[] = {1e-3, 1.0, 1e3};
    for (EACH(l, losses)) {
        for (EACH(c, C)) {
            synthetic *s = synthetic_new(900, 12, 2, losses[l], C[c]);
            double *w = dps_alloc(dps_weight_length(&s->source), sizeof *w);
            (void)synthetic_textbook(s, c == 2 ? 100 : 50, w);
            const double above = synthetic_primal(s, 0, w); /* >= min P >= every dual value */
            for (EACH(v, all)) {
                dps_solution solution;
                solve(s, all[v], 1e-3, 1000, &solution);
                const dps_certificate *found = &solution.certificate[0];
                assert_near(found->primal, synthetic_primal(s, 0, solution.w), SUM_TOLERANCE);
                assert_true(found->dual <= above * (1.0 + SUM_TOLERANCE));
                const double gap = (found->primal - found->dual) / found->primal;
                assert_true(fabs(found->gap - gap) <= SUM_TOLERANCE);
                assert_true(found->gap >= 0.0 && found->gap <= 1.0);
                /* dcd crawls at C = 1000, which is what newton is for */
                if (strcmp(all[v], "newton") == 0 || (strcmp(all[v], "dcd") == 0 && c < 2)) {
                    assert_int_equal(solution.outcome, DPS_CONVERGED);
                    assert_true(found->gap <= 1e-3);
                }
                dps_solution_release(&solution);
            }
            dps_free(w);
            synthetic_free(s);
        }
    }
}

static void gap_shrinks_to_tolerance(void **state)
{
    (void)state;
    const double tolerance[] = {1e-1, 1e-3, 1e-5};
    for (EACH(l, losses)) {
        synthetic *s = synthetic_new(1200, 16, 2, losses[l], 1.0);
        for (EACH(v, exact)) {
            for (EACH(t, tolerance)) {
                dps_solution solution;
                solve(s, exact[v], tolerance[t], 5000, &solution);
                assert_int_equal(solution.outcome, DPS_CONVERGED);
                assert_true(solution.worst.gap <= tolerance[t]);
                dps_solution_release(&solution);
            }
        }
        synthetic_free(s);
    }
}

/* c_i = 3 is the same problem as the row three times. */
static void integer_class_weights_equal_repeated_rows(void **state)
{
    (void)state;
    for (EACH(l, class_losses)) {
        synthetic *s = synthetic_new(500, 8, 2, class_losses[l], 0.7);
        int64_t rows = 0;
        for (int64_t i = 0; i < 500; i++) {
            rows += s->label[i] == 1 ? 3 : 1;
        }
        synthetic *repeated = synthetic_new(rows, 8, 2, class_losses[l], 0.7);
        const size_t stride = s->source.stride;
        for (int64_t i = 0, at = 0; i < 500; i++) {
            for (int copy = 0; copy < (s->label[i] == 1 ? 3 : 1); copy++, at++) {
                memcpy(repeated->z + (size_t)at * stride, s->z + (size_t)i * stride,
                       stride * sizeof(float));
                repeated->label[at] = s->label[i];
            }
        }
        s->class_weight[1] = 3.0;
        for (EACH(v, exact)) {
            dps_solution weighted, copied;
            solve(s, exact[v], 1e-7, 20000, &weighted);
            solve(repeated, exact[v], 1e-7, 20000, &copied);
            assert_near(weighted.worst.primal, copied.worst.primal, 2e-7);
            dps_solution_release(&weighted);
            dps_solution_release(&copied);
        }
        synthetic_free(s);
        synthetic_free(repeated);
    }
}

/* A model of one-vs-rest is the two-class problem "k or not", by the same bits. */
static void one_against_rest_equals_separate_problems(void **state)
{
    (void)state;
    for (EACH(l, class_losses)) {
        for (EACH(v, exact)) {
            synthetic *s = synthetic_new(1000, 12, 4, class_losses[l], 1.0);
            dps_solution together, alone;
            solve(s, exact[v], 1e-6, 5000, &together);
            assert_int_equal(together.models, 4);
            for (int32_t k = 0; k < 4; k++) {
                synthetic *one = synthetic_new(1000, 12, 2, class_losses[l], 1.0);
                memcpy(one->z, s->z, 1000 * s->source.stride * sizeof(float));
                for (int64_t i = 0; i < 1000; i++) {
                    one->label[i] = s->label[i] == k;
                }
                solve(one, exact[v], 1e-6, 5000, &alone);
                assert_near(together.certificate[k].primal, alone.worst.primal, 1e-6);
                if (strcmp(exact[v], "newton") == 0) {
                    assert_memory_equal(together.w + (size_t)k * together.length, alone.w,
                                        alone.length * sizeof(double));
                }
                dps_solution_release(&alone);
                synthetic_free(one);
            }
            dps_solution_release(&together);
            synthetic_free(s);
        }
    }
}

/* 13 and 27 tiles: several groups and slots. */
static void bits_do_not_depend_on_threads_or_residence(void **state)
{
    (void)state;
    for (EACH(l, losses)) {
        for (EACH(v, all)) {
            for (int32_t classes = 2; classes <= 3; classes++) {
                synthetic *s =
                    synthetic_new(classes == 2 ? 10000 : 5000, 40, classes, losses[l], 1.0);
                dps_solution first, other;
                solve(s, all[v], 1e-3, 6, &first);
                for (int threads = 1; threads <= 4; threads *= 2) {
                    for (int resident = 0; resident <= 1; resident++) {
                        s->run.threads = threads;
                        s->source.resident = resident;
                        s->run.memory = resident ? (size_t)1 << 30 : (size_t)1 << 25;
                        solve(s, all[v], 1e-3, 6, &other);
                        assert_memory_equal(first.w, other.w,
                                            (size_t)first.models * first.length * sizeof(double));
                        assert_memory_equal(first.certificate, other.certificate,
                                            (size_t)first.models * sizeof *first.certificate);
                        assert_int_equal(first.iterations, other.iterations);
                        dps_solution_release(&other);
                    }
                }
                dps_solution_release(&first);
                synthetic_free(s);
            }
        }
    }
}

static void files_sorted_by_class_train_as_well(void **state)
{
    (void)state;
    for (EACH(l, class_losses)) {
        synthetic *s = synthetic_new(8000, 30, 2, class_losses[l], 1.0);
        dps_solution best, solution;
        solve(s, "newton", 1e-6, 1000, &best);
        synthetic_sort(s);
        for (EACH(v, all)) {
            const bool sgd = strcmp(all[v], "sgd") == 0;
            solve(s, all[v], 1e-3, sgd ? 20 : 100, &solution);
            print_message("%s %s sorted: P / P* - 1 = %.3g after %lld\n", all[v], class_losses[l],
                          solution.worst.primal / best.worst.primal - 1.0,
                          (long long)solution.iterations);
            assert_true(solution.worst.primal <= best.worst.primal * (sgd ? 1.02 : 1.001));
            assert_int_equal(solution.outcome, sgd ? DPS_SETTLED : DPS_CONVERGED);
            dps_solution_release(&solution);
        }
        dps_solution_release(&best);
        synthetic_free(s);
    }
}

static void sparse_columns_enter_scores_and_weights(void **state)
{
    (void)state;
    const char *const sparse[] = {"dcd", "sgd"};
    for (EACH(l, losses)) {
        synthetic *s = synthetic_new(800, 6, 2, losses[l], 1.0);
        synthetic_add_sparse(s, 90);
        for (EACH(v, sparse)) {
            dps_solution solution;
            solve(s, sparse[v], 1e-4, v == 0 ? 5000 : 30, &solution);
            assert_near(solution.worst.primal, synthetic_primal(s, 0, solution.w), SUM_TOLERANCE);
            assert_true(v == 1 || solution.worst.gap <= 1e-4);
            double outside = 0.0;
            for (size_t l2 = s->source.stride; l2 < solution.length; l2++) {
                outside += fabs(solution.w[l2]);
            }
            assert_true(outside > 0.1);
            dps_solution_release(&solution);
        }
        synthetic_free(s);
    }
}

static void padding_of_the_weights_stays_zero(void **state)
{
    (void)state;
    for (EACH(v, all)) {
        synthetic *s = synthetic_new(700, 21, 2, "squared_hinge", 1.0);
        dps_solution solution;
        solve(s, all[v], 1e-3, 100, &solution);
        for (size_t l = 21; l < solution.length; l++) {
            assert_true(solution.w[l] == 0.0);
        }
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

static void the_iteration_limit_is_an_outcome(void **state)
{
    (void)state;
    for (EACH(l, losses)) {
        for (EACH(v, all)) {
            synthetic *s = synthetic_new(2000, 20, 2, losses[l], 100.0);
            dps_solution solution;
            solve(s, all[v], 1e-9, 2, &solution);
            assert_int_equal(solution.outcome, DPS_ITERATION_LIMIT);
            assert_true(solution.iterations >= 2 && solution.row_visits > 0.0);
            assert_near(solution.worst.primal, synthetic_primal(s, 0, solution.w), SUM_TOLERANCE);
            assert_true(solution.worst.gap <= 1.0);
            dps_solution_release(&solution);
            synthetic_free(s);
        }
    }
}

static void what_is_not_finite_is_a_numeric_error_with_a_remedy(void **state)
{
    (void)state;
    for (EACH(l, losses)) {
        for (EACH(v, all)) {
            synthetic *s = synthetic_new(500, 6, 2, losses[l], 1e300);
            for (int64_t i = 0; i < 500; i++) {
                s->z[(size_t)i * s->source.stride] = 1e38f * (float)(1 + i % 3);
                s->target[i] *= 1e300;
            }
            s->class_weight[0] = 1e200;
            dps_solution solution;
            dps_error err = {0};
            assert_int_equal(synthetic_solve(s, all[v], 1e-3, 50, &solution, &err),
                             DPS_ERROR_NUMERIC);
            assert_non_null(strstr(err.text, "solver.C"));
            dps_solution_release(&solution);
            synthetic_free(s);
        }
    }
}

static void a_broken_tile_is_reported_and_a_stop_is_honoured(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    for (EACH(v, all)) {
        for (int threads = 1; threads <= 2; threads++) {
            synthetic *s = synthetic_new(5000, 10, 2, "hinge", 1.0);
            dps_solution solution;
            dps_error err = {0};
            s->run.threads = threads;
            s->source.resident = false;
            s->failing_tile = 8;
            assert_int_equal(synthetic_solve(s, all[v], 1e-3, 50, &solution, &err), DPS_ERROR_DATA);
            assert_string_equal(err.text, "tile 8 is broken");
            dps_solution_release(&solution);
            s->failing_tile = -1;
            s->run.stop = &stop;
            assert_int_equal(synthetic_solve(s, all[v], 1e-3, 50, &solution, &err),
                             DPS_ERROR_STOPPED);
            dps_solution_release(&solution);
            synthetic_free(s);
        }
    }
}

/* min P of targets 10^4 times as large is that with epsilon 10^4 times as small, times 10^8 for the
 * squared loss and, with C 10^4 times as large, for the other. */
static void regression_does_not_depend_on_the_unit_of_the_target(void **state)
{
    (void)state;
    for (EACH(v, exact)) {
        for (size_t l = 3; l < 5; l++) {
            synthetic *s = synthetic_new(1200, 10, 2, losses[l], 1.0);
            dps_solution small, large;
            solve(s, exact[v], 1e-6, 5000, &small);
            for (int64_t i = 0; i < 1200; i++) {
                s->target[i] *= 1e4;
            }
            s->problem.epsilon *= 1e4;
            s->problem.C *= l == 4 ? 1e4 : 1.0;
            solve(s, exact[v], 1e-6, 5000, &large);
            assert_int_equal(large.outcome, DPS_CONVERGED);
            assert_near(large.worst.primal, 1e8 * small.worst.primal, 2e-6);
            dps_solution_release(&small);
            dps_solution_release(&large);
            synthetic_free(s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lists_of_this_test_are_the_tables),
        cmocka_unit_test(every_solver_reaches_the_optimum_of_the_textbook),
        cmocka_unit_test(certificates_hold_when_recomputed),
        cmocka_unit_test(gap_shrinks_to_tolerance),
        cmocka_unit_test(integer_class_weights_equal_repeated_rows),
        cmocka_unit_test(one_against_rest_equals_separate_problems),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_residence),
        cmocka_unit_test(files_sorted_by_class_train_as_well),
        cmocka_unit_test(sparse_columns_enter_scores_and_weights),
        cmocka_unit_test(padding_of_the_weights_stays_zero),
        cmocka_unit_test(the_iteration_limit_is_an_outcome),
        cmocka_unit_test(regression_does_not_depend_on_the_unit_of_the_target),
        cmocka_unit_test(what_is_not_finite_is_a_numeric_error_with_a_remedy),
        cmocka_unit_test(a_broken_tile_is_reported_and_a_stop_is_honoured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
