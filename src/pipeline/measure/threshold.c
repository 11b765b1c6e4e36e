/* Task: of all cuts between two classes the one that is best by a metric: rows in the order of
 * their scores, counts kept while the cut goes down from above all of them. */
#include "threshold.h"

#include <math.h>
#include <stdlib.h>
#include "allocation.h"

const char *const dps_cut_metric_names[] = {"accuracy", "f1", "balanced", NULL};

typedef struct cut_row {
    double value, weight;
    int32_t label; /* 1: positive, 0: the other class, -1: none of them */
} cut_row;

static int by_value(const void *a, const void *b)
{
    const cut_row *x = a, *y = b;
    return (x->value < y->value) - (x->value > y->value);
}

/* found, missed: positives above and below the cut; taken: others above; passed: below. */
static double figure(dps_cut_metric metric, double found, double missed, double taken,
                     double passed)
{
    switch (metric) {
    case DPS_CUT_ACCURACY:
        return found + passed;
    case DPS_CUT_F1:
        return found > 0 ? 2 * found / (2 * found + missed + taken) : 0;
    case DPS_CUT_BALANCED:
        return (found + missed > 0 ? found / (found + missed) : 0) +
               (taken + passed > 0 ? passed / (taken + passed) : 0);
    }
    return 0;
}

dps_status dps_best_threshold(const dps_scored *row, int64_t rows, int32_t positive,
                              dps_cut_metric metric, double *threshold, dps_error *err)
{
    cut_row *all;
    double missed = 0, passed = 0, found = 0, taken = 0, best = -1;
    *threshold = INFINITY;
    DPS_NEED(all, (size_t)rows, "the scored rows", err);
    for (int64_t i = 0; i < rows; i++) {
        const int32_t label = row[i].label < 0 ? -1 : row[i].label == positive;
        all[i] = (cut_row){positive == 1 ? row[i].score : -row[i].score, row[i].weight, label};
        missed += label == 1 ? row[i].weight : 0;
        passed += label == 0 ? row[i].weight : 0;
    }
    if (!(missed > 0 && passed > 0)) {
        dps_free(all);
        return dps_error_set(err, DPS_ERROR_DATA,
                             "no row is of %s class, so that no cut between the two is best: name "
                             "the threshold as a number",
                             missed > 0 ? "the other" : "the positive");
    }
    qsort(all, (size_t)rows, sizeof *all, by_value);
    for (int64_t i = 0; i <= rows; i++) {
        const bool within = i > 0 && i < rows;
        if (!within || all[i - 1].value != all[i].value) {
            const double cut = i == 0      ? all[0].value
                               : i == rows ? nextafter(all[rows - 1].value, -INFINITY)
                                           : all[i].value / 2 + all[i - 1].value / 2;
            const double now = figure(metric, found, missed, taken, passed);
            if (now > best || (now == best && fabs(cut) < fabs(*threshold))) {
                best = now;
                *threshold = cut;
            }
        }
        if (i < rows && all[i].label >= 0) {
            const double weight = all[i].weight;
            *(all[i].label == 1 ? &found : &taken) += weight;
            *(all[i].label == 1 ? &missed : &passed) -= weight;
        }
    }
    dps_free(all);
    return DPS_OK;
}
