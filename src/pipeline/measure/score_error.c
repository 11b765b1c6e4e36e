/* Task: the standard error of a metric on one held-out part, and of the difference of two.
 * A metric moves by v_i when row i gets a little more weight, to first order (the infinitesimal
 * jackknife: Jaeckel 1972; Efron 1982, chapter 6), n rows in all, sum v_i = 0:
 *
 *   accuracy   v_i = (right_i - A) / n
 *   log-loss   v_i = (loss_i - L) / n
 *   RMSE       v_i = (r_i^2 - M^2) / (2 M n)
 *   macro F1   v_i = 1/K sum_k (2 both_ik - F_k (true_ik + guessed_ik)) / S_k,   F_k = 2 T_k / S_k,
 *              both, true, guessed: 1 where row i is of class k, is said to be, or either; S_k and
 *              T_k the sums of true + guessed and of both; over the K classes with S_k > 0
 *   AUC        v_i = (p_i - A) / sqrt(m (m - 1)),   p_i the place of row i (metrics.h) and m the
 *              rows of its class: the components of DeLong, DeLong & Clarke-Pearson 1988
 *
 *   error^2 = sum_i v_i^2,     of a difference of two settings on the same rows: sum_i (v_i -
 * v'_i)^2
 *
 * With weights v_i is w_i times that, n, S_k and T_k being sums of weights; for the AUC
 * w_i m / W times, W the weight of the class: the unit is the row, whatever it weighs.
 *
 * Kept are sums over every DPS_SCORE_PARTS-th row, which are independent of each other as rows are,
 * so that squares of sums estimate the same (the grouped jackknife, Quenouille 1956), up to a
 * factor whose relative deviation is 1 / sqrt(2 DPS_SCORE_PARTS) = 4 %, in 2 kB a setting. Cost: a
 * pass; AUC: a sort. */
#include "score_error.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "row_tile.h"

static void add(double *part, int64_t i, double v)
{
    part[i % DPS_SCORE_PARTS] += v;
}

static void of_means(dps_metric metric, const dps_scored *scored, int64_t rows, double value,
                     double *part)
{
    double n = 0;
    for (int64_t i = 0; i < rows; i++) {
        n += scored[i].label >= 0 || metric != DPS_METRIC_LOG_LOSS ? scored[i].weight : 0;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (metric == DPS_METRIC_ACCURACY) {
            add(part, i,
                scored[i].weight * ((scored[i].guess == scored[i].label ? 1 : 0) - value) / n);
        } else if (scored[i].label >= 0) {
            add(part, i, scored[i].weight * (scored[i].loss - value) / n);
        }
    }
}

static dps_status of_f1(const dps_scored *scored, int64_t rows, int32_t classes, double *part,
                        dps_error *err)
{
    dps_metrics m;
    DPS_TRY(dps_metrics_init(&m, classes, scored, rows, err));
    int32_t occur = 0;
    for (int32_t k = 0; k < classes; k++) {
        occur += m.of_class[k].rows + m.of_class[k].guessed > 0;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int32_t label = scored[i].label, guess = scored[i].guess;
        const dps_class_metrics *t = label >= 0 ? &m.of_class[label] : NULL;
        const dps_class_metrics *g = &m.of_class[guess];
        double v = -g->f1 / (g->rows + g->guessed);
        v -= t == NULL ? 0 : t->f1 / (t->rows + t->guessed);
        v += label == guess ? 2.0 / (g->rows + g->guessed) : 0;
        add(part, i, scored[i].weight * v / occur);
    }
    dps_metrics_release(&m);
    return DPS_OK;
}

static dps_status of_auc(const dps_scored *scored, int64_t rows, double *part, dps_error *err)
{
    double *place, auc;
    DPS_NEED(place, (size_t)rows, "the error of the AUC", err);
    const dps_status status = dps_auc(scored, rows, &auc, place, err);
    double count[2] = {0, 0}, all[2] = {0, 0};
    for (int64_t i = 0; i < rows; i++) {
        if (scored[i].label == 0 || scored[i].label == 1) {
            count[scored[i].label]++;
            all[scored[i].label] += scored[i].weight;
        }
    }
    for (int64_t i = 0; i < rows && status == DPS_OK; i++) {
        const int32_t label = scored[i].label;
        if (label == 0 || label == 1) {
            const double m = count[label], share = scored[i].weight * m / all[label];
            add(part, i, share * (place[i] - auc) / sqrt(m * fmax(m - 1, 1)));
        }
    }
    dps_free(place);
    return status;
}

dps_status dps_score_parts(dps_metric metric, const dps_scored *scored, int64_t rows,
                           int32_t classes, double value, double *part, dps_error *err)
{
    memset(part, 0, DPS_SCORE_PARTS * sizeof *part);
    if (isnan(value)) {
        return DPS_OK;
    }
    if (metric == DPS_METRIC_F1) {
        return of_f1(scored, rows, classes, part, err);
    }
    if (metric == DPS_METRIC_AUC) {
        return of_auc(scored, rows, part, err);
    }
    of_means(metric, scored, rows, value, part);
    return DPS_OK;
}

void dps_score_parts_rmse(const double *target, const double *score, const double *weight,
                          int64_t rows, double value, double *part)
{
    memset(part, 0, DPS_SCORE_PARTS * sizeof *part);
    double all = 0;
    for (int64_t i = 0; i < rows; i++) {
        all += dps_weight_of(weight, i);
    }
    for (int64_t i = 0; i < rows && value > 0; i++) {
        const double residual = target[i] - score[i];
        add(part, i,
            dps_weight_of(weight, i) * (residual * residual - value * value) / (2 * value * all));
    }
}
