/* What is said on standard error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "terminal.h"

static dps_terminal terminal;
static char *said;
static size_t said_length;

static void open_terminal(bool on_terminal, dps_level level)
{
    FILE *stream = open_memstream(&said, &said_length);
    assert_non_null(stream);
    dps_terminal_init(&terminal, stream, on_terminal, level);
}

/* Closes, and compares all that was said. */
static void expect(const char *text)
{
    dps_terminal_close(&terminal);
    fclose(terminal.stream);
    assert_string_equal(said, text);
    free(said);
}

static dps_run run_with_log(void)
{
    return (dps_run){.threads = 1, .log = &terminal.log};
}

static void lines_are_said_as_they_are(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    dps_log_text(&run, DPS_NORMAL, "rows %d", 3);
    dps_log_text(&run, DPS_DEBUG, "detail");
    fflush(terminal.stream);
    assert_string_equal(said, "rows 3\n"); /* flushed at once */
    expect("rows 3\n");
}

static void quiet_says_errors_only(void **state)
{
    (void)state;
    open_terminal(false, DPS_QUIET);
    dps_run run = run_with_log();
    dps_log_text(&run, DPS_NORMAL, "rows 3");
    dps_log_text(&run, DPS_WARNING, "careful");
    dps_log_progress(&run, &(dps_progress){"read", 0.5, -1, NAN, NAN, false, NAN, 0, 0, 0, NULL});
    dps_terminal_error(&terminal, "x.svm:3: no label");
    expect("dpsvm: x.svm:3: no label\n");
}

static void a_warning_is_said_once_and_counted(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    for (int i = 0; i < 5; i++) {
        dps_log_text(&run, DPS_WARNING, "careful");
    }
    dps_log_text(&run, DPS_WARNING, "once");
    expect("dpsvm: warning: careful\ndpsvm: warning: once\n"
           "dpsvm: warning: given 5 times: careful\n");
}

static void more_warnings_than_the_table_holds_are_all_said(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    for (int i = 0; i < DPS_WARNINGS_KEPT + 3; i++) {
        dps_log_text(&run, DPS_WARNING, "number %d", i);
    }
    dps_terminal_close(&terminal);
    fclose(terminal.stream);
    assert_non_null(strstr(said, "number 34\n"));
    free(said);
}

static void short_stages_have_no_progress_lines(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    for (int i = 0; i <= 100; i++) {
        dps_log_progress(
            &run, &(dps_progress){"read", i / 100.0, -1, NAN, NAN, false, NAN, 0, 0, 0, NULL});
    }
    expect("");
}

/* The clock is moved by setting back the times that the terminal remembers. */
static void long_stages_have_a_line_every_ten_seconds_and_a_last_one(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    dps_progress p = {"dcd", -1, 1, 10.0, 0.1, false, 1e-3, 0, 0, 0, NULL};
    dps_log_progress(&run, &p);
    terminal.said -= 2.0; /* two seconds later */
    p.iteration = 2;
    dps_log_progress(&run, &p);
    terminal.said -= 8.0;
    p.iteration = 3;
    dps_log_progress(&run, &p); /* too early */
    terminal.said -= 3.0;
    p.iteration = 4;
    dps_log_progress(&run, &p);
    p.iteration = 5;
    dps_log_progress(&run, &p);
    expect("dcd  iteration 2  objective 10  gap 1.00e-01 (target 1e-03)  0:00\n"
           "dcd  iteration 4  objective 10  gap 1.00e-01 (target 1e-03)  0:00\n"
           "dcd  iteration 5  objective 10  gap 1.00e-01 (target 1e-03)  0:00\n");
}

static void text_comes_after_the_last_state_before_it(void **state)
{
    (void)state;
    open_terminal(false, DPS_NORMAL);
    dps_run run = run_with_log();
    dps_progress p = {"dcd", -1, 1, 10.0, 0.1, false, 1e-3, 0, 0, 0, NULL};
    dps_log_progress(&run, &p);
    terminal.said -= 2.0;
    p.iteration = 2;
    dps_log_progress(&run, &p);
    p.iteration = 3;
    dps_log_progress(&run, &p);
    dps_log_text(&run, DPS_DEBUG, "unheard");
    dps_log_text(&run, DPS_NORMAL, "done");
    expect("dcd  iteration 2  objective 10  gap 1.00e-01 (target 1e-03)  0:00\n"
           "dcd  iteration 3  objective 10  gap 1.00e-01 (target 1e-03)  0:00\n"
           "done\n");
}

static void on_a_terminal_one_line_is_written_over_and_cleared_for_text(void **state)
{
    (void)state;
    open_terminal(true, DPS_NORMAL);
    dps_run run = run_with_log();
    dps_progress p = {"map", 0.25, -1, NAN, NAN, false, NAN, 0, 0, 0, NULL};
    dps_log_progress(&run, &p);
    terminal.said -= 1.0;
    dps_log_progress(&run, &p);
    dps_log_text(&run, DPS_NORMAL, "text");
    terminal.said -= 1.0;
    p.fraction = 0.5;
    dps_log_progress(&run, &p);
    expect("\rmap   25 %  0:00\033[K\r\033[Ktext\n\rmap   50 %  0:00\033[K\r\033[K");
}

