/* Task: a long training is not lost to a test file that has other columns, or is not what it was
 * taken for. Cost: 256 KiB of each file parsed. */
#include "training_inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "comm.h"
#include "input.h"
#include "table_settings.h"

static bool read_twice(const char *const *paths, size_t count)
{
    struct stat info;
    for (size_t k = 0; k < count; k++) {
        if (strcmp(paths[k], "-") == 0 || (stat(paths[k], &info) == 0 && !S_ISREG(info.st_mode))) {
            return false;
        }
    }
    return true;
}

static dps_status parse_first(const dps_input *input, dps_error *err)
{
    dps_chunk chunk = {0};
    dps_row_block block = {0};
    bool end = false;
    dps_status status = dps_source_next(input->source, &chunk, &end, err);
    if (status == DPS_OK && !end) {
        status = input->format->parse(&input->read, &chunk, &block, err);
        if (status != DPS_OK && err != NULL && err->file[0] == '\0') {
            snprintf(err->file, sizeof err->file, "%s", chunk.file);
        }
    }
    dps_row_block_release(&block);
    dps_chunk_release(&chunk);
    return status;
}

static dps_status try_files(const dps_training *t, const char *const *paths, size_t count,
                            dps_error *err)
{
    dps_input input;
    dps_read_options read = {.format = t->options->data_format,
                             .zero_based = t->options->data_zero_based,
                             .labels = DPS_LABELS_OPTIONAL,
                             .table = dps_settings_table(t->options)};
    if (count == 0 || !read_twice(paths, count)) {
        return DPS_OK;
    }
    read.table.model_weights = true;
    read.table.regression = t->settings.loss->regression;
    DPS_TRY(dps_input_open(&input, paths, count, &read, &t->data.table, 0, t->run, err));
    const dps_status status = parse_first(&input, err);
    dps_input_close(&input);
    return status;
}

dps_status dps_training_try_inputs(dps_training *t, dps_error *err)
{
    const dps_list *tests = &t->options->data_test;
    const char *validation = t->settings.validation_file;
    if (dps_comm_rank(t->run->comm) > 0) {
        return DPS_OK;
    }
    DPS_TRY(try_files(t, &validation, *validation != '\0', err));
    return try_files(t, (const char *const *)tests->item, tests->count, err);
}
