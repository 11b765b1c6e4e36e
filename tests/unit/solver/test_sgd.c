/* sgd against the same steps written out plainly, and at all sizes of C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "engine.h"

#define WIDTH 7

/* Implicit steps as in the head of sgd.c, w kept as it is and not as scale times something. */
typedef struct plain {
    const synthetic *s;
    double lambda, eta0, factor;
    double w[WIDTH], average[WIDTH];
    int64_t seen, chunks;
} plain;

static void plain_update(void *context, int32_t shard, int32_t k, const dps_visit *visit,
                         int32_t count, double *unused)
{
    (void)shard;
    plain *p = context;
    const bool squared = p->s->problem.loss == &dps_loss_squared_hinge;
    const double eta = p->eta0 / (1.0 + p->lambda * p->eta0 * (double)p->seen);
    (void)unused;
    for (int32_t j = 0; j < count; j++) {
        const float *z = p->s->z + (size_t)visit[j].row * p->s->source.stride;
        const double y = synthetic_y(p->s, k, visit[j].row);
        const double size = eta * p->factor * p->s->class_weight[p->s->label[visit[j].row]];
        double u = 0.0, q = 0.0, a = 0.0;
        for (int32_t l = 0; l < WIDTH; l++) {
            p->w[l] /= 1.0 + eta * p->lambda;
            u += p->w[l] * (double)z[l];
            q += (double)z[l] * (double)z[l];
        }
        if (y * u < 1.0) {
            a = squared ? 2.0 * size * (1.0 - y * u) / (1.0 + 2.0 * size * q)
                        : fmin((1.0 - y * u) / q, size);
        }
        for (int32_t l = 0; l < WIDTH; l++) {
            p->w[l] += a * y * (double)z[l];
        }
    }
    p->seen += count;
    for (int32_t l = 0; l < WIDTH; l++) {
        p->average[l] += 4.0 / ((double)p->chunks + 4.0) * (p->w[l] - p->average[l]);
    }
    p->chunks++;
}

static void an_epoch_makes_the_implicit_steps_of_the_formulas(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        synthetic *s = synthetic_new(3000, WIDTH, 2, losses[l], 0.01);
        s->class_weight[1] = 2.5;
        double S = 0.0, norm2 = 0.0;
        for (int64_t i = 0; i < 3000; i++) {
            S += s->class_weight[s->label[i]];
            for (size_t j = 0; j < WIDTH; j++) {
                norm2 += pow((double)s->z[(size_t)i * s->source.stride + j], 2.0);
            }
        }
        plain p = {.s = s, .lambda = 1.0 / (0.01 * S), .factor = 3000.0 / S};
        p.eta0 = 0.5 * 3000.0 / norm2;
        const dps_rule rule = {.context = &p, .update = plain_update};
        const int32_t first = 0;
        dps_engine *engine;
        dps_solution solution;
        dps_error err;
        double unused[16];
        const dps_shards one = dps_shards_of(&s->problem, 1, &s->run);
        assert_int_equal(dps_engine_new(&engine, &s->problem, &one, 1, 1, &s->run, &err), DPS_OK);
        assert_int_equal(dps_engine_pass(engine, &rule, 1, &first, 1, unused, &err), DPS_OK);
        assert_int_equal(synthetic_solve(s, "sgd", 1e-3, 1, &solution, &err), DPS_OK);
        for (int32_t j = 0; j < WIDTH; j++) {
            /* 3000 steps of rounding, contracting: a few hundred times 2^-53 */
            assert_true(fabs(solution.w[j] - p.average[j]) < 1e-12 * (1.0 + fabs(p.average[j])));
        }
        dps_engine_free(engine);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

static void it_does_not_explode_at_any_C(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t l = 0; l < 2; l++) {
        for (double C = 1e-9; C < 1e10; C *= 1e3) {
            synthetic *s = synthetic_new(2000, 12, 2, losses[l], C);
            dps_solution solution;
            dps_error err;
            assert_int_equal(synthetic_solve(s, "sgd", 1e-3, 5, &solution, &err), DPS_OK);
            assert_true(solution.worst.primal <= C * 2000.0); /* P(0) */
            dps_solution_release(&solution);
            synthetic_free(s);
        }
    }
}

/* Each of the last three epochs changed P by no more than the tolerance: a limit two epochs earlier
 * is one. */
static void it_ends_after_three_quiet_epochs(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(3000, 12, 2, "hinge", 1.0);
    dps_solution all, fewer;
    dps_error err;
    assert_int_equal(synthetic_solve(s, "sgd", 2e-3, 100, &all, &err), DPS_OK);
    assert_int_equal(all.outcome, DPS_SETTLED);
    assert_true(all.worst.gap > 2e-3);
    assert_true(all.iterations >= 4);
    assert_int_equal(synthetic_solve(s, "sgd", 2e-3, all.iterations - 3, &fewer, &err), DPS_OK);
    assert_int_equal(fewer.outcome, DPS_ITERATION_LIMIT);
    assert_true(fewer.worst.primal - all.worst.primal <= 3.0 * 2e-3 * fewer.worst.primal);
    /* an epoch looks at every row for its step, and again for P */
    assert_int_equal(all.row_visits - fewer.row_visits, 3 * 2 * 3000);
    dps_solution_release(&all);
    dps_solution_release(&fewer);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_makes_the_implicit_steps_of_the_formulas),
        cmocka_unit_test(it_does_not_explode_at_any_C),
        cmocka_unit_test(it_ends_after_three_quiet_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
