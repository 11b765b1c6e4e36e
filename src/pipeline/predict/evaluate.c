/* Task: `dpsvm evaluate`: model + labelled rows -> metrics. The rows go the way of predict; every
 * labelled row leaves one record, in input order. */
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "probability.h"
#include "comm.h"
#include "evaluate.h"
#include "job_limits.h"
#include "prediction_steps.h"
#include "row_stream.h"

/* A row with a label. */
typedef struct weighted_row {
    dps_scored scored;
    double weight;
} weighted_row;

static void render_record(const void *context, const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = context;
    double *p = dps_alloc((size_t)model->classes.count, sizeof *p);
    out->failed = out->failed || p == NULL;
    for (int32_t i = 0; p != NULL && i < rows->z->rows; i++) {
        size_t length;
        const char *label = dps_stream_label(rows, i, &length);
        if (length == 0) {
            continue;
        }
        weighted_row record;
        memset(&record, 0, sizeof record);
        dps_scored *scored = &record.scored;
        record.weight = dps_stream_weight(rows, i);
        scored->score = rows->scores[i];
        scored->loss = NAN;
        scored->label = dps_class_find(&model->classes, label, length);
        scored->guess = dps_predicted_class(model->classes.count, rows->threshold, rows->scores, i);
        if (model->probability != DPS_PROBABILITY_NONE && scored->label >= 0) {
            dps_model_probabilities(model, rows->scores + i, DPS_TILE_ROWS, p);
            scored->loss = dps_probability_loss(p[scored->label]);
        }
        dps_text_append(out, (const char *)&record, sizeof record);
    }
    dps_free(p);
}

static dps_status no_labels(const dps_predict_request *request, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_DATA, request->paths[0], 0, 0,
                        "no row has a label, so there is nothing to compare predictions with; "
                        "predict needs none");
}

static dps_status measure(const dps_model *model, const dps_text *records,
                          dps_evaluation *evaluation, dps_error *err)
{
    const size_t rows = records->length / sizeof(weighted_row);
    dps_scored *row = dps_alloc(rows, sizeof *row);
    double *weight = dps_alloc(rows, sizeof *weight);
    dps_status status = DPS_OK;
    if (row == NULL || weight == NULL) {
        status = dps_out_of_memory(err, rows, sizeof(weighted_row), "the scored rows");
    }
    for (size_t i = 0; i < rows && status == DPS_OK; i++) {
        weighted_row record;
        memcpy(&record, records->data + i * sizeof record, sizeof record);
        row[i] = record.scored;
        weight[i] = record.weight;
    }
    DPS_THEN(status, dps_metrics_init(&evaluation->metrics, model->classes.count, row, weight,
                                      (int64_t)rows, err));
    dps_free(row);
    dps_free(weight);
    return status;
}

dps_status dps_evaluate(const dps_predict_request *request, const dps_run *run,
                        dps_evaluation *evaluation, dps_error *err)
{
    double begin = dps_now();
    dps_model model;
    dps_predictor predictor;
    dps_text records = {0};

    memset(evaluation, 0, sizeof *evaluation);
    DPS_TRY(dps_prediction_load(request->model_path, run, &model, &predictor, err));
    const bool regression = model.task == DPS_TASK_REGRESSION;
    evaluation->rows.classes = model.classes.count;
    dps_stream_sink sink = {.wants_scores = true,
                            .render = regression ? NULL : render_record,
                            .context = &model,
                            .collect = &records};
    dps_status status = dps_prediction_threshold(request, &model, err);
    DPS_THEN(status, dps_row_stream_run(request, &predictor, &sink, run, &evaluation->rows, err));
    if (status == DPS_OK && evaluation->rows.labelled == 0) {
        status = no_labels(request, err);
    }
    if (status == DPS_OK && !regression && dps_comm_rank(run->comm) == 0) {
        status = measure(&model, &records, evaluation, err);
    }
    status = dps_comm_agree(run->comm, status, err);
    if (status == DPS_OK) {
        dps_prediction_warn(&evaluation->rows, &model, "", run);
        evaluation->classes = model.classes;
        memset(&model.classes, 0, sizeof model.classes);
    }
    dps_text_release(&records);
    dps_predictor_release(&predictor);
    dps_model_release(&model);
    evaluation->rows.seconds = dps_now() - begin;
    if (status != DPS_OK) {
        dps_evaluation_release(evaluation);
    }
    return status;
}

void dps_evaluation_release(dps_evaluation *evaluation)
{
    dps_metrics_release(&evaluation->metrics);
    dps_class_table_release(&evaluation->classes);
}
