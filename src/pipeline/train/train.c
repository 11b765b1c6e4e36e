/* Task: `dpsvm train` and `check`:
 *   settings -> rows -> plan -> map -> z-tiles -> solver -> accuracy -> model file -> test rows.
 * Everything that can be refused is refused before the solver starts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "baselines.h"
#include "calibration.h"
#include "choose_map.h"
#include "class_weights.h"
#include "comm.h"
#include "folds.h"
#include "fingerprint.h"
#include "job_limits.h"
#include "allocation.h"
#include "model_selection.h"
#include "prediction.h"
#include "random.h"
#include "scale_warnings.h"
#include "seed_spread.h"
#include "training.h"
#include "training_advice.h"
#include "training_ranks.h"
#include "training_watch.h"

/* data.validation as a fraction: about as many rows of every class. */
static dps_status hold_out(const void *context, const int32_t *label, int64_t rows, int32_t classes,
                           int32_t *fold, dps_error *err)
{
    const dps_settings *settings = context;
    return dps_holdout_make(label, rows, classes, settings->held_out,
                            settings->solver_settings.seed, fold, err);
}

dps_status dps_training_load(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    if (t->settings.held_out > 0) {
        t->settings.load.hold_out = hold_out;
        t->settings.load.hold_out_context = &t->settings;
    }
    dps_ranks_choose_units(t);
    dps_status status = dps_dataset_load(&t->settings.load, t->run, &t->data, err);
    if (status != DPS_OK) {
        return status;
    }
    status = t->warm == NULL ? DPS_OK : dps_warm_start_data(t->warm, &t->data, err);
    if (status != DPS_OK) {
        return status;
    }
    const dps_class_table *classes = &t->data.classes;
    double largest = 0, weight = 0;
    for (int32_t k = 0; k < classes->count; k++) {
        const double rows =
            t->data.class_rows == NULL ? (double)classes->rows[k] : t->data.class_rows[k];
        largest = fmax(largest, rows);
        weight += rows;
    }
    status = dps_warn_column_sizes(&t->data, t->run, &result->unscaled, err);
    if (status != DPS_OK) {
        return status;
    }
    t->rows = dps_dataset_rows(&t->data);
    result->rows = dps_dataset_count(&t->data);
    result->nonzeros = t->data.nonzeros;
    snprintf(result->input, sizeof result->input, "%s", t->data.note);
    result->label_guessed = t->data.label_guessed;
    result->majority_accuracy = t->settings.loss->regression ? NAN : largest / weight;
    result->stage[DPS_STAGE_PARSE] = (dps_stage_cost){t->data.parse_seconds, (double)t->data.bytes};
    result->stage[DPS_STAGE_SCALE] =
        (dps_stage_cost){t->data.scale_seconds, (double)dps_dataset_memory(&t->data)};

    t->class_weight = dps_alloc((size_t)classes->count, sizeof *t->class_weight);
    if (t->class_weight == NULL) {
        return dps_out_of_memory(err, (size_t)classes->count, sizeof *t->class_weight,
                                 "class weights");
    }
    return dps_class_weights_read(t->options, classes, t->data.class_rows, t->class_weight, err);
}

/* solver.warm_start: the model's map as it is, and a solver that can begin at weights. */
static dps_status plan_warm(dps_training *t, dps_error *err)
{
    enum { NEWTON_COLUMNS = 2500 };
    const dps_scaler *scaler = &t->data.scaler;
    dps_map_facts *facts = &t->result->facts;
    const dps_status status = dps_map_facts_of(
        &t->settings.recipe, scaler->radius1, scaler->radius2, scaler->columns, t->run, facts, err);
    if (status == DPS_OK && strcmp(t->settings.solver, "auto") == 0) {
        const bool newton = facts->sparse_columns == 0 && facts->width <= NEWTON_COLUMNS;
        t->settings.solver = newton ? "newton" : "sgd";
    }
    return status;
}

static dps_status plan_map(dps_training *t, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    if (t->warm != NULL) {
        return plan_warm(t, err);
    }
    const dps_status status = dps_warn_gamma(&t->settings.recipe, scaler, &t->rows, t->run, err);
    return status == DPS_OK
               ? dps_map_plan(&t->settings.recipe, &t->rows, scaler->radius1, scaler->radius2,
                              scaler->dense, t->run, &t->result->facts, err)
               : status;
}

