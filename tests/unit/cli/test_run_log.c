/* The records of run.log, and that everything is passed on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "run_log.h"

#define PATH "test_run_log.jsonl"

typedef struct seen {
    int texts, states;
} seen;

static void count_text(void *context, dps_level level, const char *text)
{
    (void)level;
    (void)text;
    ((seen *)context)->texts++;
}

static void count_state(void *context, const dps_progress *progress)
{
    (void)progress;
    ((seen *)context)->states++;
}

static const dps_progress step = {"dcd", -1.0, 3, 12.5, 0.25, false, 0.001, 0, 0, 0, NULL};

static void a_record_is_json_and_what_is_no_number_is_null(void **state)
{
    (void)state;
    char out[512];
    dps_progress p = step;
    assert_true(dps_run_log_record(&p, 1.23449, out, sizeof out) == strlen(out));
    assert_string_equal(out, "{\"stage\":\"dcd\",\"iteration\":3,\"seconds\":1.234,"
                             "\"objective\":12.5,\"gap\":0.25,\"target\":0.001}\n");
    p.gap = INFINITY;
    p.objective = NAN;
    assert_true(dps_run_log_record(&p, 0.0, out, sizeof out) > 0);
    assert_non_null(strstr(out, "\"objective\":null,\"gap\":null"));
    assert_int_equal(dps_run_log_record(&p, 0.0, out, 20), 0);
}

/* Records are in the file before it is closed; a second log goes on where the first ended. */
static void iterations_are_written_at_once_and_appended(void **state)
{
    (void)state;
    seen s = {0, 0};
    const dps_log next = {DPS_NORMAL, count_text, count_state, &s};
    dps_progress reading = step;
    reading.iteration = -1;
    remove(PATH);
    for (int i = 1; i <= 2; i++) {
        dps_run_log log;
        dps_run_log_init(&log, PATH, &next);
        log.log.progress(log.log.context, &reading);
        log.log.progress(log.log.context, &step);
        log.log.write(log.log.context, DPS_NORMAL, "text");
        FILE *file = fopen(PATH, "r");
        char line[512];
        int lines = 0;
        assert_non_null(file);
        while (fgets(line, sizeof line, file) != NULL) {
            assert_non_null(strstr(line, "\"iteration\":3"));
            lines++;
        }
        fclose(file);
        assert_int_equal(lines, i);
        dps_run_log_close(&log);
    }
    assert_int_equal(s.texts, 2);
    assert_int_equal(s.states, 4);
    remove(PATH);
}

static void a_log_that_cannot_be_written_is_told_once(void **state)
{
    (void)state;
    seen s = {0, 0};
    const dps_log next = {DPS_NORMAL, count_text, count_state, &s};
    dps_run_log log;
    dps_run_log_init(&log, "no/such/folder/log", &next);
    log.log.progress(log.log.context, &step);
    log.log.progress(log.log.context, &step);
    assert_int_equal(s.texts, 1);
    assert_int_equal(s.states, 2);
    dps_run_log_close(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_json_and_what_is_no_number_is_null),
        cmocka_unit_test(iterations_are_written_at_once_and_appended),
        cmocka_unit_test(a_log_that_cannot_be_written_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
