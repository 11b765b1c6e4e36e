/* Task: one kernel, map and D on the sample, over several C. The map is built once (trial.c). Kept
 * of the best C (the first of the best): the loss of every held-out row, so that two settings are
 * compared row by row. The paired difference of 0/1 losses has the standard error
 *
 *     sqrt((b + c - (b - c)^2 / n) / (n (n - 1))),   b, c: rows that only one of the two gets right
 *
 * (McNemar 1947), far less than that of two accuracies. Solves: to a gap of 3e-2, or in few passes,
 * because they serve comparisons only. */
#include "auto_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "refine.h"
#include "trial.h"

enum { MOST_PASSES = 30 };
static const double loose = 3e-2, nearly = 1.005;

/* ---- the request ----------------------------------------------------------------------------- */

static void shape_request(const dps_auto_trial *trial, dps_map_request *asked)
{
    const bool fourier = trial->kernel == DPS_AUTO_RBF || trial->kernel == DPS_AUTO_LAPLACIAN;
    const bool linear = trial->kernel == DPS_AUTO_LINEAR;
    asked->kernel.kernel = fourier || linear ? &dps_kernel_linear : &dps_kernel_polynomial;
    asked->kernel.degree = trial->degree;
    asked->type = fourier ? DPS_MAP_FOURIER : linear ? DPS_MAP_NONE : DPS_MAP_MACLAURIN;
    asked->base = trial->kernel == DPS_AUTO_LAPLACIAN ? DPS_BASE_LAPLACIAN : DPS_BASE_RBF;
    asked->orthogonal = trial->kernel == DPS_AUTO_RBF && !trial->refined;
    asked->refine = trial->refined ? DPS_REFINE_PROJECTIONS : DPS_REFINE_NONE;
    asked->base_gamma = NAN;
    if (trial->features > 0) {
        asked->features = trial->features;
    }
    if (trial->kernel == DPS_AUTO_EXACT) {
        asked->exact_degree = trial->degree;
    }
}