dps_status dps_training_plan(dps_training *t, dps_error *err)
{
    double begin = dps_now();
    t->unplanned = t->settings.recipe;
    dps_status status = plan_map(t, err);
    if (status != DPS_OK) {
        return status;
    }
    t->result->stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
    t->problem = (dps_problem){.target = t->data.target,
                               .label = t->data.label,
                               .classes = t->settings.loss->regression ? 1 : t->data.classes.count,
                               .class_weight = t->class_weight,
                               .row_weight = t->data.row_weight,
                               .loss = t->settings.loss,
                               .epsilon = t->settings.epsilon,
                               .C = t->settings.C};
    status = dps_plan_make(&t->settings, &t->data, &t->result->facts, &t->problem, t->run, &t->plan,
                           err);
    if (status != DPS_OK) {
        return status;
    }
    status = dps_seed_spread_check(t, err);
    if (status != DPS_OK) {
        return status;
    }
    if (t->plan.threads < t->run->threads) {
        dps_log_text(t->run, DPS_NORMAL, "run.memory holds what %d of %d threads need",
                     t->plan.threads, t->run->threads);
        t->lean = *t->run;
        t->lean.threads = t->plan.threads;
        t->run = &t->lean;
    }
    t->result->memory_needed = (double)t->plan.needed;
    t->result->work_flops = t->plan.map_flops + t->plan.solve_flops;
    dps_plan_log(&t->plan, &t->settings, &t->data, &t->result->facts, t->run);
    return DPS_OK;
}

dps_status dps_training_features(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    double begin = dps_now();
    dps_status status = t->plan.spill ? dps_dataset_spill(&t->data, t->run, err) : DPS_OK;
    if (status == DPS_OK) {
        status = dps_map_new(&t->map, &t->settings.recipe, t->data.scaler.columns, t->run, err);
    }
    if (status != DPS_OK) {
        return status;
    }
    size_t budget = t->run->memory - t->plan.needed;
    status = t->plan.span
                 ? dps_row_span_new(&t->span, &t->rows, t->map, t->settings.bias, t->run, err)
                 : dps_feature_stream_new(&t->stream, &t->rows, t->map, t->settings.bias, budget,
                                          t->run, err);
    if (status != DPS_OK) {
        return status;
    }
    t->problem.source =
        t->plan.span ? dps_row_span_source(t->span) : dps_feature_stream_source(t->stream);
    result->tiles_resident = t->problem.source->resident;
    result->stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
    result->stage[DPS_STAGE_MAP].bytes = result->tiles_resident ? (double)t->plan.tile_bytes : 0;
    return DPS_OK;
}

/* What is saved must be of these rows. */
static dps_status match_checkpoint(dps_training *t, dps_error *err)
{
    uint64_t data = 0;
    if (t->checkpoint == NULL) {
        return DPS_OK;
    }
    const dps_status status = dps_fingerprint_data(&t->data, &t->rows, t->run, &data, err);
    return status == DPS_OK ? dps_checkpoint_data(t->checkpoint, data, err) : status;
}

/* solver.C = auto. */
static dps_status choose_c(dps_training *t, dps_error *err)
{
    dps_c_search *search = &t->result->search;
    if (!t->settings.choose_C) {
        return DPS_OK;
    }
    dps_selection_warn(&t->settings, &t->data.classes, t->run);
    dps_status status = dps_select_c(&t->settings, t->options, &t->problem, t->run, search, err);
    if (status == DPS_OK) {
        t->settings.C = search->C;
        t->problem.C = search->C;
    }
    return status;
}

/* Multipliers and scores of the rows, and what they prove. */
static dps_status settle_span(dps_training *t, const dps_solver_settings *settings, dps_error *err)
{
    const size_t count = (size_t)t->solution.models * (size_t)t->problem.source->rows;
    t->alpha = dps_alloc(count, sizeof *t->alpha);
    t->score = dps_alloc(count, sizeof *t->score);
    if (t->alpha == NULL || t->score == NULL) {
        return dps_out_of_memory(err, 2 * count, sizeof *t->alpha, "multipliers and scores");
    }
    return dps_row_span_settle(t->span, &t->problem, settings, t->run, &t->solution, t->alpha,
                               t->score, err);
}

static dps_status solve(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    dps_watch *watch = NULL;
    double begin = dps_now();
    dps_status status = dps_solution_init(&t->solution, &t->problem, err);
    if (status == DPS_OK && t->warm != NULL) {
        status = dps_warm_start_weights(t->warm, dps_map_width(t->map), t->problem.source->stride,
                                        t->run, &t->solution, err);
    }
    status = dps_comm_agree(t->run->comm, status, err);
    if (status != DPS_OK) {
        return status;
    }
    status = dps_comm_agree(t->run->comm, dps_watch_new(&watch, t, err), err);
    if (status != DPS_OK) {
        dps_watch_free(watch);
        return status;
    }
    dps_solver_settings settings = t->settings.solver_settings;
    settings.observer = dps_watch_observer(watch);
    dps_run run = t->checkpoint == NULL ? *t->run : dps_checkpoint_run(t->checkpoint);
    run.threads = t->run->threads;
    status = dps_solve(t->settings.solver, &t->problem, &settings, &run, &t->solution, err);
    if (status == DPS_OK) {
        status = dps_watch_finish(watch, t, err);
    }
    if (status == DPS_OK && t->plan.span) {
        status = settle_span(t, &settings, err);
    }
    dps_watch_free(watch);
    if (status != DPS_OK) {
        return status;
    }
    const dps_solution *s = &t->solution;
    result->stage[DPS_STAGE_SOLVE].seconds = dps_now() - begin;
    result->stage[DPS_STAGE_SOLVE].bytes =
        s->row_visits * (double)t->problem.source->stride * sizeof(float);
    result->primal = s->worst.primal;
    result->dual = s->worst.dual;
    result->gap = s->worst.gap;
    result->iterations = s->iterations;
    result->converged = s->outcome == DPS_CONVERGED;
    result->first_solver = s->first_solver;
    return DPS_OK;
}

