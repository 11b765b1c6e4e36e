/* Task: is the map worth its cost? A linear SVM of the scaled rows answers, trained for a small
 * share of the run's work.
 *
 * Work, in flops of n rows of d values, M models: dcd about PASSES passes of 4 n d M, newton (few
 * columns) about STEPS steps of n d^2 / 2 M and as much as a pass; a pass' flops count SLOWER
 * times, as they are slower than those of a SYRK, and every visit to a row VISIT more. The budget
 * is SHARE of what the plan says the run itself needs, but never less than LEAST_FLOPS (a few
 * milliseconds); where all rows would cost more, every k-th tile is taken: rows spread over the
 * data, so that files sorted by class do no harm. Fewer than LEAST_TILES tiles would say little:
 * then there is no baseline. All of it is a function of data and options. dcd may end at PASSES
 * without having converged; for a comparison that is enough. */
#include "baselines.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "job_limits.h"
#include "map_layout.h"
#include "thinned_rows.h"
#include "training_fit.h"

#define SHARE       0.01
#define LEAST_FLOPS 2e7
#define TOLERANCE   0.02
#define SLOWER      4.0
#define VISIT       500.0
enum { PASSES = 20, STEPS = 10, NEWTON_COLUMNS = 100, LEAST_ROWS = 2000 };

/* A linear model in the making. */
typedef struct linear {
    dps_map *map;
    dps_feature_stream *stream;
    dps_problem problem;
    dps_solution solution;
    dps_model model; /* what the predictor asks for; owns nothing */
} linear;

static void linear_release(linear *l)
{
    dps_solution_release(&l->solution);
    dps_feature_stream_free(l->stream);
    dps_map_free(l->map);
}

/* The recipe of the rows themselves, as the run's own with kernel.type = linear. */
static dps_status make_map(linear *l, dps_training *t, const dps_run *silent, dps_error *err)
{
    const dps_scaler *scaler = &t->result->model.scaler;
    dps_map_facts facts;
    dps_map_recipe recipe = {.type = DPS_MAP_NONE,
                             .kernel = {.kernel = dps_kernel_find("linear"),
                                        .degree = 1,
                                        .gamma = 1,
                                        .sigma = NAN,
                                        .domain_scale = NAN},
                             .p = 2,
                             .exact_degree = DPS_EXACT_AUTO,
                             .collapse = true,
                             .scale = DPS_MAP_SCALE_UNIT,
                             .base_gamma = NAN};
    const dps_status status = dps_map_plan(&recipe, &t->rows, scaler->radius1, scaler->radius2,
                                           scaler->dense, silent, &facts, err);
    return status == DPS_OK ? dps_map_new(&l->map, &recipe, scaler->columns, silent, err) : status;
}

static const char *solver_of(const dps_training *t)
{
    return t->rows.columns <= NEWTON_COLUMNS ? "newton" : "dcd";
}

/* sample: the labels of rows where they are not all of them. */
static dps_status solve(linear *l, dps_training *t, const dps_thinned_rows *sample,
                        const dps_row_source *rows, const dps_run *silent, dps_error *err)
{
    const dps_solver_settings settings = {
        .tolerance = TOLERANCE, .max_iterations = PASSES, .seed = t->settings.solver_settings.seed};
    const size_t used = t->plan.needed + (t->result->tiles_resident ? t->plan.tile_bytes : 0);
    const size_t left = silent->memory > used ? silent->memory - used : 0;
    dps_status status =
        dps_feature_stream_new(&l->stream, rows, l->map, t->settings.bias, left / 2, silent, err);
    if (status != DPS_OK) {
        return status;
    }
    l->problem = t->problem;
    l->problem.source = dps_feature_stream_source(l->stream);
    if (sample != NULL) {
        l->problem.label = sample->label;
        l->problem.target = sample->target;
        l->problem.row_weight = sample->row_weight;
    }
    if (dps_solver_find(solver_of(t))->memory(&l->problem, t->plan.shards, silent->threads) >
        left / 2) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the baseline");
    }
    status = dps_solution_init(&l->solution, &l->problem, err);
    if (status == DPS_OK) {
        status = dps_solve(solver_of(t), &l->problem, &settings, silent, &l->solution, err);
    }
    return status;
}

