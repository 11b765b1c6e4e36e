/* Task: an input of files: its source, whose first bytes say what it is. Where the first file is
 * short the others go on, so that rows cut into files are understood as the same rows in one. */
#include <string.h>
#include <sys/stat.h>
#include "input_private.h"
#include "source.h"

/* Bytes of a file that are no rows: as the first file's head was understood, if it was. */
static size_t head_of(const dps_input *input, const dps_chunk *start)
{
    return dps_arff_is(start->bytes, start->length)
               ? dps_arff_header_bytes(start->bytes, start->length)
               : dps_layout_head(&input->layout, start->bytes, start->length);
}

/* Adds the rows that a file begins with, up to DPS_LOOK_BYTES in all; false: what comes behind it
 * cannot be known, as it is a pipe, or a file that an error will be about when it is read. */
static bool add_start(const dps_input *input, const char *path, dps_text *rows)
{
    struct stat info;
    dps_source *source = NULL;
    dps_chunk start = {0};
    dps_error passed_over;
    const bool found = stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                       dps_source_open(&source, &path, 1, &passed_over) == DPS_OK &&
                       dps_source_look(source, &start, &passed_over) == DPS_OK;
    if (found && start.length > 0) {
        const size_t head = head_of(input, &start), left = DPS_LOOK_BYTES - rows->length;
        if (rows->data[rows->length - 1] != '\n') {
            dps_text_add(rows, "\n");
        }
        dps_text_append(rows, start.bytes + head,
                        start.length - head < left ? start.length - head : left);
    }
    dps_source_close(source);
    return found && !rows->failed;
}

static dps_status understand_anew(dps_input *input, const dps_chunk *rows,
                                  const dps_read_options *options, dps_error *err)
{
    dps_source *source = input->source;
    dps_input_release(input);
    const dps_status status = dps_input_begin(input, options, err);
    input->source = source;
    return status == DPS_OK ? dps_input_understand(input, rows, NULL, err) : status;
}

/* Understands the input by the first rows of all files, which begin with `first`; *status is what
 * came of the first file alone. That holds where lines of another file would belong to its head. */
static void understand_all(dps_input *input, const dps_chunk *first,
                           const dps_read_options *options, dps_status *status, dps_error *err)
{
    dps_source *source = input->source;
    dps_text rows = {0};
    dps_text_append(&rows, first->bytes, first->length);
    for (int32_t k = first->file_index + 1;
         k < dps_source_file_count(source) && rows.length < DPS_LOOK_BYTES && !rows.failed; k++) {
        if (!add_start(input, dps_source_file(source, k), &rows)) {
            break;
        }
    }
    if (rows.length > first->length && !rows.failed) {
        dps_chunk all = *first;
        all.bytes = rows.data;
        all.length = rows.length;
        *status = understand_anew(input, &all, options, err);
        if (*status == DPS_OK && head_of(input, &all) > first->length) {
            *status = understand_anew(input, first, options, err);
        }
    }
    dps_text_release(&rows);
}

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
    const bool opened = status == DPS_OK;
    DPS_THEN(status, dps_input_understand(input, &first, known, err));
    if (opened && known == NULL && first.length > 0 && first.length < DPS_LOOK_BYTES &&
        !dps_npy_is(first.bytes, first.length)) {
        understand_all(input, &first, options, &status, err);
    }
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
