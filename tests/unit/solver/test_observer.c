/* Whoever looks on sees the weights that would be returned, changes nothing by looking, and can end
 * the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "observer.h"

/* P summed in another order over 2000 rows: 2000 * 2^-53 is 2e-13. */
#define SUM_TOLERANCE 1e-11

static const char *const solvers[] = {"dcd", "sgd", "newton"};

typedef struct record {
    int64_t calls, stop_at; /* 0: never */
    int64_t last;           /* iteration */
    size_t doubles;
    double w[512]; /* of the last call */
    dps_status status;
    bool fell; /* the iteration number or the row visits */
    double visits;
} record;

static dps_status look(void *context, const dps_pass_report *report, bool *stop, dps_error *err)
{
    record *r = context;
    r->doubles = (size_t)report->models * report->length;
    assert_true(r->doubles <= 512);
    memcpy(r->w, report->w, r->doubles * sizeof *r->w);
    r->fell = r->fell || report->iteration < r->last || report->row_visits < r->visits;
    r->last = report->iteration;
    r->visits = report->row_visits;
    *stop = ++r->calls == r->stop_at;
    return r->status == DPS_OK ? DPS_OK : dps_error_set(err, r->status, "no more");
}

static dps_status solve(synthetic *s, const char *solver, record *r, dps_solution *solution,
                        dps_error *err)
{
    const dps_pass_observer observer = {
        .context = r, .stops = r != NULL && r->stop_at > 0, .after_pass = look};
    const dps_solver_settings settings = {.tolerance = 1e-4,
                                          .max_iterations = 100,
                                          .seed = 1,
                                          .observer = r == NULL ? NULL : &observer};
    assert_int_equal(dps_solution_init(solution, &s->problem, NULL), DPS_OK);
    return dps_solve(dps_solver_find(solver), &s->problem, &settings, &s->run, solution, err);
}

static void looking_changes_nothing_and_sees_what_is_returned(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        synthetic *s = synthetic_new(2000, 12, 3, "squared_hinge", 1.0);
        dps_solution alone, seen;
        record r = {.stop_at = 0};
        s->run.threads = 2;
        assert_int_equal(solve(s, solvers[i], NULL, &alone, NULL), DPS_OK);
        assert_int_equal(solve(s, solvers[i], &r, &seen, NULL), DPS_OK);
        assert_true(r.calls >= 2 && !r.fell);
        assert_int_equal(r.last, seen.iterations);
        assert_memory_equal(alone.w, seen.w, r.doubles * sizeof(double));
        assert_memory_equal(r.w, seen.w, r.doubles * sizeof(double));
        dps_solution_release(&alone);
        dps_solution_release(&seen);
        synthetic_free(s);
    }
}

/* Few rows that the interior point method ends: the same ending, of every solver and of auto. */
static void looking_does_not_take_the_ending_from_few_rows(void **state)
{
    (void)state;
    const char *const by[] = {"dcd", "sgd", "newton", "auto"};
    for (size_t i = 0; i < 4; i++) {
        synthetic *s = synthetic_new(20, 40, 2, "epsilon_insensitive", 1e6);
        dps_solution alone, seen;
        record r = {.stop_at = 0};
        assert_int_equal(solve(s, by[i], NULL, &alone, NULL), DPS_OK);
        assert_int_equal(solve(s, by[i], &r, &seen, NULL), DPS_OK);
        assert_true(i < 2 || alone.solver == &dps_solver_interior);
        assert_ptr_equal(alone.solver, seen.solver);
        assert_int_equal(alone.iterations, seen.iterations);
        assert_memory_equal(alone.w, seen.w, r.doubles * sizeof(double));
        assert_true(r.calls >= 2 && !r.fell);
        assert_int_equal(r.last, seen.iterations);
        assert_memory_equal(r.w, seen.w, r.doubles * sizeof(double));
        dps_solution_release(&alone);
        dps_solution_release(&seen);
        synthetic_free(s);
    }
}

/* An observer that may stop has no interior ending, and then auto's dcd, whose problem newton
 * cannot take either, goes on to its own end. */
static void auto_does_not_stall_where_nobody_takes_over(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(200, 12, 2, "hinge", 1e6);
    dps_solution alone, automatic;
    record r = {.stop_at = 1000000};
    synthetic_add_sparse(s, 30);
    assert_int_equal(solve(s, "dcd", &r, &alone, NULL), DPS_OK);
    r.calls = 0;
    assert_int_equal(solve(s, "auto", &r, &automatic, NULL), DPS_OK);
    assert_int_equal(automatic.outcome, alone.outcome);
    assert_int_equal(automatic.iterations, alone.iterations);
    dps_solution_release(&alone);
    dps_solution_release(&automatic);
    synthetic_free(s);
}

static void a_stop_ends_with_the_weights_that_were_shown_and_their_certificate(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge"};
    for (size_t i = 0; i < 6; i++) {
        synthetic *s = synthetic_new(2000, 12, 2, losses[i / 3], 1.0);
        dps_solution solution;
        record r = {.stop_at = 2};
        assert_int_equal(solve(s, solvers[i % 3], &r, &solution, NULL), DPS_OK);
        assert_int_equal(solution.outcome, DPS_STOPPED_EARLY);
        assert_int_equal(r.calls, 2);
        assert_int_equal(r.last, solution.iterations);
        assert_memory_equal(r.w, solution.w, r.doubles * sizeof(double));
        const double P = synthetic_primal(s, 0, solution.w);
        assert_true(fabs(solution.certificate[0].primal - P) <= SUM_TOLERANCE * P);
        assert_true(solution.certificate[0].gap > 1e-4 && solution.certificate[0].gap <= 1.0);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

static void its_error_ends_the_solve(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        synthetic *s = synthetic_new(2000, 12, 2, "squared_hinge", 1.0);
        dps_solution solution;
        dps_error err;
        record r = {.status = DPS_ERROR_DATA};
        assert_int_equal(solve(s, solvers[i], &r, &solution, &err), DPS_ERROR_DATA);
        assert_string_equal(err.text, "no more");
        assert_int_equal(r.calls, 1);
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

/* Newton's classes come in batches by memory; an observer sees them all at once or is told that it
 * cannot. */
static void newton_shows_all_classes_at_once_or_says_that_memory_does_not_allow_it(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(2000, 12, 5, "squared_hinge", 1.0);
    dps_solution alone, seen;
    dps_error err;
    record r = {.stop_at = 0};
    s->run.memory = 400000; /* a batch of less than 5 */
    assert_int_equal(solve(s, "newton", NULL, &alone, &err), DPS_OK);
    assert_int_equal(solve(s, "newton", &r, &seen, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "run.memory"));
    dps_solution_release(&seen);
    s->run.memory = (size_t)1 << 30;
    assert_int_equal(solve(s, "newton", &r, &seen, &err), DPS_OK);
    assert_memory_equal(alone.w, seen.w, r.doubles * sizeof(double));
    dps_solution_release(&alone);
    dps_solution_release(&seen);
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_changes_nothing_and_sees_what_is_returned),
        cmocka_unit_test(looking_does_not_take_the_ending_from_few_rows),
        cmocka_unit_test(auto_does_not_stall_where_nobody_takes_over),
        cmocka_unit_test(a_stop_ends_with_the_weights_that_were_shown_and_their_certificate),
        cmocka_unit_test(its_error_ends_the_solve),
        cmocka_unit_test(newton_shows_all_classes_at_once_or_says_that_memory_does_not_allow_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
