/* Sums of a Newton step by blocks of columns have the bits of the ordered sum: rows that enter and
 * leave, sums of floats and of doubles, every loss, threads up to many times the slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "cpu.h"
#include "newton_blocks.h"
#include "ordered_sum.h"

enum { WIDTH = 203, ORDER = 208, ROWS = 9100, ROUNDS = 3 };

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

typedef struct sums {
    double gradient[ROUNDS][ORDER];
    double *hessian[ROUNDS];
} sums;

static void make_model(dps_newton_model *m, bool exact)
{
    const size_t all = (size_t)dps_tile_count(ROWS) * DPS_TILE_ROWS;
    *m = (dps_newton_model){.w = need(ORDER, sizeof(double)),
                            .g = need(ORDER, sizeof(double)),
                            .u = need(all, sizeof(double)),
                            .v = need(all, sizeof(double)),
                            .slope = need(all, sizeof(double)),
                            .inside = need(all, 1),
                            .bend = need(all, 1),
                            .root = need(all, sizeof(float)),
                            .hessian = need(dps_packed_size(WIDTH), sizeof(double)),
                            .h = 0.5,
                            .live = true,
                            .refresh = true,
                            .exact = exact};
}

static void free_model(dps_newton_model *m)
{
    dps_free(m->w);
    dps_free(m->g);
    dps_free(m->u);
    dps_free(m->v);
    dps_free(m->slope);
    dps_free(m->inside);
    dps_free(m->bend);
    dps_free(m->root);
    dps_free(m->hessian);
}

/* Some rounds from weights that move a little, so that rows enter and leave; whether blocks were
 * taken. */
static bool derive(synthetic *s, bool exact, int threads, sums *out)
{
    dps_newton_model m;
    make_model(&m, exact);
    const int64_t tiles = dps_tile_count(ROWS);
    dps_run run = s->run;
    run.threads = threads;
    run.simd = dps_cpu_best();
    dps_newton_batch batch = {.problem = &s->problem,
                              .run = &run,
                              .model = &m,
                              .count = 1,
                              .level = {.every = 1, .tiles = tiles, .all_tiles = tiles, .C = 0.5},
                              .order = ORDER,
                              .length = ORDER};
    batch.sums = need(dps_newton_derivative_elements(&s->problem), sizeof(double));
    const int64_t slots = dps_slot_count(tiles, dps_newton_derivative_elements(&s->problem),
                                         (double)DPS_TILE_ROWS * WIDTH * WIDTH);
    assert_int_equal(slots, 2);
    const bool by_blocks = dps_newton_prefers_blocks(&batch, slots);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t l = 0; l < WIDTH; l++) {
            m.w[l] += synthetic_normal((uint32_t)round + 1, 11, l) * (round == 0 ? 1.0 : 0.1);
        }
        assert_int_equal(dps_newton_scores(&batch, false, NULL), DPS_OK);
        assert_int_equal(dps_newton_derivatives(&batch, NULL), DPS_OK);
        assert_true(round == 0 || !s->problem.loss->piecewise || m.updates > 0);
        memcpy(out->gradient[round], m.g, sizeof out->gradient[round]);
        out->hessian[round] = need(dps_packed_size(WIDTH), sizeof(double));
        memcpy(out->hessian[round], m.hessian, dps_packed_size(WIDTH) * sizeof(double));
    }
    dps_free(batch.sums);
    dps_free(batch.parts);
    dps_sum_room_release(&batch.room);
    free_model(&m);
    return by_blocks;
}

static void free_sums(sums *s)
{
    for (int round = 0; round < ROUNDS; round++) {
        dps_free(s->hessian[round]);
    }
}

static void blocks_have_the_bits_of_the_ordered_sum(void **state)
{
    (void)state;
    static const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                         "squared_epsilon_insensitive", "epsilon_insensitive"};
    static const int threads[] = {3, 8, 16, 64};
    static sums one, many;
    for (size_t l = 0; l < 2 * sizeof losses / sizeof losses[0]; l++) {
        synthetic *s = synthetic_new(ROWS, WIDTH, 2, losses[l / 2], 0.5);
        const bool exact = l % 2 == 1;
        assert_false(derive(s, exact, 1, &one));
        for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            assert_true(derive(s, exact, threads[k], &many));
            for (int round = 0; round < ROUNDS; round++) {
                assert_memory_equal(one.gradient[round], many.gradient[round],
                                    sizeof one.gradient[round]);
                assert_memory_equal(one.hessian[round], many.hessian[round],
                                    dps_packed_size(WIDTH) * sizeof(double));
            }
            free_sums(&many);
        }
        free_sums(&one);
        synthetic_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_bits_of_the_ordered_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