static void the_time_left_follows_the_fraction_or_the_gap(void **state)
{
    (void)state;
    char line[200];
    dps_progress p = {"read", 0.25, -1, NAN, NAN, false, NAN, 0, 0, 0, NULL};
    dps_progress_line(&p, 30.0, NAN, line, sizeof line);
    assert_string_equal(line, "read   25 %  0:30, about 1:30 left");
    /* from 1 to 1e-2 of the way to 1e-3: two of three decades */
    p = (dps_progress){"newton", -1, 7, 12.5, 1e-2, false, 1e-3, 0, 0, 0, NULL};
    dps_progress_line(&p, 4000.0, 1.0, line, sizeof line);
    assert_string_equal(line, "newton  iteration 7  objective 12.5  gap 1.00e-02 (target 1e-03)  "
                              "1:06:40, about 33:20 left");
    p.gap = 2.0; /* growing: nothing is promised */
    dps_progress_line(&p, 30.0, 1.0, line, sizeof line);
    assert_null(strstr(line, "left"));
    p.is_change = true;
    dps_progress_line(&p, 30.0, 1.0, line, sizeof line);
    assert_non_null(strstr(line, "  change 2.00e+00"));
    assert_null(strstr(line, "gap"));
}

static void a_limit_of_iterations_bounds_the_time_left(void **state)
{
    (void)state;
    char line[200];
    /* by the gap a tenth of a decade of three: 29 times as long; by the limit four fifths done */
    dps_progress p = {"sgd", -1, 40, 12.5, 0.8, false, 1e-3, 50, 0, 0, NULL};
    dps_progress_line(&p, 40.0, 1.0, line, sizeof line);
    assert_non_null(strstr(line, "0:40, about 0:10 left"));
}

static void pieces_before_this_one_are_done(void **state)
{
    (void)state;
    char line[200];
    dps_progress p = {"newton", -1, 1, 12.5, 1.0, false, 1e-3, 0, 4, 26, NULL};
    dps_progress_line(&p, 3.0, 1.0, line, sizeof line);
    assert_non_null(strstr(line, "newton  class 4 of 26  iteration 1 "));
    assert_non_null(strstr(line, "0:03, about 0:23 left"));
}

static void a_narrow_line_keeps_share_and_time(void **state)
{
    (void)state;
    char line[200];
    dps_progress p = {
        "search", 0.25, -1, NAN, NAN, false, NAN, 0, 0, 0, "trial 5 of about 13: rbf"};
    dps_progress_line(&p, 30.0, NAN, line, sizeof line);
    assert_string_equal(line, "search   25 %  trial 5 of about 13: rbf  0:30, about 1:30 left");
    dps_progress_line(&p, 30.0, NAN, line, 55);
    assert_string_equal(line, "search   25 %  trial 5 of about  0:30, about 1:30 left");
    dps_progress_line(&p, 30.0, NAN, line, 58); /* never half a number */
    assert_string_equal(line, "search   25 %  trial 5 of about  0:30, about 1:30 left");
    dps_progress_line(&p, 30.0, NAN, line, 40);
    assert_string_equal(line, "search   25 %  0:30, about 1:30 left");
    p = (dps_progress){"newton", -1, 7, 12.5, 1e-2, false, 1e-3, 0, 0, 0, NULL};
    dps_progress_line(&p, 4000.0, 1.0, line, 60);
    assert_string_equal(line, "newton  iteration 7  1:06:40, about 33:20 left");
}

static void a_long_line_is_cut_not_overrun(void **state)
{
    (void)state;
    char line[24];
    memset(line, 'x', sizeof line);
    dps_progress p = {"newton", 0.5, 123456789, 1.2345e6, 1e-2, false, 1e-3, 0, 0, 0, NULL};
    dps_progress_line(&p, 4000.0, 1.0, line, 20);
    assert_int_equal(strlen(line), 19);
    assert_int_equal(line[20], 'x');
}

static void collected_text_is_a_result_and_warnings_are_not(void **state)
{
    (void)state;
    dps_text result = {0};
    open_terminal(false, DPS_NORMAL);
    terminal.collect = &result;
    dps_run run = run_with_log();
    dps_log_text(&run, DPS_NORMAL, "plan");
    dps_log_text(&run, DPS_WARNING, "careful");
    expect("dpsvm: warning: careful\n");
    assert_string_equal(result.data, "plan\n");
    dps_text_release(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_said_as_they_are),
        cmocka_unit_test(quiet_says_errors_only),
        cmocka_unit_test(a_warning_is_said_once_and_counted),
        cmocka_unit_test(more_warnings_than_the_table_holds_are_all_said),
        cmocka_unit_test(a_limit_of_iterations_bounds_the_time_left),
        cmocka_unit_test(pieces_before_this_one_are_done),
        cmocka_unit_test(a_narrow_line_keeps_share_and_time),
        cmocka_unit_test(short_stages_have_no_progress_lines),
        cmocka_unit_test(long_stages_have_a_line_every_ten_seconds_and_a_last_one),
        cmocka_unit_test(text_comes_after_the_last_state_before_it),
        cmocka_unit_test(on_a_terminal_one_line_is_written_over_and_cleared_for_text),
        cmocka_unit_test(the_time_left_follows_the_fraction_or_the_gap),
        cmocka_unit_test(a_long_line_is_cut_not_overrun),
        cmocka_unit_test(collected_text_is_a_result_and_warnings_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
