/* Task: the table of metrics. */
#include "metric.h"

#include <math.h>
#include <stddef.h>

const char *const dps_metric_names[] = {"accuracy", "f1", "auc", "log_loss", "rmse", NULL};

double dps_metric_sign(dps_metric metric)
{
    return metric == DPS_METRIC_LOG_LOSS || metric == DPS_METRIC_RMSE ? -1 : 1;
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
