/* Task: accuracy, precision, recall, F1, confusion matrix, AUC and log-loss of scored rows.
 * AUC by ranks (Hanley & McNeil 1982: the Mann-Whitney statistic): sort by score; every group of
 * equal scores adds positives x (negatives below + half of the negatives in the group).
 * Cost: n log n for the AUC, n for the rest; one copy of the scores. Counts are integers, sums of
 * losses are in row order: nothing depends on threads. */
#include "metrics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"

typedef struct ranked {
    double score;
    int64_t positive;
    int64_t row;
} ranked;

static int compare_score(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->score, y = ((const ranked *)b)->score;
    return (x > y) - (x < y);
}

dps_status dps_auc(const dps_scored *row, int64_t rows, double *auc, double *place, dps_error *err)
{
    ranked *sorted = dps_alloc((size_t)rows, sizeof *sorted);
    int64_t count = 0, negatives = 0, positives = 0;
    double pairs = 0.0;

    if (sorted == NULL) {
        return dps_out_of_memory(err, (size_t)rows, sizeof *sorted, "the AUC");
    }
    for (int64_t i = 0; i < rows; i++) {
        if (row[i].label == 0 || row[i].label == 1) {
            sorted[count++] = (ranked){row[i].score, row[i].label, i};
            positives += row[i].label;
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_score);
    const double all_positive = (double)positives, all_negative = (double)(count - positives);
    for (int64_t i = 0; i < count;) {
        int64_t end = i, positive = 0;
        for (; end < count && sorted[end].score == sorted[i].score; end++) {
            positive += sorted[end].positive;
        }
        const int64_t negative = end - i - positive;
        pairs += (double)positive * ((double)negatives + 0.5 * (double)negative);
        positives -= positive;
        const double of_positive = ((double)negatives + 0.5 * (double)negative) / all_negative;
        const double of_negative = ((double)positives + 0.5 * (double)positive) / all_positive;
        for (int64_t k = i; k < end && place != NULL; k++) {
            place[sorted[k].row] = sorted[k].positive ? of_positive : of_negative;
        }
        negatives += negative;
        i = end;
    }
    *auc = all_positive * all_negative > 0 ? pairs / (all_positive * all_negative) : NAN;
    dps_free(sorted);
    return DPS_OK;
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

/* Mean of the values that are numbers. */
typedef struct mean {
    double sum;
    int64_t count;
} mean;

static void add_to_mean(mean *m, double value)
{
    if (!isnan(value)) {
        m->sum += value;
        m->count++;
    }
}

void dps_class_metrics_finish(dps_class_metrics *of_class, int32_t classes)
{
    for (int32_t k = 0; k < classes; k++) {
        dps_class_metrics *c = &of_class[k];
        c->precision = quotient((double)c->correct, (double)c->guessed);
        c->recall = quotient((double)c->correct, (double)c->rows);
        c->f1 = quotient(2.0 * (double)c->correct, (double)(c->rows + c->guessed));
    }
}

double dps_mean_recall(const dps_class_metrics *of_class, int32_t classes)
{
    mean recall = {0, 0};
    for (int32_t k = 0; k < classes; k++) {
        add_to_mean(&recall, of_class[k].recall);
    }
    return quotient(recall.sum, (double)recall.count);
}

static void finish_classes(dps_metrics *metrics)
{
    mean f1 = {0, 0};
    dps_class_metrics_finish(metrics->of_class, metrics->classes);
    for (int32_t k = 0; k < metrics->classes; k++) {
        add_to_mean(&f1, metrics->of_class[k].f1);
    }
    metrics->balanced_accuracy = dps_mean_recall(metrics->of_class, metrics->classes);
    metrics->macro_f1 = quotient(f1.sum, (double)f1.count);
}

dps_status dps_metrics_init(dps_metrics *metrics, int32_t classes, const dps_scored *row,
                            int64_t rows, dps_error *err)
{
    const size_t k = (size_t)classes;
    dps_status status = DPS_OK;
    double loss = 0.0;

    *metrics = (dps_metrics){.classes = classes, .rows = rows, .auc = NAN, .log_loss = NAN};
    metrics->confusion = dps_alloc((k + 1) * k, sizeof *metrics->confusion);
    metrics->of_class = dps_alloc(k, sizeof *metrics->of_class);
    if (metrics->confusion == NULL || metrics->of_class == NULL) {
        dps_metrics_release(metrics);
        return dps_out_of_memory(err, (k + 1) * k, sizeof *metrics->confusion, "the metrics");
    }
    for (int64_t i = 0; i < rows; i++) {
        const bool known = row[i].label >= 0;
        const int32_t label = known ? row[i].label : classes;
        metrics->confusion[(size_t)label * k + (size_t)row[i].guess]++;
        metrics->of_class[row[i].guess].guessed++;
        metrics->foreign += !known;
        if (known) {
            metrics->of_class[label].rows++;
            metrics->of_class[label].correct += row[i].guess == label;
            metrics->correct += row[i].guess == label;
            loss += row[i].loss;
        }
    }
    metrics->accuracy = (double)metrics->correct / (double)rows;
    metrics->log_loss = quotient(loss, (double)(rows - metrics->foreign));
    finish_classes(metrics);
    if (classes == 2) {
        status = dps_auc(row, rows, &metrics->auc, NULL, err);
    }
    if (status != DPS_OK) {
        dps_metrics_release(metrics);
    }
    return status;
}

void dps_metrics_release(dps_metrics *metrics)
{
    dps_free(metrics->confusion);
    dps_free(metrics->of_class);
    memset(metrics, 0, sizeof *metrics);
}
