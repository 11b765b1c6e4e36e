/* Task: `dpsvm train` and `check`:
 *   settings -> rows -> plan -> map -> z-tiles -> solver -> accuracy -> model file -> test rows.
 * Everything that can be refused is refused before the solver starts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "calibration.h"
#include "choose_map.h"
#include "folds.h"
#include "fingerprint.h"
#include "limits.h"
#include "memory.h"
#include "model_selection.h"
#include "prediction.h"
#include "random.h"
#include "scale_warnings.h"
#include "training.h"

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
    dps_status status = dps_dataset_load(&t->settings.load, t->run, &t->data, err);
    if (status != DPS_OK) {
        return status;
    }
    const dps_class_table *classes = &t->data.classes;
    int64_t largest = 0;
    for (int32_t k = 0; k < classes->count; k++) {
        largest = classes->rows[k] > largest ? classes->rows[k] : largest;
    }
    status = dps_warn_column_sizes(&t->data, t->run, err);
    if (status != DPS_OK) {
        return status;
    }
    t->rows = dps_dataset_rows(&t->data);
    result->rows = t->data.x.rows;
    result->nonzeros = t->data.nonzeros;
    snprintf(result->input, sizeof result->input, "%s", t->data.note);
    result->majority_accuracy =
        t->settings.loss->regression ? NAN : (double)largest / (double)result->rows;
    result->stage[DPS_STAGE_PARSE] = (dps_stage_cost){t->data.parse_seconds, (double)t->data.bytes};
    result->stage[DPS_STAGE_SCALE] =
        (dps_stage_cost){t->data.scale_seconds, (double)dps_dataset_memory(&t->data)};

    t->class_weight = dps_alloc((size_t)classes->count, sizeof *t->class_weight);
    if (t->class_weight == NULL) {
        return dps_out_of_memory(err, (size_t)classes->count, sizeof *t->class_weight,
                                 "class weights");
    }
    return dps_settings_class_weights(t->options, classes, t->class_weight, err);
}

dps_status dps_training_plan(dps_training *t, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    double begin = dps_now();
    dps_status status = dps_warn_gamma(&t->settings.recipe, &t->rows, t->run, err);
    if (status != DPS_OK) {
        return status;
    }
    status = dps_map_plan(&t->settings.recipe, &t->rows, scaler->radius1, scaler->radius2,
                          scaler->dense, t->run, &t->result->facts, err);
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
    t->result->memory_needed = (double)t->plan.needed;
    t->result->work_flops = t->plan.map_flops + t->plan.solve_flops;
    dps_plan_log(&t->plan, &t->settings, &t->data, &t->result->facts, t->run);
    return DPS_OK;
}

dps_status dps_training_features(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    double begin = dps_now();
    dps_status status =
        dps_map_new(&t->map, &t->settings.recipe, t->data.scaler.columns, t->run, err);
    if (status != DPS_OK) {
        return status;
    }
    size_t budget = t->run->memory - t->plan.needed;
    status =
        dps_feature_stream_new(&t->stream, &t->rows, t->map, t->settings.bias, budget, t->run, err);
    if (status != DPS_OK) {
        return status;
    }
    t->problem.source = dps_feature_stream_source(t->stream);
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
    const dps_status status = dps_fingerprint_data(&t->data, &t->rows, &data, err);
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

static dps_status solve(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    double begin = dps_now();
    dps_status status = dps_solution_init(&t->solution, &t->problem, err);
    if (status != DPS_OK) {
        return status;
    }
    const dps_run run = t->checkpoint == NULL ? *t->run : dps_checkpoint_run(t->checkpoint);
    status = dps_solve(t->settings.solver, &t->problem, &t->settings.solver_settings, &run,
                       &t->solution, err);
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
 * sigmoids on scores of held-out rows. */
