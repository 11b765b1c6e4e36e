/* `dpsvm export`: a model as C source or as an ONNX graph. */
#include <string.h>

#include "export.h"
#include "output_file.h"
#include "session.h"

/* No output may replace the model or the other output. */
static dps_status keep_files_apart(const dps_export_request *request, dps_error *err)
{
    const char *const path[] = {request->c_path, request->onnx_path};
    static const char *const option[] = {"--c", "--onnx"};
    if (path[0] != NULL && path[1] != NULL) {
        DPS_TRY(dps_output_apart(path[0], option[0], path[1], option[1], err));
    }
    for (int k = 0; k < 2; k++) {
        if (path[k] != NULL && strcmp(request->model_path, "-") != 0) {
            DPS_TRY(dps_output_apart(path[k], option[k], request->model_path, "the model", err));
        }
    }
    return DPS_OK;
}

dps_status dps_command_export(dps_session *session, dps_error *err)
{
    const char *const *flag = session->arguments.flag;
    const dps_export_request request = {.model_path = session->arguments.operand[0],
                                        .c_path = flag[DPS_FLAG_C],
                                        .onnx_path = flag[DPS_FLAG_ONNX],
                                        .name = flag[DPS_FLAG_NAME],
                                        .force = flag[DPS_FLAG_FORCE] != NULL};
    if (request.c_path == NULL && request.onnx_path == NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--c FILE.c or --onnx FILE is missing: where the model goes; - is "
                             "standard output");
    }
    DPS_TRY(keep_files_apart(&request, err));
    return dps_export(&request, &session->run, err);
}
