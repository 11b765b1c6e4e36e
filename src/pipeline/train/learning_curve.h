/* How a training went, pass by pass, as CSV and as a picture. */
#ifndef DPS_LEARNING_CURVE_H
#define DPS_LEARNING_CURVE_H

#include "metric.h"
#include "text.h"

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
    int64_t count;
    size_t capacity;
} dps_curve;

DPS_MUST_USE dps_status dps_curve_add(dps_curve *curve, const dps_curve_point *point,
                                      dps_error *err);
void dps_curve_release(dps_curve *curve);

/* pass,solver,seconds,objective,gap,METRIC: a line a point; what is not known is empty. */
DPS_MUST_USE dps_status dps_curve_write_csv(const dps_curve *curve, const char *path,
                                            dps_error *err);
/* Objective, gap and score (those that there are) against passes and against seconds. */
DPS_MUST_USE dps_status dps_curve_write_svg(const dps_curve *curve, const char *path,
                                            dps_error *err);

#endif
