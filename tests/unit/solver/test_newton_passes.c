/* Derivatives and the Hessian of the Newton passes, against differences and explicit sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "newton_private.h"

#define WIDTH 9
/* Entries are float sums over blocks of 384 rows: 384 * 2^-24 of the sum of absolute values, at
 * worst. */
#define FLOAT_TOLERANCE 2.4e-5

typedef struct bench {
    synthetic *s;
    dps_newton_batch batch;
    dps_newton_model model;
    _Alignas(64) double w[16], p[16], g[16], best[16];
} bench;

static void setup(bench *b, const char *loss, int64_t rows, int64_t every)
{
    synthetic *s = synthetic_new(rows, WIDTH, 2, loss, 0.5);
    const size_t all = (size_t)dps_tile_count(rows) * DPS_TILE_ROWS;
    s->class_weight[1] = 4.0;
    *b = (bench){.s = s};
    b->model = (dps_newton_model){.w = b->w, .p = b->p, .g = b->g, .best_w = b->best};
    b->model.u = dps_alloc(all, sizeof(double));
    b->model.v = dps_alloc(all, sizeof(double));
    b->model.inside = dps_alloc(all, 1);
    b->model.slope = dps_alloc(all, sizeof(double));
    b->model.bend = dps_alloc(all, 1);
    b->model.root = dps_alloc(all, sizeof(float));
    b->model.hessian = dps_alloc(dps_packed_size(WIDTH), sizeof(double));
    b->model.h = 0.5;
    b->model.live = b->model.refresh = true;
    b->batch = (dps_newton_batch){.problem = &s->problem,
                                  .run = &s->run,
                                  .model = &b->model,
                                  .count = 1,
                                  .order = 16,
                                  .length = 16};
    const int64_t tiles = (dps_tile_count(rows) + every - 1) / every;
    b->batch.level =
        (dps_newton_level){.every = every, .tiles = tiles, .all_tiles = tiles, .C = 0.5};
    b->batch.sums = dps_alloc(dps_newton_derivative_elements(&s->problem), sizeof(double));
    for (uint32_t l = 0; l < WIDTH; l++) {
        b->w[l] = synthetic_normal(1, 11, l);
        b->p[l] = synthetic_normal(2, 11, l);
    }
}

static void teardown(bench *b)
{
    dps_free(b->model.u);
    dps_free(b->model.v);
    dps_free(b->model.inside);
    dps_free(b->model.slope);
    dps_free(b->model.bend);
    dps_free(b->model.root);
    dps_sum_room_release(&b->batch.room);
    dps_free(b->model.hessian);
    dps_free(b->batch.sums);
    synthetic_free(b->s);
}

static bool used(const bench *b, int64_t i)
{
    return i / DPS_TILE_ROWS % b->batch.level.every == 0;
}

/* The smoothed objective of the level by its definition. */
static double objective(const bench *b, const double *w)
{
    const dps_loss *loss = b->s->problem.loss;
    double P = 0.0;
    for (int32_t l = 0; l < WIDTH; l++) {
        P += 0.5 * w[l] * w[l];
    }
    for (int64_t i = 0; i < b->s->source.rows; i++) {
        if (used(b, i)) {
            P += b->batch.level.C * synthetic_weight(b->s, i) *
                 loss->smoothed(synthetic_score(b->s, w, i), synthetic_y(b->s, 0, i),
                                SYNTHETIC_EPSILON, b->model.h);
        }
    }
    return P;
}

static void pass(bench *b)
{
    assert_int_equal(dps_newton_scores(&b->batch, false, NULL), DPS_OK);
    assert_int_equal(dps_newton_derivatives(&b->batch, NULL), DPS_OK);
}

