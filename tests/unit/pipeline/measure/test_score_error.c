/* The error of a metric on one part, against leaving out one row after the other (Tukey's
 * jackknife) and, for the AUC, against the formula of DeLong, DeLong & Clarke-Pearson. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "random.h"
#include "score_error.h"

enum { FEW = 200, MANY = 3000, CLASSES = 3 };

/* Rows of so many classes, one rare, with scores that tell them apart a little. */
static void make_rows(dps_scored *row, int64_t rows, int32_t classes, uint64_t seed)
{
    for (int64_t i = 0; i < rows; i++) {
        const uint32_t at = (uint32_t)i;
        const double u = dps_random_uniform(1, DPS_STREAM_SAMPLE, 0, 0, at);
        const double noise = dps_random_normal(seed, DPS_STREAM_SAMPLE, 1, 0, at);
        const int32_t label = u < 0.1 ? 1 : u < 0.5 && classes > 2 ? 2 : 0;
        const double score = label + 0.8 * noise;
        const int32_t guess = score > 1.5 && classes > 2 ? 2 : score > 0.5 ? 1 : 0;
        row[i] = (dps_scored){score, exp(-fabs(score)), 1, label, guess};
    }
}

static double value_of(dps_metric metric, const dps_scored *row, int64_t rows, int32_t classes)
{
    dps_metrics m;
    assert_int_equal(dps_metrics_init(&m, classes, row, rows, NULL), DPS_OK);
    const double value = metric == DPS_METRIC_ACCURACY ? m.accuracy
                         : metric == DPS_METRIC_F1     ? m.macro_f1
                         : metric == DPS_METRIC_AUC    ? m.auc
                                                       : m.log_loss;
    dps_metrics_release(&m);
    return value;
}

static double root_of_squares(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < DPS_SCORE_PARTS; k++) {
        const double v = a[k] - (b == NULL ? 0 : b[k]);
        sum += v * v;
    }
    return sqrt(sum);
}

/* Error of metric(a) - metric(b) (b NULL: of metric(a)) by leaving out every row once. */
static double jackknife(dps_metric metric, const dps_scored *a, const dps_scored *b, int64_t rows,
                        int32_t classes)
{
    static double value[MANY];
    static dps_scored left[MANY];
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(left, a, (size_t)rows * sizeof *left);
        left[i] = left[rows - 1];
        value[i] = value_of(metric, left, rows - 1, classes);
        if (b != NULL) {
            memcpy(left, b, (size_t)rows * sizeof *left);
            left[i] = left[rows - 1];
            value[i] -= value_of(metric, left, rows - 1, classes);
        }
        mean += value[i] / (double)rows;
    }
    for (int64_t i = 0; i < rows; i++) {
        squares += (value[i] - mean) * (value[i] - mean);
    }
    return sqrt(squares * (double)(rows - 1) / (double)rows);
}

/* All rows have a part of their own: only the order of the expansion differs. */
static void error_is_that_of_the_jackknife(void **state)
{
    (void)state;
    static dps_scored a[FEW], b[FEW];
    for (int32_t classes = 2; classes <= CLASSES; classes++) {
        make_rows(a, FEW, classes, 2);
        make_rows(b, FEW, classes, 3);
        for (dps_metric metric = DPS_METRIC_ACCURACY; metric <= DPS_METRIC_LOG_LOSS; metric++) {
            double of_a[DPS_SCORE_PARTS], of_b[DPS_SCORE_PARTS];
            if (metric == DPS_METRIC_AUC && classes > 2) {
                continue;
            }
            assert_int_equal(dps_score_parts(metric, a, FEW, classes,
                                             value_of(metric, a, FEW, classes), of_a, NULL),
                             DPS_OK);
            assert_int_equal(dps_score_parts(metric, b, FEW, classes,
                                             value_of(metric, b, FEW, classes), of_b, NULL),
                             DPS_OK);
            const double alone = jackknife(metric, a, NULL, FEW, classes);
            const double paired = jackknife(metric, a, b, FEW, classes);
            assert_true(alone > 0 && paired > 0);
            assert_true(fabs(root_of_squares(of_a, NULL) / alone - 1) < 0.05);
            assert_true(fabs(root_of_squares(of_a, of_b) / paired - 1) < 0.05);
        }
    }
}

/* var = var(V10) / m + var(V01) / n */
static void error_of_the_auc_is_delongs(void **state)
{
    (void)state;
    static dps_scored row[FEW];
    double part[DPS_SCORE_PARTS], sum[2] = {0, 0}, squares[2] = {0, 0}, count[2] = {0, 0};
    make_rows(row, FEW, 2, 4);
    for (int i = 0; i < FEW; i++) {
        row[i].score = rint(4 * row[i].score); /* with ties */
    }
    for (int i = 0; i < FEW; i++) {
        double right = 0, others = 0;
        for (int j = 0; j < FEW; j++) {
            const double apart =
                row[i].label == 1 ? row[i].score - row[j].score : row[j].score - row[i].score;
            if (row[i].label != row[j].label) {
                right += apart > 0 ? 1 : apart < 0 ? 0 : 0.5;
                others++;
            }
        }
        const int k = row[i].label;
        sum[k] += right / others;
        squares[k] += right / others * right / others;
        count[k]++;
    }
    double variance = 0;
    for (int k = 0; k < 2; k++) {
        variance += (squares[k] - sum[k] * sum[k] / count[k]) / (count[k] - 1) / count[k];
    }
    assert_int_equal(dps_score_parts(DPS_METRIC_AUC, row, FEW, 2,
                                     value_of(DPS_METRIC_AUC, row, FEW, 2), part, NULL),
                     DPS_OK);
    assert_true(fabs(root_of_squares(part, NULL) / sqrt(variance) - 1) < 1e-12);
}

/* Parts of many rows each: relative deviation 1 / sqrt(2 x 256) = 4.4 %; five of it, one in two
 * million. */
static void many_rows_share_the_parts(void **state)
{
    (void)state;
    static dps_scored row[MANY];
    double part[DPS_SCORE_PARTS];
    make_rows(row, MANY, 2, 5);
    const double A = value_of(DPS_METRIC_ACCURACY, row, MANY, 2);
    assert_int_equal(dps_score_parts(DPS_METRIC_ACCURACY, row, MANY, 2, A, part, NULL), DPS_OK);
    assert_true(fabs(root_of_squares(part, NULL) / sqrt(A * (1 - A) / MANY) - 1) < 0.22);
}

static void error_of_the_rmse_is_that_of_the_delta_method(void **state)
{
    (void)state;
    double target[FEW], score[FEW], part[DPS_SCORE_PARTS], squares = 0, fourth = 0;
    for (uint32_t i = 0; i < FEW; i++) {
        target[i] = i;
        score[i] = i + dps_random_normal(6, DPS_STREAM_SAMPLE, 0, 0, i);
        const double r = score[i] - target[i];
        squares += r * r / FEW;
        fourth += r * r * r * r / FEW;
    }
    dps_score_parts_rmse(target, score, NULL, FEW, sqrt(squares), part);
    const double expected = sqrt((fourth - squares * squares) / FEW) / (2 * sqrt(squares));
    assert_true(fabs(root_of_squares(part, NULL) / expected - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_that_of_the_jackknife),
        cmocka_unit_test(error_of_the_auc_is_delongs), cmocka_unit_test(many_rows_share_the_parts),
        cmocka_unit_test(error_of_the_rmse_is_that_of_the_delta_method)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
