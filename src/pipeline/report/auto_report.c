/* Task: the search of kernel.type = auto as a part of the JSON report. */
#include "auto_report.h"

#include "auto_text.h"
#include "json_report.h"

static void add_trial(cJSON *array, const dps_auto_search *search, int32_t k)
{
    const dps_auto_trial *trial = &search->trial[k];
    cJSON *row = dps_json_row(array);
    dps_json_string(row, "kernel", dps_auto_kernel_name(trial->kernel));
    dps_json_string(row, "scaling", dps_auto_scaling_name(trial->scaling));
    dps_json_string(row, "normalize", trial->scaling == DPS_VIEW_UNIT ? "unit" : NULL);
    dps_json_number(row, "rows", (double)trial->rows);
    dps_json_number(row, "degree", trial->degree);
    dps_json_number(row, "gamma_multiple", trial->multiple);
    dps_json_number(row, "features", trial->features);
    if (!trial->works) {
        dps_json_string(row, "left_out", trial->reason);
        return;
    }
    dps_json_number(row, "width", trial->width);
    dps_json_number(row, "C", trial->C);
    dps_json_number(row, "mean", trial->spread.mean);
    dps_json_number(row, "standard_error", trial->spread.error);
    dps_json_flag(row, "chosen", k == search->chosen);
}

void dps_auto_search_json(const dps_auto_search *search, cJSON *root)
{
    cJSON *object = dps_json_object(root, "auto_search", search->count > 0);
    if (object == NULL) {
        return;
    }
    dps_json_string(object, "metric", dps_name_of(dps_metric_names, search->metric));
    dps_json_number(object, "folds", search->folds);
    dps_json_number(object, "rows", (double)search->rows);
    dps_json_number(object, "final_rows", (double)search->final_rows);
    dps_json_number(object, "seconds", search->seconds);
    dps_text ini = {0}, untried = {0};
    dps_auto_search_ini(search, &ini);
    dps_json_string(object, "ini", ini.failed ? NULL : ini.data);
    dps_json_flag(object, "ended_by_time_limit", search->cut);
    if (search->cut) {
        dps_auto_untried_text(search, &untried);
        dps_json_string(object, "not_tried", untried.length > 0 ? untried.data : "");
    }
    dps_text_release(&ini);
    dps_text_release(&untried);
    cJSON *tried = dps_json_array(object, "tried", true);
    for (int32_t k = 0; k < search->count; k++) {
        add_trial(tried, search, k);
    }
    cJSON *chosen = dps_json_object(object, "chosen", true);
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (dps_auto_search_set(search, id)) {
            dps_json_option(chosen, &search->options, (dps_option_id)id);
        }
    }
}
