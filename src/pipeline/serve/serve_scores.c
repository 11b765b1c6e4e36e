/* Task: scores of a block of rows to the answers of the public interface; the life of a scorer. */
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "probability.h"
#include "serve.h"

int dpsvm_scorer_new(dpsvm_scorer **out, const dpsvm_model *model, dpsvm_error *error)
{
    dps_error err;
    dps_status status = DPS_OK;
    const size_t scores = (size_t)model->model.models * DPS_TILE_ROWS;
    dpsvm_scorer *scorer = dps_alloc(1, sizeof *scorer);
    *out = NULL;
    if (scorer == NULL) {
        return dps_serve_told(dps_out_of_memory(&err, 1, sizeof *scorer, "a scorer"), &err, -1,
                              error);
    }
    scorer->model = model;
    scorer->decision = (dps_decision){.positive = -1};
    scorer->scores = dps_alloc(scores, sizeof *scorer->scores);
    scorer->chances = dps_alloc((size_t)model->model.classes.count, sizeof *scorer->chances);
    if (scorer->scores == NULL || scorer->chances == NULL) {
        status = dps_out_of_memory(&err, scores, sizeof *scorer->scores, "a scorer");
    }
    DPS_THEN(status, dps_block_work_init(&scorer->work, &model->predictor, &err));
    if (status == DPS_OK) {
        *out = scorer;
    } else {
        dpsvm_scorer_free(scorer);
    }
    return dps_serve_told(status, &err, -1, error);
}

void dpsvm_scorer_free(dpsvm_scorer *scorer)
{
    if (scorer == NULL) {
        return;
    }
    dps_block_work_release(&scorer->work);
    dps_row_block_release(&scorer->block);
    dps_row_block_release(&scorer->parsed);
    dps_serve_text_release(&scorer->lines);
    dps_serve_text_release(&scorer->values);
    dps_text_release(&scorer->text);
    dps_free(scorer->scores);
    dps_free(scorer->chances);
    dps_free(scorer);
}

static dps_status no_probabilities(const dps_model *model, dps_error *err)
{
    return dps_error_set(err, DPS_ERROR_CONFIG, "%s",
                         model->task == DPS_TASK_REGRESSION
                             ? "the model predicts numbers, which have no probabilities"
                             : "the model has no probabilities: train it with solver.probability "
                               "= on or solver.loss = logistic");
}

static dps_status set_threshold(dpsvm_scorer *scorer, int32_t k, double threshold,
                                bool by_probability, dps_error *err)
{
    const dps_model *model = &scorer->model->model;
    if (model->classes.count != 2) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "a threshold is for models of two classes, this one %s",
                             model->task == DPS_TASK_REGRESSION ? "predicts numbers" : "has more");
    }
    if (k < 0 || k > 1 || !isfinite(threshold)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "expected class 0 or 1 and a finite threshold, found %ld and %g",
                             (long)k, threshold);
    }
    if (by_probability && model->probability == DPS_PROBABILITY_NONE) {
        return no_probabilities(model, err);
    }
    scorer->decision = (dps_decision){k, threshold, by_probability};
    return DPS_OK;
}

int dpsvm_scorer_threshold(dpsvm_scorer *scorer, int32_t k, double threshold,
                           int32_t by_probability, dpsvm_error *error)
{
    dps_error err;
    return dps_serve_told(set_threshold(scorer, k, threshold, by_probability != 0, &err), &err, -1,
                          error);
}

int64_t dpsvm_scorer_unknown(const dpsvm_scorer *scorer)
{
    return scorer->unknown;
}

dps_status dps_serve_check(const dpsvm_scorer *scorer, const dpsvm_answers *answers, dps_error *err)
{
    const dps_model *model = &scorer->model->model;
    return answers->probability != NULL && model->probability == DPS_PROBABILITY_NONE
               ? no_probabilities(model, err)
               : DPS_OK;
}

/* Answers of `rows` rows from row `first` of the call on. */
static void hand_out(dpsvm_scorer *scorer, int64_t first, int32_t rows,
                     const dpsvm_answers *answers)
{
    const dps_model *model = &scorer->model->model;
    const size_t models = (size_t)model->models, classes = (size_t)model->classes.count;
    for (int32_t i = 0; i < rows; i++) {
        const size_t row = (size_t)(first + i);
        const double *scores = scorer->scores + i;
        if (answers->label != NULL && classes > 0) {
            answers->label[row] =
                dps_decided_class(model, &scorer->decision, scorer->scores, i, scorer->chances);
        }
        for (size_t k = 0; answers->score != NULL && k < models; k++) {
            answers->score[row * models + k] = scores[k * DPS_TILE_ROWS];
        }
        if (answers->probability != NULL) {
            dps_model_probabilities(model, scores, DPS_TILE_ROWS,
                                    answers->probability + row * classes);
        }
    }
}

dps_status dps_serve_block(dpsvm_scorer *scorer, const dps_row_block *block, int64_t first,
                           const dpsvm_answers *answers, int64_t *row, dps_error *err)
{
    const dps_status status = dps_block_scores(&scorer->model->predictor, &scorer->work, block,
                                               first, scorer->scores, err);
    if (status != DPS_OK) {
        *row = scorer->work.failed >= 0 ? first + scorer->work.failed : -1;
        return status;
    }
    scorer->unknown += scorer->work.rows.unknown;
    hand_out(scorer, first, (int32_t)block->rows, answers);
    return DPS_OK;
}
