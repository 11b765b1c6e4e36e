/* Sums over rows: same bits for any number of threads, errors of the smallest tile, few buffers
 * alive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ordered_sum.h"
#include "sum_room.h"
#include "allocation.h"

#define ELEMENTS 37

static double term(int64_t t, size_t i)
{
    const uint64_t mixed = ((uint64_t)t * ELEMENTS + i + 1) * 0x9E3779B97F4A7C15ULL;
    return (double)(int64_t)(mixed ^ mixed >> 29) *
           0x1p-40; /* any two orders of summation differ */
}

typedef struct work {
    int64_t fail_first;  /* tiles fail from here on (none: INT64_MAX) ... */
    int64_t fail_other;  /* ... and this one (none: -1) */
    bool fail_late;      /* fail_other waits until `happened` */
    atomic_int happened; /* a tile from fail_first on has failed, or the stop was asked for */
    volatile sig_atomic_t *stop;
    int64_t stop_at;
    bool uneven; /* early tiles take long */
    bool wants_scratch;
} work;

/* At most 5 s, so that a machine that gives fewer threads than asked for does not hang here. */
static void wait_until_it_happened(work *w)
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int i = 0; i < 50000 && !atomic_load(&w->happened); i++) {
        nanosleep(&pause, NULL);
    }
}

static dps_status add(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    work *w = context;
    if (w->uneven && t % 16 == 0) {
        for (volatile int spin = 0; spin < 20000; spin++) {
        }
    }
    if (w->stop != NULL && t == w->stop_at) {
        __atomic_store_n(w->stop, 1, __ATOMIC_RELAXED);
        atomic_store(&w->happened, 1);
    }
    if (t == w->fail_other && w->fail_late) {
        wait_until_it_happened(w);
    }
    if (t >= w->fail_first || t == w->fail_other) {
        const dps_status status = dps_error_set(err, DPS_ERROR_DATA, "tile %d", (int)t);
        atomic_fetch_or(&w->happened, t >= w->fail_first);
        return status;
    }
    if (w->wants_scratch) {
        assert_int_equal((uintptr_t)scratch % DPS_ALIGN, 0);
        memset(scratch, (int)t, 1000);
    }
    for (size_t i = 0; i < ELEMENTS; i++) {
        sum[i] += term(t, i);
    }
    return DPS_OK;
}

static const work plain = {.fail_first = INT64_MAX, .fail_other = -1};

static dps_ordered_sum sum_of(work *w, int64_t tiles, int64_t slots)
{
    return (dps_ordered_sum){
        .tiles = tiles, .slots = slots, .elements = ELEMENTS, .add = add, .context = w};
}

/* The documented order, written down a second time: slots in tile order, then pairs, pairs of
 * pairs, ... */
static void reference(int64_t tiles, int64_t slots, double *total)
{
    double *s = calloc((size_t)slots * ELEMENTS, sizeof *s);
    assert_non_null(s);
    for (int64_t k = 0; k < slots; k++) {
        for (int64_t t = k * tiles / slots; t < (k + 1) * tiles / slots; t++) {
            for (size_t i = 0; i < ELEMENTS; i++) {
                s[k * ELEMENTS + (int64_t)i] += term(t, i);
            }
        }
    }
    for (int64_t step = 1; step < slots; step *= 2) {
        for (int64_t k = 0; k + step < slots; k += 2 * step) {
            for (int64_t i = 0; i < ELEMENTS; i++) {
                s[k * ELEMENTS + i] += s[(k + step) * ELEMENTS + i];
            }
        }
    }
    memcpy(total, s, ELEMENTS * sizeof *total);
    free(s);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int64_t slot_counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 256};
    static const int thread_counts[] = {1, 2, 3, 7};
    for (size_t a = 0; a < sizeof slot_counts / sizeof slot_counts[0]; a++) {
        double expected[ELEMENTS];
        reference(1000, slot_counts[a], expected);
        for (size_t b = 0; b < 2 * sizeof thread_counts / sizeof thread_counts[0]; b++) {
            work w = plain;
            w.uneven = b % 2 == 1;
            const dps_ordered_sum sum = sum_of(&w, 1000, slot_counts[a]);
            const dps_run run = {.threads = thread_counts[b / 2]};
            double total[ELEMENTS];
            memset(total, 0xFF, sizeof total);
            assert_int_equal(dps_ordered_sum_run(&sum, &run, total, NULL), DPS_OK);
            assert_memory_equal(total, expected, sizeof total);
        }
    }
}

static void the_number_of_slots_does_matter(void **state)
{
    (void)state;
    double one[ELEMENTS];
    double two[ELEMENTS];
    reference(1000, 8, one);
    reference(1000, 16, two);
    assert_memory_not_equal(one, two, sizeof one); /* otherwise the test above proves nothing */
}

static void no_tiles_sum_to_zero(void **state)
{
    (void)state;
    work w = plain;
    const dps_ordered_sum sum = sum_of(&w, 0, 1);
    const dps_run run = {.threads = 2};
    double total[ELEMENTS];
    memset(total, 0xFF, sizeof total);
    assert_int_equal(dps_ordered_sum_run(&sum, &run, total, NULL), DPS_OK);
    for (size_t i = 0; i < ELEMENTS; i++) {
        assert_true(total[i] == 0.0);
    }
}

