/* `dpsvm predict`: one line a row, in input order. */
#include "predict.h"
#include "prediction_request.h"

#include <string.h>
#include <unistd.h>

dps_status dps_command_predict(dps_session *session, dps_error *err)
{
    dps_predict_request request;
    dps_predict_result result;
    const char *format = session->arguments.flag[DPS_FLAG_FORMAT];
    const bool csv = format != NULL && strcmp(format, "csv") == 0;
    if (format != NULL && !csv && strcmp(format, "text") != 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--format %s: expected text or csv (that of the input is "
                             "--data.format)",
                             DPS_QUOTE(format, strlen(format), 40));
    }
    DPS_TRY(dps_prediction_request(session, &request, err));
    request.csv = csv;
    if (strcmp(request.output_path, "-") == 0 && isatty(STDOUT_FILENO)) {
        session->terminal.log.progress = NULL; /* results scroll by instead */
    }
    request.table.model_weights = true;
    DPS_TRY(dps_predict(&request, &session->run, &result, err));
    return dps_prediction_finish(session, &result, true, err);
}