static dps_status calibrate(dps_training *t, dps_error *err)
{
    dps_model *model = &t->result->model;
    const size_t models = (size_t)t->solution.models;
    const bool own = t->settings.loss == &dps_loss_logistic;
    if (!t->settings.probability && !own) {
        return DPS_OK;
    }
    model->sigmoid = dps_alloc(models, sizeof *model->sigmoid);
    if (model->sigmoid == NULL) {
        return dps_out_of_memory(err, models, sizeof *model->sigmoid, "the sigmoids");
    }
    model->probability = DPS_PROBABILITY_SIGMOID;
    for (size_t k = 0; k < models; k++) {
        model->sigmoid[k] = dps_sigmoid_logistic();
    }
    if (own) {
        return DPS_OK;
    }
    if (!t->settings.choose_C) { /* else said before */
        dps_selection_warn(&t->settings, &t->data.classes, t->run);
    }
    return dps_select_sigmoids(&t->settings, t->options, &t->problem, t->run, model->sigmoid, err);
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
    dps_weights_to_model(solution->w, solution->length, t->problem.source->stride, model);
    model->scaler = t->data.scaler;
    model->classes = t->data.classes;
    memset(&t->data.scaler, 0, sizeof t->data.scaler);
    model->table = t->data.table;
    memset(&t->data.classes, 0, sizeof t->data.classes);
    memset(&t->data.table, 0, sizeof t->data.table);
    return DPS_OK;
}

/* Correct predictions of a tile's rows; for regression (label = NULL) none, and their residuals. */
static int64_t count_correct(int32_t classes, const int32_t *label, const double *target,
                             const double *scores, int32_t rows, dps_residuals *residuals)
{
    int64_t correct = 0;
    for (int32_t i = 0; i < rows; i++) {
        if (target != NULL) {
            dps_residuals_add(residuals, target[i], scores[i]);
        } else {
            correct += dps_predicted_class(classes, scores, i) == label[i];
        }
    }
    return correct;
}

/* One more pass over mapped rows: share of right predictions, or residuals of regression, from the
 * weights as the model holds them. */
static dps_status find_fit(dps_training *t, const dps_tile_source *source, const int32_t *label,
                           const double *target, double *accuracy, dps_residuals *residuals,
                           dps_error *err)
{
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t panel = source->resident ? 0 : source->stride * DPS_TILE_ROWS;
    const size_t scratch_bytes = source->resident ? 0 : source->scratch_bytes;
    dps_status status = DPS_OK;
    int64_t correct = 0;
    dps_residuals *part = dps_alloc((size_t)tiles, sizeof *part); /* of each tile */
    if (part == NULL) {
        return dps_out_of_memory(err, (size_t)tiles, sizeof *part, "the residuals");
    }
    dps_predictor predictor = {.model = &t->result->model,
                               .builder = {.simd = t->run->simd},
                               .length = t->solution.length,
                               .w = t->solution.w};

#pragma omp parallel num_threads(dps_run_threads(t->run, tiles)) reduction(+ : correct)
    {
        float *buffer = dps_alloc(panel, sizeof *buffer);
        void *scratch = dps_alloc(scratch_bytes, 1);
        double *scores = dps_alloc((size_t)t->solution.models * DPS_TILE_ROWS, sizeof *scores);
        bool enough = buffer != NULL && scratch != NULL && scores != NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < tiles; k++) {
            dps_error local;
            dps_z_tile z;
            dps_status result = enough
                                    ? source->get(source->context, k, buffer, scratch, &z, &local)
                                    : dps_out_of_memory(&local, panel, sizeof *buffer, "a tile");
            if (result != DPS_OK) {
#pragma omp critical(dps_find_accuracy)
                {
                    status = result;
                    if (err != NULL) {
                        *err = local;
                    }
                }
                continue;
            }
            dps_predictor_scores(&predictor, &z, scores);
            correct += count_correct(t->problem.classes, label + k * DPS_TILE_ROWS,
                                     target == NULL ? NULL : target + k * DPS_TILE_ROWS, scores,
                                     z.rows, &part[k]);
        }
        dps_free(buffer);
        dps_free(scratch);
        dps_free(scores);
    }
    for (int64_t k = 0; k < tiles; k++) {
        dps_residuals_merge(residuals, &part[k]);
    }
    dps_free(part);
    *accuracy = target != NULL ? NAN : (double)correct / (double)source->rows;
    return status;
}

static dps_status training_accuracy(dps_training *t, dps_error *err)
{
    return find_fit(t, t->problem.source, t->data.label, t->data.target, &t->result->train_accuracy,
                    &t->result->train_residuals, err);
}

