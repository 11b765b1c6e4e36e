/* Task: how well a trained model does: on the rows it was trained on, on those held out of them,
 * and on files with labels. From the weights as the model holds them, so that `evaluate` on the
 * same rows finds the same. Cost: one more pass over mapped rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "memory.h"
#include "prediction.h"
#include "training.h"

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

dps_status dps_training_fit(dps_training *t, dps_error *err)
{
    return find_fit(t, t->problem.source, t->data.label, t->data.target, &t->result->train_accuracy,
                    &t->result->train_residuals, err);
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
    dps_prediction_warn(&tested, &t->result->model, where, t->run);
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
dps_status dps_training_validate(dps_training *t, dps_error *err)
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

dps_status dps_training_test(dps_training *t, dps_error *err)
{
    const dps_list *files = &t->options->data_test;
    return files->count == 0
               ? DPS_OK
               : measure_files(t, "data.test", (const char *const *)files->item, files->count,
                               &t->result->test_accuracy, &t->result->test_residuals,
                               &t->result->test_rows, err);
}