static void gradient_matches_differences(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        for (int64_t every = 1; every <= 4; every *= 4) {
            bench b;
            setup(&b, losses[l], 4000, every);
            pass(&b);
            for (int32_t j = 0; j < WIDTH; j++) {
                const double step = 1e-5, at = b.w[j];
                b.w[j] = at + step;
                const double above = objective(&b, b.w);
                b.w[j] = at - step;
                const double below = objective(&b, b.w);
                b.w[j] = at;
                const double difference = (above - below) / (2.0 * step);
                /* rounding 1e-16 P / step, third order step^2, kinks of the second derivative */
                assert_true(fabs(difference - b.g[j]) < 1e-5 * (1.0 + fabs(b.g[j])) + 1e-6 * above);
            }
            teardown(&b);
        }
    }
}

static void assert_hessian(const bench *b)
{
    const dps_loss *loss = b->s->problem.loss;
    for (int32_t r = 0; r < WIDTH; r++) {
        for (int32_t c = 0; c <= r; c++) {
            double sum = 0.0, size = 0.0;
            for (int64_t i = 0; i < b->s->source.rows; i++) {
                if (used(b, i)) {
                    const float *z = b->s->z + i * 16;
                    const double bend =
                        loss->bend(synthetic_score(b->s, b->w, i), synthetic_y(b->s, 0, i),
                                   SYNTHETIC_EPSILON, b->model.h);
                    const double term =
                        bend * synthetic_weight(b->s, i) * (double)z[r] * (double)z[c];
                    sum += term;
                    size += fabs(term);
                }
            }
            const double found = b->model.hessian[dps_packed_size((size_t)r) + (size_t)c];
            assert_true(fabs(found - sum) <= FLOAT_TOLERANCE * (1.0 + size));
        }
    }
}

/* Rows that enter and leave change the Hessian to what a rebuild would give; on the way one is
 * forced. */
static void hessian_follows_the_rows_that_bend(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        bench b;
        setup(&b, losses[l], 9000, 1);
        int refreshed = 0;
        for (int round = 0; round < 8; round++) {
            const bool forced = b.model.refresh;
            pass(&b);
            refreshed += b.model.updates == 0 && !forced;
            assert_hessian(&b);
            for (int32_t j = 0; j < WIDTH; j++) {
                b.w[j] += (round < 6 ? 0.03 : 0.6) * b.p[j];
            }
        }
        assert_true(refreshed >= 1 && refreshed < 8);
        teardown(&b);
    }
}

static void the_line_search_finds_the_minimum_along_the_line(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        bench b;
        double t, slope = 0.0;
        setup(&b, losses[l], 2000, 1);
        pass(&b);
        for (int32_t j = 0; j < WIDTH; j++) {
            b.p[j] = -0.01 * b.g[j];
            slope += b.p[j] * b.g[j];
        }
        b.model.moving = true;
        assert_int_equal(dps_newton_scores(&b.batch, true, NULL), DPS_OK);
        assert_int_equal(dps_newton_line(&b.batch, &b.model, &t, NULL), DPS_OK);
        double w[16] = {0}, after = 0.0;
        const double start = objective(&b, b.w);
        for (int32_t j = 0; j < WIDTH; j++) {
            w[j] = b.w[j] + t * b.p[j];
        }
        assert_true(objective(&b, w) < start);
        memcpy(b.w, w, sizeof b.w);
        pass(&b);
        for (int32_t j = 0; j < WIDTH; j++) {
            after += b.p[j] * b.g[j];
        }
        assert_true(fabs(after) <= 0.1001 * fabs(slope));
        for (int32_t j = 0; j < WIDTH; j++) {
            b.p[j] = b.g[j]; /* uphill */
        }
        assert_int_equal(dps_newton_scores(&b.batch, true, NULL), DPS_OK);
        assert_int_equal(dps_newton_line(&b.batch, &b.model, &t, NULL), DPS_OK);
        assert_true(t == 0.0);
        teardown(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(hessian_follows_the_rows_that_bend),
        cmocka_unit_test(the_line_search_finds_the_minimum_along_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
