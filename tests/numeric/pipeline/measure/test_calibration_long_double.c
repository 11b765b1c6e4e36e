/* Probabilities against their definitions in long double: the isotonic curve against the min-max
 * formula, the sigmoid against the root of the gradient by Newton's method. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "allocation.h"
#include "calibration.h"
#include "isotonic.h"
#include "random.h"

enum { MOST = 60, CASES = 60 };

typedef struct sample {
    int64_t rows;
    double score[MOST], weight[MOST];
    bool positive[MOST];
    long double target[MOST]; /* Platt's */
} sample;

static double uniform(uint32_t seed, uint32_t kind, uint32_t i)
{
    return dps_random_uniform(seed, DPS_STREAM_SAMPLE, kind, 0, i);
}

/* Scores in [-3, 3], of every second case on a grid of halves (ties); weights 1 or in (0, 5). */
static void draw(sample *s, uint32_t seed)
{
    long double above = 0, below = 0;
    s->rows = 2 + (int64_t)((MOST - 1) * uniform(seed, 0, 0));
    for (uint32_t i = 0; i < s->rows; i++) {
        const double x = 6 * uniform(seed, 1, i) - 3;
        s->score[i] = seed % 2 == 0 ? x : floor(2 * x) / 2;
        s->weight[i] = seed % 4 < 2 ? 1 : 5 * uniform(seed, 2, i);
        s->positive[i] = uniform(seed, 3, i) < 1 / (1 + exp(0.3 - x));
        *(s->positive[i] ? &above : &below) += (long double)s->weight[i];
    }
    for (int64_t i = 0; i < s->rows; i++) {
        s->target[i] = s->positive[i] ? (above + 1) / (above + 2) : 1 / (below + 2);
    }
}

/* Mean target of the rows whose scores are in [from, to]. */
static long double mean(const sample *s, double from, double to)
{
    long double sum = 0, weight = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        if (s->score[i] >= from && s->score[i] <= to) {
            sum += (long double)s->weight[i] * s->target[i];
            weight += (long double)s->weight[i];
        }
    }
    return sum / weight;
}

/* max over scores a <= x of min over scores b >= x of the mean of a..b. */
static long double max_min(const sample *s, double x)
{
    long double most = -1;
    for (int64_t a = 0; a < s->rows; a++) {
        long double least = 2;
        for (int64_t b = 0; b < s->rows && s->score[a] <= x; b++) {
            if (s->score[b] >= x) {
                least = fminl(least, mean(s, s->score[a], s->score[b]));
            }
        }
        most = s->score[a] <= x ? fmaxl(most, least) : most;
    }
    return most;
}

/* Sums of at most MOST non-negative terms, twice, and a few roundings more; values are below 1.
 * Pooling that rounding decides the other way moves a mean by no more. */
static void the_isotonic_curve_is_the_max_min_of_means(void **state)
{
    (void)state;
    const long double tolerance = 4 * MOST * (long double)DBL_EPSILON;
    for (uint32_t seed = 0; seed < CASES; seed++) {
        sample s;
        double *score, *p;
        dps_isotonic curve = {0};
        draw(&s, seed);
        assert_int_equal(
            dps_isotonic_fit(s.score, s.positive, s.weight, s.rows, &curve.count, &score, &p, NULL),
            DPS_OK);
        curve.score = score;
        curve.p = p;
        for (int64_t i = 0; i < s.rows; i++) {
            const long double expected = max_min(&s, s.score[i]);
            const double found = dps_isotonic_value(&curve, s.score[i]);
            if (!(fabsl((long double)found - expected) <= tolerance)) {
                fail_msg("case %u, row %d: %.17g, expected %.20Lg", seed, (int)i, found, expected);
            }
        }
        dps_free(score);
        dps_free(p);
    }
}

typedef struct slope {
    long double g[2], h11, h12, h22;
} slope;

