/* Task: accuracy, precision, recall, F1, confusion matrix, AUC and log-loss of scored rows.
 * AUC by ranks (Hanley & McNeil 1982: the Mann-Whitney statistic): sort by score; every group of
 * equal scores adds positives x (negatives below + half of the negatives in the group).
 * A row of weight w counts as w rows. Cost: n log n for the AUC, n for the rest; one copy of the
 * scores. Without weights counts are whole numbers; all sums are in row order, or, for the AUC, in
 * the order of scores and rows: nothing depends on threads. */
#include "metrics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"

typedef struct ranked {
    double score, weight;
    bool positive;
    int64_t row;
} ranked;

static int compare_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    const int order = (x->score > y->score) - (x->score < y->score);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

dps_status dps_auc(const dps_scored *row, int64_t rows, double *auc, double *place, dps_error *err)
{
    ranked *sorted = dps_alloc((size_t)rows, sizeof *sorted);
    int64_t count = 0;
    double all[2] = {0.0, 0.0}, below[2] = {0.0, 0.0}, pairs = 0.0; /* of each class */

    if (sorted == NULL) {
        return dps_out_of_memory(err, (size_t)rows, sizeof *sorted, "the AUC");
    }
    for (int64_t i = 0; i < rows; i++) {
        if (row[i].label == 0 || row[i].label == 1) {
            sorted[count++] = (ranked){row[i].score, row[i].weight, row[i].label == 1, i};
            all[row[i].label] += row[i].weight;
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_score);
    for (int64_t i = 0; i < count;) {
        int64_t end = i;
        double here[2] = {0.0, 0.0}; /* of this score */
        for (; end < count && sorted[end].score == sorted[i].score; end++) {
            here[sorted[end].positive] += sorted[end].weight;
        }
        const double negatives = below[0] + 0.5 * here[0];
        const double positives = all[1] - below[1] - here[1] + 0.5 * here[1];
        const double of_positive = negatives / all[0], of_negative = positives / all[1];
        pairs += here[1] * negatives;
        for (int64_t k = i; k < end && place != NULL; k++) {
            place[sorted[k].row] = sorted[k].positive ? of_positive : of_negative;
        }
        below[0] += here[0];
        below[1] += here[1];
        i = end;
    }
    *auc = all[0] * all[1] > 0 ? pairs / (all[1] * all[0]) : NAN;
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

void dps_class_metrics_add(dps_class_metrics *of_class, int32_t label, int32_t guess, double weight)
{
    of_class[guess].guessed += weight;
    if (label >= 0) {
        of_class[label].rows += weight;
        of_class[label].correct += guess == label ? weight : 0.0;
    }
}

void dps_class_metrics_finish(dps_class_metrics *of_class, int32_t classes)
{
    for (int32_t k = 0; k < classes; k++) {
        dps_class_metrics *c = &of_class[k];
        c->precision = quotient(c->correct, c->guessed);
        c->recall = quotient(c->correct, c->rows);
        c->f1 = quotient(2.0 * c->correct, c->rows + c->guessed);
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
    double loss = 0.0, all_known = 0.0;

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
        const double w = row[i].weight;
        metrics->confusion[(size_t)label * k + (size_t)row[i].guess] += w;
        metrics->weight += w;
        metrics->foreign += !known;
        metrics->correct += row[i].guess == label ? w : 0.0;
        dps_class_metrics_add(metrics->of_class, row[i].label, row[i].guess, w);
        if (known) {
            all_known += w;
            loss += w * row[i].loss;
        }
    }
    metrics->accuracy = metrics->correct / metrics->weight;
    metrics->log_loss = quotient(loss, all_known);
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
