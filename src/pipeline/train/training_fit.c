/* Task: how well a trained model does: on the rows it was trained on, on those held out of them,
 * and on files with labels. From the weights as the model holds them, so that `evaluate` on the
 * same rows finds the same. Cost: one more pass over mapped rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "rank_sums.h"
#include "predict.h"
#include "prediction_steps.h"
#include "table_settings.h"
#include "tile_loop.h"
#include "training_fit.h"

/* What the threads that look at tiles share. */
typedef struct looking {
    const dps_labelled_rows *rows;
    const dps_tile_source *source;
    const double *score; /* models x rows, or NULL */
    dps_predictor predictor;
    int32_t *guess;      /* of each row, not for regression */
    dps_residuals *part; /* of each tile */
} looking;

/* A tile's rows from row `first` on: their guesses, or, for regression, what they add to the
 * residuals. */
static void look_at_rows(const looking *l, int64_t first, const double *scores, int32_t rows,
                         dps_residuals *residuals)
{
    const dps_labelled_rows *of = l->rows;
    for (int32_t i = 0; i < rows; i++) {
        if (of->target != NULL) {
            dps_residuals_add(residuals, of->target[first + i], scores[i],
                              dps_weight_of(of->weight, first + i));
        } else {
            l->guess[first + i] =
                dps_predicted_class(l->predictor.model->classes.count, 0, scores, i);
        }
    }
}

/* Accuracy and quotients from the counts. */
static void finish_fit(dps_fit *fit, int32_t classes)
{
    double correct = 0;
    for (int32_t k = 0; k < classes; k++) {
        correct += fit->of_class[k].correct;
        fit->weight += fit->of_class[k].guessed;
    }
    dps_class_metrics_finish(fit->of_class, classes);
    fit->accuracy = fit->rows > 0 ? correct / fit->weight : NAN;
    fit->balanced = dps_mean_recall(fit->of_class, classes);
}

/* Those of tile t that are known, as dps_predictor_scores leaves them. */
static void copy_scores(const looking *l, int64_t t, int32_t rows, double *scores)
{
    for (int32_t m = 0; m < l->predictor.model->models; m++) {
        memcpy(scores + (size_t)m * DPS_TILE_ROWS,
               l->score + (size_t)m * (size_t)l->source->rows + (size_t)t * DPS_TILE_ROWS,
               (size_t)rows * sizeof *scores);
    }
}

static dps_status look_at_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const looking *l = context;
    double *scores = (double *)(void *)((char *)memory + dps_fetch_bytes(l->source));
    dps_z_tile z;
    DPS_TRY(dps_fetch(l->source, t, memory, &z, err));
    if (l->score == NULL) {
        dps_predictor_scores(&l->predictor, &z, scores);
    } else {
        copy_scores(l, t, z.rows, scores);
    }
    look_at_rows(l, t * DPS_TILE_ROWS, scores, z.rows, &l->part[t]);
    return DPS_OK;
}

dps_status dps_fit_tiles(const dps_candidate *c, const dps_labelled_rows *rows,
                         const dps_tile_source *source, const double *score, const dps_run *run,
                         dps_fit *fit, dps_error *err)
{
    const bool regression = rows->target != NULL;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t classes = regression ? 0 : (size_t)c->model->classes.count;
    dps_status status = DPS_OK;
    dps_residuals *part = dps_alloc((size_t)tiles, sizeof *part);
    const size_t guesses = regression ? 0 : (size_t)source->rows;
    int32_t *guess = dps_alloc(guesses, sizeof *guess);
    const dps_comm *comm = source->total_rows > 0 ? run->comm : NULL;
    *fit = (dps_fit){.rows = dps_tiles_rows(source), .accuracy = NAN};
    fit->of_class = dps_alloc(classes, sizeof *fit->of_class);
    if (dps_comm_any(comm, part == NULL || guess == NULL || fit->of_class == NULL)) {
        status = dps_out_of_memory(err, (size_t)source->rows, sizeof *guess, "the fit");
        goto done;
    }
    looking l = {.rows = rows,
                 .source = source,
                 .score = score,
                 .predictor = {.model = c->model,
                               .builder = {.simd = run->simd},
                               .length = c->length,
                               .w = c->w},
                 .guess = guess,
                 .part = part};
    const double work = dps_pass_work(source, tiles, c->model->models);
    const dps_tile_loop loop = {.tiles = tiles,
                                .threads = dps_run_threads_for(run, tiles, work),
                                .bytes = dps_fetch_bytes(source) +
                                         (size_t)c->model->models * DPS_TILE_ROWS * sizeof(double),
                                .visit = look_at_tile,
                                .context = &l};
    status = dps_tile_loop_run(&loop, err);
    status = dps_comm_agree(comm, status, err);
    if (status != DPS_OK) {
        goto done;
    }
    dps_in_turn_begin(comm, fit->of_class, classes * sizeof *fit->of_class);
    for (size_t i = 0; i < guesses; i++) {
        dps_class_metrics_add(fit->of_class, rows->label[i], guess[i],
                              dps_weight_of(rows->weight, (int64_t)i));
    }
    dps_in_turn_end(comm, fit->of_class, classes * sizeof *fit->of_class);
    dps_in_turn_begin(comm, &fit->residuals, sizeof fit->residuals);
    for (int64_t k = 0; k < tiles; k++) {
        dps_residuals_merge(&fit->residuals, &part[k]);
    }
    dps_in_turn_end(comm, &fit->residuals, sizeof fit->residuals);
    finish_fit(fit, (int32_t)classes);
done:
    dps_free(part);
    dps_free(guess);
    if (regression || status != DPS_OK) {
        dps_free(fit->of_class);
        fit->of_class = NULL;
    }
    if (regression) {
        fit->weight = fit->residuals.weight;
        fit->accuracy = fit->balanced = NAN;
    }
    return status;
}

