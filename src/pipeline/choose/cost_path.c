/* Task: one value of C after the other on every fold (the path of Hastie, Rosset, Tibshirani & Zhu
 * 2004, on a grid). Cost: folds solves a step. */
#include "cost_path.h"

#include <math.h>
#include <string.h>
#include "allocation.h"

dps_status dps_cost_path_init(dps_cost_path *path, const dps_cross_validation *cv, dps_error *err)
{
    const size_t folds = (size_t)cv->folds, rows = (size_t)cv->problem->source->rows;
    const size_t models = (size_t)dps_problem_models(cv->problem);
    memset(path, 0, sizeof *path);
    path->cv = cv;
    path->solution = dps_alloc(folds, sizeof *path->solution);
    path->held = dps_alloc(models * rows, sizeof *path->held);
    if (path->solution == NULL || path->held == NULL) {
        return dps_out_of_memory(err, models * rows, sizeof *path->held, "the held-out scores");
    }
    for (size_t f = 0; f < folds; f++) {
        DPS_TRY(dps_solution_init(&path->solution[f], cv->problem, err));
    }
    return DPS_OK;
}

static void log_share(const dps_cost_path *path, int32_t folds_done, const dps_run *run)
{
    if (path->stage != NULL) {
        const double done = path->taken + (double)folds_done / path->cv->folds;
        dps_log_progress(run, &(dps_progress){.stage = path->stage,
                                              .fraction = done / path->steps,
                                              .iteration = -1,
                                              .objective = NAN,
                                              .gap = NAN,
                                              .target = NAN});
    }
}

dps_status dps_cost_path_step(dps_cost_path *path, double C, const dps_run *run, double *record,
                              dps_error *err)
{
    const int32_t folds = path->cv->folds;
    for (int32_t f = 0; f < folds; f++) {
        int64_t rows;
        DPS_TRY(dps_cross_validate_fold(path->cv, f, C, run, &path->solution[f], path->held, record,
                                        &rows, err));
        log_share(path, f + 1, run);
    }
    path->taken++;
    return DPS_OK;
}

void dps_cost_path_release(dps_cost_path *path)
{
    for (int32_t f = 0; path->solution != NULL && f < path->cv->folds; f++) {
        dps_solution_release(&path->solution[f]);
    }
    dps_free(path->solution);
    dps_free(path->held);
    memset(path, 0, sizeof *path);
}
