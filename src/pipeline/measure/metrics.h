/* How good predictions are: figures computed from labels, predicted classes and scores. */
#ifndef DPS_METRICS_H
#define DPS_METRICS_H

#include <stdint.h>
#include "status.h"

/* One scored row. */
typedef struct dps_scored {
    double score;  /* decision value of the positive class (two classes); regression: predicted */
    double loss;   /* -log of the true class' probability; NAN: no probabilities; regression: the
                      residual, true minus predicted */
    double weight; /* > 0; the row counts as so many */
    int32_t label; /* true class; -1: not a class of the model */
    int32_t guess; /* predicted class */
} dps_scored;

/* A quotient whose denominator is 0 is NAN. */
typedef struct dps_class_metrics {
    double rows, guessed, correct; /* what they weigh; without weights counts */
    double precision;              /* correct / guessed */
    double recall;                 /* correct / rows */
    double f1;                     /* 2 correct / (rows + guessed) */
} dps_class_metrics;

/* A row: label -1: not a class of the model. */
void dps_class_metrics_add(dps_class_metrics *of_class, int32_t label, int32_t guess,
                           double weight);
/* Fills the quotients from the counts. */
void dps_class_metrics_finish(dps_class_metrics *of_class, int32_t classes);
/* Balanced accuracy: mean recall of the classes that have rows; NAN: none has. */
double dps_mean_recall(const dps_class_metrics *of_class, int32_t classes);

typedef struct dps_metrics {
    int32_t classes;
    int64_t rows;
    double weight, correct; /* what the rows and the right ones weigh; without weights counts */
    int64_t foreign;        /* rows whose label is not a class of the model: counted as wrong */
    double *confusion;      /* (classes + 1) x classes: [true class][guess]; last line: foreign */
    dps_class_metrics *of_class;
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that occur */
    double macro_f1;          /* mean F1 of the classes that occur or are guessed */
    double auc;               /* two classes, both present; else NAN */
    double log_loss;          /* mean loss of the rows with a class; NAN without probabilities */
} dps_metrics;

/* rows >= 1. */
DPS_MUST_USE dps_status dps_metrics_init(dps_metrics *metrics, int32_t classes,
                                         const dps_scored *row, int64_t rows, dps_error *err);
void dps_metrics_release(dps_metrics *metrics);

/* Area under the ROC curve: the share of pairs (positive, negative) in which the positive has the
 * larger score, ties counting one half; class 1 is positive, other labels than 0 and 1 are passed
 * over. NAN without such a pair. place: NULL, or a number a row, of which those of classes 0 and 1
 * get the share of the other class that they are on the right side of: its mean over either class
 * is the AUC. */
DPS_MUST_USE dps_status dps_auc(const dps_scored *row, int64_t rows, double *auc, double *place,
                                dps_error *err);

#endif
