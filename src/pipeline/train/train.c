/* Task: `dpsvm train` and `check`:
 *   settings -> rows -> plan -> map -> z-tiles -> solver -> accuracy -> model file -> test rows.
 * Everything that can be refused is refused before the solver starts. */
#include "train.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "auto_text.h"
#include "baselines.h"
#include "probability.h"
#include "choose_map.h"
#include "choose_probability.h"
#include "comm.h"
#include "fingerprint.h"
#include "job_limits.h"
#include "model_selection.h"
#include "pace.h"
#include "predictor.h"
#include "random.h"
#include "seed_spread.h"
#include "self_test.h"
#include "training.h"
#include "training_advice.h"
#include "training_fit.h"
#include "training_inputs.h"
#include "training_places.h"
#include "training_ranks.h"
#include "training_watch.h"
#include "unused_options.h"
#include "thread_worth.h"

/* What was read is said before the work on it begins. */
static dps_status say_data(dps_training *t, dps_error *err)
{
    return dps_comm_agree(t->run->comm, dps_plan_log_data(&t->data, t->run, err), err);
}

static dps_trial_base base_of(dps_training *t)
{
    return (dps_trial_base){.options = t->options,
                            .settings = &t->settings,
                            .data = &t->data,
                            .class_weight = t->class_weight,
                            .deadline = t->deadline,
                            .run = t->run};
}

/* Loads the rows again, by the settings as they are now. To read and scale them anew takes 0.4 to
 * 1.7 % of such a run (five sets of 6,000 to 93,000 rows). Scaled rows are floats: scaled again
 * they would not have the same bits. Rows before scaling (12 bytes a value that is not 0), kept
 * until the search has ended, would add half to three times the memory of the scaled ones. */
static dps_status load_again(dps_training *t, dps_error *err)
{
    dps_dataset_release(&t->data);
    memset(&t->data, 0, sizeof t->data);
    dps_free(t->class_weight);
    t->class_weight = NULL;
    return dps_training_load(t, err);
}

/* kernel.type = auto: goes on as if the user had written what the search has chosen. */
static dps_status search_kernel(dps_training *t, dps_error *err)
{
    dps_auto_search *search = &t->result->searches.kernel;
    const double begin = dps_now();
    dps_trial_base base = base_of(t);
    bool rescaled = false;
    if (!dps_auto_search_wanted(t->options)) {
        return DPS_OK;
    }
    DPS_TRY(dps_auto_search_run(&base, search, &rescaled, err));
    if (search->count == 0) {
        return DPS_OK;
    }
    t->options = &search->options;
    DPS_TRY(dps_settings_read(t->options, &t->settings, err));
    if (rescaled) {
        DPS_TRY(load_again(t, err));
    }
    base = base_of(t);
    DPS_TRY(dps_auto_search_settle(&base, search, err));
    search->seconds = dps_now() - begin;
    dps_auto_search_log(search, t->run);
    return dps_settings_read(t->options, &t->settings, err);
}

static dps_status choose_map(dps_training *t, dps_error *err)
{
    const dps_trial_base base = base_of(t);
    return dps_choose_map(&base, &t->settings.request, &t->result->searches.measure,
                          &t->result->searches.features, err);
}

/* The last training's solver begins after it. */
static size_t refine_memory(const dps_training *t)
{
    return t->run->memory - (t->plan.needed - t->plan.solver_bytes);
}

/* map.refine: from here on the recipe is of the map that has moved. */
static dps_status refine(dps_training *t, dps_error *err)
{
    const dps_trial_base base = base_of(t);
    dps_refinement *refinement = &t->result->refinement;
    if (t->recipe.refine == DPS_REFINE_NONE || t->warm != NULL) {
        return DPS_OK;
    }
    dps_run run = t->checkpoint == NULL ? *t->run : dps_checkpoint_run(t->checkpoint);
    DPS_TRY(dps_refine_run(&base, &t->recipe, NULL, refine_memory(t), &run, refinement, err));
    dps_refinement_log(refinement, t->run);
    t->recipe.moved = refinement->moved;
    t->recipe.moved_count = refinement->count;
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
    if (t->warm != NULL) { /* the model that the work began at counts with the rows */
        data ^= dps_warm_start_fingerprint(t->warm);
    }
    return status == DPS_OK ? dps_checkpoint_data(t->checkpoint, data, err) : status;
}

