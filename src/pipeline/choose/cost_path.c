/* Task: one value of C after the other on every fold (the path of Hastie, Rosset, Tibshirani & Zhu
 * 2004, on a grid). Cost: folds solves a step. */
#include "cost_path.h"

#include <string.h>
#include "allocation.h"
#include "comm.h"

dps_status dps_cost_path_init(dps_cost_path *path, const dps_cross_validation *cv, int moves,
                              const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = cv->problem->source;
    const size_t folds = (size_t)cv->folds, rows = (size_t)source->rows;
    const size_t models = (size_t)dps_problem_models(cv->problem);
    memset(path, 0, sizeof *path);
    path->cv = cv;
    path->moves = moves;
    path->held = dps_alloc(models * rows, sizeof *path->held);
    if (path->held != NULL && moves > 0 && (cv->gram != NULL || dps_ridge_takes(source))) {
        return cv->gram != NULL
                   ? dps_ridge_of_gram(&path->ridge, cv->problem, cv->gram, cv->fold, cv->folds,
                                       err)
                   : dps_ridge_new(&path->ridge, cv->problem, cv->fold, cv->folds, run, err);
    }
    path->solution = dps_alloc(folds, sizeof *path->solution);
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
        dps_log_share(run, path->stage, done / path->steps);
    }
}

dps_status dps_cost_path_step(dps_cost_path *path, double C, const dps_run *run, double *record,
                              dps_error *err)
{
    const dps_cross_validation *cv = path->cv;
    int64_t rows;
    if (path->ridge != NULL) {
        const dps_comm *comm = cv->problem->source->total_rows > 0 ? run->comm : NULL;
        DPS_TRY(dps_comm_agree(
            comm, dps_ridge_held(path->ridge, C, path->moves, path->held, run, err), err));
    }
    for (int32_t f = 0; f < cv->folds; f++) {
        DPS_TRY(path->ridge != NULL ? dps_fold_score(cv, f, path->held, run, record, &rows, err)
                                    : dps_cross_validate_fold(cv, f, C, run, &path->solution[f],
                                                              path->held, record, &rows, err));
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
    dps_ridge_free(path->ridge);
    dps_free(path->solution);
    dps_free(path->held);
    memset(path, 0, sizeof *path);
}
