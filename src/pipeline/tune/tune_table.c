/* Task: what tune leaves behind: a CSV with a line a setting, and an INI of the setting that was
 * kept. */
#include "tune_table.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include "number.h"
#include "output_file.h"

const char *dps_tune_mark(const dps_tune_point *point)
{
    return point->best && point->chosen ? "best chosen"
           : point->best                ? "best"
           : point->chosen              ? "chosen"
           : point->dropped             ? "dropped"
           : point->left_out            ? "left out"
           : point->repeats             ? "repeats"
                                        : "";
}

static void add_number(dps_text *out, double value)
{
    if (isfinite(value)) { /* an empty field where nothing was measured */
        dps_text_number(out, value);
    }
    dps_text_add(out, ",");
}

/* Values of options hold no comma but in lists, which are quoted. */
static void add_field(dps_text *out, const char *text)
{
    const bool quote = strpbrk(text, ",\"\n") != NULL;
    dps_text_add(out, quote ? "\"" : "");
    for (const char *s = text; *s != '\0'; s++) {
        dps_text_append(out, "\"\"", *s == '"' ? 1 : 0);
        dps_text_append(out, s, 1);
    }
    dps_text_add(out, quote ? "\"," : ",");
}

dps_status dps_tune_write_table(const dps_tune_result *result, const char *path, dps_error *err)
{
    const dps_tune_space *space = &result->space;
    dps_text out = {0};
    for (size_t i = 0; i < space->items; i++) {
        const dps_option_info *info = &dps_option_table()[space->item[i]->id];
        dps_text_format(&out, "%s.%s,", info->section, info->key);
    }
    dps_text_format(&out, "%s,standard_deviation,standard_error,",
                    dps_name_of(dps_metric_names, result->metric));
    for (int32_t f = 0; f < result->folds; f++) {
        dps_text_format(&out, "fold_%ld,", (long)f + 1);
    }
    dps_text_add(&out, "share_of_rows,choice\n");
    for (int64_t p = 0; p < space->count; p++) {
        const dps_tune_point *point = &space->point[p];
        for (size_t i = 0; i < space->items; i++) {
            add_field(&out, dps_tune_value(space, point, i));
        }
        add_number(&out, point->spread.mean);
        add_number(&out, point->spread.deviation);
        add_number(&out, point->spread.error);
        for (int32_t f = 0; f < result->folds; f++) {
            add_number(&out, point->score[f]);
        }
        add_number(&out, 1.0 / (double)point->every);
        dps_text_format(&out, "%s\n", dps_tune_mark(point));
    }
    return dps_output_text(&out, path, "a table of results", err);
}

/* What is put before paths that are relative to the current folder, in an INI elsewhere; "": none.
 */
static const char *path_prefix(const char *ini, char *room, size_t size)
{
    return strchr(ini, '/') != NULL && getcwd(room, size) != NULL ? room : "";
}

/* data.validation and data.weights may be files, relative to the folder of the INI that named them;
 * false: this one is none. */
static bool add_file(const dps_options *options, dps_option_id id, const char *prefix,
                     dps_text *out)
{
    const char *text = id == DPS_OPT_data_validation ? options->data_validation
                       : id == DPS_OPT_data_weights  ? options->data_weights
                                                     : "";
    dps_text path = {0};
    dps_options_beside(options, id, text, &path);
    const bool is_file = text[0] != '\0' && !path.failed && access(path.data, F_OK) == 0;
    if (is_file) {
        dps_option_path(path.data, prefix, out);
    }
    dps_text_release(&path);
    return is_file;
}

/* Options that were set and that train has a use for: whatever the model depends on among them, so
 * that training by this file gives the same bytes. */
dps_status dps_tune_write_ini(const dps_tune_result *result, const char *path, dps_error *err)
{
    const dps_option_info *table = dps_option_table();
    const dps_options *options = &result->best;
    const dps_spread *s = &result->chosen->spread;
    const char *section = "";
    char folder[4096];
    const char *prefix = path_prefix(path, folder, sizeof folder);
    dps_text out = {0};
    dps_text_format(&out, "# Written by dpsvm tune: %s %.4f",
                    dps_name_of(dps_metric_names, result->metric), s->mean);
    if (!isnan(s->error)) {
        dps_text_format(&out, ", standard error %.4f", s->error);
    }
    dps_text_add(&out, "\n");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_effect effect = table[id].effect;
        if (!options->origin[id].set || effect == DPS_EFFECT_TUNE || effect == DPS_EFFECT_RUN) {
            continue;
        }
        if (strcmp(section, table[id].section) != 0) {
            section = table[id].section;
            dps_text_format(&out, "[%s]\n", section);
        }
        dps_text_format(&out, "%s = ", table[id].key);
        if (!add_file(options, (dps_option_id)id, prefix, &out)) {
            dps_options_value_from(options, (dps_option_id)id, prefix, &out);
        }
        dps_text_add(&out, "\n");
    }
    return dps_output_text(&out, path, "a config", err);
}
