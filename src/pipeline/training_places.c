/* Task: every place a training run will write to, and the files it reads last, tried before the
 * work begins: a long training is not lost to a folder that does not exist. */
#include <string.h>
#include "output_file.h"
#include "training.h"

/* No output may replace an input. */
static dps_status keep_files_apart(const dps_list *files, const char *option,
                                   const dps_options *options, dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < files->count && status == DPS_OK; k++) {
        if (strcmp(files->item[k], "-") == 0) {
            continue; /* standard input */
        }
        const char *const outputs[][2] = {{options->output_model, "output.model"},
                                          {options->output_report, "output.report"},
                                          {options->run_checkpoint, "run.checkpoint"},
                                          {options->run_log, "run.log"}};
        for (size_t o = 0; o < sizeof outputs / sizeof outputs[0] && status == DPS_OK; o++) {
            status = dps_output_apart(outputs[o][0], outputs[o][1], files->item[k], option, err);
        }
    }
    return status;
}

/* The checkpoint's place, apart from those of the other outputs. */
static dps_status probe_checkpoint(const dps_options *options, dps_error *err)
{
    const char *path = options->run_checkpoint;
    if (path[0] == '\0') {
        return options->run_time_limit == 0
                   ? DPS_OK
                   : dps_options_error(options, DPS_OPT_run_time_limit, err,
                                       "a run that ends early must be saved: name a file, as in "
                                       "run.checkpoint = state.ckpt");
    }
    if (strcmp(path, "-") == 0) {
        return dps_options_error(options, DPS_OPT_run_checkpoint, err, "expected a file");
    }
    dps_status status = dps_output_probe(path, "run.checkpoint", err);
    const char *const others[][2] = {{options->output_model, "output.model"},
                                     {options->output_report, "output.report"},
                                     {options->run_log, "run.log"}};
    for (size_t o = 0; o < sizeof others / sizeof others[0] && status == DPS_OK; o++) {
        status = dps_output_apart(others[o][0], others[o][1], path, "run.checkpoint", err);
    }
    return status;
}

/* Outputs, and the files that are read last, are tried before the work begins. */
dps_status dps_training_probe_places(const dps_options *options, const char *validation,
                                     dps_error *err)
{
    const dps_list *tests = &options->data_test;
    dps_status status = dps_output_probe(options->output_model, "output.model", err);
    if (status == DPS_OK && options->output_report[0] != '\0') {
        status = dps_output_probe(options->output_report, "output.report", err);
    }
    if (status == DPS_OK) {
        status = dps_output_apart(options->output_report, "output.report", options->output_model,
                                  "output.model", err);
    }
    if (status == DPS_OK) {
        status = probe_checkpoint(options, err);
    }
    if (status == DPS_OK) {
        status = keep_files_apart(&options->data_train, "data.train", options, err);
    }
    if (status == DPS_OK) {
        status = keep_files_apart(tests, "data.test", options, err);
    }
    if (status == DPS_OK && tests->count > 0) {
        dps_source *source;
        status = dps_source_open(&source, (const char *const *)tests->item, tests->count, err);
        dps_source_close(source);
    }
    if (status == DPS_OK && *validation != '\0') {
        dps_source *source;
        status = dps_source_open(&source, &validation, 1, err);
        dps_source_close(source);
    }
    return status;
}