static const char *outcome_name(dps_outcome outcome)
{
    switch (outcome) {
    case DPS_CONVERGED:
        return "converged";
    case DPS_SETTLED:
        return "settled";
    case DPS_ITERATION_LIMIT:
        return "iteration_limit";
    case DPS_NUMERICAL_FLOOR:
        return "numerical_floor";
    case DPS_STOPPED_EARLY:
        return "stopped_early";
    case DPS_STALLED:
        return "stalled";
    }
    return "unknown";
}

/* Logistic: 1 / (1 + exp(-score)), which is what its loss fits. Otherwise, solver.probability = on:
 * from scores of held-out rows. */
static dps_status calibrate(dps_training *t, dps_error *err)
{
    dps_model *model = &t->result->model;
    const size_t models = (size_t)t->solution.models;
    const bool own = t->settings.loss == &dps_loss_logistic;
    if (!own) {
        if (t->settings.probability && !t->settings.choose_C) { /* else said before */
            dps_selection_warn(&t->settings, &t->data.classes, t->run);
        }
        return t->settings.probability ? dps_select_probabilities(&t->settings, t->options,
                                                                  &t->problem, t->run, model, err)
                                       : DPS_OK;
    }
    model->sigmoid = dps_alloc(models, sizeof *model->sigmoid);
    if (model->sigmoid == NULL) {
        return dps_out_of_memory(err, models, sizeof *model->sigmoid, "the sigmoids");
    }
    model->probability = DPS_PROBABILITY_SIGMOID;
    for (size_t k = 0; k < models; k++) {
        model->sigmoid[k] = dps_sigmoid_logistic();
    }
    return DPS_OK;
}

/* The model from the run's parts; takes scaler and classes over from the data. */
static dps_status make_model(dps_training *t, dps_error *err)
{
    dps_model *model = &t->result->model;
    const dps_solution *solution = &t->solution;

    model->random_scheme = DPS_RANDOM_SCHEME;
    model->recipe = t->settings.recipe;
    model->width = dps_map_width(t->map);
    model->sparse_columns = dps_map_sparse_columns(t->map);
    model->bias = t->settings.bias;
    model->models = solution->models;
    model->weights_per_model =
        (size_t)model->width + (size_t)model->sparse_columns + (model->bias != 0 ? 1 : 0);
    snprintf(model->solver, sizeof model->solver, "%s", solution->solver);
    snprintf(model->loss, sizeof model->loss, "%s", t->settings.loss->name);
    snprintf(model->outcome, sizeof model->outcome, "%s", outcome_name(solution->outcome));
    model->task = t->settings.loss->regression ? DPS_TASK_REGRESSION : DPS_TASK_CLASSIFICATION;
    model->epsilon = t->settings.loss->regression ? t->settings.epsilon : 0;
    model->C = t->settings.C;
    model->tolerance = t->settings.solver_settings.tolerance;
    model->objective = solution->worst.primal;
    model->gap = solution->worst.gap;
    model->iterations = solution->iterations;
    model->rows = t->result->rows;
    model->weight =
        dps_alloc((size_t)model->models * model->weights_per_model, sizeof *model->weight);
    if (model->weight == NULL) {
        return dps_out_of_memory(err, (size_t)model->models * model->weights_per_model,
                                 sizeof *model->weight, "the model's weights");
    }
    if (t->plan.span) {
        const double begin = dps_now();
        const dps_status status =
            dps_row_span_weights(t->span, t->alpha, model->models, model->weight, t->run, err);
        t->result->stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
        if (status != DPS_OK) {
            return status;
        }
    } else {
        dps_weights_to_model(solution->w, solution->length, t->problem.source->stride, model);
    }
    model->scaler = t->data.scaler;
    model->classes = t->data.classes;
    memset(&t->data.scaler, 0, sizeof t->data.scaler);
    model->table = t->data.table;
    memset(&t->data.classes, 0, sizeof t->data.classes);
    memset(&t->data.table, 0, sizeof t->data.table);
    return DPS_OK;
}

