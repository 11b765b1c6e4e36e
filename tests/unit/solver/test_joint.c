/* The joint solve: newton's optimum, of folds too, with the bits of one thread; newton begins with
 * it where classes are many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "joint.h"
#include "newton_joint.h"

static const dps_joint_end all_steps = {.tolerance = 1e-7, .steps = 60};

/* P of model k over the rows that train without a fold, in plain loops. */
static double primal(const synthetic *s, int32_t k, const int32_t *fold, int32_t f, const double *w)
{
    double loss = 0, norm = 0;
    for (size_t j = 0; j < s->source.stride; j++) {
        norm += w[j] * w[j];
    }
    for (int64_t i = 0; i < s->source.rows; i++) {
        double u = 0;
        for (size_t j = 0; j < s->source.stride; j++) {
            u += w[j] * (double)s->z[(size_t)i * s->source.stride + j];
        }
        const double y = s->problem.loss->regression ? s->target[i] : s->label[i] == k ? 1 : -1;
        const double r = s->problem.loss->regression ? fmax(fabs(u - y) - s->problem.epsilon, 0)
                                                     : fmax(1 - y * u, 0);
        const double c = s->problem.loss->regression ? 1 : s->class_weight[s->label[i]];
        loss += fold != NULL && fold[i] == f ? 0 : c * r * r;
    }
    return norm / 2 + s->problem.C * loss;
}

/* Against newton on the rows without the fold. */
static double best(synthetic *s, int32_t k, const int32_t *fold, int32_t f)
{
    double *weight = dps_alloc((size_t)s->source.rows, sizeof *weight);
    dps_solution solution;
    dps_error err;
    for (int64_t i = 0; i < s->source.rows; i++) {
        weight[i] = fold == NULL || fold[i] != f;
    }
    s->problem.row_weight = weight;
    assert_int_equal(synthetic_solve(s, "newton", 1e-8, 200, &solution, &err), DPS_OK);
    s->problem.row_weight = NULL;
    const double found = solution.certificate[k].primal;
    dps_solution_release(&solution);
    dps_free(weight);
    return found;
}

static void check(const char *loss, int32_t width, int32_t classes, double C, int32_t folds)
{
    synthetic *s = synthetic_new(1500, width, classes, loss, C);
    int32_t fold[1500];
    double *first = NULL, *scores = dps_alloc(1500 * (size_t)(folds * classes), sizeof *scores);
    for (int i = 0; i < 1500; i++) {
        fold[i] = i % 4 == 3 ? -1 : i % folds;
    }
    const int32_t *held = folds > 1 ? fold : NULL;
    for (int threads = 1; threads <= 3; threads++) {
        dps_joint *joint;
        int64_t steps;
        bool stopped;
        s->run.threads = threads;
        assert_int_equal(dps_joint_new(&joint, &s->problem, held, folds, &s->run, NULL), DPS_OK);
        assert_int_equal(dps_joint_solve(joint, C, &all_steps, &s->run, &steps, &stopped, NULL),
                         DPS_OK);
        const size_t all =
            (size_t)folds * (size_t)dps_problem_models(&s->problem) * s->source.stride;
        if (first == NULL) {
            first = dps_alloc(all, sizeof *first);
            memcpy(first, dps_joint_weights(joint, 0, 0), all * sizeof *first);
        }
        assert_memory_equal(first, dps_joint_weights(joint, 0, 0), all * sizeof *first);
        for (int32_t f = 0; f < folds; f++) {
            for (int32_t k = 0; k < dps_problem_models(&s->problem); k++) {
                memcpy(scores + (size_t)(f * dps_problem_models(&s->problem) + k) * 1500,
                       dps_joint_scores(joint, f, k), 1500 * sizeof *scores);
            }
        }
        dps_joint_free(joint);
    }
    for (int32_t f = 0; f < folds; f++) {
        for (int32_t k = 0; k < dps_problem_models(&s->problem); k++) {
            const size_t at = (size_t)(f * dps_problem_models(&s->problem) + k) * s->source.stride;
            const double P = primal(s, classes == 2 ? 1 : k, held, f, first + at);
            const double least = best(s, k, held, f);
            for (int64_t i = 0; i < s->source.rows; i++) { /* held-out rows too */
                const double u = synthetic_score(s, first + at, i);
                assert_true(fabs(scores[(size_t)(f * dps_problem_models(&s->problem) + k) * 1500 +
                                        (size_t)i] -
                                 u) <= 1e-4 * (1 + fabs(u)));
            }
            assert_true(P <= least * (1 + 1e-5));
            assert_true(P >= least * (1 - 1e-5));
        }
    }
    dps_free(first);
    dps_free(scores);
    synthetic_free(s);
}

static void the_optimum_is_newtons_of_every_model_and_fold(void **unused)
{
    (void)unused;
    check("squared_hinge", 40, 2, 1.0, 1);
    check("squared_hinge", 40, 4, 10.0, 1);
    check("squared_hinge", 300, 5, 1.0, 1); /* few rows have a loss */
    check("squared_hinge", 60, 3, 1.0, 3);
    check("squared_epsilon_insensitive", 40, 2, 10.0, 2);
}

static void newton_of_many_classes_begins_jointly_and_reaches_its_gap(void **unused)
{
    (void)unused;
    synthetic *s = synthetic_new(2000, 280, 5, "squared_hinge", 10.0);
    dps_solution solution;
    dps_error err;
    assert_true(dps_newton_joins(&s->problem));
    for (double tolerance = 1e-3; tolerance >= 1e-9; tolerance /= 1000) {
        assert_int_equal(synthetic_solve(s, "newton", tolerance, 300, &solution, &err), DPS_OK);
        assert_int_equal(solution.outcome, DPS_CONVERGED);
        assert_true(solution.worst.gap <= tolerance);
        dps_solution_release(&solution);
    }
    assert_int_equal(synthetic_solve(s, "newton", 1e-9, 3, &solution, &err), DPS_OK);
    assert_int_equal(solution.outcome, DPS_ITERATION_LIMIT);
    assert_true(solution.iterations <= 3);
    dps_solution_release(&solution);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_optimum_is_newtons_of_every_model_and_fold),
        cmocka_unit_test(newton_of_many_classes_begins_jointly_and_reaches_its_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
