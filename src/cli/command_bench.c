/* `dpsvm bench`: what each room reaches on this machine. */
#include "bench_report.h"

#include <stdio.h>
#include <string.h>
#include "session.h"

static dps_status print_line(DPS_UNUSED void *context, const dps_bench_rate *rate, dps_error *err)
{
    dps_text line = {0};
    dps_status status = dps_bench_json(rate, &line, err);
    if (status == DPS_OK && (line.failed || printf("%s\n", line.data) < 0 || fflush(stdout) != 0)) {
        status = dps_error_set(err, DPS_ERROR_IO, "cannot write to standard output");
    }
    dps_text_release(&line);
    return status;
}

dps_status dps_command_bench(dps_session *session, dps_error *err)
{
    const dps_arguments *arguments = &session->arguments;
    const char *room = arguments->operand_count > 0 ? arguments->operand[0] : NULL;
    unsigned number;
    if (room != NULL && !dps_name_find(dps_bench_rooms, room, strlen(room), &number)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "cannot measure %s; expected data, features, linalg or solver",
                             DPS_QUOTE(room, strlen(room), 40));
    }
    dps_session_announce(session);
    return dps_bench(room == NULL ? NULL : &number, &session->run, print_line, NULL, err);
}
