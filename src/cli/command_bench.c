/* `dpsvm bench`: what each room reaches on this machine. */
#include "bench_report.h"

#include <stdio.h>
#include <string.h>
#include "session.h"

static dps_status print_text(dps_text *line, dps_error *err)
{
    dps_status status = DPS_OK;
    if (line->failed || printf("%s\n", line->data) < 0 || fflush(stdout) != 0) {
        status = dps_error_set(err, DPS_ERROR_IO, "cannot write to standard output");
    }
    dps_text_release(line);
    return status;
}

static dps_status print_line(DPS_UNUSED void *context, const dps_bench_rate *rate, dps_error *err)
{
    dps_text line = {0};
    DPS_TRY(dps_bench_json(rate, &line, err));
    return print_text(&line, err);
}

static dps_status print_scale(DPS_UNUSED void *context, const dps_scale_line *line, dps_error *err)
{
    dps_text text = {0};
    dps_scale_text(line, &text);
    return print_text(&text, err);
}

static dps_status measure_scale(dps_session *session, dps_error *err)
{
    dps_text head = {0};
    dps_session_announce(session);
    dps_scale_head(&head);
    DPS_TRY(print_text(&head, err));
    return dps_bench_scale(&session->run, print_scale, NULL, err);
}

dps_status dps_command_bench(dps_session *session, dps_error *err)
{
    const dps_arguments *arguments = &session->arguments;
    const char *room = arguments->operand_count > 0 ? arguments->operand[0] : NULL;
    unsigned number;
    if (room != NULL && strcmp(room, "scale") == 0) {
        return measure_scale(session, err);
    }
    if (room != NULL && !dps_name_find(dps_bench_rooms, room, strlen(room), &number)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "cannot measure %s; expected data, features, linalg, solver or scale",
                             DPS_QUOTE(room, strlen(room), 40));
    }
    dps_session_announce(session);
    return dps_bench(room == NULL ? NULL : &number, &session->run, print_line, NULL, err);
}
