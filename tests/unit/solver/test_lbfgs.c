/* L-BFGS on functions whose minimum is known, on one that ends, and on one that has none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "lbfgs.h"

enum { MOST_N = 50 };

/* What a function is made of, and what it has seen. */
typedef struct valley {
    size_t n;
    double stiffness[MOST_N], centre[MOST_N];
    double wall;          /* beyond this first coordinate it is infinite */
    double last[MOST_N];  /* where it was called last */
    int64_t calls, fails; /* fails: at this call; 0: never */
} valley;

/* 1/2 sum_j stiffness_j (x_j - centre_j)^2 */
static dps_status quadratic(void *context, const double *x, double *f, double *g, dps_error *err)
{
    valley *v = context;
    v->calls++;
    if (v->calls == v->fails) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory here");
    }
    memcpy(v->last, x, v->n * sizeof *x);
    *f = 0.0;
    for (size_t j = 0; j < v->n; j++) {
        g[j] = v->stiffness[j] * (x[j] - v->centre[j]);
        *f += 0.5 * g[j] * (x[j] - v->centre[j]);
    }
    if (v->wall > 0.0 && x[0] > v->wall) {
        *f = INFINITY;
    }
    return DPS_OK;
}

/* 100 (y - x^2)^2 + (1 - x)^2: least, 0, at (1, 1). */
static dps_status rosenbrock(void *context, const double *x, double *f, double *g, dps_error *err)
{
    valley *v = context;
    (void)err;
    const double a = x[1] - x[0] * x[0], b = 1.0 - x[0];
    v->calls++;
    *f = 100.0 * a * a + b * b;
    g[0] = -400.0 * x[0] * a - 2.0 * b;
    g[1] = 200.0 * a;
    return DPS_OK;
}

/* |x| with the slope of x: no step from 0 goes down. */
static dps_status liar(void *context, const double *x, double *f, double *g, dps_error *err)
{
    valley *v = context;
    (void)err;
    v->calls++;
    *f = fabs(x[0]);
    g[0] = 1.0;
    return DPS_OK;
}

static dps_status flat(void *context, const double *x, double *f, double *g, dps_error *err)
{
    (void)context;
    (void)x;
    (void)err;
    *f = 3.0;
    g[0] = 0.0;
    return DPS_OK;
}

static valley valley_of(size_t n)
{
    valley v = {.n = n};
    for (size_t j = 0; j < n; j++) {
        v.stiffness[j] = pow(100.0, (double)j / (double)n);
        v.centre[j] = cos((double)j);
    }
    return v;
}

static dps_lbfgs begin(dps_smooth_function function, valley *v)
{
    dps_lbfgs l = {.n = v->n, .function = function, .context = v};
    assert_int_equal(dps_lbfgs_init(&l, NULL), DPS_OK);
    assert_int_equal(dps_lbfgs_begin(&l, NULL), DPS_OK);
    return l;
}

/* Steps until |g| is small, it ends, or `most` are made; f never rises. */
static int64_t descend(dps_lbfgs *l, int64_t most)
{
    while (l->steps < most && !l->ended) {
        const double before = l->f;
        double steepest = 0.0;
        for (size_t j = 0; j < l->n; j++) {
            steepest = fmax(steepest, fabs(l->g[j]));
        }
        if (steepest < 1e-8) {
            break;
        }
        assert_int_equal(dps_lbfgs_step(l, NULL), DPS_OK);
        assert_true(l->f < before || l->ended);
    }
    return l->steps;
}

