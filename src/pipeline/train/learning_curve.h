/* How a training went, pass by pass. */
#ifndef DPS_LEARNING_CURVE_H
#define DPS_LEARNING_CURVE_H

#include <stddef.h>
#include <stdint.h>
#include "metric.h"
#include "status.h"

/* After a pass (dcd), an epoch (sgd) or a Newton step. */
typedef struct dps_curve_point {
    const char *solver;
    int64_t pass;
    double seconds;   /* in the solver, without what was spent on scores */
    double objective; /* summed over models; dcd: an estimate */
    double gap;       /* relative; NAN: not known (sgd) */
    double score;     /* on data.validation, of `metric`; NAN: there is none */
} dps_curve_point;

typedef struct dps_curve {
    dps_metric metric;
    dps_curve_point *point;
    int64_t count; /* 0: not recorded */
    size_t capacity;
    int64_t best_pass; /* of solver.early_stopping, whose weights the model holds; 0: off */
    double best_score; /* its score on data.validation */
} dps_curve;

DPS_MUST_USE dps_status dps_curve_add(dps_curve *curve, const dps_curve_point *point,
                                      dps_error *err);
void dps_curve_release(dps_curve *curve);

#endif
