/* Sigmoids of decision values against the equations they solve. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "calibration.h"
#include "random.h"

enum { ROWS = 4000 };

static void sigmoid_is_the_formula_everywhere(void **state)
{
    (void)state;
    /* 2 ulp of the exponential and three roundings, relative to the smaller of p and 1 - p */
    const double tolerance = 2e-15;
    const dps_sigmoid s = {-1, 0};
    for (double f = -700; f <= 700; f += 0.37) {
        const double p = dps_sigmoid_value(&s, f);
        const double expected = f < 0 ? exp(f) / (1 + exp(f)) : 1 / (1 + exp(-f));
        assert_true(fabs(p - expected) <= tolerance * expected);
    }
    assert_true(dps_sigmoid_value(&s, 1e300) == 1);
    assert_true(dps_sigmoid_value(&s, -1e300) == 0);
    assert_true(dps_sigmoid_value(&s, 0) == 0.5);
}

/* Rows drawn from p(s) = 1 / (1 + exp(A s + B)). */
static void draw(double A, double B, double *score, bool *positive)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        score[i] = 2 * dps_random_normal(5, DPS_STREAM_SAMPLE, 0, 0, i);
        const double p = 1 / (1 + exp(A * score[i] + B));
        positive[i] = dps_random_uniform(5, DPS_STREAM_SAMPLE, 1, 0, i) < p;
    }
}

/* At the optimum the targets' residuals are orthogonal to 1 and to the scores (the fit stops at
 * 1e-5 on sums over rows). */
static void fit_satisfies_the_normal_equations(void **state)
{
    (void)state;
    static double score[ROWS];
    static bool positive[ROWS];
    draw(-1.5, 0.7, score, positive);
    const dps_sigmoid fit = dps_sigmoid_fit(score, positive, NULL, ROWS);
    double above = 0, g1 = 0, g2 = 0;
    for (int i = 0; i < ROWS; i++) {
        above += positive[i];
    }
    for (int i = 0; i < ROWS; i++) {
        const double t = positive[i] ? (above + 1) / (above + 2) : 1 / (ROWS - above + 2);
        const double p = 1 / (1 + exp(fit.A * score[i] + fit.B));
        g1 += score[i] * (t - p);
        g2 += t - p;
    }
    assert_true(fabs(g1) < 2e-5 && fabs(g2) < 2e-5);
    /* standard errors of A and B at 4,000 rows are near 0.05; six of them: false alarms below 1e-8
     */
    assert_true(fabs(fit.A + 1.5) < 0.3 && fabs(fit.B - 0.7) < 0.3);
}

static void fit_survives_separable_and_constant_scores(void **state)
{
    (void)state;
    const double apart[] = {-1e6, -2e6, 1e6, 3e6}, equal[] = {2, 2, 2, 2};
    const bool positive[] = {false, false, true, true}, mostly[] = {true, true, true, false};
    const dps_sigmoid a = dps_sigmoid_fit(apart, positive, NULL, 4);
    assert_true(isfinite(a.A) && isfinite(a.B));
    assert_true(dps_sigmoid_value(&a, 1e6) > 0.6 && dps_sigmoid_value(&a, -1e6) < 0.4);
    const dps_sigmoid b = dps_sigmoid_fit(equal, mostly, NULL, 4);
    /* mean target: (3 * 4/5 + 1/3) / 4 */
    assert_true(fabs(dps_sigmoid_value(&b, 2) - (3 * 0.8 + 1.0 / 3) / 4) < 1e-4);
}

static void probabilities_are_shares(void **state)
{
    (void)state;
    const dps_sigmoid s[] = {{-1, 0}, {-2, 1}, {-1, -1}};
    const double score[] = {0.5, -1, 3}, far[] = {-1e6, -1e6, -1e6};
    double p[3];
    dps_probabilities(s, 3, score, 1, p);
    assert_true(fabs(p[0] + p[1] + p[2] - 1) < 1e-15);
    assert_true(fabs(p[1] / p[0] - dps_sigmoid_value(&s[1], -1) / dps_sigmoid_value(&s[0], 0.5)) <
                1e-15);
    dps_probabilities(s, 3, far, 1, p);
    assert_true(p[0] == 1.0 / 3 && p[2] == 1.0 / 3);
    dps_probabilities(s, 2, score, 1, p);
    assert_true(p[0] + p[1] == 1 && p[1] == dps_sigmoid_value(&s[0], 0.5));
}