static void scratch_is_each_threads_own(void **state)
{
    (void)state;
    work w = plain;
    w.wants_scratch = true;
    dps_ordered_sum sum = sum_of(&w, 500, 32);
    sum.scratch_bytes = 1000;
    const dps_run run = {.threads = 4};
    double total[ELEMENTS];
    double expected[ELEMENTS];
    reference(500, 32, expected);
    assert_int_equal(dps_ordered_sum_run(&sum, &run, total, NULL), DPS_OK);
    assert_memory_equal(total, expected, sizeof total);
}

static void a_room_serves_sums_of_any_size_and_number_of_threads(void **state)
{
    (void)state;
    static const int64_t slot_counts[] = {8, 64, 1, 2, 256, 16};
    static const int thread_counts[] = {2, 7, 1, 3, 4, 2};
    dps_sum_room room = {0};
    for (size_t a = 0; a < sizeof slot_counts / sizeof slot_counts[0]; a++) {
        work w = plain;
        w.wants_scratch = true;
        dps_ordered_sum sum = sum_of(&w, 1000, slot_counts[a]);
        sum.scratch_bytes = 1000 + 500 * (a % 3);
        sum.room = &room;
        const dps_run run = {.threads = thread_counts[a]};
        double total[ELEMENTS], expected[ELEMENTS];
        reference(1000, slot_counts[a], expected);
        for (int again = 0; again < 2; again++) {
            memset(total, 0xFF, sizeof total);
            assert_int_equal(dps_ordered_sum_run(&sum, &run, total, NULL), DPS_OK);
            assert_memory_equal(total, expected, sizeof total);
        }
    }
    dps_sum_room_release(&room);
}

static void smallest_failing_tile_is_reported(void **state)
{
    (void)state;
    static const int64_t slot_counts[] = {1, 16, 64};
    for (int round = 0; round < 42; round++) {
        work w = plain;
        const dps_ordered_sum sum = sum_of(&w, 1000, slot_counts[round % 3]);
        const dps_run run = {.threads = 1 + round % 7};
        w.fail_first = 700;
        w.fail_other = 350;
        w.fail_late = sum.slots > 1 && run.threads > 1; /* after a larger tile has failed */
        double total[ELEMENTS];
        dps_error err;
        assert_int_equal(dps_ordered_sum_run(&sum, &run, total, &err), DPS_ERROR_DATA);
        assert_string_equal(err.text, "tile 350");
    }
}

static void stop_wins_over_failing_tiles(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        volatile sig_atomic_t stop = 0;
        work w = plain;
        const dps_ordered_sum sum = sum_of(&w, 1000, round % 2 == 0 ? 64 : 1);
        const dps_run run = {.threads = 1 + round % 4, .stop = &stop};
        w.stop = &stop;
        w.stop_at = 40;
        /* a tile that fails after the stop: alone it comes after it, among threads before */
        w.fail_late = sum.slots > 1 && run.threads > 1;
        w.fail_other = w.fail_late ? 3 : 999;
        double total[ELEMENTS];
        dps_error err;
        assert_int_equal(dps_ordered_sum_run(&sum, &run, total, &err), DPS_ERROR_STOPPED);
        assert_int_equal(err.status, DPS_ERROR_STOPPED);
    }
}

static void slot_count_is_bounded_and_blind_to_threads(void **state)
{
    (void)state;
    for (int64_t tiles = 0; tiles < 100000; tiles = 3 * tiles + 1) {
        for (size_t elements = 1; elements < 10000000; elements *= 10) {
            const int64_t slots = dps_slot_count(tiles, elements, 1e6);
            assert_in_range(slots, 1, 16384);
            assert_int_equal(slots & (slots - 1), 0);
            if (slots > 1) { /* merging is small against the work */
                assert_true(tiles / slots >= (slots > 256 ? 64 : 8));
                assert_true(1e6 * (double)(tiles / slots) >= 32.0 * (double)elements);
            }
        }
    }
    assert_int_equal(dps_slot_count(1 << 20, 1, 1e6), 16384);
    assert_int_equal(dps_slot_count(512 * 64 - 1, 1, 1e6), 256);
    assert_int_equal(dps_slot_count(512 * 64, 1, 1e6), 512);
    assert_int_equal(dps_slot_count(64, 1, 1e6), 8);
    assert_int_equal(dps_slot_count(15, 1, 1e6), 1);
    assert_int_equal(dps_slot_count(1 << 20, 1000000000, 1.0), 1);
}

static void slots_cover_all_tiles_once(void **state)
{
    (void)state;
    for (int64_t slots = 1; slots <= 256; slots *= 2) {
        for (int64_t tiles = slots; tiles < 5000; tiles = 2 * tiles + 3) {
            assert_int_equal(dps_slot_begin(0, slots, tiles), 0);
            assert_int_equal(dps_slot_begin(slots, slots, tiles), tiles);
            for (int64_t s = 0; s < slots; s++) {
                const int64_t length =
                    dps_slot_begin(s + 1, slots, tiles) - dps_slot_begin(s, slots, tiles);
                assert_in_range(length, tiles / slots, tiles / slots + 1);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_number_of_slots_does_matter),
        cmocka_unit_test(no_tiles_sum_to_zero),
        cmocka_unit_test(scratch_is_each_threads_own),
        cmocka_unit_test(a_room_serves_sums_of_any_size_and_number_of_threads),
        cmocka_unit_test(smallest_failing_tile_is_reported),
        cmocka_unit_test(stop_wins_over_failing_tiles),
        cmocka_unit_test(slot_count_is_bounded_and_blind_to_threads),
        cmocka_unit_test(slots_cover_all_tiles_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