static dps_status save(dps_training *t, dps_error *err)
{
    const char *path = t->options->output_model;
    dps_stage_cost *stage = &t->result->stage[DPS_STAGE_WRITE];
    double begin = dps_now();
    dps_status status = dps_model_save(&t->result->model, path, err);
    const dps_model *model = &t->result->model;
    stage->seconds = dps_now() - begin;
    stage->bytes = 8.0 * (3.0 * model->scaler.columns +
                          (double)model->models * (double)model->weights_per_model);
    return status;
}

/* A long training is not lost to a bad row of a file that is measured after it: the error says so.
 */
static dps_status say_model_is_written(const dps_training *t, dps_status status, dps_error *err)
{
    if (err == NULL) {
        return status;
    }
    const dps_error found = *err;
    return dps_error_at(err, status, found.file[0] == '\0' ? NULL : found.file, found.line,
                        found.column, "%s (training is done, the model is in %s)", found.text,
                        t->options->output_model);
}

/* Files with labels through the same path as predict. */
static dps_status measure_files(dps_training *t, const char *option, const char *const *paths,
                                size_t count, double *accuracy, dps_residuals *residuals,
                                int64_t *rows, dps_error *err)
{
    char where[40];
    dps_predict_result tested;
    dps_predict_request request = {.paths = paths,
                                   .path_count = count,
                                   .format = t->options->data_format,
                                   .zero_based = t->options->data_zero_based,
                                   .header = t->options->data_header,
                                   .label_column = t->options->data_label_column,
                                   .unknown_is_error =
                                       strcmp(t->options->data_unknown, "error") == 0};
    dps_status status = dps_predict_accuracy(&request, &t->result->model, t->run, &tested, err);
    if (status != DPS_OK) {
        return say_model_is_written(t, status, err);
    }
    snprintf(where, sizeof where, "%s: ", option);
    dps_prediction_warn(&tested, where, t->run);
    *rows = tested.labelled;
    *residuals = tested.residuals;
    if (tested.labelled > 0) {
        *accuracy =
            t->settings.loss->regression ? NAN : (double)tested.correct / (double)tested.labelled;
    } else {
        dps_log_text(t->run, DPS_WARNING, "%s has no labels: nothing to measure", option);
    }
    return DPS_OK;
}

/* data.validation: the rows held out, or a file. */
static dps_status validate(dps_training *t, dps_error *err)
{
    dps_train_result *result = t->result;
    const char *file = t->settings.validation_file;
    if (*file != '\0') {
        return measure_files(t, "data.validation", &file, 1, &result->validation_accuracy,
                             &result->validation_residuals, &result->validation_rows, err);
    }
    const dps_row_source rows = dps_dataset_held_rows(&t->data);
    if (rows.rows == 0) {
        return DPS_OK;
    }
    dps_feature_stream *stream;
    dps_status status =
        dps_feature_stream_new(&stream, &rows, t->map, t->settings.bias, 0, t->run, err);
    if (status == DPS_OK) {
        result->validation_rows = rows.rows;
        status =
            find_fit(t, dps_feature_stream_source(stream), t->data.held_label, t->data.held_target,
                     &result->validation_accuracy, &result->validation_residuals, err);
        dps_feature_stream_free(stream);
    }
    return status;
}

static dps_status test(dps_training *t, dps_error *err)
{
    const dps_list *files = &t->options->data_test;
    return files->count == 0
               ? DPS_OK
               : measure_files(t, "data.test", (const char *const *)files->item, files->count,
                               &t->result->test_accuracy, &t->result->test_residuals,
                               &t->result->test_rows, err);
}

/* No output may replace an input. */
static dps_status keep_files_apart(const dps_list *files, const char *option,
                                   const dps_options *options, dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < files->count && status == DPS_OK; k++) {
        if (strcmp(files->item[k], "-") == 0) {
            continue; /* standard input */
        }
        const char *const outputs[][2] = {{options->output_model, "output.model"},
                                          {options->output_report, "output.report"},
                                          {options->run_checkpoint, "run.checkpoint"},
                                          {options->run_log, "run.log"}};
        for (size_t o = 0; o < sizeof outputs / sizeof outputs[0] && status == DPS_OK; o++) {
            status = dps_output_apart(outputs[o][0], outputs[o][1], files->item[k], option, err);
        }
    }
    return status;
}

