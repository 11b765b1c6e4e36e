/* `dpsvm version`: what a bug report needs. */
#include "build_description.h"
#include "session.h"

dps_status dps_command_version(DPS_UNUSED dps_session *session, dps_error *err)
{
    dps_text text = {0};
    dps_build_description(&text);
    return dps_print_result(&text, err);
}
