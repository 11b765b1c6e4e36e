/* Solving on all rows but a fold's and scoring that fold, on features computed once: folds are row
 * weights of 0. */
#ifndef DPS_CROSS_VALIDATION_H
#define DPS_CROSS_VALIDATION_H

#include "metrics.h"
#include "solver.h"

typedef enum dps_metric {
    DPS_METRIC_ACCURACY,
    DPS_METRIC_F1, /* mean over classes */
    DPS_METRIC_AUC,
    DPS_METRIC_LOG_LOSS,
    DPS_METRIC_RMSE /* regression */
} dps_metric;
dps_metric dps_metric_find(const char *name); /* of tune.metric */
const char *dps_metric_name(dps_metric metric);
/* +1 where larger is better, else -1. */
double dps_metric_sign(dps_metric metric);
/* Whether these rows say anything of it: f1, auc and log_loss need rows of two classes. label:
 * where fold is `fold`; fold NULL: all rows. */
bool dps_metric_applies(dps_metric metric, const int32_t *label, const int32_t *fold, int32_t of,
                        int64_t rows);

/* Numbers that sum up what every row adds to the error of a metric (score_error.h). */
#define DPS_SCORE_PARTS 256

/* Value of the metric on rows with decision values: score of model k and row i at k * rows + i.
 * label: classes, -1: none of the problem's; target: regression. problem: its classes and loss.
 * weight: of each row, a row of weight w being w rows; NULL: 1. NAN: the rows say
 * nothing of it. part: NULL, or DPS_SCORE_PARTS numbers. */
DPS_MUST_USE dps_status dps_metric_value(dps_metric metric, const dps_problem *problem,
                                         const int32_t *label, const double *target,
                                         const double *score, const double *weight, int64_t rows,
                                         double *value, double *part, dps_error *err);

/* All: the same of the rows of all ranks, in rank order. comm: NULL: these are all rows. */
DPS_MUST_USE dps_status dps_metric_of_ranks(dps_metric metric, const dps_problem *problem,
                                            const int32_t *label, const double *target,
                                            const double *score, const double *weight, int64_t rows,
                                            const struct dps_comm *comm, double *value,
                                            double *part, dps_error *err);
/* All: decision values of all ranks, models x rows of all, in place of this rank's (from
 * dps_alloc).
 */
DPS_MUST_USE dps_status dps_gather_scores(const struct dps_comm *comm, double **score,
                                          int32_t models, int64_t rows, dps_error *err);

typedef struct dps_cross_validation {
    const dps_problem *problem; /* C and row_weight as for all rows; C is replaced */
    const char *solver;
    const dps_solver_settings *settings;
    const int32_t *fold; /* per row; < 0: always trains */
    int32_t folds;
    dps_metric metric;
} dps_cross_validation;

/* One fold's outcome. */
typedef struct dps_fold_result {
    double score; /* value of the metric on the held-out rows; NAN: they say nothing of it */
    double part[DPS_SCORE_PARTS];
    int64_t rows; /* held out */
    int64_t iterations;
    double gap;
    dps_outcome outcome;
} dps_fold_result;

/* Trains without the rows of `fold` at C and scores them. solution: initialised for the problem; a
 * solver that takes warm starts begins at its w. held: NULL, or models x rows doubles of which the
 * places of the held-out rows are filled with their decision values. The same bits for any number
 * of threads. */
DPS_MUST_USE dps_status dps_cross_validate_fold(const dps_cross_validation *cv, int32_t fold,
                                                double C, const dps_run *run,
                                                dps_solution *solution, double *held,
                                                dps_fold_result *result, dps_error *err);

/* A record of scores: one a fold, NAN where a fold says nothing; with one fold its parts too. */
static inline size_t dps_score_length(int32_t folds)
{
    return folds == 1 ? 1 + DPS_SCORE_PARTS : (size_t)folds;
}
void dps_score_keep(double *record, int32_t folds, int32_t fold, const dps_fold_result *result);

/* Mean over the folds that say something, sample standard deviation, and standard error of the
 * mean. One fold: deviation NAN, and the error from its parts. */
typedef struct dps_spread {
    double mean, deviation, error;
} dps_spread;
dps_spread dps_spread_of(const double *record, int32_t folds);
/* The same of the differences, fold by fold or part by part: positive where a is better. */
dps_spread dps_score_advantage(dps_metric metric, const double *a, const double *b, int32_t folds);
/* Whether scores `a` are as good as the best ones, `b`, up to one standard error of the mean
 * difference. */
bool dps_within_one_error(dps_metric metric, const double *a, const double *b, int32_t folds);
/* Whether mean a is better than mean b, which may be NAN: no number is never better. */
bool dps_metric_better(dps_metric metric, double a, double b);

#endif
