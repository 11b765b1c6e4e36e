/* The plan in seconds: when it is said, once, and what it says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "job_limits.h"
#include "pace.h"

/* The number in the text; the clock goes on while a test runs, so that it may be a little more than
 * what the case says: up to a quarter, but never less. What stands around it is compared. */
static void assert_about(const char *text, const char *before, double number, const char *after)
{
    const size_t length = strlen(before);
    char *rest;
    assert_int_equal(strncmp(text, before, length), 0);
    const double said = strtod(text + length, &rest);
    assert_true(said >= number && said <= 1.25 * number);
    assert_string_equal(rest, after);
}

static void it_is_said_once_where_the_work_is_long(void **state)
{
    (void)state;
    char text[40];
    const struct {
        double seconds, share;
        double said; /* 0: nothing */
        const char *unit;
    } cases[] = {{5, 0.1, 50, " s"}, {0.5, 0.01, 0, ""},   {5, 0.6, 0, ""},       {5, 0, 0, ""},
                 {5, 1, 0, ""},      {30, 0.1, 5, " min"}, {1200, 0.1, 3.3, " h"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_pace pace = {.began = dps_now() - cases[k].seconds};
        const bool due = dps_pace_due(&pace, cases[k].share, text, sizeof text);
        assert_int_equal(due, cases[k].said > 0);
        if (due) {
            assert_about(text, "about ", cases[k].said, cases[k].unit);
        }
        assert_false(due && dps_pace_due(&pace, cases[k].share, text, sizeof text));
    }
}

typedef struct heard {
    char text[200];
    int texts, states;
} heard;

static void hear_text(void *context, dps_level level, const char *text)
{
    heard *h = context;
    assert_int_equal(level, DPS_NORMAL);
    strncpy(h->text, text, sizeof h->text - 1);
    h->texts++;
}

static void hear_progress(void *context, const dps_progress *progress)
{
    assert_non_null(progress->stage);
    ((heard *)context)->states++;
}

/* Iteration 1 of `most`, four seconds after the beginning. */
static heard after_one_pass(dps_level level, int64_t most, int32_t part, int32_t parts)
{
    heard h = {.texts = 0};
    const dps_log log = {level, hear_text, hear_progress, &h};
    const dps_run run = {.threads = 1, .log = &log};
    dps_pace_listener listener;
    dps_pace_listen(&listener, 3.2, 20, &run);
    listener.pace.began -= 4;
    for (int64_t pass = 0; pass < 3; pass++) {
        dps_log_progress(&listener.run, &(dps_progress){.stage = "dcd",
                                                        .fraction = -1,
                                                        .iteration = pass == 2 ? 1 : pass,
                                                        .objective = NAN,
                                                        .gap = NAN,
                                                        .target = NAN,
                                                        .most = most,
                                                        .part = part,
                                                        .parts = parts});
    }
    assert_int_equal(h.states, 3); /* they go on to who listened before */
    return h;
}

static void the_first_pass_tells_the_solvers_time(void **state)
{
    (void)state;
    heard h = after_one_pass(DPS_NORMAL, 1000, 0, 0); /* 20 are usual */
    assert_int_equal(h.texts, 1);
    assert_about(h.text, "plan: about ", 80, " s for dcd, after about 3 s of mapping");
    h = after_one_pass(DPS_NORMAL, 5, 0, 0); /* the limit is less */
    assert_about(h.text, "plan: about ", 20, " s for dcd, after about 3 s of mapping");
    h = after_one_pass(DPS_NORMAL, 1000, 1, 3); /* the first of three classes */
    assert_about(h.text, "plan: about ", 4, " min for dcd, after about 3 s of mapping");
    assert_int_equal(after_one_pass(DPS_NORMAL, 2, 0, 0).texts, 0); /* soon at an end */
    assert_int_equal(after_one_pass(DPS_WARNING, 1000, 0, 0).texts, 0);
}

static void nobody_need_listen(void **state)
{
    (void)state;
    const dps_run run = {.threads = 1};
    dps_pace_listener listener;
    dps_pace_listen(&listener, 1, 20, &run);
    dps_log_share(&listener.run, "dcd", 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_said_once_where_the_work_is_long),
        cmocka_unit_test(the_first_pass_tells_the_solvers_time),
        cmocka_unit_test(nobody_need_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
