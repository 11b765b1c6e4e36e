/* `dpsvm info`: what is inside a model. */
#include "describe.h"
#include "describe_weights.h"
#include "self_test.h"
#include "session.h"

dps_status dps_command_info(dps_session *session, dps_error *err)
{
    const char *path = session->arguments.operand[0];
    dps_model model;
    dps_text text = {0};
    const char *const *flag = session->arguments.flag;
    if ((flag[DPS_FLAG_VERIFY] != NULL) + (flag[DPS_FLAG_WEIGHTS] != NULL) +
            (flag[DPS_FLAG_JSON] != NULL) >
        1) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--json, --weights and --verify say different things: give one");
    }
    DPS_TRY(dps_model_load(&model, path, err));
    dps_status status =
        flag[DPS_FLAG_VERIFY] != NULL ? dps_self_test_verify(&model, &session->run, &text, err)
        : flag[DPS_FLAG_WEIGHTS] != NULL
            ? dps_describe_weights(&model, path, &text, err)
            : dps_describe_model(&model, path, flag[DPS_FLAG_JSON] != NULL, &text, err);
    DPS_THEN(status, dps_print_result(&text, err));
    dps_text_release(&text);
    dps_model_release(&model);
    return status;
}
