/* Task: the value of a metric on rows with decision values.
 * Over ranks the rows are gathered in rank order, so that the sums are those of one process. Cost:
 * a pass over the rows; auc and probabilities fitted for log_loss: a sort. */
#include "metric_value.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "calibration.h"
#include "comm.h"
#include "residuals.h"
#include "row_exchange.h"
#include "score_error.h"

int32_t dps_guess_of(const double *score, int64_t rows, int32_t classes, int64_t i)
{
    if (classes == 2) {
        return score[i] > 0 ? 1 : 0;
    }
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++) {
        if (score[k * rows + i] > score[best * rows + i]) {
            best = k;
        }
    }
    return best;
}

static dps_status class_value(dps_metric metric, const dps_problem *problem, const int32_t *label,
                              const double *score, const double *weight, int64_t rows,
                              dps_scored *scored, double *value, double *part, dps_error *err)
{
    const int32_t classes = problem->classes;
    dps_metrics m;
    for (int64_t i = 0; i < rows; i++) {
        scored[i] = (dps_scored){.score = score[i],
                                 .loss = NAN,
                                 .weight = dps_weight_of(weight, i),
                                 .label = label[i],
                                 .guess = dps_guess_of(score, rows, classes, i)};
    }
    if (metric == DPS_METRIC_LOG_LOSS && problem->loss == &dps_loss_logistic) {
        DPS_TRY(dps_logistic_losses(score, rows, classes, scored, err));
    } else if (metric == DPS_METRIC_LOG_LOSS) {
        DPS_TRY(dps_calibrated_losses(score, weight, rows, classes, scored, err));
    }
    DPS_TRY(dps_metrics_init(&m, classes, scored, rows, err));
    *value = !dps_metric_applies(metric, label, NULL, 0, rows) ? NAN
             : metric == DPS_METRIC_ACCURACY                   ? m.accuracy
             : metric == DPS_METRIC_F1                         ? m.macro_f1
             : metric == DPS_METRIC_AUC                        ? m.auc
                                                               : m.log_loss;
    dps_metrics_release(&m);
    return part == NULL ? DPS_OK
                        : dps_score_parts(metric, scored, rows, classes, *value, part, err);
}

dps_status dps_metric_value(dps_metric metric, const dps_problem *problem, const int32_t *label,
                            const double *target, const double *score, const double *weight,
                            int64_t rows, double *value, double *part, dps_error *err)
{
    if (metric == DPS_METRIC_RMSE) {
        dps_residuals residuals = {0};
        for (int64_t i = 0; i < rows; i++) {
            dps_residuals_add(&residuals, target[i], score[i], dps_weight_of(weight, i));
        }
        *value = dps_residuals_rmse(&residuals);
        if (part != NULL) {
            dps_score_parts_rmse(target, score, weight, rows, *value, part);
        }
        return DPS_OK;
    }
    dps_scored *scored;
    DPS_NEED(scored, (size_t)rows, "the scored rows", err);
    const dps_status status =
        class_value(metric, problem, label, score, weight, rows, scored, value, part, err);
    dps_free(scored);
    return status;
}

dps_status dps_gather_scores(const dps_comm *comm, double **score, int32_t models, int64_t rows,
                             dps_error *err)
{
    const size_t total = (size_t)dps_comm_sum(comm, rows);
    double *all;
    DPS_NEED_ON_ALL(comm, all, (size_t)models * total, "the held-out scores", err);
    dps_status status = DPS_OK;
    for (int32_t k = 0; k < models && status == DPS_OK; k++) {
        void *of_model = NULL;
        status = dps_gather_items(comm, *score + k * rows, rows, sizeof **score, &of_model, err);
        if (status == DPS_OK) {
            memcpy(all + (size_t)k * total, of_model, total * sizeof *all);
        }
        dps_free(of_model);
    }
    if (status != DPS_OK) {
        dps_free(all);
        return status;
    }
    dps_free(*score);
    *score = all;
    return DPS_OK;
}

dps_status dps_metric_of_ranks(dps_metric metric, const dps_problem *problem, const int32_t *label,
                               const double *target, const double *score, const double *weight,
                               int64_t rows, const dps_comm *comm, double *value, double *part,
                               dps_error *err)
{
    const bool regression = metric == DPS_METRIC_RMSE;
    const int32_t models = dps_problem_models(problem);
    const size_t count = (size_t)models * (size_t)rows;
    void *labels = NULL, *targets = NULL, *weights = NULL;
    if (comm == NULL) {
        return dps_metric_value(metric, problem, label, target, score, weight, rows, value, part,
                                err);
    }
    double *all;
    DPS_NEED_ON_ALL(comm, all, count, "the held-out scores", err);
    memcpy(all, score, count * sizeof *all);
    dps_status status = dps_gather_scores(comm, &all, models, rows, err);
    DPS_THEN(status, regression
                         ? dps_gather_items(comm, target, rows, sizeof *target, &targets, err)
                         : dps_gather_items(comm, label, rows, sizeof *label, &labels, err));
    if (status == DPS_OK && dps_comm_any(comm, weight != NULL)) {
        status = dps_gather_items(comm, weight, rows, sizeof *weight, &weights, err);
    }
    DPS_THEN(status, dps_metric_value(metric, problem, labels, targets, all, weights,
                                      dps_comm_sum(comm, rows), value, part, err));
    dps_free(all);
    dps_free(labels);
    dps_free(targets);
    dps_free(weights);
    return dps_comm_agree(comm, status, err);
}