/* On rows mapped by the linear map. */
static dps_status measure(linear *l, const dps_training *t, const dps_row_source *rows,
                          const int32_t *label, const double *target, const double *weight,
                          const dps_run *silent, dps_fit *fit, dps_error *err)
{
    dps_feature_stream *stream;
    dps_status status =
        dps_feature_stream_new(&stream, rows, l->map, t->settings.bias, 0, silent, err);
    if (status == DPS_OK) {
        const dps_fit_request request = {.source = dps_feature_stream_source(stream),
                                         .label = label,
                                         .target = target,
                                         .weight = weight,
                                         .model = &l->model,
                                         .w = l->solution.w,
                                         .length = l->solution.length};
        status = dps_fit_measure(&request, silent, fit, err);
        dps_feature_stream_free(stream);
    }
    dps_free(fit->of_class); /* only the sums are told */
    fit->of_class = NULL;
    return status;
}

/* Values of a row as the linear model sees it. */
static double row_values(const dps_training *t)
{
    const bool sparse = t->data.x.dense == NULL && t->rows.columns > DPS_SPARSE_COLUMNS;
    return sparse ? (double)t->result->nonzeros / (double)t->rows.rows : t->rows.columns;
}

/* One row in how many can be afforded; 0: too few. */
static int64_t rows_between(const dps_training *t)
{
    const int64_t rows = t->rows.rows;
    const double models = dps_problem_models(&t->problem), d = row_values(t);
    const double row_flops = strcmp(solver_of(t), "newton") == 0
                                 ? STEPS * models * (d * d / 2 + SLOWER * 4 * d + VISIT)
                                 : PASSES * models * (SLOWER * 4 * d + VISIT);
    const double budget = fmax(SHARE * t->result->work_flops, LEAST_FLOPS);
    const double every = fmax(1, ceil(row_flops * (double)rows / budget));
    return every == 1 || every * LEAST_ROWS <= (double)rows ? (int64_t)every : 0;
}

dps_status dps_baseline_linear(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    dps_linear_baseline *out = &result->linear;
    const double begin = dps_now();
    const dps_map_type type = t->settings.recipe.type;
    const int64_t every = rows_between(t);
    if (strcmp(t->options->output_baseline, "off") == 0 || type == DPS_MAP_NONE || every == 0 ||
        t->run->comm != NULL) { /* a rank has some of the rows only */
        return DPS_OK;
    }
    dps_run silent = *t->run;
    silent.log = NULL;
    dps_row_source rows = t->rows;
    dps_thinned_rows thin = {0};
    linear l = {.model = {.task = result->model.task,
                          .classes = result->model.classes,
                          .models = result->model.models}};
    dps_status status = make_map(&l, t, &silent, err);
    if (status == DPS_OK && every > 1) {
        status = dps_thinned_rows_init(&thin, t, every, err);
        rows = dps_thinned_rows_source(&thin);
    }
    if (status == DPS_OK) {
        status = solve(&l, t, every > 1 ? &thin : NULL, &rows, &silent, err);
    }
    if (status == DPS_OK) {
        status = measure(&l, t, &t->rows, t->data.label, t->data.target, t->data.row_weight,
                         &silent, &out->train, err);
    }
    const dps_row_source held = dps_dataset_held_rows(&t->data);
    if (status == DPS_OK && held.rows > 0) {
        status = measure(&l, t, &held, t->data.held_label, t->data.held_target, t->data.held_weight,
                         &silent, &out->validation, err);
    }
    linear_release(&l);
    dps_thinned_rows_release(&thin);
    if (status == DPS_OK) {
        out->rows = rows.rows;
        out->seconds = dps_now() - begin;
    }
    return status == DPS_ERROR_STOPPED ? status : DPS_OK;
}
