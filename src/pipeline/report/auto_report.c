/* Task: the search of kernel.type = auto as a part of the JSON report. */
#include "auto_report.h"

#include "auto_text.h"
#include "json_report.h"

static cJSON *trial_json(const dps_auto_search *search, int32_t k)
{
    const dps_auto_trial *trial = &search->trial[k];
    cJSON *row = cJSON_CreateObject();
    dps_json_string(row, "kernel", dps_auto_kernel_name(trial->kernel));
    dps_json_string(row, "scaling",
                    trial->scaling == DPS_VIEW_STANDARD ? "standard"
                    : trial->scaling == DPS_VIEW_UNIT   ? "none"
                                                        : NULL);
    dps_json_string(row, "normalize", trial->scaling == DPS_VIEW_UNIT ? "unit" : NULL);
    dps_json_number(row, "rows", (double)trial->rows);
    dps_json_number(row, "degree", trial->degree);
    dps_json_number(row, "gamma_multiple", trial->multiple);
    dps_json_number(row, "features", trial->features);
    if (!trial->works) {
        dps_json_string(row, "left_out", trial->reason);
        return row;
    }
    dps_json_number(row, "width", trial->width);
    dps_json_number(row, "C", trial->C);
    dps_json_number(row, "mean", trial->spread.mean);
    dps_json_number(row, "standard_error", trial->spread.error);
    cJSON_AddBoolToObject(row, "chosen", k == search->chosen);
    return row;
}

void dps_auto_search_json(const dps_auto_search *search, cJSON *root)
{
    const dps_option_info *table = dps_option_table();
    if (search->count == 0) {
        cJSON_AddNullToObject(root, "auto_search");
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(root, "auto_search");
    dps_json_string(object, "metric", dps_name_of(dps_metric_names, search->metric));
    dps_json_number(object, "folds", search->folds);
    dps_json_number(object, "rows", (double)search->rows);
    dps_json_number(object, "final_rows", (double)search->final_rows);
    dps_json_number(object, "seconds", search->seconds);
    cJSON *tried = cJSON_AddArrayToObject(object, "tried");
    for (int32_t k = 0; k < search->count; k++) {
        cJSON_AddItemToArray(tried, trial_json(search, k));
    }
    cJSON *chosen = cJSON_AddObjectToObject(object, "chosen");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text name = {0}, value = {0};
        if (dps_auto_search_set(search, id)) {
            dps_text_format(&name, "%s.%s", table[id].section, table[id].key);
            dps_options_value_text(&search->options, (dps_option_id)id, &value);
            if (!name.failed && !value.failed) {
                dps_json_string(chosen, name.data, value.data);
            }
        }
        dps_text_release(&name);
        dps_text_release(&value);
    }
}