/* Gradient and Hessian of Platt's likelihood: p = 1 / (1 + exp(A s + B)). */
static slope slope_at(const sample *s, long double A, long double B)
{
    slope d = {{0, 0}, 0, 0, 0};
    for (int64_t i = 0; i < s->rows; i++) {
        const long double x = (long double)s->score[i], w = (long double)s->weight[i];
        const long double p = 1 / (1 + expl(A * x + B)), r = w * (s->target[i] - p);
        const long double q = w * p * (1 - p);
        d.g[0] += x * r;
        d.g[1] += r;
        d.h11 += x * x * q;
        d.h12 += x * q;
        d.h22 += q;
    }
    return d;
}

/* Newton's steps, halved until the gradient is shorter. */
static slope root(const sample *s, long double *A, long double *B)
{
    slope d = slope_at(s, *A, *B);
    for (int step = 0; step < 200 && fabsl(d.g[0]) + fabsl(d.g[1]) > 1e-13L; step++) {
        const long double det = d.h11 * d.h22 - d.h12 * d.h12;
        const long double a = (d.h22 * d.g[0] - d.h12 * d.g[1]) / det;
        const long double b = (d.h11 * d.g[1] - d.h12 * d.g[0]) / det;
        long double t = 1;
        slope next = slope_at(s, *A - a, *B - b);
        while (t > 1e-6L && hypotl(next.g[0], next.g[1]) >= hypotl(d.g[0], d.g[1])) {
            t /= 2;
            next = slope_at(s, *A - t * a, *B - t * b);
        }
        *A -= t * a;
        *B -= t * b;
        d = next;
    }
    return d;
}

/* The fit stops where both parts g of the gradient are below 1e-5, which is H^-1 g from the root:
 * twice that, for H is of the root. */
static void check_sigmoid(const sample *s, const char *what, uint32_t seed)
{
    const dps_sigmoid fit = dps_sigmoid_fit(s->score, s->positive, s->weight, s->rows);
    long double A = 0, B = 0;
    const slope d = root(s, &A, &B);
    assert_true(fabsl(d.g[0]) < 1e-9L && fabsl(d.g[1]) < 1e-9L);
    const long double det = d.h11 * d.h22 - d.h12 * d.h12, stop = 2e-5L;
    const long double far_a = stop * (d.h22 + fabsl(d.h12)) / det;
    const long double far_b = stop * (d.h11 + fabsl(d.h12)) / det;
    if (!(fabsl((long double)fit.A - A) <= far_a && fabsl((long double)fit.B - B) <= far_b)) {
        fail_msg("%s %u: A %.17g B %.17g, expected %.20Lg %.20Lg", what, seed, fit.A, fit.B, A, B);
    }
    double before = dps_sigmoid_value(&fit, -4);
    for (double x = -4; x <= 4; x += 0.125) {
        const double p = dps_sigmoid_value(&fit, x);
        assert_true(fit.A <= 0 ? p >= before : p <= before);
        before = p;
    }
}

static void the_sigmoid_is_the_root_of_the_gradient(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < CASES; seed++) {
        sample s;
        draw(&s, seed);
        if (s.rows >= 10) { /* fewer may be of one score, where A and B are not determined */
            check_sigmoid(&s, "case", seed);
        }
    }
}

/* Without Platt's targets A would run to minus infinity. */
static void separable_scores_have_a_finite_root(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < CASES; seed++) {
        sample s = {.rows = 20};
        for (uint32_t i = 0; i < s.rows; i++) {
            s.positive[i] = i % 2 == 1;
            s.score[i] = (s.positive[i] ? 1 : -1) * (0.25 + uniform(seed, 1, i));
            s.weight[i] = 1;
            s.target[i] = (s.positive[i] ? 11.0L : 1.0L) / 12;
        }
        check_sigmoid(&s, "separable", seed);
        const dps_sigmoid fit = dps_sigmoid_fit(s.score, s.positive, NULL, s.rows);
        assert_true(isfinite(fit.A) && isfinite(fit.B) && fit.A < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_isotonic_curve_is_the_max_min_of_means),
        cmocka_unit_test(the_sigmoid_is_the_root_of_the_gradient),
        cmocka_unit_test(separable_scores_have_a_finite_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
