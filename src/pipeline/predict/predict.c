/* Task: `dpsvm predict`: model + rows -> one line a row, labels or decision values.
 * Labels are the classes' texts as the training data spelt them. Decision values: two classes one
 * column, whose sign is positive for the second class; more classes a column a class, in class
 * order. Regression: the predicted number. As csv: a header, and label and figures of each class.
 * Digits read back as the same double. */
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
        render_id(rows, i, out);
        dps_text_add(out, model->classes.text[dps_stream_class(rows, i)]);
        dps_text_append(out, "\n", 1);
    }
}

static double score_of(const dps_stream_rows *rows, int32_t i, int32_t k)
{
    return rows->scores[(size_t)k * DPS_TILE_ROWS + (size_t)i];
}

/* The decision value of a class: of two, the model's for the second one. */
static double value_of(const dps_stream_rows *rows, int32_t i, int32_t class)
{
    const bool two = rows->model->classes.count == 2;
    return two ? (class == 1 ? score_of(rows, i, 0) : -score_of(rows, i, 0))
               : score_of(rows, i, class);
}

static void add_number(dps_text *out, const char *before, double value)
{
    char number[DPS_NUMBER_MAX];
    dps_text_add(out, before);
    dps_text_append(out, number, dps_format_double(number, value));
}

static void render_scores(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    const int32_t only = rows->decision.positive;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        render_id(rows, i, out);
        for (int32_t k = 0; k < model->models && only < 0; k++) {
            add_number(out, k > 0 ? " " : "", score_of(rows, i, k));
        }
        if (only >= 0) {
            add_number(out, "", value_of(rows, i, only));
        }
        dps_text_append(out, "\n", 1);
    }
}

/* A column a class, in class order, or the one that was named. */
static void render_probabilities(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    const int32_t only = rows->decision.positive;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        render_id(rows, i, out);
        dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, rows->chances);
        for (int32_t k = 0; k < model->classes.count; k++) {
            if (only < 0 || k == only) {
                add_number(out, k > 0 && only < 0 ? " " : "", rows->chances[k]);
            }
        }
        dps_text_append(out, "\n", 1);
    }
}

/* ---- csv ------------------------------------------------------------------------------------- */

/* Probabilities where the model has them and nobody asked for scores. */
static bool csv_has_chances(const dps_model *model, dps_predict_output output)
{
    return output != DPS_PREDICT_SCORES && model->probability != DPS_PROBABILITY_NONE;
}

static void head_csv(const dps_model *model, const dps_predict_request *request, bool ids,
                     dps_text *out)
{
    const char *figure = csv_has_chances(model, request->output) ? "probability_" : "score_";
    dps_text_add(out, ids ? "id," : "");
    dps_text_add(out, model->task == DPS_TASK_REGRESSION ? "prediction" : "label");
    for (int32_t k = 0; k < model->classes.count; k++) {
        dps_text name = {0};
        if (request->positive != NULL && strcmp(request->positive, model->classes.text[k]) != 0) {
            continue;
        }
        dps_text_format(&name, "%s%s", figure, model->classes.text[k]);
        dps_text_add(out, ",");
        dps_text_csv(out, name.data == NULL ? "" : name.data, name.length);
        out->failed = out->failed || name.failed;
        dps_text_release(&name);
    }
    dps_text_add(out, "\n");
}

static void render_csv(const dps_stream_rows *rows, dps_text *out, bool chances)
{
    const dps_model *model = rows->model;
    const int32_t only = rows->decision.positive;
    for (int32_t i = 0; i < rows->z->rows; i++) {
        size_t length;
        const char *id = dps_stream_id(rows, i, &length);
        if (id != NULL) {
            dps_text_csv(out, id, length);
            dps_text_add(out, ",");
        }
        if (model->task == DPS_TASK_REGRESSION) {
            add_number(out, "", score_of(rows, i, 0));
        } else {
            const char *label = model->classes.text[dps_stream_class(rows, i)];
            dps_text_csv(out, label, strlen(label));
        }
        if (chances) {
            dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, rows->chances);
        }
        for (int32_t k = 0; k < model->classes.count; k++) {
            if (only < 0 || k == only) {
                add_number(out, ",", chances ? rows->chances[k] : value_of(rows, i, k));
            }
        }
        dps_text_add(out, "\n");
    }
}

static void render_csv_chances(const dps_stream_rows *rows, dps_text *out)
{
    render_csv(rows, out, true);
}

static void render_csv_scores(const dps_stream_rows *rows, dps_text *out)
{
    render_csv(rows, out, false);
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
        if (p->request->csv) {
            sink.head = head_csv;
            sink.render =
                csv_has_chances(&p->model, output) ? render_csv_chances : render_csv_scores;
        }
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
