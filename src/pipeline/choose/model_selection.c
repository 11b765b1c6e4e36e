/* Task: folds from the options, and the two uses that training makes of them: choose_c.c and
 * calibration.c. */
#include "model_selection.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "calibration.h"
#include "comm.h"
#include "folds.h"
#include "metric_value.h"
#include "row_exchange.h"

/* Held-out rows on the rarer side of every model from which on isotonic regression is used. */
#define MANY_ROWS 2000

dps_status dps_selection_check(const dps_settings *settings, const dps_options *options,
                               int32_t classes, int64_t rows, dps_error *err)
{
    const dps_validation *v = &settings->validation;
    if (v->metric == DPS_METRIC_AUC && classes > 2) {
        return dps_options_error(options, DPS_OPT_tune_metric, err,
                                 "auc is for two classes, the data have %ld; use accuracy, f1 or "
                                 "log_loss",
                                 (long)classes);
    }
    if (rows < 2 * v->folds) {
        return dps_options_error(options, DPS_OPT_tune_folds, err,
                                 "%ld folds of %lld rows: a fold needs two rows or more",
                                 (long)v->folds, (long long)rows);
    }
    return DPS_OK;
}

dps_status dps_selection_measurable(dps_metric metric, const dps_options *options,
                                    const int32_t *label, const int32_t *fold, int32_t folds,
                                    int64_t rows, dps_error *err)
{
    for (int32_t f = 0; f < folds; f++) {
        if (dps_metric_applies(metric, label, fold, f, rows)) {
            return DPS_OK;
        }
    }
    return dps_options_error(options, DPS_OPT_tune_metric, err,
                             "%s needs held-out rows of two classes, and no held-out part has "
                             "them: use tune.folds in place of a held-out share, accuracy, or more "
                             "rows of the rare class",
                             dps_metric_name(metric));
}

void dps_selection_warn(const dps_settings *settings, const dps_class_table *classes,
                        const dps_run *run)
{
    const dps_validation *v = &settings->validation;
    for (int32_t k = 0; k < classes->count && v->holdout == 0; k++) {
        if (classes->rows[k] < v->folds) {
            dps_log_text(run, DPS_WARNING,
                         "class %s has %lld rows, fewer than the %ld folds (tune.folds): folds "
                         "without it say nothing of it; means of f1, auc and log_loss are over "
                         "folds that hold two classes",
                         classes->text[k], (long long)classes->rows[k], (long)v->folds);
        }
    }
}

dps_status dps_selection_folds(const dps_settings *settings, const dps_options *options,
                               const dps_problem *problem, const dps_run *run, int32_t **fold,
                               dps_error *err)
{
    const dps_validation *v = &settings->validation;
    const dps_tile_source *source = problem->source;
    const dps_comm *comm = source->total_rows > 0 ? run->comm : NULL;
    const int64_t rows = dps_tiles_rows(source);
    const int32_t *label = problem->label;
    void *all = NULL;
    dps_status status = dps_selection_check(settings, options, problem->classes, rows, err);
    *fold = NULL;
    if (status == DPS_OK && comm != NULL) { /* folds are dealt class by class over all rows */
        status = dps_gather_items(comm, label, source->rows, sizeof *label, &all, err);
        label = all;
    }
    if (status == DPS_OK) {
        *fold = dps_alloc((size_t)rows, sizeof **fold);
        status =
            *fold == NULL ? dps_out_of_memory(err, (size_t)rows, sizeof **fold, "the folds")
            : v->holdout > 0
                ? dps_holdout_make(label, rows, problem->classes, v->holdout, v->seed, *fold, err)
                : dps_folds_make(label, rows, problem->classes, v->folds, v->seed, *fold, err);
    }
    if (status == DPS_OK) {
        status = dps_selection_measurable(v->metric, options, label, *fold, v->folds, rows, err);
    }
    dps_free(all);
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK && source->first_row > 0) {
        memmove(*fold, *fold + source->first_row, (size_t)source->rows * sizeof **fold);
    }
    if (status != DPS_OK) {
        dps_free(*fold);
        *fold = NULL;
    }
    return status;
}

static dps_cross_validation validation_of(const dps_settings *settings, const dps_problem *problem,
                                          const int32_t *fold)
{
    return (dps_cross_validation){.problem = problem,
                                  .solver = settings->solver,
                                  .settings = &settings->solver_settings,
                                  .fold = fold,
                                  .folds = settings->validation.folds,
                                  .metric = settings->validation.metric};
}

dps_status dps_select_c(const dps_settings *settings, const dps_options *options,
                        const dps_problem *problem, const dps_run *run, dps_c_search *search,
                        dps_error *err)
{
    int32_t *fold;
    dps_status status = dps_selection_folds(settings, options, problem, run, &fold, err);
    if (status != DPS_OK) {
        return status;
    }
    const dps_cross_validation cv = validation_of(settings, problem, fold);
    status = dps_choose_c(&cv, run, search, err);
    dps_free(fold);
    return status;
}

/* Decision values of every held-out row, fold by fold. */
static dps_status held_scores(const dps_cross_validation *cv, const dps_run *run, double *score,
                              dps_error *err)
{
    dps_status status = DPS_OK;
    for (int32_t f = 0; f < cv->folds && status == DPS_OK; f++) {
        dps_solution solution;
        dps_fold_result result;
        status = dps_solution_init(&solution, cv->problem, err);
        if (status == DPS_OK) {
            status =
                dps_cross_validate_fold(cv, f, cv->problem->C, run, &solution, score, &result, err);
            dps_solution_release(&solution);
        }
    }
    return status;
}

