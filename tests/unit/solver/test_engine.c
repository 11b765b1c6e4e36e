/* The order in which the engine visits rows, rounds of shards, and blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "engine_private.h"

#define ROWS  15000 /* 40 tiles, the last one short: three groups */
#define WIDTH 3

typedef struct record {
    const synthetic *s;
    int64_t row[3][ROWS]; /* by model, in the order of visits */
    int64_t count[3];
    int32_t longest; /* chunk */
    bool wrong;      /* a visit does not show its row */
} record;

static void note(void *context, int32_t shard, int32_t k, const dps_visit *visit, int32_t count,
                 double *w)
{
    record *r = context;
    assert_int_equal(shard, 0);
    r->longest = count > r->longest ? count : r->longest;
    for (int32_t j = 0; j < count; j++) {
        const dps_visit *v = &visit[j];
        const float *z = v->tile->z + (size_t)v->place * v->tile->stride;
        const float *expected = r->s->z + (size_t)v->row * r->s->source.stride;
        double norm2 = 0.0;
        for (int32_t l = 0; l < WIDTH; l++) {
            norm2 += (double)z[l] * (double)z[l];
        }
        r->wrong = r->wrong || memcmp(z, expected, WIDTH * sizeof *z) != 0 ||
                   fabs(norm2 - v->norm2) > 1e-12 * norm2;
        r->row[k][r->count[k]++] = v->row;
    }
    dps_visit_add(DPS_SIMD_PORTABLE, &visit[0], 1.0, w);
}

static void run_pass(synthetic *s, record *r, int64_t pass, const uint8_t *wanted, int32_t models)
{
    static const int32_t list[] = {0, 1, 2};
    dps_engine *engine;
    double *w = dps_alloc(3 * dps_weight_length(&s->source), sizeof *w);
    memset(r, 0, sizeof *r);
    r->s = s;
    const dps_rule rule = {.context = r, .update = note, .wanted = wanted};
    const dps_shards one = dps_shards_of(&s->problem, 1, &s->run);
    assert_int_equal(dps_engine_new(&engine, &s->problem, &one, 1, 5, &s->run, NULL), DPS_OK);
    assert_int_equal(dps_engine_pass(engine, &rule, pass, list, models, w, NULL), DPS_OK);
    assert_false(r->wrong);
    assert_true(r->longest <= DPS_CHUNK_ROWS);
    dps_engine_free(engine);
    dps_free(w);
}

static void every_row_is_visited_once_and_shows_its_features(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(ROWS, WIDTH, 2, "hinge", 1.0);
    record *r = malloc(sizeof *r);
    for (int64_t pass = 1; pass <= 3; pass++) {
        int32_t seen[ROWS] = {0};
        run_pass(s, r, pass, NULL, 1);
        assert_int_equal(r->count[0], ROWS);
        for (int64_t i = 0; i < ROWS; i++) {
            assert_int_equal(seen[r->row[0][i]]++, 0);
        }
    }
    free(r);
    synthetic_free(s);
}

/* Two random orders share the place of 1 row on average; 10 has probability 1e-7. */
static void passes_and_groups_are_drawn_anew(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(ROWS, WIDTH, 2, "hinge", 1.0);
    record *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    run_pass(s, a, 1, NULL, 1);
    run_pass(s, b, 2, NULL, 1);
    int same = 0, companions = 0;
    bool first_half[64];
    memset(first_half, 0, sizeof first_half);
    for (int64_t i = 0; i < ROWS; i++) {
        same += a->row[0][i] == b->row[0][i];
    }
    for (int64_t i = 0; i < 5000; i++) {
        first_half[a->row[0][i] / DPS_TILE_ROWS] = true;
    }
    for (int64_t i = 0; i < 5000; i++) {
        companions += first_half[b->row[0][i] / DPS_TILE_ROWS];
    }
    assert_true(same < 10);
    assert_true(companions < 4600); /* not the same group again */
    free(a);
    free(b);
    synthetic_free(s);
}

