/* `dpsvm transform`: the mapped rows. */
#include "prediction_request.h"
#include "transform.h"

#include <string.h>
#include <unistd.h>

static dps_status read_format(const char *name, dps_transform_format *format, dps_error *err)
{
    unsigned value = DPS_TRANSFORM_LIBSVM;
    const bool known =
        name == NULL || dps_name_find(dps_transform_format_names, name, strlen(name), &value);
    *format = value;
    if (known) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_CONFIG,
                         "--format %s: expected libsvm, csv or npy (that of the input is "
                         "--data.format)",
                         DPS_QUOTE(name, strlen(name), 40));
}

dps_status dps_command_transform(dps_session *session, dps_error *err)
{
    dps_predict_request request;
    dps_predict_result result;
    dps_transform_format format;
    DPS_TRY(read_format(session->arguments.flag[DPS_FLAG_FORMAT], &format, err));
    DPS_TRY(dps_prediction_request(session, &request, err));
    if (strcmp(request.output_path, "-") == 0 && isatty(STDOUT_FILENO)) {
        session->terminal.log.progress = NULL; /* results scroll by instead */
    }
    request.output = DPS_PREDICT_NONE;
    DPS_TRY(dps_transform(&request, format, &session->run, &result, err));
    return dps_prediction_finish(session, &result, false, err);
}
