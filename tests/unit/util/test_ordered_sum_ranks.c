/* Sums over rows on several ranks: the bits of one rank wherever the ranks' limits fall, state that
 * is carried through a slot, errors that all ranks agree on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "ordered_sum.h"
#include "rank_sums.h"
#include "thread_ranks.h"

#define ELEMENTS 11
#define TILES    1000

static double term(int64_t t, size_t i)
{
    const uint64_t mixed = ((uint64_t)t * ELEMENTS + i + 1) * 0x9E3779B97F4A7C15ULL;
    return (double)(int64_t)(mixed ^ mixed >> 29) *
           0x1p-40; /* any two orders of summation differ */
}

typedef struct plan {
    int ranks, threads;
    int64_t tiles, slots;
    int64_t begin[RANKS_MOST + 1]; /* first tile of each rank */
    int64_t fail;                  /* this tile fails (none: -1) ... */
    int64_t fail_too;              /* ... and this one */
    int64_t stop;                  /* a signal at this tile, on its rank only */
    bool carry;
    double total[RANKS_MOST][ELEMENTS];
    dps_status status[RANKS_MOST];
    char text[RANKS_MOST][80];
} plan;

typedef struct tile_context {
    const plan *p;
    int64_t first;
    volatile sig_atomic_t stop;
} tile_context;

/* What a slot keeps between its tiles: terms are added in pairs of tiles. */
typedef struct kept {
    int64_t tiles;
    double waiting[ELEMENTS];
} kept;

static int64_t slot_of(const plan *p, int64_t t)
{
    int64_t s = 0;
    while (dps_slot_begin(s + 1, p->slots, p->tiles) <= t) {
        s++;
    }
    return s;
}

static dps_status add(void *context, int64_t local, double *sum, void *scratch, dps_error *err)
{
    tile_context *c = context;
    const plan *p = c->p;
    const int64_t t = c->first + local, s = slot_of(p, t);
    if (t == p->stop) {
        __atomic_store_n(&c->stop, 1, __ATOMIC_RELAXED);
    }
    if (t == p->fail || t == p->fail_too) {
        return dps_error_set(err, DPS_ERROR_DATA, "tile %d", (int)t);
    }
    if (!p->carry) {
        for (size_t i = 0; i < ELEMENTS; i++) {
            sum[i] += term(t, i);
        }
        return DPS_OK;
    }
    kept *k = scratch;
    if (t == dps_slot_begin(s, p->slots, p->tiles)) {
        memset(k, 0, sizeof *k);
    }
    const bool last = t + 1 == dps_slot_begin(s + 1, p->slots, p->tiles);
    k->tiles++;
    for (size_t i = 0; i < ELEMENTS; i++) {
        k->waiting[i] = k->waiting[i] * 0.5 + term(t, i);
        if (k->tiles % 3 == 0 || last) {
            sum[i] += k->waiting[i];
            k->waiting[i] = 0;
        }
    }
    return DPS_OK;
}

static void sum_on_rank(const dps_comm *comm, void *context)
{
    plan *p = context;
    const int rank = dps_comm_rank(comm);
    tile_context c = {.p = p, .first = comm == NULL ? 0 : p->begin[rank]};
    const int64_t end = comm == NULL ? p->tiles : p->begin[rank + 1];
    const dps_ordered_sum sum = {.tiles = end - c.first,
                                 .first_tile = c.first,
                                 .total_tiles = p->tiles,
                                 .slots = p->slots,
                                 .elements = ELEMENTS,
                                 .scratch_bytes = sizeof(kept) + 64,
                                 .carry_bytes = sizeof(kept),
                                 .add = add,
                                 .context = &c};
    const dps_run run = {.threads = p->threads, .stop = &c.stop, .comm = comm};
    dps_error err = {0};
    memset(p->total[rank], 0xFF, sizeof p->total[rank]);
    p->status[rank] = dps_ordered_sum_run(&sum, &run, p->total[rank], &err);
    snprintf(p->text[rank], sizeof p->text[rank], "%.79s", err.text);
}

static plan plan_of(int ranks, int64_t tiles, int64_t slots)
{
    plan p = {.ranks = ranks,
              .threads = 1,
              .tiles = tiles,
              .slots = slots,
              .fail = -1,
              .fail_too = -1,
              .stop = -1};
    for (int r = 0; r <= ranks; r++) {
        p.begin[r] = r * tiles / ranks;
    }
    return p;
}

static void check_equal(plan *p)
{
    plan alone = *p;
    alone.threads = 1;
    sum_on_rank(NULL, &alone);
    assert_int_equal(alone.status[0], DPS_OK);
    (void)ranks_run(p->ranks, sum_on_rank, p);
    for (int r = 0; r < p->ranks; r++) {
        assert_int_equal(p->status[r], DPS_OK);
        assert_memory_equal(p->total[r], alone.total[0], sizeof alone.total[0]);
    }
}

static void same_bits_for_any_number_of_ranks_and_threads(void **state)
{
    (void)state;
    static const int64_t slot_counts[] = {1, 2, 4, 5, 7, 8, 16, 31, 64, 256};
    static const int rank_counts[] = {1, 2, 3, 4, 8, 13};
    for (size_t a = 0; a < sizeof slot_counts / sizeof slot_counts[0]; a++) {
        for (size_t b = 0; b < sizeof rank_counts / sizeof rank_counts[0]; b++) {
            plan p = plan_of(rank_counts[b], TILES, slot_counts[a]);
            p.threads = 1 + (int)((a + b) % 2);
            p.carry = b % 2 == 1;
            check_equal(&p);
        }
    }
}

