/* What tune.metric compares settings by, and its table. */
#ifndef DPS_METRIC_H
#define DPS_METRIC_H

#include <stdbool.h>
#include <stdint.h>
#include "names.h"

typedef enum dps_metric {
    DPS_METRIC_ACCURACY,
    DPS_METRIC_F1, /* mean over classes */
    DPS_METRIC_AUC,
    DPS_METRIC_LOG_LOSS,
    DPS_METRIC_RMSE /* regression */
} dps_metric;
extern const char *const dps_metric_names[]; /* of tune.metric */
/* +1 where larger is better, else -1. */
double dps_metric_sign(dps_metric metric);
/* Whether these rows say anything of it: f1, auc and log_loss need rows of two classes. label:
 * where fold is `fold`; fold NULL: all rows. */
bool dps_metric_applies(dps_metric metric, const int32_t *label, const int32_t *fold, int32_t of,
                        int64_t rows);
/* Whether mean a is better than mean b, which may be NAN: no number is never better. */
bool dps_metric_better(dps_metric metric, double a, double b);

#endif
