/* `dpsvm evaluate`: metrics of a model on labelled rows. */
#include <string.h>
#include "evaluate.h"
#include "evaluation_plot.h"
#include "evaluation_report.h"
#include "importance.h"
#include "prediction_request.h"
#include "ranks.h"

enum { REPEATS = 5 };

/* --importance reads its rows again, on the first process alone. */
static dps_status find_importance(const dps_session *session, const dps_predict_request *request,
                                  const dps_evaluation *evaluation, dps_importance *importance,
                                  dps_error *err)
{
    dps_predict_request same = *request;
    dps_run alone = session->run;
    alone.comm = NULL;
    if (evaluation->chosen) { /* rows are told apart as they were */
        same.has_threshold = true;
        same.by_probability = false;
        same.threshold = evaluation->threshold;
    }
    return dps_importance_find(&same, REPEATS, (uint64_t)session->options.solver_seed, &alone,
                               importance, err);
}

static dps_status check_importance(const dps_predict_request *request, dps_error *err)
{
    for (size_t k = 0; k < request->path_count; k++) {
        if (request->weighs_columns && strcmp(request->paths[k], "-") == 0) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "--importance reads its rows more than once: name a file");
        }
    }
    return DPS_OK;
}

/* What was found, as text, picture and report. */
static dps_status tell(const dps_session *session, const dps_predict_request *request,
                       const dps_evaluation *evaluation, dps_error *err)
{
    const char *report = session->options.output_report, *plot = session->options.output_plot;
    const bool weighs = request->weighs_columns;
    dps_importance importance = {0};
    dps_text out = {0};
    dps_status status =
        weighs ? find_importance(session, request, evaluation, &importance, err) : DPS_OK;
    if (status == DPS_OK) {
        dps_evaluation_text(evaluation, &out);
        if (weighs) {
            dps_importance_text(&importance, &out);
        }
        status = dps_print_result(&out, err);
    }
    if (status == DPS_OK && plot[0] != '\0') {
        status = dps_evaluation_plot(evaluation, plot, err);
    }
    if (status == DPS_OK && report[0] != '\0') {
        status = dps_report_evaluation(evaluation, weighs ? &importance : NULL, &session->run,
                                       report, err);
    }
    dps_importance_release(&importance);
    return status;
}

dps_status dps_command_evaluate(dps_session *session, dps_error *err)
{
    dps_predict_request request;
    dps_evaluation evaluation;
    DPS_TRY(dps_prediction_request(session, &request, err));
    request.table.model_weights = true;
    request.weighs_columns = session->arguments.flag[DPS_FLAG_IMPORTANCE] != NULL;
    request.draws = session->options.output_plot[0] != '\0';
    DPS_TRY(check_importance(&request, err));
    DPS_TRY(dps_evaluate(&request, &session->run, &evaluation, err));
    const dps_status status =
        dps_ranks_silent(session) ? DPS_OK : tell(session, &request, &evaluation, err);
    dps_evaluation_release(&evaluation);
    return status;
}
