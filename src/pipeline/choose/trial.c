/* Task: plan -> map -> z-tiles -> scores of every fold along C. What memory cannot hold
 * is refused, so that no choice depends on it. Cost: one mapping, folds x values of C solves. */
#include "trial.h"

#include <math.h>
#include "allocation.h"
#include "comm.h"
#include "cost_path.h"
#include "mapped_rows.h"
#include "metric_value.h"
#include "ridge.h"
#include "training_plan.h"

/* Means over rows are means by weight. */
static void fill_losses(const dps_trial *trial, const double *held, float *loss)
{
    const dps_labelled_rows *s = trial->rows;
    const int64_t rows = s->x.rows;
    double all = 0;
    for (int64_t i = 0; i < rows && s->weight != NULL; i++) {
        all += s->weight[i];
    }
    for (int64_t i = 0; i < rows; i++) {
        const double share = s->weight == NULL ? 1 : s->weight[i] * (double)rows / all;
        if (trial->fold[i] < 0) {
            loss[i] = NAN;
        } else if (s->target != NULL) {
            const double error = s->target[i] - held[i];
            loss[i] = (float)(share * (error * error));
        } else {
            const int32_t guess = dps_guess_of(held, rows, dps_trial_classes(trial->base), i);
            loss[i] = guess != s->label[i] ? (float)share : 0;
        }
    }
}

static dps_status walk(const dps_trial *trial, dps_cost_path *path, const dps_run *run,
                       dps_trial_scores *scores, dps_error *err)
{
    const size_t length = dps_score_length(trial->folds);
    for (int32_t j = 0; j < trial->count; j++) {
        DPS_TRY(
            dps_cost_path_step(path, trial->C[j], run, scores->record + (size_t)j * length, err));
        if (scores->loss != NULL) {
            fill_losses(trial, path->held, scores->loss + j * trial->rows->x.rows);
        }
    }
    return DPS_OK;
}

static dps_status measure(const dps_trial *trial, const dps_tile_source *source, const dps_run *run,
                          dps_trial_scores *scores, dps_error *err)
{
    dps_problem problem = dps_trial_problem(trial->base, trial->rows);
    problem.source = source;
    problem.C = trial->C[0];
    const dps_cross_validation cv = {.problem = &problem,
                                     .solver = trial->base->settings->solver,
                                     .settings = &trial->solve,
                                     .fold = trial->fold,
                                     .folds = trial->folds,
                                     .metric = trial->metric,
                                     .gram = trial->gram};
    dps_cost_path path;
    dps_status status = dps_cost_path_init(&path, &cv, trial->moves, run, err);
    DPS_THEN(status, walk(trial, &path, run, scores, err));
    dps_cost_path_release(&path);
    return status;
}

/* Mapped rows without tiles. */
static dps_tile_source shape_of(const dps_trial *trial)
{
    const double bias = trial->base->settings->bias;
    dps_tile_source source = {.rows = trial->rows->x.rows,
                              .width = trial->facts->width + (bias != 0 ? 1 : 0),
                              .sparse_columns = trial->facts->sparse_columns};
    source.stride = dps_round_up((size_t)source.width, DPS_PAD);
    return source;
}

/* What the ridge takes besides mapped rows. */
static size_t ridge_bytes(const dps_trial *trial, const dps_run *run)
{
    const dps_tile_source source = shape_of(trial);
    dps_problem problem = dps_trial_problem(trial->base, trial->rows);
    problem.source = &source;
    return trial->moves > 0 && dps_ridge_takes(&source)
               ? dps_ridge_bytes(&problem, trial->folds, run->threads)
               : 0;
}

dps_status dps_trial_run(const dps_trial *trial, const dps_run *run, dps_trial_scores *scores,
                         dps_error *err)
{
    const dps_trial_base *base = trial->base;
    const dps_problem problem = dps_trial_problem(base, trial->rows);
    dps_run lean = *run;
    dps_mapped_rows mapped;
    size_t left = 0;
    dps_status status =
        dps_plan_trial(base->settings, base->data, trial->facts, &problem, trial->rows->x.rows,
                       trial->bytes + ridge_bytes(trial, run), &lean, &left, err);
    DPS_TRY(dps_comm_agree(base->run->comm, status, err));
    if (trial->gram != NULL) {
        const dps_tile_source shape = shape_of(trial);
        status = measure(trial, &shape, &lean, scores, err);
        return dps_comm_agree(base->run->comm, status, err);
    }
    status = dps_mapped_rows_init(&mapped, trial->recipe, &trial->rows->x, base->settings->bias,
                                  left, &lean, err);
    DPS_THEN(status, measure(trial, dps_mapped_rows_source(&mapped), &lean, scores, err));
    dps_mapped_rows_release(&mapped);
    return dps_comm_agree(base->run->comm, status, err);
}