/* 64 rows of 13 or 14 tiles: fewer than 9 different tiles has probability below 1e-6 a chunk. */
static void neighbouring_visits_come_from_many_tiles_all_over_the_file(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(ROWS, WIDTH, 2, "hinge", 1.0);
    record *r = malloc(sizeof *r);
    run_pass(s, r, 1, NULL, 1);
    for (int64_t first = 0; first + 64 <= ROWS; first += 64) {
        bool seen[64] = {false};
        int tiles = 0, early = 0;
        for (int64_t i = first; i < first + 64; i++) {
            const int64_t t = r->row[0][i] / DPS_TILE_ROWS;
            tiles += !seen[t];
            seen[t] = true;
            early += t < 20;
        }
        assert_true(tiles >= 9);
        assert_true(early >= 10 && early <= 54); /* 32 +- 5.5 standard deviations of 4 */
    }
    free(r);
    synthetic_free(s);
}

static void only_wanted_rows_are_visited_and_only_their_tiles_fetched(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(ROWS, WIDTH, 2, "hinge", 1.0);
    record *r = malloc(sizeof *r);
    uint8_t wanted[ROWS] = {0};
    for (int64_t i = 0; i < ROWS; i++) {
        wanted[i] = i / DPS_TILE_ROWS != 7 && i % 5 == 0;
    }
    s->failing_tile = 7;
    run_pass(s, r, 1, wanted, 1);
    int64_t expected = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        expected += wanted[i];
    }
    assert_int_equal(r->count[0], expected);
    for (int64_t i = 0; i < expected; i++) {
        assert_true(wanted[r->row[0][i]]);
    }
    free(r);
    synthetic_free(s);
}

static void the_order_is_the_same_for_all_models_threads_and_kinds_of_source(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(ROWS, WIDTH, 3, "hinge", 1.0);
    record *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    run_pass(s, a, 4, NULL, 1);
    s->run.threads = 3;
    s->source.resident = false;
    run_pass(s, b, 4, NULL, 3);
    for (int32_t k = 0; k < 3; k++) {
        assert_memory_equal(a->row[0], b->row[k], sizeof a->row[0]);
    }
    free(a);
    free(b);
    synthetic_free(s);
}

/* ---- rounds of shards ------------------------------------------------------------------------ */

enum { SHARDS = 4, LAST = DPS_HEAD_NORM - 1 /* a rule's last place of the head */ };

typedef struct round_record {
    int32_t seen[3][ROWS]; /* by model */
    bool wrong;            /* a head does not begin with zeros, or is not the sum of all */
} round_record;

static void open_nothing(void *context, int32_t l, int32_t k)
{
    (void)context;
    (void)l;
    (void)k;
}

/* Counts the rows of model k by k + 1 in the shard's copy of w. */
static void count_rows(void *context, int32_t l, int32_t k, const dps_visit *visit, int32_t count,
                       double *w)
{
    round_record *r = context;
    r->wrong = r->wrong || l < 0 || l >= SHARDS; /* a thread cannot assert */
    for (int32_t j = 0; j < count; j++) {
        r->seen[k][visit[j].row]++;
        w[0] += k + 1;
    }
}

static void close_counts(void *context, int32_t l, int32_t k, const double *w, double *own,
                         double *head)
{
    round_record *r = context;
    (void)k;
    for (int32_t i = 0; i <= LAST; i++) {
        r->wrong = r->wrong || head[i] != 0.0;
    }
    own[0] -= w[0];
    head[0] += 1.0;
    head[LAST] += l;
}

static double merge_counts(void *context, int32_t k, const double *sum, const double *head,
                           double *w)
{
    round_record *r = context;
    (void)k;
    r->wrong = r->wrong || head[0] != SHARDS || head[LAST] != 0 + 1 + 2 + 3;
    w[0] += sum[0];
    return 1.0;
}

static void rounds_take_every_row_of_every_shard_and_model_once(void **state)
{
    (void)state;
    static const int32_t list[] = {0, 1, 2};
    synthetic *s = synthetic_new(ROWS, WIDTH, 3, "hinge", 1.0);
    round_record *r = calloc(1, sizeof *r);
    dps_engine *engine;
    const size_t length = dps_weight_length(&s->source);
    double *w = dps_alloc(3 * length, sizeof *w);
    const dps_rule rule = {.context = r,
                           .update = count_rows,
                           .open = open_nothing,
                           .close = close_counts,
                           .merge = merge_counts};
    const dps_shards shards = dps_shards_of(&s->problem, SHARDS, &s->run);
    assert_int_equal(dps_engine_new(&engine, &s->problem, &shards, 1, 5, &s->run, NULL), DPS_OK);
    assert_int_equal(dps_engine_pass(engine, &rule, 1, list, 3, w, NULL), DPS_OK);
    assert_false(r->wrong);
    for (int32_t k = 0; k < 3; k++) {
        for (int64_t i = 0; i < ROWS; i++) {
            assert_int_equal(r->seen[k][i], 1);
        }
        assert_true(w[(size_t)k * length] == (k + 1) * ROWS);
    }
    dps_engine_free(engine);
    dps_free(w);
    free(r);
    synthetic_free(s);
}

