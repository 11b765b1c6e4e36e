/* Task: the score of a setting on rows that it was not trained on.
 * Rows of the fold get weight 0, so the solver sees the same tiles as ever: features are computed
 * once for all folds and settings. What is fitted before the solver (scaling of columns, automatic
 * widths, the map's factor, balanced class weights) uses all rows, without looking at labels but
 * for the class weights.
 * Cost: one solve and one pass of scores. */
#include "cross_validation.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "metric_value.h"
#include "tile_kernels.h"
#include "tile_loop.h"

typedef struct scoring {
    const dps_cross_validation *cv;
    const dps_solution *solution;
    int32_t fold;
    double *held;
    dps_simd simd;
} scoring;

/* Scores of tile t's held-out rows. */
static dps_status score_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const scoring *s = context;
    const dps_tile_source *source = s->cv->problem->source;
    const int64_t first = t * DPS_TILE_ROWS;
    dps_z_tile z;
    DPS_TRY(dps_fetch(source, t, memory, &z, err));
    dps_tile_scores_of_part(s->simd, &z, s->cv->fold + first, s->fold, s->solution->w,
                            s->solution->length, s->solution->models, s->held + first,
                            source->rows);
    return DPS_OK;
}

static dps_status score_held(const dps_cross_validation *cv, const dps_solution *solution,
                             int32_t fold, double *held, const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = cv->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const double work = dps_pass_work(source, tiles, (int32_t)solution->models);
    scoring s = {cv, solution, fold, held, run->simd};
    const dps_tile_loop loop = {.tiles = tiles,
                                .threads = dps_run_threads_for(run, tiles, work),
                                .bytes = dps_fetch_bytes(source),
                                .visit = score_tile,
                                .context = &s};
    return dps_tile_loop_run(&loop, err);
}

/* What is known of a fold's rows, side by side; parts of one block. */
typedef struct fold_rows {
    double *score; /* models x rows */
    double *target, *weight;
    int32_t *label;
} fold_rows;

static void gather(const dps_cross_validation *cv, int32_t fold, const double *held, int64_t count,
                   fold_rows *to)
{
    const dps_problem *p = cv->problem;
    const int64_t rows = p->source->rows;
    int64_t at = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (cv->fold[i] != fold) {
            continue;
        }
        for (int32_t k = 0; k < dps_problem_models(p); k++) {
            to->score[k * count + at] = held[k * rows + i];
        }
        to->target[at] = p->target == NULL ? 0 : p->target[i];
        to->weight[at] = dps_weight_of(p->row_weight, i);
        to->label[at++] = p->label == NULL ? 0 : p->label[i];
    }
}

dps_status dps_fold_score(const dps_cross_validation *cv, int32_t fold, const double *held,
                          const dps_run *run, double *record, int64_t *rows, dps_error *err)
{
    const dps_problem *p = cv->problem;
    const dps_comm *comm = p->source->total_rows > 0 ? run->comm : NULL;
    const size_t models = (size_t)dps_problem_models(p);
    int64_t count = 0;
    for (int64_t i = 0; i < p->source->rows; i++) {
        count += cv->fold[i] == fold;
    }
    const size_t n = (size_t)count;
    double *block;
    DPS_NEED_ON_ALL(comm, block, n * (models + 3), "the held-out rows", err);
    fold_rows own = {.score = block,
                     .target = block + n * models,
                     .weight = block + n * (models + 1),
                     .label = (int32_t *)(void *)(block + n * (models + 2))};
    gather(cv, fold, held, count, &own);
    const dps_status status = dps_metric_of_ranks(
        cv->metric, p, own.label, own.target, own.score, p->row_weight == NULL ? NULL : own.weight,
        count, comm, &record[fold], cv->folds == 1 ? record + 1 : NULL, err);
    dps_free(block);
    *rows = dps_comm_sum(comm, count);
    return status;
}

/* ---- a fold ---------------------------------------------------------------------------------- */

static dps_status solve_without(const dps_cross_validation *cv, int32_t fold, double C,
                                const dps_run *run, dps_solution *solution, dps_error *err)
{
    dps_problem problem = *cv->problem;
    const dps_tile_source *source = problem.source;
    double *weight;
    DPS_NEED_ON_ALL(source->total_rows > 0 ? run->comm : NULL, weight, (size_t)source->rows,
                    "the weights of rows", err);
    for (int64_t i = 0; i < source->rows; i++) {
        weight[i] = cv->fold[i] == fold ? 0 : dps_weight_of(cv->problem->row_weight, i);
    }
    problem.row_weight = weight;
    problem.C = C;
    dps_run silent = *run; /* what is said is said about settings, not about every solve */
    silent.log = NULL;
    dps_status status = dps_solve(cv->solver, &problem, cv->settings, &silent, solution, err);
    dps_free(weight);
    return status;
}

dps_status dps_cross_validation_score(const dps_cross_validation *cv, int32_t fold,
                                      const dps_solution *solution, const dps_run *run,
                                      double *held, double *record, int64_t *rows, dps_error *err)
{
    const dps_comm *comm = cv->problem->source->total_rows > 0 ? run->comm : NULL;
    DPS_TRY(dps_comm_agree(comm, score_held(cv, solution, fold, held, run, err), err));
    return dps_fold_score(cv, fold, held, run, record, rows, err);
}

dps_status dps_cross_validate_fold(const dps_cross_validation *cv, int32_t fold, double C,
                                   const dps_run *run, dps_solution *solution, double *held,
                                   double *record, int64_t *rows, dps_error *err)
{
    DPS_TRY(solve_without(cv, fold, C, run, solution, err));
    return dps_cross_validation_score(cv, fold, solution, run, held, record, rows, err);
}
