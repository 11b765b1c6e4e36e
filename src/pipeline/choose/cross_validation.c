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

/* The held-out rows in order and their decision values. */
typedef struct held_rows {
    int64_t rows;
    int64_t *place; /* row of the data; first[t] is the first of tile t */
    int64_t *first; /* tiles + 1 */
    double *score;  /* models x rows (held-out) */
} held_rows;

static void held_release(held_rows *held)
{
    dps_free(held->place);
    dps_free(held->first);
    dps_free(held->score);
}

static dps_status held_init(held_rows *held, const dps_cross_validation *cv, int32_t fold,
                            dps_error *err)
{
    const int64_t rows = cv->problem->source->rows, tiles = dps_tile_count(rows);
    const size_t models = (size_t)dps_problem_models(cv->problem);
    memset(held, 0, sizeof *held);
    for (int64_t i = 0; i < rows; i++) {
        held->rows += cv->fold[i] == fold;
    }
    held->place = dps_alloc((size_t)held->rows, sizeof *held->place);
    held->first = dps_alloc((size_t)tiles + 1, sizeof *held->first);
    held->score = dps_alloc((size_t)held->rows * models, sizeof *held->score);
    if (held->place == NULL || held->first == NULL || held->score == NULL) {
        return dps_out_of_memory(err, (size_t)rows, 40, "the held-out rows");
    }
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (i % DPS_TILE_ROWS == 0) {
            held->first[i / DPS_TILE_ROWS] = count;
        }
        if (cv->fold[i] == fold) {
            held->place[count++] = i;
        }
    }
    held->first[tiles] = count;
    return DPS_OK;
}

typedef struct scoring {
    const dps_problem *problem;
    const dps_solution *solution;
    const held_rows *held;
    dps_simd simd;
} scoring;

/* Scores of tile t's held-out rows. */
static dps_status score_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const scoring *s = context;
    const held_rows *held = s->held;
    const int64_t first = held->first[t];
    const int32_t count = (int32_t)(held->first[t + 1] - first);
    int32_t list[DPS_TILE_ROWS];
    dps_z_tile z;
    if (count == 0) {
        return DPS_OK;
    }
    for (int32_t i = 0; i < count; i++) {
        list[i] = (int32_t)(held->place[first + i] - t * DPS_TILE_ROWS);
    }
    const dps_status status = dps_fetch(s->problem->source, t, memory, &z, err);
    for (int32_t k = 0; k < s->solution->models && status == DPS_OK; k++) {
        dps_tile_scores(s->simd, &z, s->solution->w + (size_t)k * s->solution->length, list, count,
                        held->score + (size_t)k * (size_t)held->rows + (size_t)first);
    }
    return status;
}

static dps_status score_held(const dps_problem *problem, const dps_solution *solution,
                             const held_rows *held, const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const double work = dps_pass_work(source, tiles, (int32_t)solution->models);
    scoring s = {problem, solution, held, run->simd};
    const dps_tile_loop loop = {.tiles = tiles,
                                .threads = dps_run_threads_for(run, tiles, work),
                                .bytes = dps_fetch_bytes(source),
                                .visit = score_tile,
                                .context = &s};
    return dps_tile_loop_run(&loop, err);
}

static dps_status measure(const dps_cross_validation *cv, const held_rows *held,
                          const dps_comm *comm, dps_fold_result *result, dps_error *err)
{
    const bool regression = cv->metric == DPS_METRIC_RMSE;
    const size_t rows = (size_t)held->rows;
    int32_t *label = dps_alloc(regression ? 0 : rows, sizeof *label);
    double *target = dps_alloc(regression ? rows : 0, sizeof *target);
    const double *own = cv->problem->row_weight;
    double *weight = own == NULL ? NULL : dps_alloc(rows, sizeof *weight);
    dps_status status = DPS_OK;
    if (label == NULL || target == NULL || (own != NULL && weight == NULL)) {
        status = dps_out_of_memory(err, rows, sizeof *target, "the held-out labels");
    }
    for (size_t i = 0; i < rows && status == DPS_OK; i++) {
        if (regression) {
            target[i] = cv->problem->target[held->place[i]];
        } else {
            label[i] = cv->problem->label[held->place[i]];
        }
        if (own != NULL) {
            weight[i] = own[held->place[i]];
        }
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        status = dps_metric_of_ranks(cv->metric, cv->problem, label, target, held->score, weight,
                                     held->rows, comm, &result->score,
                                     cv->folds == 1 ? result->part : NULL, err);
    }
    dps_free(label);
    dps_free(target);
    dps_free(weight);
    return status;
}

/* ---- a fold ---------------------------------------------------------------------------------- */

static dps_status solve_without(const dps_cross_validation *cv, int32_t fold, double C,
                                const dps_run *run, dps_solution *solution, dps_error *err)
{
    dps_problem problem = *cv->problem;
    const size_t rows = (size_t)problem.source->rows;
    double *weight = dps_alloc(rows, sizeof *weight);
    if (dps_comm_any(problem.source->total_rows > 0 ? run->comm : NULL, weight == NULL)) {
        dps_free(weight);
        return dps_out_of_memory(err, rows, sizeof *weight, "the weights of rows");
    }
    for (size_t i = 0; i < rows; i++) {
        const double own = cv->problem->row_weight == NULL ? 1 : cv->problem->row_weight[i];
        weight[i] = cv->fold[i] == fold ? 0 : own;
    }
    problem.row_weight = weight;
    problem.C = C;
    dps_run silent = *run; /* what is said is said about settings, not about every solve */
    silent.log = NULL;
    dps_status status = dps_solve(cv->solver, &problem, cv->settings, &silent, solution, err);
    dps_free(weight);
    return status;
}

dps_status dps_cross_validate_fold(const dps_cross_validation *cv, int32_t fold, double C,
                                   const dps_run *run, dps_solution *solution, double *held_scores,
                                   dps_fold_result *result, dps_error *err)
{
    const size_t rows = (size_t)cv->problem->source->rows;
    const dps_comm *comm = cv->problem->source->total_rows > 0 ? run->comm : NULL;
    held_rows held;
    dps_status status = dps_comm_agree(comm, held_init(&held, cv, fold, err), err);
    if (status != DPS_OK) {
        held_release(&held);
        return status;
    }
    memset(result, 0, sizeof *result);
    status = solve_without(cv, fold, C, run, solution, err);
    if (status == DPS_OK) {
        status = dps_comm_agree(comm, score_held(cv->problem, solution, &held, run, err), err);
    }
    if (status == DPS_OK) {
        status = measure(cv, &held, comm, result, err);
    }
    if (status == DPS_OK) {
        result->rows = dps_comm_sum(comm, held.rows);
        result->iterations = solution->iterations;
        result->gap = solution->worst.gap;
        result->outcome = solution->outcome;
    }
    for (int32_t k = 0; held_scores != NULL && status == DPS_OK && k < solution->models; k++) {
        for (int64_t i = 0; i < held.rows; i++) {
            held_scores[(size_t)k * rows + (size_t)held.place[i]] = held.score[k * held.rows + i];
        }
    }
    held_release(&held);
    return status;
}

void dps_score_keep(double *record, int32_t folds, int32_t fold, const dps_fold_result *result)
{
    record[fold] = result->score;
    if (folds == 1) {
        memcpy(record + 1, result->part, sizeof result->part);
    }
}
