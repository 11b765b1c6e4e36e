/* Passing text and progress on; how many threads work is worth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "run.h"

typedef struct heard {
    int texts;
    int progresses;
    char last[2100];
    int inside; /* calls that are going on now */
    int most_inside;
} heard;

static void hear_text(void *context, dps_level level, const char *text)
{
    heard *h = context;
    (void)level;
    h->inside++;
    h->most_inside = h->inside > h->most_inside ? h->inside : h->most_inside;
    h->texts++;
    strcpy(h->last, text);
    h->inside--;
}

static void hear_progress(void *context, const dps_progress *progress)
{
    heard *h = context;
    (void)progress;
    h->progresses++;
}

static void only_levels_up_to_the_log_are_heard(void **state)
{
    (void)state;
    heard h = {0};
    const dps_log log = {DPS_NORMAL, hear_text, hear_progress, &h};
    const dps_run run = {.threads = 1, .log = &log};
    dps_log_text(&run, DPS_DEBUG, "hidden");
    assert_int_equal(h.texts, 0);
    dps_log_text(&run, DPS_WARNING, "%d rows", 7);
    assert_int_equal(h.texts, 1);
    assert_string_equal(h.last, "7 rows");
    const dps_progress progress = {.stage = "map"};
    dps_log_progress(&run, &progress);
    assert_int_equal(h.progresses, 1);
}

static void silence_is_allowed(void **state)
{
    (void)state;
    const dps_log empty = {.level = DPS_DEBUG};
    const dps_progress progress = {.stage = "map"};
    const dps_log *const logs[] = {NULL, &empty};
    for (size_t i = 0; i < 2; i++) {
        const dps_run run = {.threads = 1, .log = logs[i]};
        dps_log_text(&run, DPS_WARNING, "nobody listens");
        dps_log_progress(&run, &progress);
    }
}

static void calls_come_one_at_a_time(void **state)
{
    (void)state;
    heard h = {0};
    const dps_log log = {DPS_NORMAL, hear_text, hear_progress, &h};
    const dps_run run = {.threads = 4, .log = &log};
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
    for (int i = 0; i < 1000; i++) {
        dps_log_text(&run, DPS_NORMAL, "line %d", i);
    }
    assert_int_equal(h.texts, 1000);
    assert_int_equal(h.most_inside, 1);
}

static void stop_is_seen(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 0;
    dps_run run = {.threads = 1};
    assert_false(dps_run_stopped(&run));
    run.stop = &stop;
    assert_false(dps_run_stopped(&run));
    stop = 15;
    assert_true(dps_run_stopped(&run));
}

static void threads_are_as_many_as_the_work_is_worth(void **state)
{
    (void)state;
    const dps_run run = {.threads = 4};
    assert_int_equal(dps_run_threads(&run, 0), 1);
    assert_int_equal(dps_run_threads(&run, 3), 3);
    assert_int_equal(dps_run_threads(&run, 1000), 4);
    assert_int_equal(dps_run_threads_for(&run, 1000, 0.0), 1);
    assert_int_equal(dps_run_threads_for(&run, 1000, 1.9 * DPS_WORK_PER_THREAD), 1);
    assert_int_equal(dps_run_threads_for(&run, 1000, 2.0 * DPS_WORK_PER_THREAD), 2);
    assert_int_equal(dps_run_threads_for(&run, 2, 1e12), 2);
    assert_int_equal(dps_run_threads_for(&run, 1000, 1e300), 4);
    assert_int_equal(dps_run_threads_for(&run, 1000, INFINITY), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_levels_up_to_the_log_are_heard),
        cmocka_unit_test(silence_is_allowed),
        cmocka_unit_test(calls_come_one_at_a_time),
        cmocka_unit_test(stop_is_seen),
        cmocka_unit_test(threads_are_as_many_as_the_work_is_worth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
