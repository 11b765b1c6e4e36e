/* Task: a measure of `dpsvm bench` as one line of JSON, or of the table of threads. */
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

void dps_scale_head(dps_text *out)
{
    dps_text_add(out,
                 "| stage       | threads |  seconds | times | GB/s | of memory | Gflop/s | of "
                 "products |\n"
                 "| ----------- | ------: | -------: | ----: | ---: | --------: | ------: | "
                 "----------: |");
}

/* A rate by the seconds and its share, or nothing where there is none. */
static void add_rate(dps_text *out, double amount, double seconds, double most, int width,
                     int share)
{
    if (amount > 0) {
        dps_text_format(out, " %*.1f | %*.0f %% |", width, amount / seconds / 1e9, share,
                        100 * amount / seconds / most);
    } else {
        dps_text_format(out, " %*s | %*s |", width, "", share + 2, "");
    }
}

void dps_scale_text(const dps_scale_line *line, dps_text *out)
{
    dps_text_format(out, "| %-11s | %7d | %8.5f | %5.2f |", line->stage, line->threads,
                    line->seconds, line->alone / line->seconds);
    add_rate(out, line->bytes, line->seconds, line->memory, 4, 7);
    add_rate(out, line->flops, line->seconds, line->products, 7, 9);
}
