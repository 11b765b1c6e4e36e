/* Task: how well a trained model does: on the rows it was trained on, on those held out of them,
 * and on files with labels. From the weights as the model holds them, so that `evaluate` on the
 * same rows finds the same. Cost: one more pass over mapped rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "ordered_sum.h"
#include "prediction.h"
#include "training.h"

/* Counts of a class: rows, guessed, correct. */
static void count_row(dps_class_metrics *of_class, int32_t label, int32_t guess)
{
    of_class[guess].guessed++;
    if (label >= 0) {
        of_class[label].rows++;
        of_class[label].correct += guess == label;
    }
}

/* Adds a tile's rows: to the classes, or, for regression (target not NULL), to the residuals. */
static void add_tile(int32_t classes, const int32_t *label, const double *target,
                     const double *scores, int32_t rows, dps_class_metrics *of_class,
                     dps_residuals *residuals)
{
    for (int32_t i = 0; i < rows; i++) {
        if (target != NULL) {
            dps_residuals_add(residuals, target[i], scores[i]);
        } else {
            count_row(of_class, label[i], dps_predicted_class(classes, 0, scores, i));
        }
    }
}

/* Whole numbers: in any order. */
static void merge_classes(dps_class_metrics *to, const dps_class_metrics *from, int32_t classes)
{
    for (int32_t k = 0; k < classes; k++) {
        to[k].rows += from[k].rows;
        to[k].guessed += from[k].guessed;
        to[k].correct += from[k].correct;
    }
}

/* The counts of all ranks. */
static dps_status share_counts(dps_class_metrics *of_class, size_t classes, const dps_comm *comm,
                               dps_error *err)
{
    int64_t *count = dps_alloc(6 * classes, sizeof *count);
    if (dps_comm_any(comm, count == NULL)) {
        dps_free(count);
        return dps_out_of_memory(err, 6 * classes, sizeof *count, "the fit");
    }
    for (size_t k = 0; k < classes; k++) {
        count[3 * k] = of_class[k].rows;
        count[3 * k + 1] = of_class[k].guessed;
        count[3 * k + 2] = of_class[k].correct;
    }
    dps_sum_counts(comm, count, count + 3 * classes, 3 * classes);
    for (size_t k = 0; k < classes; k++) {
        of_class[k].rows = count[3 * k];
        of_class[k].guessed = count[3 * k + 1];
        of_class[k].correct = count[3 * k + 2];
    }
    dps_free(count);
    return DPS_OK;
}

/* Accuracy and quotients from the counts. */
static void finish_fit(dps_fit *fit, int32_t classes)
{
    int64_t correct = 0;
    for (int32_t k = 0; k < classes; k++) {
        correct += fit->of_class[k].correct;
    }
    dps_class_metrics_finish(fit->of_class, classes);
    fit->accuracy = fit->rows > 0 ? (double)correct / (double)fit->rows : NAN;
    fit->balanced = dps_mean_recall(fit->of_class, classes);
}

/* Those of tile t that are known, as dps_predictor_scores leaves them. */
static void copy_scores(const dps_fit_request *r, int64_t t, int32_t rows, double *scores)
{
    for (int32_t m = 0; m < r->model->models; m++) {
        memcpy(scores + (size_t)m * DPS_TILE_ROWS,
               r->score + (size_t)m * (size_t)r->source->rows + (size_t)t * DPS_TILE_ROWS,
               (size_t)rows * sizeof *scores);
    }
}

