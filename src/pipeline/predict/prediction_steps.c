/* Task: what every use of a model on files begins and ends with: loading, places, warnings. */
#include "prediction_steps.h"

#include <string.h>
#include "comm.h"
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

dps_status dps_prediction_threshold(const dps_predict_request *request, const dps_model *model,
                                    dps_error *err)
{
    if (request->threshold == 0.0 || model->classes.count == 2) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                        "--threshold is for models of two classes, this one %s: leave it out",
                        model->task == DPS_TASK_REGRESSION ? "predicts numbers" : "has more");
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

dps_status dps_prediction_output(const dps_predict_request *request, const dps_run *run,
                                 dps_output_file **file, dps_error *err)
{
    dps_status status = DPS_OK;
    *file = NULL;
    if (dps_comm_rank(run->comm) == 0) {
        status = dps_output_open(file, request->output_path, err);
    }
    return dps_comm_agree(run->comm, status, err);
}

dps_status dps_prediction_commit(dps_output_file **file, const dps_run *run,
                                 dps_predict_result *result, dps_error *err)
{
    const double begin = dps_now();
    const dps_status status = *file == NULL ? DPS_OK : dps_output_commit(*file, err);
    *file = NULL;
    result->stage[DPS_STAGE_WRITE].seconds += dps_now() - begin;
    return dps_comm_agree(run->comm, status, err);
}
