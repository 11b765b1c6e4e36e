/* The fitted curve is the best ascending one (its conditions of optimality), and is read between
 * its knots. */
#include "isotonic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "probability.h"

#define ROWS 2000

typedef struct fit {
    dps_isotonic curve;
    double *score, *p;
} fit;

static void make_weighted(fit *f, const double *value, const bool *positive, const double *weight,
                          int64_t rows)
{
    assert_int_equal(
        dps_isotonic_fit(value, positive, weight, rows, &f->curve.count, &f->score, &f->p, NULL),
        DPS_OK);
    f->curve.score = f->score;
    f->curve.p = f->p;
}

static void make(fit *f, const double *value, const bool *positive, int64_t rows)
{
    make_weighted(f, value, positive, NULL, rows);
}

static void drop(fit *f)
{
    dps_free(f->score);
    dps_free(f->p);
}

/* Scores in [0, 1) with many ties, of the positive class with probability score^2. */
static void draw(double *value, bool *positive, int64_t rows)
{
    uint64_t s = 12345;
    for (int64_t i = 0; i < rows; i++) {
        s = s * 16807 % 2147483647;
        value[i] = floor((double)s / 2147483647.0 * 500) / 500;
        s = s * 16807 % 2147483647;
        positive[i] = (double)s / 2147483647.0 < value[i] * value[i];
    }
}

/* Minimises sum (t - p)^2 among ascending p if and only if, over the values in order, the running
 * sum of t - p is never below 0 and is 0 at the end of every block (the projection on the cone of
 * ascending functions). Rounding of 2000 terms below 1: 2000 * 2^-53 * 2000. */
static void the_curve_is_the_best_ascending_one(void **state)
{
    (void)state;
    const double tolerance = 1e-9;
    double value[ROWS];
    bool positive[ROWS];
    int64_t positives = 0;
    fit f;
    draw(value, positive, ROWS);
    make(&f, value, positive, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        positives += positive[i];
    }
    const double high = ((double)positives + 1) / ((double)positives + 2);
    const double low = 1 / ((double)(ROWS - positives) + 2);
    double running = 0, before = -1;
    for (int k = 0; k < 500; k++) {
        const double at = k / 500.0, p = dps_isotonic_value(&f.curve, at);
        bool seen = false;
        if (p > before + 1e-12) {
            assert_true(fabs(running) < tolerance); /* a block has ended */
        }
        for (int64_t i = 0; i < ROWS; i++) {
            if (value[i] == at) {
                running += (positive[i] ? high : low) - p;
                seen = true;
            }
        }
        if (seen) {
            assert_true(running > -tolerance);
            assert_true(p >= before);
            before = p;
        }
    }
    assert_true(fabs(running) < tolerance);
    drop(&f);
}

static void the_order_of_the_rows_changes_nothing(void **state)
{
    (void)state;
    double value[ROWS], other_value[ROWS];
    bool positive[ROWS], other_positive[ROWS];
    fit a, b;
    draw(value, positive, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        other_value[i] = value[i * 7 % ROWS];
        other_positive[i] = positive[i * 7 % ROWS];
    }
    make(&a, value, positive, ROWS);
    make(&b, other_value, other_positive, ROWS);
    assert_int_equal(a.curve.count, b.curve.count);
    assert_memory_equal(a.score, b.score, (size_t)a.curve.count * sizeof(double));
    assert_memory_equal(a.p, b.p, (size_t)a.curve.count * sizeof(double));
    drop(&a);
    drop(&b);
}

static void a_small_case_is_as_computed_by_hand(void **state)
{
    (void)state;
    /* classes 0 1 0 1 at 1 2 3 4: 2 and 3 are pooled. N+ = N- = 2: targets 3/4 and 1/4 */
    const double value[] = {1, 2, 3, 4};
    const bool positive[] = {false, true, false, true};
    const double score[] = {1, 2, 3, 4}, p[] = {0.25, 0.5, 0.5, 0.75};
    fit f;
    make(&f, value, positive, 4);
    assert_int_equal(f.curve.count, 4);
    for (int k = 0; k < 4; k++) {
        assert_true(f.score[k] == score[k] && f.p[k] == p[k]);
        assert_true(dps_isotonic_value(&f.curve, score[k]) == p[k]);
    }
    assert_true(dps_isotonic_value(&f.curve, 1.5) == 0.375);
    assert_true(dps_isotonic_value(&f.curve, 2.25) == 0.5);
    assert_true(dps_isotonic_value(&f.curve, -1e300) == 0.25);
    assert_true(dps_isotonic_value(&f.curve, INFINITY) == 0.75);
    drop(&f);
}

static void one_class_or_one_score_gives_a_constant(void **state)
{
    (void)state;
    const double equal[] = {3, 3, 3}, apart[] = {1, 2, 3};
    const bool mixed[] = {true, false, true}, all[] = {true, true, true};
    fit f;
    make(&f, equal, mixed, 3);
    assert_int_equal(f.curve.count, 1);
    assert_true(fabs(dps_isotonic_value(&f.curve, 5) - (2 * 0.75 + 1.0 / 3) / 3) < 1e-15);
    drop(&f);
    make(&f, apart, all, 3);
    assert_true(fabs(dps_isotonic_value(&f.curve, 0) - 0.8) < 1e-15);
    assert_true(fabs(dps_isotonic_value(&f.curve, 9) - 0.8) < 1e-15);
    drop(&f);
}

static void a_row_of_weight_k_is_k_rows(void **state)
{
    (void)state;
    double value[ROWS], weight[ROWS], *copied = dps_alloc(5 * ROWS, sizeof *copied);
    bool positive[ROWS], *copied_positive = dps_alloc(5 * ROWS, sizeof *copied_positive);
    int64_t copies = 0;
    fit a, b;
    draw(value, positive, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t k = 1 + i * i % 5;
        weight[i] = (double)k;
        for (int64_t c = 0; c < k; c++) {
            copied[copies] = value[i];
            copied_positive[copies++] = positive[i];
        }
    }
    make_weighted(&a, value, positive, weight, ROWS);
    make(&b, copied, copied_positive, copies);
    assert_int_equal(a.curve.count, b.curve.count);
    assert_true(memcmp(a.score, b.score, (size_t)a.curve.count * sizeof *a.score) == 0);
    assert_true(memcmp(a.p, b.p, (size_t)a.curve.count * sizeof *a.p) == 0);
    drop(&a);
    drop(&b);
    dps_free(copied);
    dps_free(copied_positive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_is_the_best_ascending_one),
        cmocka_unit_test(the_order_of_the_rows_changes_nothing),
        cmocka_unit_test(a_small_case_is_as_computed_by_hand),
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
        cmocka_unit_test(one_class_or_one_score_gives_a_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