dps_status dps_auto_trial_recipe(const dps_auto_trial *trial, double *typical,
                                 const dps_map_request *base, const dps_row_source *rows,
                                 double radius1, double radius2, bool dense, const dps_run *run,
                                 dps_map_recipe *recipe, dps_map_facts *facts, dps_error *err)
{
    dps_map_request asked = *base;
    shape_request(trial, &asked);
    if (asked.type == DPS_MAP_FOURIER) {
        if (isnan(*typical)) {
            DPS_TRY(dps_map_plan(&asked, rows, radius1, radius2, dense, run, recipe, facts, err));
            *typical = recipe->base_gamma;
        }
        asked.base_gamma = trial->multiple * *typical;
    }
    return dps_map_plan(&asked, rows, radius1, radius2, dense, run, recipe, facts, err);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static double loss_of(dps_metric metric, double mean)
{
    return metric == DPS_METRIC_RMSE       ? mean * mean
           : metric == DPS_METRIC_LOG_LOSS ? mean
                                           : 1 - mean;
}

/* The smallest C whose loss is nearly the least into the trial. */
static dps_status keep_best(const dps_trial *request, const dps_trial_scores *found,
                            dps_auto_trial *trial, dps_error *err)
{
    const size_t length = dps_score_length(request->folds);
    const int64_t rows = request->rows->x.rows;
    dps_spread spread[DPS_AUTO_COSTS];
    double least = INFINITY;
    int32_t best = 0;
    for (int32_t j = 0; j < request->count; j++) {
        spread[j] = dps_spread_of(found->record + (size_t)j * length, request->folds);
        least = fmin(least, loss_of(request->metric, spread[j].mean));
    }
    if (isinf(least)) {
        return dps_error_set(err, DPS_ERROR_NUMERIC, "no value of solver.C has a score");
    }
    while (best < request->count - 1 &&
           !(loss_of(request->metric, spread[best].mean) <= nearly * least)) {
        best++;
    }
    DPS_NEED(trial->score, length, "the search", err);
    DPS_NEED(trial->loss, (size_t)rows, "the search", err);
    memcpy(trial->score, found->record + (size_t)best * length, length * sizeof *trial->score);
    memcpy(trial->loss, found->loss + best * rows, (size_t)rows * sizeof *trial->loss);
    trial->C = request->C[best];
    trial->spread = spread[best];
    trial->works = true;
    trial->rows = rows;
    return DPS_OK;
}

static dps_status measure(const dps_trial *request, const dps_run *run, dps_auto_trial *trial,
                          dps_error *err)
{
    const size_t rows = (size_t)request->rows->x.rows, values = (size_t)request->count;
    dps_trial_scores found = {
        .record = dps_alloc(values * dps_score_length(request->folds), sizeof(double)),
        .loss = dps_alloc(values * rows, sizeof(float))};
    dps_status status = DPS_OK;
    if (found.record == NULL || found.loss == NULL) {
        status = dps_out_of_memory(err, values * rows, sizeof(float), "the search");
    }
    DPS_THEN(status, dps_trial_run(request, run, &found, err));
    DPS_THEN(status, keep_best(request, &found, trial, err));
    dps_free(found.record);
    dps_free(found.loss);
    return status;
}

/* The map moves on the rows of all folds but 0, which is the only one that scores it. */
static dps_status refine_and_measure(const dps_auto_bench *bench, dps_trial *request,
                                     dps_map_recipe *recipe, dps_auto_trial *trial, dps_error *err)
{
    const int64_t rows = request->rows->x.rows;
    int32_t *part;
    dps_refinement found = {0};
    DPS_NEED(part, (size_t)rows, "the search", err);
    for (int64_t i = 0; i < rows; i++) {
        part[i] = request->fold[i] == 0 ? 0 : -1;
    }
    const dps_refine_rows given = {request->rows, part, request->C[request->count / 2]};
    dps_status status =
        dps_refine_run(bench->base, recipe, &given, bench->silent.memory - *bench->bytes,
                       &bench->silent, &found, err);
    if (status == DPS_OK) {
        recipe->moved = found.moved;
        recipe->moved_count = found.count;
        request->fold = part;
        request->folds = 1;
        status = measure(request, &bench->silent, trial, err);
    }
    dps_refinement_release(&found);
    dps_free(part);
    return status;
}

/* An RBF's features are near enough to the kernel where that is not too narrow: their error is 0.01
 * of an entry, which is what a narrow kernel, or a Laplacian, says of most pairs. */
static bool is_its_kernel(const dps_auto_bench *bench, const dps_auto_trial *trial)
{
    static const double narrowest = 4; /* multiple of the median heuristic */
    return bench->distances != NULL && trial->kernel == DPS_AUTO_RBF && !trial->refined &&
           trial->multiple <= narrowest;
}

static dps_status measure_kernel(const dps_auto_bench *bench, dps_trial *request,
                                 dps_auto_trial *trial, dps_error *err)
{
    const size_t n = (size_t)request->rows->x.rows;
    double *gram;
    DPS_NEED(gram, n * n, "inner products", err);
    dps_status status =
        dps_kernel_gram(&request->rows->x, request->recipe, bench->base->settings->bias,
                        &bench->distances[trial->view], &bench->silent, gram, err);
    request->gram = gram;
    request->bytes += 2 * n * n * sizeof *gram;
    DPS_THEN(status, measure(request, &bench->silent, trial, err));
    dps_free(gram);
    return status;
}

static dps_status plan_and_measure(const dps_auto_bench *bench, const double *C, int32_t count,
                                   dps_auto_trial *trial, dps_error *err)
{
    const dps_settings *settings = bench->base->settings;
    const dps_row_view *view = &bench->sample->view[trial->view];
    dps_map_recipe recipe;
    dps_map_facts facts;
    dps_trial request = {.base = bench->base,
                         .rows = &view->rows,
                         .bytes = *bench->bytes,
                         .fold = bench->sample->fold,
                         .folds = bench->folds,
                         .metric = bench->metric,
                         .recipe = &recipe,
                         .facts = &facts,
                         .moves = bench->moves,
                         .solve = settings->solver_settings,
                         .C = C,
                         .count = count};
    dps_solver_settings *quick = &request.solve;
    quick->tolerance = fmax(quick->tolerance, loose);
    quick->max_iterations =
        quick->max_iterations < MOST_PASSES ? quick->max_iterations : MOST_PASSES;
    DPS_TRY(dps_auto_trial_recipe(trial, &trial->typical, &settings->request, &view->rows.x,
                                  view->radius1, view->radius2, view->rows.dense, &bench->silent,
                                  &recipe, &facts, err));
    trial->width = facts.width + facts.sparse_columns;
    trial->scaling = view->kind;
    return trial->refined                ? refine_and_measure(bench, &request, &recipe, trial, err)
           : is_its_kernel(bench, trial) ? measure_kernel(bench, &request, trial, err)
                                         : measure(&request, &bench->silent, trial, err);
}

dps_status dps_auto_trial_run(const dps_auto_bench *bench, const double *C, int32_t count,
                              dps_auto_trial *trial, dps_error *err)
{
    dps_error reason;
    trial->final = bench->final;
    const dps_status status = plan_and_measure(bench, C, count, trial, &reason);
    if (status == DPS_OK) {
        return status;
    }
    if (status == DPS_ERROR_CONFIG || status == DPS_ERROR_NUMERIC || status == DPS_ERROR_DATA) {
        snprintf(trial->reason, sizeof trial->reason, "%.150s", reason.text);
        return DPS_OK;
    }
    if (err != NULL) {
        *err = reason;
    }
    return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

dps_spread dps_auto_advantage(const dps_auto_search *search, const dps_auto_trial *a,
                              const dps_auto_trial *b)
{
    double sum = 0, squares = 0, count = 0;
    if (search->metric != DPS_METRIC_ACCURACY && search->metric != DPS_METRIC_RMSE) {
        return dps_score_advantage(search->metric, a->score, b->score,
                                   a->final ? search->final_folds : search->folds);
    }
    for (int64_t i = 0; i < a->rows; i++) {
        if (!isnan(a->loss[i]) && !isnan(b->loss[i])) {
            const double difference = (double)b->loss[i] - a->loss[i];
            sum += difference;
            squares += difference * difference;
            count++;
        }
    }
    const double mean = sum / count, variance = fmax(squares - mean * sum, 0) / (count - 1);
    return (dps_spread){mean, sqrt(variance), sqrt(variance / count)};
}
