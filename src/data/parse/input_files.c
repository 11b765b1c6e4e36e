/* Task: an input of files: its source, whose first bytes say what it is. */
#include <string.h>
#include "input_private.h"
#include "source.h"

dps_status dps_input_open(dps_input *input, const char *const *paths, size_t count,
                          const dps_read_options *options, const dps_table *known,
                          size_t line_limit, const dps_run *run, dps_error *err)
{
    dps_chunk first = {0};
    dps_status status = dps_input_begin(input, options, err);
    DPS_THEN(status, dps_source_open(&input->source, paths, count, err));
    if (status == DPS_OK) {
        if (line_limit > 0) {
            dps_source_set_line_limit(input->source, line_limit);
        }
        dps_source_set_stop(input->source, run->stop);
        if (options->eager) {
            dps_source_set_eager(input->source);
        }
        status = dps_source_look(input->source, &first, err);
    }
    DPS_THEN(status, dps_input_understand(input, &first, known, err));
    if (status == DPS_OK && input->format->columns && first.length > 0) {
        dps_source_set_head(input->source, dps_layout_head, &input->layout);
    }
    if (status != DPS_OK) {
        dps_input_close(input);
    }
    return status;
}

void dps_input_say(const dps_input *input, const dps_run *run)
{
    const char *line = input->notes.data;
    while (line != NULL && *line != '\0') {
        const bool warning = strncmp(line, "warning: ", 9) == 0; /* the log says so itself */
        line += warning ? 9 : 0;
        const int length = (int)strcspn(line, "\n");
        dps_log_text(run, warning ? DPS_WARNING : DPS_NORMAL, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
}

void dps_input_close(dps_input *input)
{
    dps_source_close(input->source);
    dps_input_release(input);
}