/* Limits inside slots, several in one slot, ranks without tiles at the start, inside and at the
 * end. */
static void limits_of_ranks_may_fall_anywhere(void **state)
{
    (void)state;
    static const int64_t begin[][6] = {{0, 1, 2, 3, 4, TILES},
                                       {0, 0, 0, 500, 501, TILES},
                                       {0, 130, 130, 130, 131, TILES},
                                       {0, 999, TILES, TILES, TILES, TILES},
                                       {0, TILES, TILES, TILES, TILES, TILES},
                                       {0, 125, 250, 250, 375, TILES},
                                       {0, 0, 0, 0, 0, TILES}};
    static const int64_t slot_counts[] = {1, 3, 8, 64, 256};
    for (size_t a = 0; a < sizeof begin / sizeof begin[0]; a++) {
        for (size_t b = 0; b < sizeof slot_counts / sizeof slot_counts[0]; b++) {
            plan p = plan_of(5, TILES, slot_counts[b]);
            memcpy(p.begin, begin[a], sizeof begin[a]);
            p.carry = true;
            p.threads = 2;
            check_equal(&p);
        }
    }
}

/* A tree over slots in place of one that every rank would have to share. */
static void few_messages_where_limits_fall_on_slots(void **state)
{
    (void)state;
    plan p = plan_of(8, 1024, 256);
    assert_int_equal(ranks_run(8, sum_on_rank, &p), 7);
}

static void the_smallest_failing_tile_is_every_ranks_error(void **state)
{
    (void)state;
    static const int64_t fails[][2] = {{0, -1}, {999, -1}, {300, 700}, {400, 399}, {260, 990}};
    for (size_t a = 0; a < sizeof fails / sizeof fails[0]; a++) {
        for (int64_t slots = 1; slots <= 256; slots *= 4) {
            plan p = plan_of(3, TILES, slots);
            p.fail = fails[a][0];
            p.fail_too = fails[a][1];
            const int64_t least = p.fail_too >= 0 && p.fail_too < p.fail ? p.fail_too : p.fail;
            char text[80];
            snprintf(text, sizeof text, "tile %d", (int)least);
            (void)ranks_run(3, sum_on_rank, &p);
            for (int r = 0; r < 3; r++) {
                assert_int_equal(p.status[r], DPS_ERROR_DATA);
                assert_string_equal(p.text[r], text);
            }
        }
    }
}

static void a_signal_to_one_rank_stops_all(void **state)
{
    (void)state;
    for (int64_t slots = 1; slots <= 256; slots *= 16) {
        plan p = plan_of(4, TILES, slots);
        p.stop = 600;
        p.fail = 100;
        (void)ranks_run(4, sum_on_rank, &p);
        for (int r = 0; r < 4; r++) {
            if (slots > 1) { /* of one slot, rank 2 is never asked to fill its part */
                assert_int_equal(p.status[r], DPS_ERROR_STOPPED);
            } else {
                assert_int_equal(p.status[r], DPS_ERROR_DATA);
            }
        }
    }
}

static void tiles_are_dealt_to_ranks_once_and_evenly(void **state)
{
    (void)state;
    for (int64_t tiles = 1; tiles < 20000; tiles = 3 * tiles + 1) {
        const int64_t units = dps_slot_count(tiles, 1, 1e30);
        for (int ranks = 1; ranks < 300; ranks = 2 * ranks + 1) {
            assert_int_equal(dps_rank_begin(0, ranks, 0, tiles), 0);
            assert_int_equal(dps_rank_begin(ranks, ranks, 0, tiles), tiles);
            for (int r = 0; r < ranks; r++) {
                const int64_t begin = dps_rank_begin(r, ranks, 0, tiles);
                const int64_t count = dps_rank_begin(r + 1, ranks, 0, tiles) - begin;
                assert_in_range(count, 0, (units / ranks + 1) * (tiles / units + 1));
                int64_t unit = 0;
                while (dps_slot_begin(unit, units, tiles) < begin) {
                    unit++;
                }
                assert_int_equal(dps_slot_begin(unit, units, tiles), begin);
            }
        }
    }
}

static void take_turns(const dps_comm *comm, void *context)
{
    double *total = context;
    double sum;
    dps_in_turn_begin(comm, &sum, sizeof sum);
    for (int64_t t = 100 * dps_comm_rank(comm); t < 100 * (dps_comm_rank(comm) + 1); t++) {
        sum += term(t, 0);
    }
    dps_in_turn_end(comm, &sum, sizeof sum);
    total[dps_comm_rank(comm)] = sum;
}

static void ranks_take_turns_row_by_row(void **state)
{
    (void)state;
    double expected = 0, total[5];
    for (int64_t t = 0; t < 500; t++) {
        expected += term(t, 0);
    }
    (void)ranks_run(5, take_turns, total);
    for (int r = 0; r < 5; r++) {
        assert_memory_equal(&total[r], &expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_ranks_and_threads),
        cmocka_unit_test(limits_of_ranks_may_fall_anywhere),
        cmocka_unit_test(few_messages_where_limits_fall_on_slots),
        cmocka_unit_test(the_smallest_failing_tile_is_every_ranks_error),
        cmocka_unit_test(a_signal_to_one_rank_stops_all),
        cmocka_unit_test(tiles_are_dealt_to_ranks_once_and_evenly),
        cmocka_unit_test(ranks_take_turns_row_by_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
