/* Task: what every use of a model on files begins and ends with: loading, places, warnings. */
#include "prediction_steps.h"

#include <string.h>
#include "comm.h"
#include "evaluate.h"
#include "importance.h"
#include "job_limits.h"

/* Whether the map's error grows with the norm of a row: not without a map, and not for kernels of
 * the difference of two rows. */
static bool depends_on_radius(const dps_map_recipe *recipe)
{
    return recipe->type != DPS_MAP_NONE && !dps_recipe_is_shift(recipe);
}

void dps_prediction_warn(const dps_predict_result *result, const dps_model *model,
                         const char *where, const dps_run *run)
{
    const long long rows = (long long)result->rows;
    if (result->unknown > 0) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld value%s to features that training did not see; left out "
                     "(data.unknown = error refuses them)",
                     where, (long long)result->unknown,
                     result->unknown == 1 ? " belongs" : "s belong");
    }
    if (result->outside > 0 && depends_on_radius(&model->recipe)) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld of %lld rows lie outside the radius of the training rows, where the "
                     "map approximates the kernel less well",
                     where, (long long)result->outside, rows);
    }
    if (result->extra_columns > 0) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld column%s training did not see %s left out (data.unknown = error "
                     "refuses them)",
                     where, (long long)result->extra_columns,
                     result->extra_columns == 1 ? " that" : "s that",
                     result->extra_columns == 1 ? "was" : "were");
    }
    if (result->repeats > 0) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld lines that repeat the names of the columns are no rows, and have no "
                     "line in the output",
                     where, (long long)result->repeats);
    }
    if (result->foreign > 0) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld of %lld labelled rows have labels that training did not see%s%s, and "
                     "count as wrong: are they spelled as in training, and is the label's column "
                     "right (data.label_column)?",
                     where, (long long)result->foreign, (long long)result->labelled,
                     result->foreign_labels[0] != '\0' ? ", such as " : "", result->foreign_labels);
    }
    if (result->labelled > 0 && result->labelled < result->rows) {
        dps_log_text(run, DPS_WARNING,
                     "%s%lld of %lld rows have no label: only the others are compared", where,
                     rows - (long long)result->labelled, rows);
    }
}

static dps_status load(const char *path, const dps_run *run, dps_model *model,
                       dps_predictor *predictor, dps_error *err)
{
    dps_error reason;
    memset(predictor, 0, sizeof *predictor);
    DPS_TRY(dps_model_load(model, path, err));
    dps_status status = dps_predictor_init(predictor, model, run, &reason);
    if (status != DPS_OK) {
        dps_model_release(model);
        status = dps_error_at(err, status, path, 0, 0, "%s", reason.text);
    }
    return status;
}

dps_status dps_prediction_load(const char *path, const dps_run *run, dps_model *model,
                               dps_predictor *predictor, dps_error *err)
{
    const dps_status mine = load(path, run, model, predictor, err);
    const dps_status status = dps_comm_agree(run->comm, mine, err);
    if (status != DPS_OK && mine == DPS_OK) {
        dps_predictor_release(predictor);
        dps_model_release(model);
    }
    return status;
}

/* What is asked of a model that it cannot give. */
static dps_status check(const dps_predict_request *request, const dps_model *model,
                        const dps_run *run, dps_error *err)
{
    const bool numbers = model->task == DPS_TASK_REGRESSION;
    if (request->output == DPS_PREDICT_PROBABILITIES &&
        model->probability == DPS_PROBABILITY_NONE) {
        return dps_error_at(
            err, DPS_ERROR_CONFIG, request->model_path, 0, 0, "%s",
            numbers ? "the model predicts numbers, which have no probabilities: leave --proba out"
                    : "the model has no probabilities: train it with solver.probability = on or "
                      "solver.loss = logistic, or leave --proba out");
    }
    if ((request->has_threshold || request->chooses_threshold) && model->classes.count != 2) {
        return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                            "--threshold is for models of two classes, this one %s: leave it out",
                            numbers ? "predicts numbers" : "has more");
    }
    if (request->output == DPS_PREDICT_SCORES && numbers) {
        dps_log_text(run, DPS_WARNING,
                     "set without effect: --scores (the model predicts numbers, which are written "
                     "as they are)");
    }
    if (request->draws && model->classes.count > DPS_EVALUATION_PLOT_CLASSES) {
        return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                            "--plot draws up to %d classes; this model has more: leave it out",
                            DPS_EVALUATION_PLOT_CLASSES);
    }
    if (request->weighs_columns && model->recipe.type == DPS_MAP_NONE) {
        return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                            "--importance is for models with a map; this one is linear, and dpsvm "
                            "info --weights says what each column does");
    }
    if (request->weighs_columns && model->scaler.columns > DPS_IMPORTANCE_COLUMNS) {
        return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                            "--importance is for rows of at most %d columns, these have %ld: leave "
                            "it out",
                            DPS_IMPORTANCE_COLUMNS, (long)model->scaler.columns);
    }
    return DPS_OK;
}

dps_status dps_prediction_open(dps_prediction *p, dps_error *err)
{
    dps_status status = DPS_OK;
    if (dps_comm_rank(p->run->comm) == 0) {
        status = dps_output_open(&p->file, p->request->output_path, err);
    }
    return dps_comm_agree(p->run->comm, status, err);
}

static dps_status commit(dps_prediction *p, dps_error *err)
{
    const double begin = dps_now();
    const dps_status status = p->file == NULL ? DPS_OK : dps_output_commit(p->file, err);
    p->file = NULL;
    p->result->stage[DPS_STAGE_WRITE].seconds += dps_now() - begin;
    return dps_comm_agree(p->run->comm, status, err);
}

dps_status dps_prediction_run(const dps_predict_request *request, const dps_run *run,
                              dps_prediction_use use, void *context, dps_predict_result *result,
                              dps_error *err)
{
    const double begin = dps_now();
    dps_prediction p = {.request = request, .run = run, .result = result};
    memset(result, 0, sizeof *result);
    DPS_TRY(dps_prediction_load(request->model_path, run, &p.model, &p.predictor, err));
    result->classes = p.model.classes.count;
    dps_status status = check(request, &p.model, run, err);
    DPS_THEN(status, use(&p, context, err));
    DPS_THEN(status, commit(&p, err));
    if (status == DPS_OK) {
        dps_prediction_warn(result, &p.model, "", run);
    }
    dps_output_abandon(p.file);
    dps_predictor_release(&p.predictor);
    dps_model_release(&p.model);
    result->seconds = dps_now() - begin;
    return status;
}