static void rounds_are_as_long_as_columns_and_what_shards_made_of_them_allow(void **state)
{
    (void)state;
    assert_int_equal(dps_round_rows(1, 4096), DPS_ROUND_ROWS);
    assert_int_equal(dps_round_rows(2, 512), 32);
    assert_int_equal(dps_round_rows(8, 100), 16);
    synthetic *s = synthetic_new(400, 130, 2, "hinge", 1.0);
    dps_engine e = {.problem = &s->problem,
                    .shards = dps_shards_of(&s->problem, 2, &s->run),
                    .round_rows = 16,
                    .reach = 2.0,
                    .merges = 1.0};
    dps_round_adapt(&e); /* a pass without a change says nothing */
    assert_int_equal(e.round_rows, 16);
    e.agreed = 1.5;
    e.apart = 1.0;
    dps_round_adapt(&e);
    assert_int_equal(e.round_rows, 32);
    dps_round_adapt(&e); /* 2 x 32 rows: half as many as columns */
    assert_int_equal(e.round_rows, 32);
    e.agreed = 0.9;
    dps_round_adapt(&e);
    assert_int_equal(e.round_rows, 16);
    synthetic_free(s);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Steps that depend on the scores. */
static void chain_steps(void *context, const dps_block *block)
{
    (void)context;
    memset(block->moved, 0, DPS_COUPLED * sizeof *block->moved);
    for (int32_t j = 0; j < block->count; j++) {
        block->c[j] = 1e-3 * (1.0 - block->u[j]);
    }
}

static double take_steps(void *context, const dps_block *block, const double *change, double *w)
{
    dps_axpy(*(const size_t *)context, 1.0, change, w);
    return block->count > 0 ? 1.0 : 0.0;
}

/* Two passes; the first blocks of them by one thread while the others wait. */
static void run_blocks(synthetic *s, int threads, int32_t alone, double *w)
{
    static const int32_t list[] = {0, 1, 2};
    size_t length = dps_weight_length(&s->source);
    const dps_rule rule = {.context = &length, .block = {.chain = chain_steps, .take = take_steps}};
    const dps_shards one = dps_shards_of(&s->problem, 1, &s->run);
    dps_engine *engine;
    s->run.threads = threads;
    memset(w, 0, 3 * length * sizeof *w);
    assert_int_equal(dps_engine_new(&engine, &s->problem, &one, 256, 5, &s->run, NULL), DPS_OK);
    for (int64_t pass = 1; pass <= 2; pass++) {
        engine->alone = alone;
        assert_int_equal(dps_engine_pass(engine, &rule, pass, list, 3, w, NULL), DPS_OK);
    }
    dps_engine_free(engine);
}

static void blocks_have_the_same_bits_while_one_thread_goes_on_alone(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(7000, 90, 3, "hinge", 1.0);
    const size_t size = 3 * dps_weight_length(&s->source);
    double *first = dps_alloc(size, sizeof *first), *w = dps_alloc(size, sizeof *w);
    run_blocks(s, 1, 0, first);
    assert_true(first[0] != 0.0);
    for (int32_t alone = 0; alone < 40; alone += 13) {
        run_blocks(s, 2, alone, w);
        assert_memory_equal(w, first, size * sizeof *w);
    }
    dps_free(first);
    dps_free(w);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_visited_once_and_shows_its_features),
        cmocka_unit_test(passes_and_groups_are_drawn_anew),
        cmocka_unit_test(neighbouring_visits_come_from_many_tiles_all_over_the_file),
        cmocka_unit_test(only_wanted_rows_are_visited_and_only_their_tiles_fetched),
        cmocka_unit_test(the_order_is_the_same_for_all_models_threads_and_kinds_of_source),
        cmocka_unit_test(rounds_take_every_row_of_every_shard_and_model_once),
        cmocka_unit_test(rounds_are_as_long_as_columns_and_what_shards_made_of_them_allow),
        cmocka_unit_test(blocks_have_the_same_bits_while_one_thread_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