/* Scores without information: no fit on one half can beat the prior on the other by much. */
static void losses_are_of_rows_that_were_not_fitted(void **state)
{
    (void)state;
    static dps_scored scored[ROWS];
    static double score[ROWS];
    double mean = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        score[i] = dps_random_normal(6, DPS_STREAM_SAMPLE, 0, 0, i);
        scored[i].label = dps_random_uniform(6, DPS_STREAM_SAMPLE, 1, 0, i) < 0.5;
    }
    assert_int_equal(dps_calibrated_losses(score, NULL, ROWS, 2, scored, NULL), 0);
    for (int i = 0; i < ROWS; i++) {
        mean += scored[i].loss / ROWS;
    }
    assert_true(fabs(mean - log(2)) < 0.005);
    assert_true(dps_probability_loss(0) < 34.6 && dps_probability_loss(1) == 0);
}

/* A file whose classes take turns: its odd rows are one class, its even rows the other. */
static void halves_have_every_class_whatever_the_order(void **state)
{
    (void)state;
    static dps_scored turn[ROWS], sorted[ROWS];
    static double score[ROWS], other[ROWS];
    double loss[2] = {0, 0};
    for (uint32_t i = 0; i < ROWS; i++) {
        turn[i].label = i % 2 == 1;
        score[i] = (i % 2 == 1 ? 1 : -1) + dps_random_normal(8, DPS_STREAM_SAMPLE, 0, 0, i);
        const uint32_t to = i / 2 + (i % 2 == 1 ? ROWS / 2 : 0);
        sorted[to].label = turn[i].label;
        other[to] = score[i];
    }
    assert_int_equal(dps_calibrated_losses(score, NULL, ROWS, 2, turn, NULL), 0);
    assert_int_equal(dps_calibrated_losses(other, NULL, ROWS, 2, sorted, NULL), 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t to = i / 2 + (i % 2 == 1 ? ROWS / 2 : 0);
        loss[0] += turn[i].loss / ROWS;
        assert_true(turn[i].loss == sorted[to].loss);
        loss[1] += log1p(exp(-2 * (turn[i].label == 1 ? score[i] : -score[i]))) / ROWS;
    }
    assert_true(fabs(loss[0] - loss[1]) < 0.01); /* of the true probability, 1 / (1 + exp(-2 s)) */
}

/* Two classes: -log of 1 / (1 + exp(-y s)); more: of the class' share of the sum. */
static void logistic_losses_need_no_fit(void **state)
{
    (void)state;
    dps_scored scored[3] = {{.label = 1}, {.label = 0}, {.label = 1}};
    const double two[] = {2.0, -1.0, -3.0};
    assert_int_equal(dps_logistic_losses(two, 3, 2, scored, NULL), DPS_OK);
    for (int i = 0; i < 3; i++) {
        const double y = scored[i].label == 1 ? 1.0 : -1.0;
        assert_true(fabs(scored[i].loss - log(1.0 + exp(-y * two[i]))) < 1e-14);
    }
    const double three[] = {1.0, 0.0, -2.0, 0.5, 0.0, 0.25, -1.0, 0.0, 4.0}; /* models x rows */
    assert_int_equal(dps_logistic_losses(three, 3, 3, scored, NULL), DPS_OK);
    for (int i = 0; i < 3; i++) {
        double p[3], sum = 0.0;
        for (int k = 0; k < 3; k++) {
            p[k] = 1.0 / (1.0 + exp(-three[3 * k + i]));
            sum += p[k];
        }
        assert_true(fabs(scored[i].loss + log(p[scored[i].label] / sum)) < 1e-14);
    }
}

static void a_row_of_weight_k_is_k_rows(void **state)
{
    (void)state;
    enum { FEW = ROWS / 3 };
    static double score[ROWS], weight[FEW], copied[ROWS];
    static bool positive[ROWS], copied_positive[ROWS];
    int64_t copies = 0;
    draw(-1.5, 0.7, score, positive);
    for (int64_t i = 0; i < FEW; i++) {
        const int64_t k = 1 + i % 4 / 2 + i % 2; /* 1 to 3 */
        weight[i] = (double)k;
        for (int64_t c = 0; c < k; c++) {
            copied[copies] = score[i];
            copied_positive[copies++] = positive[i];
        }
    }
    const dps_sigmoid a = dps_sigmoid_fit(score, positive, weight, FEW);
    const dps_sigmoid b = dps_sigmoid_fit(copied, copied_positive, NULL, copies);
    const dps_sigmoid without = dps_sigmoid_fit(score, positive, NULL, FEW);
    assert_true(fabs(a.A - b.A) < 1e-9 && fabs(a.B - b.B) < 1e-9);
    assert_true(fabs(a.A - without.A) > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigmoid_is_the_formula_everywhere),
        cmocka_unit_test(fit_satisfies_the_normal_equations),
        cmocka_unit_test(fit_survives_separable_and_constant_scores),
        cmocka_unit_test(probabilities_are_shares),
        cmocka_unit_test(losses_are_of_rows_that_were_not_fitted),
        cmocka_unit_test(halves_have_every_class_whatever_the_order),
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
        cmocka_unit_test(logistic_losses_need_no_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