/* Conjugate gradients need about sqrt(condition) / 2 ln(2e9) = 107 steps for nine digits. */
static void the_minimum_of_a_quadratic_is_found_in_few_steps(void **state)
{
    (void)state;
    valley one = {.n = 1, .stiffness = {4.0}, .centre = {3.0}}, few = valley_of(5),
           many = valley_of(MOST_N);
    dps_lbfgs l = begin(quadratic, &one);
    assert_true(descend(&l, 20) <= 4);
    assert_true(fabs(l.x[0] - 3.0) < 1e-8);
    dps_lbfgs_release(&l);
    l = begin(quadratic, &few);
    assert_true(descend(&l, 200) <= 20);
    dps_lbfgs_release(&l);
    l = begin(quadratic, &many);
    const int64_t steps = descend(&l, 200);
    print_message("%d variables, condition 100: %lld steps, %lld evaluations\n", (int)MOST_N,
                  (long long)steps, (long long)l.evaluations);
    assert_true(steps <= 110 && l.evaluations <= 120);
    assert_int_equal(l.evaluations, many.calls);
    for (size_t j = 0; j < many.n; j++) {
        assert_true(fabs(l.x[j] - many.centre[j]) < 1e-7);
    }
    dps_lbfgs_release(&l);
}

/* 4 x 30 steep at 0: the first length, 1 / |g|, is a step of 1, and one five times as long is no
 * longer as steep. */
static void the_first_step_is_made_longer_where_it_stays_steep(void **state)
{
    (void)state;
    valley v = {.n = 1, .stiffness = {4.0}, .centre = {30.0}};
    dps_lbfgs l = begin(quadratic, &v);
    assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
    assert_true(fabs(l.x[0] - 5.0) < 1e-12);
    assert_int_equal(l.evaluations, 3); /* at 0, 1 and 5 */
    dps_lbfgs_release(&l);
}

static void a_bent_valley_is_followed_to_its_end(void **state)
{
    (void)state;
    valley v = {.n = 2};
    dps_lbfgs l = {.n = 2, .function = rosenbrock, .context = &v};
    assert_int_equal(dps_lbfgs_init(&l, NULL), DPS_OK);
    l.x[0] = -1.2;
    l.x[1] = 1.0;
    assert_int_equal(dps_lbfgs_begin(&l, NULL), DPS_OK);
    const int64_t steps = descend(&l, 200);
    print_message("Rosenbrock: %lld steps, %lld evaluations\n", (long long)steps,
                  (long long)l.evaluations);
    assert_true(steps <= 60);
    assert_true(fabs(l.x[0] - 1.0) < 1e-6 && fabs(l.x[1] - 1.0) < 1e-6);
    dps_lbfgs_release(&l);
}

/* The minimum lies beyond the wall: it comes close to it and never steps behind. */
static void where_a_function_is_infinite_no_step_ends(void **state)
{
    (void)state;
    valley v = {.n = 2, .stiffness = {1.0, 30.0}, .centre = {4.0, 1.0}, .wall = 2.5};
    dps_lbfgs l = begin(quadratic, &v);
    for (int k = 0; k < 40 && !l.ended; k++) {
        assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
        assert_true(isfinite(l.f) && l.x[0] <= 2.5);
    }
    assert_true(l.x[0] > 2.0 && fabs(l.x[1] - 1.0) < 0.1);
    dps_lbfgs_release(&l);
}

static void it_ends_where_nothing_goes_down(void **state)
{
    (void)state;
    valley v = {.n = 1};
    dps_lbfgs l = begin(liar, &v);
    assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
    assert_true(l.ended && l.steps == 0 && l.x[0] == 0.0 && v.calls < 20);
    dps_lbfgs_release(&l);
    l = begin(flat, &v);
    assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
    assert_true(l.ended && l.steps == 0 && l.f == 3.0);
    /* until the function is another one */
    v = valley_of(1);
    l.function = quadratic;
    assert_int_equal(dps_lbfgs_begin(&l, NULL), DPS_OK);
    assert_false(l.ended);
    descend(&l, 20);
    assert_true(fabs(l.x[0] - v.centre[0]) < 1e-7);
    dps_lbfgs_release(&l);
}