/* The checkpoint's place, apart from those of the other outputs. */
static dps_status probe_checkpoint(const dps_options *options, dps_error *err)
{
    const char *path = options->run_checkpoint;
    if (path[0] == '\0') {
        return options->run_time_limit == 0
                   ? DPS_OK
                   : dps_options_error(options, DPS_OPT_run_time_limit, err,
                                       "a run that ends early must be saved: name a file, as in "
                                       "run.checkpoint = state.ckpt");
    }
    if (strcmp(path, "-") == 0) {
        return dps_options_error(options, DPS_OPT_run_checkpoint, err, "expected a file");
    }
    dps_status status = dps_output_probe(path, "run.checkpoint", err);
    const char *const others[][2] = {{options->output_model, "output.model"},
                                     {options->output_report, "output.report"},
                                     {options->run_log, "run.log"}};
    for (size_t o = 0; o < sizeof others / sizeof others[0] && status == DPS_OK; o++) {
        status = dps_output_apart(others[o][0], others[o][1], path, "run.checkpoint", err);
    }
    return status;
}

/* Outputs, and the files that are read last, are tried before the work begins. */
static dps_status probe_places(const dps_options *options, const char *validation, dps_error *err)
{
    const dps_list *tests = &options->data_test;
    dps_status status = dps_output_probe(options->output_model, "output.model", err);
    if (status == DPS_OK && options->output_report[0] != '\0') {
        status = dps_output_probe(options->output_report, "output.report", err);
    }
    if (status == DPS_OK) {
        status = dps_output_apart(options->output_report, "output.report", options->output_model,
                                  "output.model", err);
    }
    if (status == DPS_OK) {
        status = probe_checkpoint(options, err);
    }
    if (status == DPS_OK) {
        status = keep_files_apart(&options->data_train, "data.train", options, err);
    }
    if (status == DPS_OK) {
        status = keep_files_apart(tests, "data.test", options, err);
    }
    if (status == DPS_OK && tests->count > 0) {
        dps_source *source;
        status = dps_source_open(&source, (const char *const *)tests->item, tests->count, err);
        dps_source_close(source);
    }
    if (status == DPS_OK && *validation != '\0') {
        dps_source *source;
        status = dps_source_open(&source, &validation, 1, err);
        dps_source_close(source);
    }
    return status;
}

void dps_training_release(dps_training *t)
{
    dps_solution_release(&t->solution);
    dps_checkpoint_close(t->checkpoint);
    dps_feature_stream_free(t->stream);
    dps_map_free(t->map);
    dps_free(t->class_weight);
    dps_dataset_release(&t->data);
}

dps_status dps_train(const dps_options *options, bool check_only, const dps_run *run,
                     dps_train_result *result, dps_error *err)
{
    typedef dps_status (*step)(dps_training *, dps_error *);
    static const step steps[] = {dps_training_load,
                                 match_checkpoint,
                                 dps_choose_map,
                                 dps_training_plan,
                                 dps_training_features,
                                 choose_c,
                                 solve,
                                 calibrate,
                                 make_model,
                                 training_accuracy,
                                 save,
                                 validate,
                                 test};
    const size_t planning = 4;
    dps_training t = {.options = options, .run = run, .result = result};
    double begin = dps_now();

    memset(result, 0, sizeof *result);
    result->test_accuracy = NAN;
    result->validation_accuracy = NAN;
    dps_status status = dps_settings_read(options, &t.settings, err);
    if (status == DPS_OK) {
        status = probe_places(options, t.settings.validation_file, err);
    }
    if (status == DPS_OK && !check_only) {
        status = dps_checkpoint_open(&t.checkpoint, options, begin, run, err);
    }
    for (size_t k = 0; k < (check_only ? planning : sizeof steps / sizeof steps[0]); k++) {
        if (status == DPS_OK) {
            status = steps[k](&t, err);
        }
    }
    if (status == DPS_OK) {
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
        dps_c_search_release(&result->search);
    }
}
