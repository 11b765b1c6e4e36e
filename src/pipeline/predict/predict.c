/* Task: `dpsvm predict`: model + rows -> one line a row, labels or decision values.
 * Labels are the classes' texts as the training data spelt them. Decision values: two classes one
 * column, whose sign is positive for the second class; more classes a column a class, in class
 * order. Regression: the predicted number. Digits read back as the same double. */
#include <string.h>
#include "allocation.h"
#include "probability.h"
#include "comm.h"
#include "job_limits.h"
#include "number.h"
#include "predict.h"
#include "prediction_steps.h"

/* The row's id and a tab, where the input has ids. */
static void render_id(const dps_stream_rows *rows, int32_t i, dps_text *out)
{
    size_t length;
    const char *id = dps_stream_id(rows, i, &length);
    if (id != NULL) {
        dps_text_append(out, id, length);
        dps_text_append(out, "\t", 1);
    }
}

static void render_labels(const void *context, const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = context;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        int32_t k = dps_predicted_class(model->classes.count, rows->threshold, rows->scores, i);
        render_id(rows, i, out);
        dps_text_add(out, model->classes.text[k]);
        dps_text_append(out, "\n", 1);
    }
}

static void render_scores(const void *context, const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = context;
    char number[DPS_NUMBER_MAX];
    for (int32_t i = 0; i < rows->z->rows; i++) {
        render_id(rows, i, out);
        for (int32_t k = 0; k < model->models; k++) {
            double score = rows->scores[(size_t)k * DPS_TILE_ROWS + (size_t)i];
            if (k > 0) {
                dps_text_append(out, " ", 1);
            }
            dps_text_append(out, number, dps_format_double(number, score));
        }
        dps_text_append(out, "\n", 1);
    }
}

/* A column a class, in class order. */
static void render_probabilities(const void *context, const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = context;
    char number[DPS_NUMBER_MAX];
    double *p = dps_alloc((size_t)model->classes.count, sizeof *p);
    out->failed = out->failed || p == NULL;
    for (int32_t i = 0; p != NULL && i < rows->z->rows; i++) {
        render_id(rows, i, out);
        dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, p);
        for (int32_t k = 0; k < model->classes.count; k++) {
            dps_text_append(out, " ", k > 0 ? 1 : 0);
            dps_text_append(out, number, dps_format_double(number, p[k]));
        }
        dps_text_append(out, "\n", 1);
    }
    dps_free(p);
}

dps_status dps_predict_into(const dps_predict_request *request, const dps_model *model,
                            const dps_stream_sink *sink, const dps_run *run,
                            dps_predict_result *result, dps_error *err)
{
    dps_predictor predictor;
    memset(result, 0, sizeof *result);
    result->classes = model->classes.count;
    dps_status status = dps_predictor_init(&predictor, model, run, err);
    status = dps_comm_agree(run->comm, status, err);
    DPS_THEN(status, dps_row_stream_run(request, &predictor, sink, run, result, err));
    dps_predictor_release(&predictor);
    return status;
}

dps_status dps_predict(const dps_predict_request *request, const dps_run *run,
                       dps_predict_result *result, dps_error *err)
{
    double begin = dps_now();
    dps_model model;
    dps_predictor predictor;
    dps_output_file *file = NULL;

    memset(result, 0, sizeof *result);
    dps_status status = dps_prediction_load(request->model_path, run, &model, &predictor, err);
    if (status != DPS_OK) {
        return status;
    }
    result->classes = model.classes.count;
    dps_stream_sink sink = {.wants_scores = true, .context = &model};
    if (request->output == DPS_PREDICT_PROBABILITIES && model.probability == DPS_PROBABILITY_NONE) {
        status =
            dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0, "%s",
                         model.task == DPS_TASK_REGRESSION
                             ? "the model predicts numbers, which have no probabilities: leave "
                               "--proba out"
                             : "the model has no probabilities: train it with "
                               "solver.probability = on or solver.loss = logistic, or ask for "
                               "--scores");
        goto done;
    }
    status = dps_prediction_threshold(request, &model, err);
    if (status != DPS_OK) {
        goto done;
    }
    if (request->output != DPS_PREDICT_NONE) {
        const bool numbers =
            model.task == DPS_TASK_REGRESSION || request->output == DPS_PREDICT_SCORES;
        sink.render = numbers                                 ? render_scores
                      : request->output == DPS_PREDICT_LABELS ? render_labels
                                                              : render_probabilities;
        status = dps_prediction_output(request, run, &file, err);
        if (status != DPS_OK) {
            goto done;
        }
        sink.file = file;
    }
    status = dps_row_stream_run(request, &predictor, &sink, run, result, err);
    DPS_THEN(status, dps_prediction_commit(&file, run, result, err));
    if (status == DPS_OK) {
        dps_prediction_warn(result, &model, "", run);
    }
done:
    dps_output_abandon(file);
    dps_predictor_release(&predictor);
    dps_model_release(&model);
    result->seconds = dps_now() - begin;
    return status;
}
