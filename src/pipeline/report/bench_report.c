/* Task: a measure of `dpsvm bench` as one line of JSON. */
#include "bench_report.h"

#include <cjson/cJSON.h>
#include "allocation.h"
#include "json_report.h"

dps_status dps_bench_json(const dps_bench_rate *rate, dps_text *out, dps_error *err)
{
    const dps_bench_measure *m = rate->of;
    cJSON *root = cJSON_CreateObject();
    dps_json_string(root, "room", m->room);
    dps_json_string(root, "measure", m->name);
    dps_json_number(root, m->size_name, m->size);
    dps_json_string(root, "simd", m->simd);
    dps_json_number(root, "threads", m->threads);
    dps_json_string(root, "unit", m->unit);
    dps_json_number(root, "rate", rate->rate);
    dps_json_string(root, "reference", m->reference);
    dps_json_number(root, "reference_rate", rate->reference);
    dps_json_number(root, "share", rate->rate / rate->reference);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (text == NULL) {
        return dps_out_of_memory(err, 1, 1, "a line of results");
    }
    dps_text_add(out, text);
    cJSON_free(text);
    return DPS_OK;
}
