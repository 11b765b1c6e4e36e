/* `dpsvm evaluate`: a model's predictions against the labels of a file. */
#ifndef DPS_EVALUATE_H
#define DPS_EVALUATE_H

#include "metrics.h"
#include "prediction.h"
#include "labels.h"
#include "run.h"

#define DPS_EVALUATION_PLOT_CLASSES 20 /* in a picture, at most */

typedef struct dps_evaluation {
    dps_metrics metrics;     /* of the rows that have a label; not for regression */
    dps_class_table classes; /* of the model, owned */
    dps_predict_result rows; /* counts, times, residuals of regression */
    dps_scored *scored;      /* the labelled rows, owned; NULL on other ranks, and of regression
                                where no picture is wanted */
    int64_t scored_count;
    int32_t positive; /* of two classes, the one that threshold is about */
    bool chosen;      /* the threshold was, by request->threshold_by */
    double threshold; /* chosen or given: of decision values, or NAN */
    double chance;    /* the same as a probability of the positive class; NAN: there is none that
                         tells the rows apart alike (steps of isotonic curves), or none was given */
    bool has_chances; /* losses of scored are there */
} dps_evaluation;

/* Reads the input once; memory: 32 bytes a row kept in `scored` beside what predict needs. An input
 * without labels is DPS_ERROR_DATA. request->output and output_path are not used. */
DPS_MUST_USE dps_status dps_evaluate(const dps_predict_request *request, const dps_run *run,
                                     dps_evaluation *evaluation, dps_error *err);
void dps_evaluation_release(dps_evaluation *evaluation);

#endif
