/* Task: one kernel, map and D on the sample, over several C.
 * The map is built once; every fold is solved along ascending C, each solve starting at the last
 * one's weights. Kept of the best C (the first of the best): the loss of every held-out row, so
 * that two settings are compared row by row. The paired difference of 0/1 losses has the standard
 * error
 *
 *     sqrt((b + c - (b - c)^2 / n) / (n (n - 1))),   b, c: rows that only one of the two gets right
 *
 * (McNemar 1947), far less than that of two accuracies.
 * Solves: to a gap of 3e-2, or in few passes, because they serve comparisons only. */
#include "auto_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"

enum { MOST_PASSES = 30 };
static const double loose = 3e-2, nearly = 1.005;

/* ---- the recipe ------------------------------------------------------------------------------ */

static void shape_recipe(const dps_auto_trial *trial, dps_map_recipe *recipe)
{
    const bool fourier = trial->kernel == DPS_AUTO_RBF || trial->kernel == DPS_AUTO_LAPLACIAN;
    const bool linear = trial->kernel == DPS_AUTO_LINEAR;
    recipe->kernel.kernel = dps_kernel_find(fourier || linear ? "linear" : "polynomial");
    recipe->kernel.degree = trial->degree;
    recipe->type = fourier ? DPS_MAP_FOURIER : linear ? DPS_MAP_NONE : DPS_MAP_MACLAURIN;
    recipe->base = trial->kernel == DPS_AUTO_LAPLACIAN ? DPS_BASE_LAPLACIAN : DPS_BASE_RBF;
    recipe->orthogonal = trial->kernel == DPS_AUTO_RBF;
    recipe->base_gamma = NAN;
    if (trial->features > 0) {
        recipe->features = trial->features;
    }
    if (trial->kernel == DPS_AUTO_EXACT) {
        recipe->exact_degree = trial->degree;
        recipe->exact_degree_set = true;
    }
}

dps_status dps_auto_trial_recipe(const dps_auto_trial *trial, const dps_training *t,
                                 const dps_row_source *rows, double radius1, double radius2,
                                 bool dense, const dps_run *run, dps_map_recipe *recipe,
                                 dps_map_facts *facts, dps_error *err)
{
    dps_map_recipe asked = t->settings.recipe;
    shape_recipe(trial, &asked);
    *recipe = asked;
    dps_status status = dps_map_plan(recipe, rows, radius1, radius2, dense, run, facts, err);
    if (status == DPS_OK && asked.type == DPS_MAP_FOURIER && trial->multiple != 1) {
        asked.base_gamma = trial->multiple * recipe->base_gamma;
        *recipe = asked;
        status = dps_map_plan(recipe, rows, radius1, radius2, dense, run, facts, err);
    }
    return status;
}

/* ---- solves ---------------------------------------------------------------------------------- */

/* What the values of C have given. */
typedef struct table {
    double *score; /* C x record of score_spread.h */
    float *loss;   /* C x rows */
    double *held;  /* models x rows */
} table;

static int32_t guess(const double *held, int32_t models, int64_t rows, int64_t i)
{
    int32_t best = 0;
    if (models == 1) {
        return held[i] > 0 ? 1 : 0;
    }
    for (int32_t k = 1; k < models; k++) {
        if (held[k * rows + i] > held[best * rows + i]) {
            best = k;
        }
    }
    return best;
}

/* Times what the row weighs, relative to the mean: means over rows are means by weight. */
static void fill_losses(const dps_auto_sample *s, const dps_problem *problem, int32_t fold,
                        const double *held, float *loss)
{
    const int32_t models = dps_problem_models(problem);
    double all = 0;
    for (int64_t i = 0; i < s->rows && s->row_weight != NULL; i++) {
        all += s->row_weight[i];
    }
    for (int64_t i = 0; i < s->rows; i++) {
        const double share = s->row_weight == NULL ? 1 : s->row_weight[i] * (double)s->rows / all;
        if (s->fold[i] != fold) {
            continue;
        }
        if (s->target != NULL) {
            const double error = s->target[i] - held[i];
            loss[i] = (float)(share * (error * error));
        } else {
            loss[i] = guess(held, models, s->rows, i) != s->label[i] ? (float)share : 0;
        }
    }
}

static dps_status walk_fold(const dps_cross_validation *cv, const dps_auto_bench *bench,
                            int32_t fold, const double *C, int32_t count, const dps_run *run,
                            table *found, dps_error *err)
{
    const dps_auto_sample *s = bench->sample;
    dps_solution solution;
    dps_status status = dps_solution_init(&solution, cv->problem, err);
    if (status != DPS_OK) {
        return status;
    }
    for (int32_t j = 0; j < count && status == DPS_OK; j++) {
        dps_fold_result result;
        status = dps_cross_validate_fold(cv, fold, C[j], run, &solution, found->held, &result, err);
        if (status == DPS_OK) {
            dps_score_keep(found->score + (size_t)j * dps_score_length(cv->folds), cv->folds, fold,
                           &result);
            fill_losses(s, cv->problem, fold, found->held, found->loss + j * s->rows);
        }
    }
    dps_solution_release(&solution);
    return status;
}

static double loss_of(dps_metric metric, double mean)
{
    return metric == DPS_METRIC_RMSE       ? mean * mean
           : metric == DPS_METRIC_LOG_LOSS ? mean
                                           : 1 - mean;
}

