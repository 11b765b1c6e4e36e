/* Metrics of rows with decision values. */
#include "metric_value.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "score_spread.h"

static void metrics_of_classes_need_two_of_them(void **state)
{
    (void)state;
    const int32_t label[] = {0, 0, 0, 1, -1}, fold[] = {0, 1, 0, 1, 0};
    for (dps_metric metric = DPS_METRIC_F1; metric <= DPS_METRIC_LOG_LOSS; metric++) {
        assert_false(dps_metric_applies(metric, label, fold, 0, 5));
        assert_true(dps_metric_applies(metric, label, fold, 1, 5));
        assert_true(dps_metric_applies(metric, label, NULL, 0, 5));
        const dps_problem problem = {.classes = 2, .loss = &dps_loss_squared_hinge};
        const double score[] = {-1, 1, -1};
        double value = 0;
        assert_int_equal(
            dps_metric_value(metric, &problem, label, NULL, score, NULL, 3, &value, NULL, NULL),
            DPS_OK);
        assert_true(isnan(value));
    }
    assert_true(dps_metric_applies(DPS_METRIC_ACCURACY, label, fold, 0, 5));
}

/* Every metric; log_loss of the logistic loss, as sigmoids fitted on halves see other halves. */
static void scores_of_weights_are_those_of_copies(void **state)
{
    (void)state;
    enum { FEW = 40 };
    double score[FEW], target[FEW], weight[FEW], scores[3 * FEW], targets[3 * FEW];
    int32_t label[FEW], labels[3 * FEW];
    int64_t copies = 0;
    const dps_problem problem = {.classes = 2, .loss = &dps_loss_logistic};
    for (int i = 0; i < FEW; i++) {
        label[i] = i % 3 == 0;
        score[i] = (i * 7 % 19 - 9 + 4 * label[i]) / 5.0;
        target[i] = i * 5 % 11 / 4.0;
        weight[i] = 1 + i % 3;
        for (int c = 0; c < (int)weight[i]; c++, copies++) {
            scores[copies] = score[i];
            targets[copies] = target[i];
            labels[copies] = label[i];
        }
    }
    for (dps_metric metric = DPS_METRIC_ACCURACY; metric <= DPS_METRIC_RMSE; metric++) {
        double a, b, part[DPS_SCORE_PARTS], sum = 0;
        assert_int_equal(
            dps_metric_value(metric, &problem, label, target, score, weight, FEW, &a, part, NULL),
            DPS_OK);
        assert_int_equal(dps_metric_value(metric, &problem, labels, targets, scores, NULL, copies,
                                          &b, NULL, NULL),
                         DPS_OK);
        assert_true(fabs(a - b) < 1e-14);
        for (int k = 0; k < DPS_SCORE_PARTS; k++) {
            sum += part[k];
        }
        assert_true(fabs(sum) < 1e-14); /* what rows add to the error sums to 0 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_of_classes_need_two_of_them),
        cmocka_unit_test(scores_of_weights_are_those_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
