/* Task: every place a training run will write to, and the files it reads last, tried before the
 * work begins: a long training is not lost to a folder that does not exist. */
#include <string.h>
#include "output_file.h"
#include "output_places.h"
#include "source.h"
#include "training_places.h"

/* What a run writes. The first ones are not tried here: run.log is opened by the command line, and
 * a cache that cannot be written costs the cache only. */
enum { OUTPUTS = 7, FIRST_TRIED = 2 };

static void list_outputs(const dps_options *options, dps_place list[OUTPUTS])
{
    const dps_place all[OUTPUTS] = {{options->run_log, "run.log"},
                                    {options->data_cache, "data.cache"},
                                    {options->run_checkpoint, "run.checkpoint"},
                                    {options->output_model, "output.model"},
                                    {options->output_report, "output.report"},
                                    {options->output_curve, "output.curve"},
                                    {options->output_plot, "output.plot"}};
    memcpy(list, all, sizeof all);
}

static dps_status check_checkpoint(const dps_options *options, bool searches, dps_error *err)
{
    const char *path = options->run_checkpoint;
    if (path[0] == '\0' && options->run_time_limit > 0 && !searches) {
        return dps_options_error(options, DPS_OPT_run_time_limit, err,
                                 "a run that ends early must be saved: name a file, as in "
                                 "run.checkpoint = state.ckpt");
    }
    return strcmp(path, "-") == 0
               ? dps_options_error(options, DPS_OPT_run_checkpoint, err, "expected a file")
               : DPS_OK;
}

static dps_status probe_outputs(const dps_place list[OUTPUTS], dps_error *err)
{
    for (int o = FIRST_TRIED; o < OUTPUTS; o++) {
        if (list[o].path[0] != '\0') {
            DPS_TRY(dps_output_probe(list[o].path, list[o].option, err));
        }
    }
    return DPS_OK;
}

/* That files can be opened that are read when the work is done. */
static dps_status probe_input(const char *const *paths, size_t count, dps_error *err)
{
    dps_source *source;
    if (count == 0) {
        return DPS_OK;
    }
    const dps_status status = dps_source_open(&source, paths, count, err);
    dps_source_close(source);
    return status;
}

dps_status dps_training_probe_places(const dps_options *options, const char *validation,
                                     bool searches, dps_error *err)
{
    const dps_list *tests = &options->data_test;
    dps_place list[OUTPUTS];
    list_outputs(options, list);
    DPS_TRY(check_checkpoint(options, searches, err));
    DPS_TRY(probe_outputs(list, err));
    DPS_TRY(dps_output_places_apart(options, list, OUTPUTS, err));
    DPS_TRY(probe_input((const char *const *)tests->item, tests->count, err));
    return probe_input(&validation, *validation != '\0', err);
}