/* solver.C = auto. */
static dps_status choose_c(dps_training *t, dps_error *err)
{
    if (!t->settings.choose_C) {
        return DPS_OK;
    }
    dps_selection_warn(&t->settings, &t->data.classes, t->run);
    DPS_TRY(dps_select_c(&t->settings, t->options, &t->problem, t->run, &t->result->searches.C,
                         &t->settings.C, err));
    t->problem.C = t->settings.C;
    return DPS_OK;
}

/* Multipliers and scores of the rows, and what they prove. */
static dps_status settle_span(dps_training *t, const dps_solver_settings *settings, dps_error *err)
{
    const size_t count = (size_t)t->solution.models * (size_t)t->problem.source->rows;
    DPS_NEED(t->alpha, count, "multipliers and scores", err);
    DPS_NEED(t->score, count, "multipliers and scores", err);
    return dps_row_span_settle(t->mapped.span, &t->problem, settings, t->run, &t->solution,
                               t->alpha, t->score, err);
}

static dps_status solve(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    dps_watch *watch = NULL;
    double begin = dps_now();
    dps_status status = dps_solution_init(&t->solution, &t->problem, err);
    if (status == DPS_OK && t->warm != NULL) {
        status = dps_warm_start_weights(t->warm, dps_map_width(t->mapped.map),
                                        t->problem.source->stride, t->run, &t->solution, err);
    }
    DPS_TRY(dps_comm_agree(t->run->comm, status, err));
    const dps_refinement *refined = &t->result->refinement;
    if (refined->w != NULL) {
        assert(refined->weights == (size_t)t->solution.models * t->solution.length);
        memcpy(t->solution.w, refined->w, refined->weights * sizeof *refined->w);
    }
    status = dps_comm_agree(t->run->comm, dps_watch_new(&watch, t, err), err);
    if (status != DPS_OK) {
        dps_watch_free(watch);
        return status;
    }
    dps_solver_settings settings = t->settings.solver_settings;
    settings.observer = dps_watch_observer(watch);
    settings.leaves_ending = t->plan.span; /* to settle_span */
    dps_run run = t->checkpoint == NULL ? *t->run : dps_checkpoint_run(t->checkpoint);
    run.threads = t->run->threads;
    dps_pace_listener paced;
    dps_pace_listen(&paced, result->cost.stage[DPS_STAGE_MAP].seconds, t->plan.usual_passes, &run);
    status = dps_solve(t->settings.solver, &t->problem, &settings, &paced.run, &t->solution, err);
    DPS_THEN(status, dps_watch_finish(watch, t, err));
    if (status == DPS_OK && t->plan.span) {
        status = settle_span(t, &settings, err);
    }
    dps_watch_free(watch);
    DPS_TRY(status);
    const dps_solution *s = &t->solution;
    result->cost.stage[DPS_STAGE_SOLVE].seconds = dps_now() - begin;
    result->cost.stage[DPS_STAGE_SOLVE].bytes =
        s->row_visits * (double)t->problem.source->stride * sizeof(float);
    result->ending =
        (dps_train_ending){.dual = s->worst.dual,
                           .first_solver = s->first_solver == NULL ? NULL : s->first_solver->name,
                           .passes = s->iterations == 1 ? s->solver->pass : s->solver->passes};
    return DPS_OK;
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
    DPS_NEED(model->sigmoid, models, "the sigmoids", err);
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
    model->recipe = t->recipe;
    if (model->recipe.moved != NULL) { /* the refinement's, or a warm start's */
        const size_t count = (size_t)model->recipe.moved_count;
        DPS_NEED(model->moved, count, "the model's map", err);
        memcpy(model->moved, model->recipe.moved, count * sizeof *model->moved);
        model->recipe.moved = model->moved;
    }
    model->refine_steps = t->result->refinement.chosen;
    model->refine_rows = t->result->refinement.rows;
    model->width = dps_map_width(t->mapped.map);
    model->sparse_columns = dps_map_sparse_columns(t->mapped.map);
    model->bias = t->settings.bias;
    model->models = solution->models;
    model->weights_per_model =
        (size_t)model->width + (size_t)model->sparse_columns + (model->bias != 0 ? 1 : 0);
    snprintf(model->solver, sizeof model->solver, "%s", solution->solver->name);
    snprintf(model->loss, sizeof model->loss, "%s", t->settings.loss->name);
    model->outcome = solution->outcome;
    model->task = t->settings.loss->regression ? DPS_TASK_REGRESSION : DPS_TASK_CLASSIFICATION;
    model->epsilon = t->settings.loss->regression ? t->settings.epsilon : 0;
    model->C = t->settings.C;
    model->tolerance = t->settings.solver_settings.tolerance;
    model->objective = solution->worst.primal;
    model->gap = solution->worst.gap;
    model->iterations = solution->iterations;
    model->rows = dps_dataset_count(&t->data);
    DPS_NEED(model->weight, (size_t)model->models * model->weights_per_model, "the model's weights",
             err);
    if (t->plan.span) {
        const double begin = dps_now();
        DPS_TRY(dps_row_span_weights(t->mapped.span, t->alpha, model->models, model->weight, t->run,
                                     err));
        t->result->cost.stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
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

static dps_status write_curve(dps_training *t, dps_error *err)
{
    const bool writes = t->write_curve != NULL && dps_comm_rank(t->run->comm) == 0;
    return writes ? t->write_curve(&t->result->curve, t->options, err) : DPS_OK;
}

static dps_status save(dps_training *t, dps_error *err)
{
    const char *path = t->options->output_model;
    dps_stage_cost *stage = &t->result->cost.stage[DPS_STAGE_WRITE];
    double begin = dps_now();
    dps_status status = DPS_OK;
    if (dps_comm_rank(t->run->comm) == 0) {
        status = t->options->output_self_test ? dps_self_test_make(&t->result->model, t->run, err)
                                              : DPS_OK;
        if (*path != '\0') {
            DPS_THEN(status, dps_model_save(&t->result->model, path, err));
        }
    }
    const dps_model *model = &t->result->model;
    stage->seconds = dps_now() - begin;
    stage->bytes = 8.0 * (3.0 * model->scaler.columns + 2.0 * model->scaler.knots +
                          (double)model->models * (double)model->weights_per_model);
    return status;
}

static dps_status plan_refinement(dps_training *t, dps_error *err)
{
    const dps_trial_base base = base_of(t);
    return t->recipe.refine == DPS_REFINE_NONE || t->warm != NULL
               ? DPS_OK
               : dps_refine_plan(&base, &t->recipe, refine_memory(t), err);
}

/* How many threads newton's steps deserve. */
static dps_status say_threads(dps_training *t, dps_error *err)
{
    (void)err;
    const dps_plan *plan = &t->plan;
    if (plan->solver != &dps_solver_newton || !plan->tiles_fit || plan->span) {
        return DPS_OK;
    }
    const int worth = dps_newton_threads_worth(dps_dataset_count(&t->data), t->result->facts.width);
    if (worth > 1) {
        dps_log_text(t->run, DPS_NORMAL, "threads: more than %d will not pay in newton's steps",
                     worth);
    } else {
        dps_log_text(t->run, DPS_NORMAL, "threads: more than one will not pay in newton's steps");
    }
    return DPS_OK;
}

/* The story; `check` is the part before the solver, and what it says of the rest. */
static const struct {
    dps_status (*take)(dps_training *, dps_error *);
    bool of_check, of_training;
} steps[] = {{dps_training_load, true, true},
             {say_data, true, true},
             {dps_training_try_inputs, true, true},
             {search_kernel, true, true},
             {match_checkpoint, true, true},
             {choose_map, true, true},
             {dps_training_plan, true, true},
             {dps_ranks_check_plan, true, true},
             {plan_refinement, true, false},
             {say_threads, true, false},
             {refine, false, true},
             {dps_training_features, false, true},
             {choose_c, false, true},
             {solve, false, true},
             {calibrate, false, true},
             {make_model, false, true},
             {dps_training_fit, false, true},
             {save, false, true},
             {write_curve, false, true},
             {dps_training_held_out, false, true},
             {dps_ranks_balance, false, true},
             {dps_baseline_linear, false, true},
             {dps_spread_over_seeds, false, true}};

/* What can be refused before anything is read. */
static dps_status begin(dps_training *t, dps_error *err)
{
    DPS_TRY(dps_warm_start_new(&t->warm, t->options, err));
    DPS_TRY(dps_settings_read_from(t->options, t->warm == NULL ? NULL : &t->warm->model,
                                   &t->settings, err));
    if (t->options->map_seed.count > 1 && dps_comm_size(t->run->comm) > 1) {
        return dps_options_error(t->options, DPS_OPT_map_seed, err,
                                 "several seeds are for one process: give one seed, or start one "
                                 "process");
    }
    if (t->warm != NULL) {
        DPS_TRY(dps_warm_start_settings(t->warm, &t->settings, err));
    } else {
        dps_warn_unused(t->options, &t->settings, dps_auto_search_wanted(t->options), t->run);
    }
    return dps_comm_rank(t->run->comm) > 0
               ? DPS_OK
               : dps_training_probe_places(t->options, t->settings.validation_file, t->deadline > 0,
                                           err);
}

static dps_status train(const dps_options *options, const dps_row_arrays *arrays, bool check_only,
                        dps_curve_writer write, const dps_run *run, dps_train_result *result,
                        dps_error *err)
{
    dps_training t = {
        .options = options, .arrays = arrays, .write_curve = write, .run = run, .result = result};
    const double start = dps_now();

    /* without a place to save the solver's state the limit is one of the search */
    if (options->run_time_limit > 0 && options->run_checkpoint[0] == '\0' &&
        dps_auto_search_wanted(options)) {
        t.deadline = start + options->run_time_limit;
    }
    memset(result, 0, sizeof *result);
    result->fit.train.accuracy = result->fit.validation.accuracy = result->fit.test.accuracy = NAN;
    dps_status status = dps_comm_agree(run->comm, begin(&t, err), err);
    if (status == DPS_OK && !check_only) {
        status = dps_checkpoint_open(&t.checkpoint, options, start, run, err);
        status = dps_comm_agree(run->comm, status, err);
    }
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        if (check_only ? steps[k].of_check : steps[k].of_training) {
            DPS_THEN(status, dps_comm_agree(run->comm, steps[k].take(&t, err), err));
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
    if (status != DPS_OK) {
        dps_options_place_error(options, err);
    }
    dps_training_release(&t);
    result->cost.seconds = dps_now() - start;
    if (status != DPS_OK) {
        dps_train_result_release(result);
    }
    return status;
}

dps_status dps_train(const dps_options *options, bool check_only, dps_curve_writer write,
                     const dps_run *run, dps_train_result *result, dps_error *err)
{
    return train(options, NULL, check_only, write, run, result, err);
}

dps_status dps_train_arrays(const dps_options *options, const dps_row_arrays *arrays,
                            dps_curve_writer write, const dps_run *run, dps_train_result *result,
                            dps_error *err)
{
    return train(options, arrays, false, write, run, result, err);
}

void dps_train_result_release(dps_train_result *result)
{
    if (result != NULL) {
        dps_model_release(&result->model);
        dps_auto_search_release(&result->searches.kernel);
        dps_ladder_release(&result->searches.measure);
        dps_ladder_release(&result->searches.features);
        dps_ladder_release(&result->searches.C);
        dps_refinement_release(&result->refinement);
        dps_fits_release(&result->fit);
        dps_curve_release(&result->curve);
    }
}
