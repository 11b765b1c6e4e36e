/* Task: what the search of kernel.type = auto says: a table of the trials, and the chosen settings
 * as an INI. */
#include "auto_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "number.h"

const char *dps_auto_kernel_name(dps_auto_kernel kernel)
{
    static const char *const name[] = {"linear", "polynomial, exact", "polynomial", "rbf",
                                       "laplacian"};
    return name[kernel];
}

const char *dps_auto_scaling_name(dps_view view)
{
    static const char *const name[] = {NULL, "standard", "none", "log", "rank"};
    return name[view];
}

void dps_auto_trial_text(const dps_auto_trial *trial, dps_text *out)
{
    char number[DPS_NUMBER_MAX];
    dps_text_add(out, dps_auto_kernel_name(trial->kernel));
    if (trial->kernel == DPS_AUTO_EXACT || trial->kernel == DPS_AUTO_MACLAURIN) {
        dps_text_format(out, ", degree %ld", (long)trial->degree);
    }
    if (trial->refined) {
        dps_text_add(out, ", refined");
    }
    if (trial->multiple != 1) {
        dps_format_double(number, trial->multiple);
        dps_text_format(out, ", gamma x %s", number);
    }
    if (trial->scaling != DPS_VIEW_LOADED) {
        const bool unit = trial->scaling == DPS_VIEW_UNIT;
        dps_text_format(out, ", %s", unit ? "unit rows" : dps_auto_scaling_name(trial->scaling));
    }
    if (trial->features > 0) {
        dps_text_format(out, ", D = %ld", (long)trial->features);
    }
}

static void log_trial(const dps_auto_search *search, int32_t k, const dps_run *run)
{
    const dps_auto_trial *trial = &search->trial[k];
    char C[DPS_NUMBER_MAX], error[32] = "";
    dps_text text = {0};
    dps_auto_trial_text(trial, &text);
    dps_format_double(C, trial->C);
    if (!isnan(trial->spread.error)) {
        snprintf(error, sizeof error, " +- %.4f", trial->spread.error);
    }
    if (text.failed) {
        /* said by nobody */
    } else if (trial->works) {
        dps_log_text(run, DPS_NORMAL, "  %-40s  D' = %-5ld C = %-9s %.4f%s%s", text.data,
                     (long)trial->width, C, trial->spread.mean, error,
                     k == search->chosen ? "  chosen" : "");
    } else {
        dps_log_text(run, DPS_NORMAL, "  %-40s  left out: %s", text.data, trial->reason);
    }
    dps_text_release(&text);
}

bool dps_auto_search_set(const dps_auto_search *search, int id)
{
    for (int32_t k = 0; k < search->set_count; k++) {
        if ((int)search->set[k] == id) {
            return true;
        }
    }
    return false;
}

void dps_auto_untried_text(const dps_auto_search *search, dps_text *out)
{
    for (int kernel = DPS_AUTO_LINEAR; kernel <= DPS_AUTO_LAPLACIAN; kernel++) {
        bool tried = false;
        for (int32_t k = 0; k < search->count; k++) {
            tried = tried || (int)search->trial[k].kernel == kernel;
        }
        if (!tried) {
            dps_text_format(out, "%s%s", out->length > 0 ? "; " : "",
                            dps_auto_kernel_name((dps_auto_kernel)kernel));
        }
    }
}

static void log_cut(const dps_auto_search *search, const dps_run *run)
{
    dps_text untried = {0};
    dps_auto_untried_text(search, &untried);
    dps_log_text(run, DPS_WARNING,
                 "run.time_limit ended the search after %ld trials%s%s: the best so far is taken, "
                 "and another run may choose otherwise; the settings below train the same model",
                 (long)search->count, untried.length > 0 ? "; not tried: " : "",
                 untried.length > 0 ? untried.data : "");
    dps_text_release(&untried);
}

void dps_auto_search_ini(const dps_auto_search *search, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    const char *section = "";
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (!dps_auto_search_set(search, id)) {
            continue;
        }
        if (strcmp(section, table[id].section) != 0) {
            section = table[id].section;
            dps_text_format(out, "[%s]\n", section);
        }
        dps_text_format(out, "%s = ", table[id].key);
        dps_options_value_text(&search->options, (dps_option_id)id, out);
        dps_text_add(out, "\n");
    }
}

static void log_ini(const dps_auto_search *search, const dps_run *run)
{
    dps_text ini = {0};
    dps_auto_search_ini(search, &ini);
    dps_log_text(run, DPS_NORMAL, "to train the same model again without the search:");
    char *rest = ini.data;
    for (char *line = ini.length == 0 ? NULL : strtok_r(ini.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        dps_log_text(run, DPS_NORMAL, "  %s", line);
    }
    dps_text_release(&ini);
}

static void log_sample(const dps_auto_search *search, bool final, const dps_run *run)
{
    const int32_t folds = final ? search->final_folds : search->folds;
    char how[64] = "held-out rows";
    if (folds > 1) {
        snprintf(how, sizeof how, "%ld-fold cross-validation", (long)folds);
    }
    dps_log_text(run, DPS_NORMAL,
                 " %s by %s on %lld of %lld rows:", dps_name_of(dps_metric_names, search->metric),
                 how, (long long)(final ? search->final_rows : search->rows),
                 (long long)search->all_rows);
}

void dps_auto_search_log(const dps_auto_search *search, const dps_run *run)
{
    dps_log_text(run, DPS_NORMAL, "kernel.type = auto: searched in %.2f s", search->seconds);
    for (int32_t k = 0; k < search->count; k++) {
        const bool final = search->trial[k].final;
        if (k == 0 || final != search->trial[k - 1].final) {
            log_sample(search, final, run);
        }
        log_trial(search, k, run);
    }
    if (search->cut) {
        log_cut(search, run);
    }
    log_ini(search, run);
}
