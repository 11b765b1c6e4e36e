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
#include "mapped_rows.h"
#include "row_subset.h"
#include "training_fit.h"

#define SHARE       0.01
#define LEAST_FLOPS 2e7
#define TOLERANCE   0.02
#define SLOWER      4.0
#define VISIT       500.0
enum { PASSES = 20, STEPS = 10, NEWTON_COLUMNS = 100, LEAST_ROWS = 2000 };

/* Of a class, whatever share of the rows is taken, where it has them. */
enum { LEAST_OF_CLASS = 20 };

/* A linear model in the making. */
typedef struct linear {
    dps_map_recipe recipe;
    dps_row_subset sample;
    dps_mapped_rows mapped; /* the rows that train it */
    dps_problem problem;
    dps_solution solution;
    dps_model model; /* what the predictor asks for; owns nothing */
} linear;

static void linear_release(linear *l)
{
    dps_solution_release(&l->solution);
    dps_mapped_rows_release(&l->mapped);
    dps_row_subset_release(&l->sample);
}

/* The recipe of the rows themselves, as the run's own with kernel.type = linear. */
static dps_status plan_map(linear *l, const dps_training *t, const dps_run *silent, dps_error *err)
{
    const dps_scaler *scaler = &t->result->model.scaler;
    dps_map_facts facts;
    const dps_map_request asked = {.type = DPS_MAP_NONE,
                                   .kernel = {.kernel = &dps_kernel_linear,
                                              .degree = 1,
                                              .gamma = 1,
                                              .sigma = NAN,
                                              .domain_scale = NAN},
                                   .p = 2,
                                   .exact_degree = DPS_EXACT_AUTO,
                                   .collapse = true,
                                   .scale = DPS_MAP_SCALE_UNIT,
                                   .base_gamma = NAN};
    return dps_map_plan(&asked, &t->rows, scaler->radius1, scaler->radius2, scaler->dense, silent,
                        &l->recipe, &facts, err);
}

/* About one row of `every`, spread over the data: where the fraction of i / golden ratio is low. */
static bool is_taken(const dps_training *t, int64_t i, int64_t every)
{
    const double at = (double)i * 0.6180339887498949;
    if (t->data.target == NULL) {
        const int64_t most = t->result->model.classes.rows[t->data.label[i]] / LEAST_OF_CLASS;
        every = most < every ? most : every;
    }
    return every <= 1 || (at - floor(at)) * (double)every < 1;
}

static dps_status take_sample(linear *l, const dps_training *t, int64_t every, dps_error *err)
{
    const dps_labelled_rows all = dps_labelled_rows_of(&t->data);
    const size_t rows = (size_t)t->rows.rows;
    int32_t *part;
    DPS_NEED(part, rows, "the choice of rows", err);
    for (size_t i = 0; i < rows; i++) {
        part[i] = is_taken(t, (int64_t)i, every) ? 0 : 1;
    }
    const dps_status status = dps_row_subset_take(&l->sample, &all, part, NULL, err);
    dps_free(part);
    return status;
}

static const dps_solver *solver_of(const dps_training *t)
{
    return t->rows.columns <= NEWTON_COLUMNS ? &dps_solver_newton : &dps_solver_dcd;
}

static dps_status solve(linear *l, const dps_training *t, const dps_labelled_rows *rows,
                        const dps_run *silent, dps_error *err)
{
    const dps_solver_settings settings = {
        .tolerance = TOLERANCE, .max_iterations = PASSES, .seed = t->settings.solver_settings.seed};
    const size_t used = t->plan.needed + (t->result->cost.tiles_resident ? t->plan.tile_bytes : 0);
    const size_t left = silent->memory > used ? silent->memory - used : 0;
    DPS_TRY(dps_mapped_rows_init(&l->mapped, &l->recipe, &rows->x, t->settings.bias, left / 2,
                                 silent, err));
    l->problem = t->problem;
    l->problem.source = dps_mapped_rows_source(&l->mapped);
    l->problem.label = rows->label;
    l->problem.target = rows->target;
    l->problem.row_weight = rows->weight;
    if (dps_solver_bytes(solver_of(t), &l->problem, t->plan.shards, settings.batch,
                         silent->threads) > left / 2) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the baseline");
    }
    DPS_TRY(dps_solution_init(&l->solution, &l->problem, err));
    return dps_solve(solver_of(t), &l->problem, &settings, silent, &l->solution, err);
}

static dps_status measure(const linear *l, const dps_labelled_rows *rows, const dps_run *silent,
                          dps_fit *fit, dps_error *err)
{
    const dps_candidate c = {
        .model = &l->model, .map = l->mapped.map, .w = l->solution.w, .length = l->solution.length};
    const dps_status status = dps_fit_rows(&c, rows, silent, fit, err);
    dps_free(fit->of_class); /* only the sums are told */
    fit->of_class = NULL;
    return status;
}

static dps_status compare(linear *l, const dps_training *t, int64_t every, const dps_run *silent,
                          dps_linear_baseline *out, dps_error *err)
{
    const dps_labelled_rows all = dps_labelled_rows_of(&t->data);
    dps_labelled_rows used = all;
    DPS_TRY(plan_map(l, t, silent, err));
    if (every > 1) {
        DPS_TRY(take_sample(l, t, every, err));
        used = dps_row_subset_rows(&l->sample);
    }
    DPS_TRY(solve(l, t, &used, silent, err));
    DPS_TRY(measure(l, &all, silent, &out->train, err));
    const dps_labelled_rows held = dps_held_rows_of(&t->data);
    DPS_TRY(held.x.rows > 0 ? measure(l, &held, silent, &out->validation, err) : DPS_OK);
    out->rows = used.x.rows;
    return DPS_OK;
}

/* Values of a row as the linear model sees it. */
static double row_values(const dps_training *t)
{
    const bool sparse = t->data.x.dense == NULL && t->rows.columns > DPS_SPARSE_COLUMNS;
    return sparse ? (double)t->data.nonzeros / (double)t->rows.rows : t->rows.columns;
}

/* One row in how many can be afforded; 0: too few. */
static int64_t rows_between(const dps_training *t)
{
    const int64_t rows = t->rows.rows;
    const double models = dps_problem_models(&t->problem), d = row_values(t);
    const double row_flops = solver_of(t) == &dps_solver_newton
                                 ? STEPS * models * (d * d / 2 + SLOWER * 4 * d + VISIT)
                                 : PASSES * models * (SLOWER * 4 * d + VISIT);
    const double budget = fmax(SHARE * t->result->cost.work_flops, LEAST_FLOPS);
    const double every = fmax(1, ceil(row_flops * (double)rows / budget));
    return every == 1 || every * LEAST_ROWS <= (double)rows ? (int64_t)every : 0;
}

dps_status dps_baseline_linear(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    dps_linear_baseline *out = &result->linear;
    const double begin = dps_now();
    const int64_t every = rows_between(t);
    if (dps_name_value(dps_switch_names, t->options->output_baseline) == DPS_SWITCH_OFF ||
        t->recipe.type == DPS_MAP_NONE || every == 0 ||
        t->run->comm != NULL) { /* a rank has some of the rows only */
        return DPS_OK;
    }
    dps_run silent = *t->run;
    silent.log = NULL;
    linear l = {.model = {.task = result->model.task,
                          .classes = result->model.classes,
                          .bias = result->model.bias,
                          .models = result->model.models}};
    const dps_status status = compare(&l, t, every, &silent, out, err);
    linear_release(&l);
    out->seconds = dps_now() - begin;
    return status == DPS_ERROR_STOPPED ? status : DPS_OK;
}
