/* The plan in seconds: when it is said, once, and what it says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "job_limits.h"
#include "pace.h"

static void it_is_said_once_where_the_work_is_long(void **state)
{
    (void)state;
    char text[40];
    const struct {
        double seconds, share;
        const char *said; /* NULL: nothing */
    } cases[] = {{5, 0.1, "about 50 s"},
                 {0.5, 0.01, NULL},
                 {5, 0.6, NULL},
                 {5, 0, NULL},
                 {5, 1, NULL},
                 {30, 0.1, "about 5 min"},
                 {1200, 0.1, "about 3.3 h"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_pace pace = {.began = dps_now() - cases[k].seconds};
        const bool due = dps_pace_due(&pace, cases[k].share, text, sizeof text);
        assert_int_equal(due, cases[k].said != NULL);
        if (due) {
            assert_string_equal(text, cases[k].said);
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
    assert_string_equal(h.text, "plan: about 80 s for dcd, after about 3 s of mapping");
    h = after_one_pass(DPS_NORMAL, 5, 0, 0); /* the limit is less */
    assert_string_equal(h.text, "plan: about 20 s for dcd, after about 3 s of mapping");
    h = after_one_pass(DPS_NORMAL, 1000, 1, 3); /* the first of three classes */
    assert_string_equal(h.text, "plan: about 4 min for dcd, after about 3 s of mapping");
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