/* Moves the held-out rows to the front; returns how many there are. */
static int64_t pack_held(const dps_problem *problem, const int32_t *fold, double *score,
                         int32_t *label, double *weight)
{
    const int64_t rows = problem->source->rows;
    const int32_t models = dps_problem_models(problem);
    int64_t held = 0;
    for (int64_t i = 0; i < rows; i++) {
        held += fold[i] >= 0;
    }
    for (int32_t k = 0; k < models; k++) {
        int64_t at = 0;
        for (int64_t i = 0; i < rows; i++) {
            if (fold[i] >= 0) {
                score[k * held + at] = score[k * rows + i]; /* never ahead of what is read */
                if (weight != NULL) {
                    weight[at] = problem->row_weight[i];
                }
                label[at++] = problem->label[i];
            }
        }
    }
    return held;
}

/* The packed rows of all ranks in place of this rank's. */
static dps_status share_held(const dps_comm *comm, int32_t models, double **score, int32_t **label,
                             double **weight, int64_t *held, dps_error *err)
{
    void *labels = NULL, *weights = NULL;
    dps_status status = dps_gather_scores(comm, score, models, *held, err);
    if (status == DPS_OK) {
        status = dps_gather_items(comm, *label, *held, sizeof **label, &labels, err);
    }
    if (status == DPS_OK && *weight != NULL) {
        status = dps_gather_items(comm, *weight, *held, sizeof **weight, &weights, err);
    }
    if (status == DPS_OK) {
        dps_free(*label);
        dps_free(*weight);
        *label = labels;
        *weight = weights;
        *held = dps_comm_sum(comm, *held);
    }
    return status;
}

/* auto: isotonic regression fits any ascending curve, but needs rows to do so. */
static dps_probability kind_of(const dps_settings *settings, const dps_problem *problem,
                               const int32_t *label, const double *weight, int64_t rows)
{
    const int32_t models = dps_problem_models(problem);
    double least = INFINITY;
    for (int32_t k = 0; k < models; k++) {
        double within = 0, without = 0;
        for (int64_t i = 0; i < rows; i++) {
            *(label[i] == (models == 1 ? 1 : k) ? &within : &without) +=
                weight == NULL ? 1.0 : weight[i];
        }
        least = fmin(least, fmin(within, without));
    }
    const bool isotonic = settings->calibration == DPS_CALIBRATION_ISOTONIC ||
                          (settings->calibration == DPS_CALIBRATION_AUTO && least >= MANY_ROWS);
    return isotonic ? DPS_PROBABILITY_ISOTONIC : DPS_PROBABILITY_SIGMOID;
}

static dps_status fit_probabilities(dps_model *model, int32_t classes, const double *score,
                                    const int32_t *label, const double *weight, int64_t rows,
                                    dps_error *err)
{
    if (model->probability == DPS_PROBABILITY_ISOTONIC) {
        return dps_calibrate_isotonic(score, label, weight, rows, model, err);
    }
    const size_t models = (size_t)model->models;
    model->sigmoid = dps_alloc(models, sizeof *model->sigmoid);
    return model->sigmoid == NULL
               ? dps_out_of_memory(err, models, sizeof *model->sigmoid, "the sigmoids")
               : dps_calibrate(score, label, weight, rows, classes, model->sigmoid, err);
}

/* What is fitted to no row of a class says nothing of it. */
static dps_status check_held(const dps_options *options, int32_t classes, const int32_t *label,
                             int64_t held, dps_error *err)
{
    for (int32_t k = 0; k < classes; k++) {
        int64_t i = 0;
        while (i < held && label[i] != k) {
            i++;
        }
        if (i == held) {
            return dps_options_error(options, DPS_OPT_solver_probability, err,
                                     "a class of one row has none to be held out: use tune.folds "
                                     "in place of tune.holdout, or give it more rows");
        }
    }
    return DPS_OK;
}

dps_status dps_select_probabilities(const dps_settings *settings, const dps_options *options,
                                    const dps_problem *problem, const dps_run *run,
                                    dps_model *model, dps_error *err)
{
    const size_t rows = (size_t)problem->source->rows;
    const size_t models = (size_t)dps_problem_models(problem);
    int32_t *fold;
    dps_status status = dps_selection_folds(settings, options, problem, run, &fold, err);
    if (status != DPS_OK) {
        return status;
    }
    dps_cross_validation cv = validation_of(settings, problem, fold);
    const dps_comm *comm = problem->source->total_rows > 0 ? run->comm : NULL;
    cv.metric = DPS_METRIC_ACCURACY; /* not used */
    double *score = dps_alloc(rows * models, sizeof *score);
    int32_t *label = dps_alloc(rows, sizeof *label);
    double *weight = problem->row_weight == NULL ? NULL : dps_alloc(rows, sizeof *weight);
    if (score == NULL || label == NULL || (problem->row_weight != NULL && weight == NULL)) {
        status = dps_out_of_memory(err, rows * models, sizeof *score, "the held-out scores");
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        status = held_scores(&cv, run, score, err);
    }
    int64_t held = 0;
    if (status == DPS_OK) {
        held = pack_held(problem, fold, score, label, weight);
        status = comm == NULL
                     ? DPS_OK
                     : share_held(comm, (int32_t)models, &score, &label, &weight, &held, err);
    }
    if (status == DPS_OK) {
        status = check_held(options, problem->classes, label, held, err);
    }
    if (status == DPS_OK) {
        model->models = (int32_t)models;
        model->probability = kind_of(settings, problem, label, weight, held);
        status = fit_probabilities(model, problem->classes, score, label, weight, held, err);
    }
    dps_free(score);
    dps_free(label);
    dps_free(weight);
    dps_free(fold);
    return status;
}
