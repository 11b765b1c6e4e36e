/* Loops over tiles: every tile once, the lowest error, a stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "tile_loop.h"

enum { TILES = 1000, MOST_THREADS = 8 };

typedef struct work {
    int visits[TILES];
    int64_t bad; /* from here on every seventh tile fails */
} work;

static dps_status visit(void *context, int64_t t, void *memory, dps_error *err)
{
    work *w = context;
    memset(memory, (int)t, 100);
    w->visits[t]++;
    return t >= w->bad && (t - w->bad) % 7 == 0
               ? dps_error_set(err, DPS_ERROR_DATA, "tile %ld", (long)t)
               : DPS_OK;
}

static dps_status loop(work *w, int threads, const dps_run *stops, dps_error *err)
{
    const dps_tile_loop l = {.tiles = TILES,
                             .threads = threads,
                             .bytes = 100,
                             .visit = visit,
                             .context = w,
                             .stops = stops,
                             .doing = "counting"};
    return dps_tile_loop_run(&l, err);
}

static void every_tile_is_visited_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        work w = {.bad = TILES};
        assert_int_equal(loop(&w, threads, NULL, NULL), DPS_OK);
        for (int t = 0; t < TILES; t++) {
            assert_int_equal(w.visits[t], 1);
        }
    }
}

static void the_error_is_the_lowest_tiles_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        for (int64_t bad = 0; bad < 50; bad += 7) {
            work w = {.bad = bad};
            dps_error err;
            char expected[40];
            snprintf(expected, sizeof expected, "tile %ld", (long)bad);
            assert_int_equal(loop(&w, threads, NULL, &err), DPS_ERROR_DATA);
            assert_string_equal(err.text, expected);
        }
    }
}

static void a_stop_ends_the_loop(void **state)
{
    (void)state;
    work w = {.bad = TILES};
    volatile sig_atomic_t stop = 1;
    const dps_run run = {.threads = 2, .stop = &stop};
    dps_error err;
    assert_int_equal(loop(&w, 2, &run, &err), DPS_ERROR_STOPPED);
    assert_string_equal(err.text, "stopped while counting");
    assert_int_equal(w.visits[TILES - 1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_is_visited_once),
        cmocka_unit_test(the_error_is_the_lowest_tiles_for_any_number_of_threads),
        cmocka_unit_test(a_stop_ends_the_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
