/* Task: folds, decision values of the rows that each leaves out, and sigmoids or isotonic functions
 * on all of them (calibration.h). Cost: folds solves. */
#include "choose_probability.h"

#include <math.h>
#include "allocation.h"
#include "calibration.h"
#include "comm.h"
#include "cost_path.h"
#include "metric_value.h"
#include "model_selection.h"
#include "row_exchange.h"

/* Held-out rows on the rarer side of every model from which on isotonic regression is used. */
#define MANY_ROWS 2000

typedef struct held_out {
    int64_t rows;
    double *score; /* models x rows */
    int32_t *label;
    double *weight; /* NULL: all 1 */
} held_out;

/* Moves the held-out rows, of all that `score` has, to the front. */
static void pack_held(const dps_problem *problem, const int32_t *fold, held_out *held)
{
    const int64_t rows = problem->source->rows;
    const int32_t models = dps_problem_models(problem);
    for (int64_t i = 0; i < rows; i++) {
        held->rows += fold[i] >= 0;
    }
    for (int32_t k = 0; k < models; k++) {
        int64_t at = 0;
        for (int64_t i = 0; i < rows; i++) {
            if (fold[i] >= 0) { /* never ahead of what is read */
                held->score[k * held->rows + at] = held->score[k * rows + i];
                if (held->weight != NULL) {
                    held->weight[at] = problem->row_weight[i];
                }
                held->label[at++] = problem->label[i];
            }
        }
    }
}

/* The packed rows of all ranks in place of this rank's. */
static dps_status share_held(const dps_comm *comm, int32_t models, held_out *held, dps_error *err)
{
    DPS_TRY(dps_gather_scores(comm, &held->score, models, held->rows, err));
    DPS_TRY(dps_join_items(comm, &held->label, held->rows, sizeof *held->label, err));
    DPS_TRY(dps_join_items(comm, &held->weight, held->rows, sizeof *held->weight, err));
    held->rows = dps_comm_sum(comm, held->rows);
    return DPS_OK;
}

/* auto: isotonic regression fits any ascending curve, but needs rows to do so. */
static dps_probability kind_of(const dps_settings *settings, const dps_problem *problem,
                               const held_out *held)
{
    const int32_t models = dps_problem_models(problem);
    double least = INFINITY;
    for (int32_t k = 0; k < models; k++) {
        double within = 0, without = 0;
        for (int64_t i = 0; i < held->rows; i++) {
            *(held->label[i] == (models == 1 ? 1 : k) ? &within : &without) +=
                dps_weight_of(held->weight, i);
        }
        least = fmin(least, fmin(within, without));
    }
    const bool isotonic = settings->calibration == DPS_CALIBRATION_ISOTONIC ||
                          (settings->calibration == DPS_CALIBRATION_AUTO && least >= MANY_ROWS);
    return isotonic ? DPS_PROBABILITY_ISOTONIC : DPS_PROBABILITY_SIGMOID;
}

static dps_status fit_probabilities(dps_model *model, int32_t classes, const held_out *held,
                                    dps_error *err)
{
    if (model->probability == DPS_PROBABILITY_ISOTONIC) {
        return dps_calibrate_isotonic(held->score, held->label, held->weight, held->rows, model,
                                      err);
    }
    const size_t models = (size_t)model->models;
    model->sigmoid = dps_alloc(models, sizeof *model->sigmoid);
    return model->sigmoid == NULL
               ? dps_out_of_memory(err, models, sizeof *model->sigmoid, "the sigmoids")
               : dps_calibrate(held->score, held->label, held->weight, held->rows, classes,
                               model->sigmoid, err);
}

/* What is fitted to no row of a class says nothing of it. */
static dps_status check_held(const dps_options *options, int32_t classes, const held_out *held,
                             dps_error *err)
{
    for (int32_t k = 0; k < classes; k++) {
        int64_t i = 0;
        while (i < held->rows && held->label[i] != k) {
            i++;
        }
        if (i == held->rows) {
            return dps_options_error(options, DPS_OPT_solver_probability, err,
                                     "a class of one row has none to be held out: use tune.folds "
                                     "in place of tune.holdout, or give it more rows");
        }
    }
    return DPS_OK;
}

/* Of every held-out row: decision values, models x rows. */
static dps_status held_scores(const dps_cross_validation *cv, const dps_comm *comm,
                              const dps_run *run, double **score, dps_error *err)
{
    dps_cost_path path;
    double *record = dps_alloc(dps_score_length(cv->folds), sizeof *record);
    dps_status status =
        record == NULL ? dps_out_of_memory(err, 1, sizeof *record, "the scores") : DPS_OK;
    DPS_THEN(status, dps_cost_path_init(&path, cv, 0, run, err));
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        status = dps_cost_path_step(&path, cv->problem->C, run, record, err);
        *score = path.held;
        path.held = NULL;
    }
    if (record != NULL) {
        dps_cost_path_release(&path);
    }
    dps_free(record);
    return status;
}

static dps_status choose(held_out *held, const dps_settings *settings, const dps_options *options,
                         const dps_cross_validation *cv, const dps_run *run, dps_model *model,
                         dps_error *err)
{
    const dps_problem *problem = cv->problem;
    const dps_comm *comm = problem->source->total_rows > 0 ? run->comm : NULL;
    const size_t rows = (size_t)problem->source->rows;
    held->label = dps_alloc(rows, sizeof *held->label);
    held->weight = problem->row_weight == NULL ? NULL : dps_alloc(rows, sizeof *held->weight);
    const bool enough =
        held->label != NULL && (problem->row_weight == NULL || held->weight != NULL);
    DPS_TRY(dps_comm_agree(
        comm,
        enough ? DPS_OK : dps_out_of_memory(err, rows, sizeof *held->weight, "the held-out labels"),
        err));
    DPS_TRY(held_scores(cv, comm, run, &held->score, err));
    pack_held(problem, cv->fold, held);
    DPS_TRY(comm == NULL ? DPS_OK : share_held(comm, dps_problem_models(problem), held, err));
    DPS_TRY(check_held(options, problem->classes, held, err));
    model->models = dps_problem_models(problem);
    model->probability = kind_of(settings, problem, held);
    return fit_probabilities(model, problem->classes, held, err);
}

dps_status dps_select_probabilities(const dps_settings *settings, const dps_options *options,
                                    const dps_problem *problem, const dps_run *run,
                                    dps_model *model, dps_error *err)
{
    int32_t *fold;
    held_out held = {0};
    DPS_TRY(dps_selection_folds(settings, options, problem, run, &fold, err));
    dps_cross_validation cv = dps_selection_validation(settings, problem, fold);
    cv.metric = DPS_METRIC_ACCURACY; /* not used */
    const dps_status status = choose(&held, settings, options, &cv, run, model, err);
    dps_free(held.score);
    dps_free(held.label);
    dps_free(held.weight);
    dps_free(fold);
    return status;
}
