/* Task: `dpsvm predict`: model + rows -> one line a row, labels or decision values.
 * Labels are the classes' texts as the training data spelt them. Decision values: two classes one
 * column, whose sign is positive for the second class; more classes a column a class, in class
 * order. Regression: the predicted number. Digits read back as the same double. */
#include <string.h>
#include "probability.h"
#include "comm.h"
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

static void render_labels(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        int32_t k = dps_predicted_class(model->classes.count, rows->threshold, rows->scores, i);
        render_id(rows, i, out);
        dps_text_add(out, model->classes.text[k]);
        dps_text_append(out, "\n", 1);
    }
}

static void render_scores(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
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
static void render_probabilities(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    char number[DPS_NUMBER_MAX];
    for (int32_t i = 0; i < rows->z->rows; i++) {
        render_id(rows, i, out);
        dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, rows->chances);
        for (int32_t k = 0; k < model->classes.count; k++) {
            dps_text_append(out, " ", k > 0 ? 1 : 0);
            dps_text_append(out, number, dps_format_double(number, rows->chances[k]));
        }
        dps_text_append(out, "\n", 1);
    }
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

static dps_status write_rows(dps_prediction *p, void *context, dps_error *err)
{
    const dps_predict_output output = p->request->output;
    dps_stream_sink sink = {.wants_scores = true};
    (void)context;
    if (output != DPS_PREDICT_NONE) {
        const bool numbers = p->model.task == DPS_TASK_REGRESSION || output == DPS_PREDICT_SCORES;
        sink.render = numbers                        ? render_scores
                      : output == DPS_PREDICT_LABELS ? render_labels
                                                     : render_probabilities;
        DPS_TRY(dps_prediction_open(p, err));
        sink.file = p->file;
    }
    return dps_row_stream_run(p->request, &p->predictor, &sink, p->run, p->result, err);
}

dps_status dps_predict(const dps_predict_request *request, const dps_run *run,
                       dps_predict_result *result, dps_error *err)
{
    return dps_prediction_run(request, run, write_rows, NULL, result, err);
}