dps_status dps_fit_rows(const dps_candidate *c, const dps_labelled_rows *rows, const dps_run *run,
                        dps_fit *fit, dps_error *err)
{
    dps_feature_stream *stream;
    DPS_TRY(dps_feature_stream_new(&stream, &rows->x, c->map, c->model->bias, 0, run, err));
    const dps_status status =
        dps_fit_tiles(c, rows, dps_feature_stream_source(stream), NULL, run, fit, err);
    dps_feature_stream_free(stream);
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

static dps_status count_guesses(void *context, const dps_scored *row, int32_t rows, dps_error *err)
{
    dps_class_metrics *of_class = context;
    (void)err;
    for (int32_t i = 0; i < rows; i++) {
        dps_class_metrics_add(of_class, row[i].label, row[i].guess, row[i].weight);
    }
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
    request.table.model_weights = true;
    const bool regression = model->task == DPS_TASK_REGRESSION;
    const size_t classes = (size_t)model->classes.count; /* regression: 0 */
    fit->of_class = regression ? NULL : dps_alloc(classes, sizeof *fit->of_class);
    if (dps_comm_any(t->run->comm, !regression && fit->of_class == NULL)) {
        return dps_out_of_memory(err, classes, sizeof *fit->of_class, "the fit");
    }
    const dps_stream_sink sink = {
        .wants_scores = true, .take = regression ? NULL : count_guesses, .taker = fit->of_class};
    const dps_status status = dps_predict_into(&request, model, &sink, t->run, &tested, err);
    if (status != DPS_OK) {
        return say_model_is_written(t, status, err);
    }
    snprintf(where, sizeof where, "%s: ", option);
    dps_prediction_warn(&tested, model, where, t->run);
    fit->rows = tested.labelled;
    fit->weight = tested.residuals.weight;
    fit->foreign = tested.foreign;
    fit->accuracy = fit->balanced = NAN;
    fit->residuals = tested.residuals;
    if (!regression) {
        finish_fit(fit, model->classes.count);
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
    const dps_labelled_rows held = dps_held_rows_of(&t->data);
    return dps_rows_of_all(&held.x) == 0 ? DPS_OK : dps_fit_rows(c, &held, t->run, fit, err);
}

dps_status dps_fit_held_out(const dps_training *t, const dps_candidate *c, dps_fits *fits,
                            dps_error *err)
{
    const dps_list *files = &t->options->data_test;
    DPS_TRY(dps_comm_agree(t->run->comm, validate(t, c, &fits->validation, err), err));
    return files->count == 0
               ? DPS_OK
               : measure_files(t, c->model, "data.test", (const char *const *)files->item,
                               files->count, &fits->test, err);
}

void dps_fits_release(dps_fits *fits)
{
    dps_free(fits->train.of_class);
    dps_free(fits->validation.of_class);
    dps_free(fits->test.of_class);
    *fits = (dps_fits){0};
}

static dps_candidate trained(const dps_training *t)
{
    return (dps_candidate){.model = &t->result->model,
                           .map = t->mapped.map,
                           .w = t->solution.w,
                           .length = t->solution.length};
}

dps_status dps_training_fit(dps_training *t, dps_error *err)
{
    const dps_candidate c = trained(t);
    const dps_labelled_rows rows = dps_labelled_rows_of(&t->data);
    return dps_fit_tiles(&c, &rows, t->problem.source, t->score, t->run, &t->result->fit.train,
                         err);
}

dps_status dps_training_held_out(dps_training *t, dps_error *err)
{
    const dps_candidate c = trained(t);
    return dps_fit_held_out(t, &c, &t->result->fit, err);
}
