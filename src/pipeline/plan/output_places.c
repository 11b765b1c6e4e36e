/* Task: no output may replace an input or another output. A slip of the pen would otherwise cost
 * the rows or the configuration. */
#include "output_places.h"

#include <string.h>
#include "output_file.h"
#include "source.h"

typedef struct places {
    const dps_place *output;
    size_t count;
} places;

static dps_status keep_apart(places outputs, const char *input, const char *option, dps_error *err)
{
    for (size_t o = 0; o < outputs.count; o++) {
        const dps_place *place = &outputs.output[o];
        DPS_TRY(dps_output_apart(place->path, place->option, input, option, err));
    }
    return DPS_OK;
}

/* A name may be a pattern, which stands for several files. */
static dps_status keep_files_apart(places outputs, const dps_list *files, const char *option,
                                   dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < files->count && status == DPS_OK; k++) {
        const char *const name = files->item[k];
        dps_source *source = NULL;
        if (strcmp(name, "-") == 0) {
            continue; /* standard input */
        }
        status = dps_source_open(&source, &name, 1, err);
        const char *path;
        for (int32_t i = 0; status == DPS_OK && (path = dps_source_file(source, i)) != NULL; i++) {
            status = keep_apart(outputs, path, option, err);
        }
        dps_source_close(source);
    }
    return status;
}

static dps_status keep_named_apart(places outputs, const dps_options *options, dps_option_id id,
                                   const char *name, dps_error *err)
{
    const dps_option_info *info = &dps_option_table()[id];
    dps_text path = {0}, option = {0};
    dps_status status = DPS_OK;
    if (name[0] != '\0') {
        dps_options_beside(options, id, name, &path);
        dps_text_format(&option, "%s.%s", info->section, info->key);
        status = path.failed || option.failed
                     ? dps_error_set(err, DPS_ERROR_MEMORY, "no memory for file names")
                     : keep_apart(outputs, path.data, option.data, err);
    }
    dps_text_release(&path);
    dps_text_release(&option);
    return status;
}

dps_status dps_output_places_apart(const dps_options *options, const dps_place *output,
                                   size_t count, dps_error *err)
{
    const places outputs = {output, count};
    for (size_t o = 1; o < count; o++) {
        for (size_t other = 0; other < o; other++) {
            DPS_TRY(dps_output_apart(output[o].path, output[o].option, output[other].path,
                                     output[other].option, err));
        }
    }
    if (options->config != NULL) {
        DPS_TRY(keep_apart(outputs, options->config, "the INI file", err));
    }
    DPS_TRY(keep_files_apart(outputs, &options->data_train, "data.train", err));
    DPS_TRY(keep_files_apart(outputs, &options->data_test, "data.test", err));
    DPS_TRY(
        keep_named_apart(outputs, options, DPS_OPT_data_validation, options->data_validation, err));
    DPS_TRY(keep_named_apart(outputs, options, DPS_OPT_data_weights, options->data_weights, err));
    /* but a model may be trained further in place */
    for (size_t o = 0; o < count && options->solver_warm_start[0] != '\0'; o++) {
        if (strcmp(output[o].option, "output.model") != 0) {
            DPS_TRY(keep_apart((places){&output[o], 1}, options->solver_warm_start,
                               "solver.warm_start", err));
        }
    }
    return DPS_OK;
}