/* output.curve and output.plot. */
static dps_status draw(dps_training *t, dps_error *err)
{
    const dps_curve *curve = &t->result->curve;
    const char *csv = t->options->output_curve, *svg = t->options->output_plot;
    if (dps_comm_rank(t->run->comm) > 0) {
        return DPS_OK;
    }
    dps_status status = csv[0] == '\0' ? DPS_OK : dps_curve_write_csv(curve, csv, err);
    return status != DPS_OK || svg[0] == '\0' ? status : dps_curve_write_svg(curve, svg, err);
}

static dps_status save(dps_training *t, dps_error *err)
{
    const char *path = t->options->output_model;
    dps_stage_cost *stage = &t->result->stage[DPS_STAGE_WRITE];
    double begin = dps_now();
    dps_status status = DPS_OK;
    if (dps_comm_rank(t->run->comm) == 0) {
        status = dps_model_save(&t->result->model, path, err);
    }
    const dps_model *model = &t->result->model;
    stage->seconds = dps_now() - begin;
    stage->bytes = 8.0 * (3.0 * model->scaler.columns +
                          (double)model->models * (double)model->weights_per_model);
    return status;
}

void dps_training_release(dps_training *t)
{
    dps_solution_release(&t->solution);
    dps_checkpoint_close(t->checkpoint);
    dps_warm_start_free(t->warm);
    dps_feature_stream_free(t->stream);
    dps_row_span_free(t->span);
    dps_free(t->alpha);
    dps_free(t->score);
    dps_map_free(t->map);
    dps_free(t->class_weight);
    dps_dataset_release(&t->data);
}

dps_status dps_train(const dps_options *options, bool check_only, const dps_run *run,
                     dps_train_result *result, dps_error *err)
{
    typedef dps_status (*step)(dps_training *, dps_error *);
    static const step steps[] = {dps_training_load,
                                 dps_auto_search_run,
                                 match_checkpoint,
                                 dps_choose_map,
                                 dps_training_plan,
                                 dps_ranks_check_plan,
                                 dps_training_features,
                                 choose_c,
                                 solve,
                                 calibrate,
                                 make_model,
                                 dps_training_fit,
                                 save,
                                 draw,
                                 dps_training_validate,
                                 dps_training_test,
                                 dps_ranks_balance,
                                 dps_baseline_linear,
                                 dps_spread_over_seeds};
    const size_t planning = 6;
    dps_training t = {.options = options, .run = run, .result = result};
    double begin = dps_now();

    memset(result, 0, sizeof *result);
    result->train.accuracy = result->validation.accuracy = result->test.accuracy = NAN;
    dps_status status = dps_warm_start_new(&t.warm, options, err);
    if (status == DPS_OK && t.warm != NULL) {
        options = t.options = &t.warm->options;
    }
    if (status == DPS_OK) {
        status = dps_settings_read(options, &t.settings, err);
    }
    if (status == DPS_OK && t.warm != NULL) {
        status = dps_warm_start_settings(t.warm, &t.settings, err);
    }
    if (status == DPS_OK) {
        status = dps_auto_search_check(options, run, err);
    }
    if (status == DPS_OK && dps_comm_rank(run->comm) == 0) {
        status = dps_training_probe_places(options, t.settings.validation_file, err);
    }
    status = dps_comm_agree(run->comm, status, err);
    if (status == DPS_OK && !check_only) {
        status = dps_checkpoint_open(&t.checkpoint, options, begin, run, err);
        status = dps_comm_agree(run->comm, status, err);
    }
    for (size_t k = 0; k < (check_only ? planning : sizeof steps / sizeof steps[0]); k++) {
        if (status == DPS_OK) {
            status = dps_comm_agree(run->comm, steps[k](&t, err), err);
        }
    }
    if (status == DPS_OK) {
        if (!check_only) {
            dps_training_advise(t.options, result); /* with what a search has chosen */
        }
        dps_checkpoint_done(t.checkpoint);
    } else if (status == DPS_ERROR_STOPPED && dps_checkpoint_saved(t.checkpoint)) {
        status = dps_error_set(err, DPS_ERROR_PAUSED,
                               "stopped by a signal; the same command goes on from %s",
                               options->run_checkpoint);
    }
    dps_training_release(&t);
    result->seconds = dps_now() - begin;
    if (status != DPS_OK) {
        dps_train_result_release(result);
    }
    return status;
}

void dps_train_result_release(dps_train_result *result)
{
    if (result != NULL) {
        dps_model_release(&result->model);
        dps_auto_search_release(&result->auto_search);
        dps_free(result->train.of_class);
        dps_free(result->validation.of_class);
        dps_free(result->test.of_class);
        dps_c_search_release(&result->search);
        dps_curve_release(&result->curve);
    }
}