dps_status dps_fit_measure(const dps_fit_request *r, const dps_run *run, dps_fit *fit,
                           dps_error *err)
{
    const dps_tile_source *source = r->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t panel = source->resident ? 0 : source->stride * DPS_TILE_ROWS;
    const size_t scratch_bytes = source->resident ? 0 : source->scratch_bytes;
    const size_t classes = r->target != NULL ? 0 : (size_t)r->model->classes.count;
    dps_status status = DPS_OK;
    dps_residuals *part = dps_alloc((size_t)tiles, sizeof *part); /* of each tile */
    const dps_comm *comm = source->total_rows > 0 ? run->comm : NULL;
    *fit = (dps_fit){.rows = dps_tiles_rows(source), .accuracy = NAN};
    fit->of_class = dps_alloc(classes, sizeof *fit->of_class);
    if (dps_comm_any(comm, part == NULL || fit->of_class == NULL)) {
        status = dps_out_of_memory(err, (size_t)tiles, sizeof *part, "the fit");
        goto done;
    }
    dps_predictor predictor = {
        .model = r->model, .builder = {.simd = run->simd}, .length = r->length, .w = r->w};

    const double work = dps_pass_work(source, tiles, (int32_t)r->model->models);
#pragma omp parallel num_threads(dps_run_threads_for(run, tiles, work))
    {
        float *buffer = dps_alloc(panel, sizeof *buffer);
        void *scratch = dps_alloc(scratch_bytes, 1);
        double *scores = dps_alloc((size_t)r->model->models * DPS_TILE_ROWS, sizeof *scores);
        dps_class_metrics *mine = dps_alloc(classes, sizeof *mine);
        const bool enough = buffer != NULL && scratch != NULL && scores != NULL && mine != NULL;
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
            if (r->score == NULL) {
                dps_predictor_scores(&predictor, &z, scores);
            } else {
                copy_scores(r, k, z.rows, scores);
            }
            add_tile((int32_t)classes, r->label + k * DPS_TILE_ROWS,
                     r->target == NULL ? NULL : r->target + k * DPS_TILE_ROWS, scores, z.rows, mine,
                     &part[k]);
        }
#pragma omp critical(dps_find_accuracy)
        if (enough) {
            merge_classes(fit->of_class, mine, (int32_t)classes);
        }
        dps_free(buffer);
        dps_free(scratch);
        dps_free(scores);
        dps_free(mine);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK && comm != NULL) {
        status = share_counts(fit->of_class, classes, comm, err);
    }
    if (status != DPS_OK) {
        goto done;
    }
    dps_in_turn_begin(comm, &fit->residuals, sizeof fit->residuals);
    for (int64_t k = 0; k < tiles; k++) {
        dps_residuals_merge(&fit->residuals, &part[k]);
    }
    dps_in_turn_end(comm, &fit->residuals, sizeof fit->residuals);
    finish_fit(fit, (int32_t)classes);
done:
    dps_free(part);
    if (r->target != NULL || status != DPS_OK) {
        dps_free(fit->of_class);
        fit->of_class = NULL;
    }
    if (r->target != NULL) {
        fit->accuracy = fit->balanced = NAN;
    }
    return status;
}

dps_status dps_training_fit(dps_training *t, dps_error *err)
{
    const dps_fit_request request = {.source = t->problem.source,
                                     .label = t->data.label,
                                     .target = t->data.target,
                                     .model = &t->result->model,
                                     .w = t->solution.w,
                                     .length = t->solution.length,
                                     .score = t->score};
    return dps_fit_measure(&request, t->run, &t->result->train, err);
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

/* Class and guess of every row with a label, for measure_files. */
static void render_guesses(const void *context, const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = context;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        size_t length;
        const char *label = dps_stream_label(rows, i, &length);
        if (length > 0) {
            const int32_t pair[2] = {dps_class_find(&model->classes, label, length),
                                     dps_predicted_class(model->classes.count, 0, rows->scores, i)};
            dps_text_append(out, (const char *)pair, sizeof pair);
        }
    }
}

static dps_status count_guesses(const dps_text *guesses, int32_t classes, dps_fit *fit,
                                dps_error *err)
{
    fit->of_class = dps_alloc((size_t)classes, sizeof *fit->of_class);
    if (fit->of_class == NULL) {
        return dps_out_of_memory(err, (size_t)classes, sizeof *fit->of_class, "the fit");
    }
    int32_t pair[2];
    for (size_t at = 0; at < guesses->length; at += sizeof pair) {
        memcpy(pair, guesses->data + at, sizeof pair);
        count_row(fit->of_class, pair[0], pair[1]);
    }
    finish_fit(fit, classes);
    return DPS_OK;
}

