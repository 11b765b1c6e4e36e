/* `dpsvm export`: a model as C source or as an ONNX graph. */
#include "export.h"
#include "output_file.h"
#include "session.h"

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
    if (request.c_path != NULL && request.onnx_path != NULL) {
        DPS_TRY(dps_output_apart(request.c_path, "--c", request.onnx_path, "--onnx", err));
    }
    return dps_export(&request, &session->run, err);
}
