/* `dpsvm evaluate`: metrics of a model on labelled rows. */
#include "evaluate.h"
#include "evaluation_plot.h"
#include "evaluation_report.h"
#include "prediction_request.h"
#include "ranks.h"

dps_status dps_command_evaluate(dps_session *session, dps_error *err)
{
    const char *report = session->options.output_report;
    dps_predict_request request;
    dps_evaluation evaluation;
    dps_text out = {0};
    dps_status status = DPS_OK;
    DPS_TRY(dps_prediction_request(session, &request, err));
    request.table.model_weights = true;
    DPS_TRY(dps_evaluate(&request, &session->run, &evaluation, err));
    if (!dps_ranks_silent(session)) {
        dps_evaluation_text(&evaluation, &out);
        status = dps_print_result(&out, err);
        const char *plot = session->options.output_plot;
        if (status == DPS_OK && plot[0] != '\0') {
            status = dps_evaluation_plot(&evaluation, plot, err);
        }
        if (status == DPS_OK && report[0] != '\0') {
            status = dps_report_evaluation(&evaluation, &session->run, report, err);
        }
    }
    dps_evaluation_release(&evaluation);
    return status;
}