/* Files with labels through the same path as predict. */
static dps_status measure_files(const dps_training *t, const dps_model *model, const char *option,
                                const char *const *paths, size_t count, dps_fit *fit,
                                dps_error *err)
{
    char where[40];
    dps_predict_result tested;
    dps_predict_request request = {.paths = paths,
                                   .path_count = count,
                                   .format = t->options->data_format,
                                   .zero_based = t->options->data_zero_based,
                                   .table = dps_settings_table(t->options)};
    const bool regression = model->task == DPS_TASK_REGRESSION;
    dps_text guesses = {0};
    const dps_stream_sink sink = {.wants_scores = true,
                                  .render = regression ? NULL : render_guesses,
                                  .context = model,
                                  .collect = &guesses};
    dps_status status = dps_predict_into(&request, model, &sink, t->run, &tested, err);
    if (status == DPS_OK) {
        snprintf(where, sizeof where, "%s: ", option);
        dps_prediction_warn(&tested, model, where, t->run);
        *fit = (dps_fit){.rows = tested.labelled,
                         .foreign = tested.foreign,
                         .accuracy = NAN,
                         .residuals = tested.residuals};
        status = regression ? DPS_OK : count_guesses(&guesses, model->classes.count, fit, err);
    }
    dps_text_release(&guesses);
    if (status != DPS_OK) {
        return say_model_is_written(t, status, err);
    }
    if (fit->rows == 0) {
        dps_log_text(t->run, DPS_WARNING, "%s has no labels: nothing to measure", option);
    }
    return DPS_OK;
}

/* data.validation: the rows held out, or a file. */
static dps_status validate(const dps_training *t, const dps_candidate *c, dps_fit *fit,
                           dps_error *err)
{
    const char *file = t->settings.validation_file;
    if (*file != '\0') {
        return measure_files(t, c->model, "data.validation", &file, 1, fit, err);
    }
    const dps_row_source rows = dps_dataset_held_rows(&t->data);
    if (dps_rows_of_all(&rows) == 0) {
        return DPS_OK;
    }
    dps_feature_stream *stream;
    dps_status status =
        dps_feature_stream_new(&stream, &rows, c->map, t->settings.bias, 0, t->run, err);
    if (status == DPS_OK) {
        const dps_fit_request request = {.source = dps_feature_stream_source(stream),
                                         .label = t->data.held_label,
                                         .target = t->data.held_target,
                                         .model = c->model,
                                         .w = c->w,
                                         .length = c->length};
        status = dps_fit_measure(&request, t->run, fit, err);
        dps_feature_stream_free(stream);
    }
    return status;
}

static dps_status test(const dps_training *t, const dps_candidate *c, dps_fit *fit, dps_error *err)
{
    const dps_list *files = &t->options->data_test;
    return files->count == 0
               ? DPS_OK
               : measure_files(t, c->model, "data.test", (const char *const *)files->item,
                               files->count, fit, err);
}

dps_status dps_fit_held_out(const dps_training *t, const dps_candidate *c, dps_fit *validation,
                            dps_fit *tested, dps_error *err)
{
    const dps_status status = validate(t, c, validation, err);
    return status == DPS_OK ? test(t, c, tested, err) : status;
}

static dps_candidate trained(const dps_training *t)
{
    return (dps_candidate){.model = &t->result->model,
                           .map = t->map,
                           .w = t->solution.w,
                           .length = t->solution.length};
}

dps_status dps_training_validate(dps_training *t, dps_error *err)
{
    const dps_candidate c = trained(t);
    return validate(t, &c, &t->result->validation, err);
}

dps_status dps_training_test(dps_training *t, dps_error *err)
{
    const dps_candidate c = trained(t);
    return test(t, &c, &t->result->test, err);
}