static void a_function_that_changes_is_gone_on_with(void **state)
{
    (void)state;
    valley v = valley_of(12);
    dps_lbfgs l = begin(quadratic, &v);
    descend(&l, 9);
    for (size_t j = 0; j < v.n; j++) {
        v.centre[j] += 0.1 * sin((double)j);
        v.stiffness[j] *= 1.1;
    }
    assert_int_equal(dps_lbfgs_begin(&l, NULL), DPS_OK);
    assert_true(l.pairs == 9 && l.steps == 9); /* what it has learnt stays */
    descend(&l, 100);
    for (size_t j = 0; j < v.n; j++) {
        assert_true(fabs(l.x[j] - v.centre[j]) < 1e-7);
    }
    dps_lbfgs_release(&l);
}

/* What the function keeps of its last call, as the map of a refinement does, is of l->x. */
static void the_function_is_called_last_where_a_step_ends(void **state)
{
    (void)state;
    valley v = valley_of(20);
    dps_lbfgs l = begin(quadratic, &v);
    for (int k = 0; k < 25 && !l.ended; k++) {
        assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
        assert_true(l.ended || memcmp(v.last, l.x, v.n * sizeof *l.x) == 0);
    }
    dps_lbfgs_release(&l);
}

static void errors_of_the_function_come_through(void **state)
{
    (void)state;
    valley v = valley_of(5);
    dps_error err = {0};
    dps_lbfgs l = begin(quadratic, &v);
    assert_int_equal(dps_lbfgs_step(&l, NULL), DPS_OK);
    v.fails = v.calls + 1;
    assert_int_equal(dps_lbfgs_step(&l, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "no memory here"));
    dps_lbfgs_release(&l);
}

/* A copy of the state in another process, at every step; listed once, before the first. */
static void a_saved_state_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    enum { STEPS = 30 };
    valley v = valley_of(MOST_N), other = v;
    dps_lbfgs whole = begin(quadratic, &v);
    dps_state from = {0};
    dps_lbfgs_list_state(&whole, &from);
    for (int k = 0; k < STEPS; k++) {
        dps_lbfgs again = {.n = other.n, .function = quadratic, .context = &other};
        dps_state to = {0};
        assert_int_equal(dps_lbfgs_init(&again, NULL), DPS_OK);
        dps_lbfgs_list_state(&again, &to);
        assert_true(!from.failed && from.count == to.count);
        for (size_t i = 0; i < from.count; i++) {
            assert_string_equal(from.part[i].name, to.part[i].name);
            assert_int_equal(from.part[i].size, to.part[i].size);
            memcpy(to.part[i].bytes, from.part[i].bytes, from.part[i].size);
        }
        dps_state_release(&to);
        assert_int_equal(dps_lbfgs_step(&whole, NULL), DPS_OK);
        assert_int_equal(dps_lbfgs_step(&again, NULL), DPS_OK);
        assert_memory_equal(whole.x, again.x, v.n * sizeof *whole.x);
        assert_memory_equal(whole.g, again.g, v.n * sizeof *whole.g);
        assert_true(whole.f == again.f && whole.steps == again.steps &&
                    whole.evaluations == again.evaluations);
        dps_lbfgs_release(&again);
    }
    assert_int_equal(whole.pairs, DPS_LBFGS_PAIRS);
    dps_state_release(&from);
    dps_lbfgs_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_of_a_quadratic_is_found_in_few_steps),
        cmocka_unit_test(the_first_step_is_made_longer_where_it_stays_steep),
        cmocka_unit_test(a_bent_valley_is_followed_to_its_end),
        cmocka_unit_test(where_a_function_is_infinite_no_step_ends),
        cmocka_unit_test(it_ends_where_nothing_goes_down),
        cmocka_unit_test(a_function_that_changes_is_gone_on_with),
        cmocka_unit_test(the_function_is_called_last_where_a_step_ends),
        cmocka_unit_test(errors_of_the_function_come_through),
        cmocka_unit_test(a_saved_state_goes_on_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