/* The smallest C whose loss is nearly the least into the trial. */
static dps_status keep_best(const dps_cross_validation *cv, const dps_auto_sample *s,
                            const double *C, int32_t count, const table *found,
                            dps_auto_trial *trial, dps_error *err)
{
    const size_t length = dps_score_length(cv->folds);
    dps_spread spread[DPS_AUTO_COSTS];
    double least = INFINITY;
    int32_t best = 0;
    for (int32_t j = 0; j < count; j++) {
        spread[j] = dps_spread_of(found->score + (size_t)j * length, cv->folds);
        least = fmin(least, loss_of(cv->metric, spread[j].mean));
    }
    if (isinf(least)) {
        return dps_error_set(err, DPS_ERROR_NUMERIC, "no value of solver.C has a score");
    }
    while (best < count - 1 && !(loss_of(cv->metric, spread[best].mean) <= nearly * least)) {
        best++;
    }
    trial->score = dps_alloc(length, sizeof *trial->score);
    trial->loss = dps_alloc((size_t)s->rows, sizeof *trial->loss);
    if (trial->score == NULL || trial->loss == NULL) {
        return dps_out_of_memory(err, (size_t)s->rows, sizeof *trial->loss, "the search");
    }
    memcpy(trial->score, found->score + (size_t)best * length, length * sizeof *trial->score);
    memcpy(trial->loss, found->loss + best * s->rows, (size_t)s->rows * sizeof *trial->loss);
    trial->C = C[best];
    trial->spread = spread[best];
    trial->works = true;
    trial->rows = s->rows;
    return DPS_OK;
}

/* The sample's, but for source and C. */
static dps_problem problem_of(const dps_auto_bench *bench)
{
    const dps_training *t = bench->t;
    const dps_auto_sample *s = bench->sample;
    const dps_loss *loss = t->settings.loss;
    return (dps_problem){.target = s->target,
                         .label = s->label,
                         .classes = loss->regression ? 1 : t->data.classes.count,
                         .class_weight = t->class_weight,
                         .row_weight = s->row_weight,
                         .loss = loss,
                         .epsilon = t->settings.epsilon,
                         .C = t->settings.C};
}

static dps_status measure(const dps_auto_bench *bench, const dps_tile_source *source,
                          const double *C, int32_t count, const dps_run *run, dps_auto_trial *trial,
                          dps_error *err)
{
    const dps_settings *settings = &bench->t->settings;
    const dps_auto_sample *s = bench->sample;
    dps_problem problem = problem_of(bench);
    problem.source = source;
    problem.C = C[0];
    dps_solver_settings quick = settings->solver_settings;
    quick.tolerance = fmax(quick.tolerance, loose);
    quick.max_iterations = quick.max_iterations < MOST_PASSES ? quick.max_iterations : MOST_PASSES;
    const dps_cross_validation cv = {.problem = &problem,
                                     .solver = settings->solver,
                                     .settings = &quick,
                                     .fold = s->fold,
                                     .folds = bench->folds,
                                     .metric = bench->metric};
    const size_t rows = (size_t)s->rows, values = (size_t)count;
    table found = {.score = dps_alloc(values * dps_score_length(cv.folds), sizeof(double)),
                   .loss = dps_alloc(values * rows, sizeof(float)),
                   .held = dps_alloc((size_t)dps_problem_models(&problem) * rows, sizeof(double))};
    dps_status status = DPS_OK;
    if (found.score == NULL || found.loss == NULL || found.held == NULL) {
        status = dps_out_of_memory(err, values * rows, sizeof(float), "the search");
    }
    for (size_t k = 0; k < values * rows && status == DPS_OK; k++) {
        found.loss[k] = NAN;
    }
    for (int32_t f = 0; f < cv.folds && status == DPS_OK; f++) {
        status = walk_fold(&cv, bench, f, C, count, run, &found, err);
    }
    if (status == DPS_OK) {
        status = keep_best(&cv, s, C, count, &found, trial, err);
    }
    dps_free(found.score);
    dps_free(found.loss);
    dps_free(found.held);
    return status;
}

/* ---- a trial --------------------------------------------------------------------------------- */

static dps_status build_and_measure(const dps_auto_bench *bench, const double *C, int32_t count,
                                    dps_auto_trial *trial, dps_error *err)
{
    const dps_auto_sample *s = bench->sample;
    const dps_auto_view *view = &s->view[trial->view];
    const dps_row_source rows = dps_auto_sample_rows(s, trial->view);
    dps_map_recipe recipe;
    dps_map_facts facts;
    dps_map *map = NULL;
    dps_feature_stream *stream = NULL;
    const dps_problem problem = problem_of(bench);
    dps_run run = bench->silent;
    size_t left = 0;
    dps_status status = dps_auto_trial_recipe(trial, bench->t, &rows, view->radius1, view->radius2,
                                              view->dense, &run, &recipe, &facts, err);
    if (status == DPS_OK) {
        status = dps_plan_trial(&bench->t->settings, &bench->t->data, &facts, &problem, s->rows,
                                *bench->bytes, &run, &left, err);
    }
    if (status == DPS_OK) {
        trial->width = facts.width + facts.sparse_columns;
        status = dps_map_new(&map, &recipe, s->columns, &run, err);
    }
    if (status == DPS_OK) {
        status =
            dps_feature_stream_new(&stream, &rows, map, bench->t->settings.bias, left, &run, err);
    }
    if (status == DPS_OK) {
        status = measure(bench, dps_feature_stream_source(stream), C, count, &run, trial, err);
    }
    dps_feature_stream_free(stream);
    dps_map_free(map);
    return status;
}

dps_status dps_auto_trial_run(const dps_auto_bench *bench, const double *C, int32_t count,
                              dps_auto_trial *trial, dps_error *err)
{
    dps_error reason;
    trial->final = bench->final;
    const dps_status status = build_and_measure(bench, C, count, trial, &reason);
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
