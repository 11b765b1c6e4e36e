/* A solver that is stopped between two passes and goes on in a fresh process ends with the bits of
 * one that never stopped, wherever it was stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "state.h"

/* Keeps one state in memory; pauses at an offer of a given number. */
typedef struct memory_keeper {
    char *bytes;
    char *names;
    size_t size;
    char solver[16];
    int64_t offers, pause_at;
} memory_keeper;

static const char *kept_solver(void *context)
{
    const memory_keeper *m = context;
    return m->bytes == NULL ? NULL : m->solver;
}

static dps_status load(void *context, const dps_state *state, dps_error *err)
{
    (void)err;
    const memory_keeper *m = context;
    size_t at = 0;
    for (size_t i = 0; i < state->count; i++) {
        assert_true(at + state->part[i].size <= m->size);
        memcpy(state->part[i].bytes, m->bytes + at, state->part[i].size);
        at += state->part[i].size;
    }
    assert_true(state->count == 1 || at == m->size);
    return DPS_OK;
}

static dps_status offer(void *context, const dps_state *state, dps_error *err)
{
    memory_keeper *m = context;
    if (m->offers++ != m->pause_at) {
        return DPS_OK;
    }
    m->size = 0;
    for (size_t i = 0; i < state->count; i++) {
        m->size += state->part[i].size;
    }
    dps_free(m->bytes);
    m->bytes = dps_alloc(m->size, 1);
    size_t at = 0;
    for (size_t i = 0; i < state->count; i++) {
        memcpy(m->bytes + at, state->part[i].bytes, state->part[i].size);
        at += state->part[i].size;
    }
    strcpy(m->solver, state->solver);
    return dps_error_set(err, DPS_ERROR_PAUSED, "paused");
}

typedef struct trial {
    const char *solver, *loss;
    int64_t rows;
    int32_t width, classes;
    double C, tolerance;
    int64_t most;
    size_t memory;  /* 0: as the problem has it */
    int32_t shards; /* 0: auto */
    int32_t batch;  /* 0: auto */
} trial;

static void expect_same(const dps_solution *a, const dps_solution *b)
{
    const size_t models = (size_t)a->models;
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->outcome, b->outcome);
    assert_ptr_equal(a->solver, b->solver);
    assert_true((a->first_solver == NULL) == (b->first_solver == NULL));
    assert_true(a->row_visits == b->row_visits);
    assert_memory_equal(a->w, b->w, models * a->length * sizeof(double));
    assert_memory_equal(a->certificate, b->certificate, models * sizeof *a->certificate);
}

/* Stops at every offer in turn (every fifth beyond 20), each time once; then at all of them. */
static void stops_leave_no_trace(const trial *t)
{
    synthetic *s = synthetic_new(t->rows, t->width, t->classes, t->loss, t->C);
    dps_solution whole, part;
    dps_error err;
    s->shards = t->shards;
    s->batch = t->batch;
    if (t->memory > 0) {
        s->run.memory = t->memory;
    }
    memory_keeper counter = {.pause_at = -1};
    dps_keeper keeper = {.context = &counter, .solver = kept_solver, .load = load, .offer = offer};
    assert_int_equal(synthetic_solve(s, t->solver, t->tolerance, t->most, &whole, &err), DPS_OK);
    s->run.keeper = &keeper;
    assert_int_equal(synthetic_solve(s, t->solver, t->tolerance, t->most, &part, &err), DPS_OK);
    expect_same(&whole, &part);
    dps_solution_release(&part);
    print_message("%s, %s, %d classes: %lld places to stop\n", t->solver, t->loss, (int)t->classes,
                  (long long)counter.offers);
    assert_true(counter.offers > 1);
    for (int64_t k = 0; k < counter.offers; k += k < 20 ? 1 : 5) {
        memory_keeper one = {.pause_at = k};
        keeper.context = &one;
        assert_int_equal(synthetic_solve(s, t->solver, t->tolerance, t->most, &part, &err),
                         DPS_ERROR_PAUSED);
        dps_solution_release(&part);
        one.pause_at = -1;
        assert_int_equal(synthetic_solve(s, t->solver, t->tolerance, t->most, &part, &err), DPS_OK);
        expect_same(&whole, &part);
        dps_solution_release(&part);
        dps_free(one.bytes);
    }
    memory_keeper every = {.pause_at = 0};
    keeper.context = &every;
    dps_status status = DPS_ERROR_PAUSED;
    while (status == DPS_ERROR_PAUSED) {
        every.offers = 0;
        status = synthetic_solve(s, t->solver, t->tolerance, t->most, &part, &err);
        if (status == DPS_OK) {
            expect_same(&whole, &part);
        }
        dps_solution_release(&part);
    }
    assert_int_equal(status, DPS_OK);
    dps_free(every.bytes);
    dps_solution_release(&whole);
    synthetic_free(s);
}

