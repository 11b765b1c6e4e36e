/* Task: the table of metrics. */
#include "metric.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    double sign;
} metrics[] = {[DPS_METRIC_ACCURACY] = {"accuracy", 1},
               [DPS_METRIC_F1] = {"f1", 1},
               [DPS_METRIC_AUC] = {"auc", 1},
               [DPS_METRIC_LOG_LOSS] = {"log_loss", -1},
               [DPS_METRIC_RMSE] = {"rmse", -1}};

dps_metric dps_metric_find(const char *name)
{
    for (int m = 0; m < (int)(sizeof metrics / sizeof metrics[0]); m++) {
        if (strcmp(metrics[m].name, name) == 0) {
            return (dps_metric)m;
        }
    }
    return DPS_METRIC_ACCURACY;
}

const char *dps_metric_name(dps_metric metric)
{
    return metrics[metric].name;
}

double dps_metric_sign(dps_metric metric)
{
    return metrics[metric].sign;
}

bool dps_metric_better(dps_metric metric, double a, double b)
{
    return !isnan(a) && (isnan(b) || dps_metric_sign(metric) * (a - b) > 0);
}

bool dps_metric_applies(dps_metric metric, const int32_t *label, const int32_t *fold, int32_t of,
                        int64_t rows)
{
    if (metric == DPS_METRIC_ACCURACY || metric == DPS_METRIC_RMSE) {
        return true;
    }
    int32_t first = -1;
    for (int64_t i = 0; i < rows; i++) {
        if ((fold != NULL && fold[i] != of) || label[i] < 0) {
            continue;
        }
        if (first >= 0 && label[i] != first) {
            return true;
        }
        first = label[i];
    }
    return false;
}