static void dcd_goes_on_from_any_pass(void **state)
{
    (void)state;
    const trial t[] = {{"dcd", "squared_hinge", 1500, 20, 2, 1.0, 1e-6, 60, 0, 0, 0},
                       {"dcd", "hinge", 1900, 40, 3, 1.0, 1e-6, 12, 0, 2, 0},
                       {"dcd", "logistic", 1900, 40, 2, 1.0, 1e-9, 12, 0, 4, 0},
                       {"dcd", "hinge", 1500, 20, 3, 1.0, 1e-4, 60, 0, 0, 0},
                       {"dcd", "hinge", 1500, 20, 3, 1.0, 1e-4, 60, 0, 0, 200},
                       {"dcd", "epsilon_insensitive", 900, 12, 2, 1.0, 1e-3, 40, 0, 0, 0}};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        stops_leave_no_trace(&t[i]);
    }
}

static void sgd_goes_on_from_any_epoch(void **state)
{
    (void)state;
    const trial t[] = {{"sgd", "squared_hinge", 1500, 20, 2, 1.0, 1e-4, 30, 0, 0, 0},
                       {"sgd", "hinge", 1900, 40, 3, 1.0, 1e-4, 12, 0, 4, 0},
                       {"sgd", "hinge", 1900, 40, 3, 1.0, 1e-4, 12, 0, 0, 200},
                       {"sgd", "logistic", 1500, 20, 3, 1.0, 1e-3, 20, 0, 0, 0}};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        stops_leave_no_trace(&t[i]);
    }
}

/* 9,000 rows of 20 columns have two levels before the last; the last trial's memory holds a batch
 * of few models, so that the stops fall into several. */
static void newton_goes_on_from_any_step_level_and_batch(void **state)
{
    (void)state;
    const trial t[] = {{"newton", "squared_hinge", 9000, 20, 2, 10.0, 1e-9, 100, 0, 0, 0},
                       {"newton", "hinge", 3000, 16, 2, 1.0, 1e-6, 200, 0, 0, 0},
                       {"newton", "logistic", 3000, 16, 3, 1.0, 1e-9, 100, 0, 0, 0},
                       {"newton", "squared_hinge", 4000, 20, 5, 1.0, 1e-9, 100, 800000, 0, 0}};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        stops_leave_no_trace(&t[i]);
    }
}

/* Stopped in dcd, stopped in newton after the hand-over. */
static void auto_goes_on_in_the_solver_it_was_in(void **state)
{
    (void)state;
    const trial t = {"auto", "hinge", 2000, 30, 2, 1e4, 1e-6, 1000, 0, 0, 0};
    stops_leave_no_trace(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dcd_goes_on_from_any_pass),
        cmocka_unit_test(sgd_goes_on_from_any_epoch),
        cmocka_unit_test(newton_goes_on_from_any_step_level_and_batch),
        cmocka_unit_test(auto_goes_on_in_the_solver_it_was_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
