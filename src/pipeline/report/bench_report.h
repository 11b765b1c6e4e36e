/* Measures of `dpsvm bench`: JSON, and the table of threads. */
#ifndef DPS_BENCH_REPORT_H
#define DPS_BENCH_REPORT_H

#include "bench.h"
#include "bench_scale.h"
#include "text.h"

/* An object on one line, without its end. */
DPS_MUST_USE dps_status dps_bench_json(const dps_bench_rate *rate, dps_text *out, dps_error *err);
/* The table's head, and a line of it, without their ends: Markdown, columns of one width. */
void dps_scale_head(dps_text *out);
void dps_scale_text(const dps_scale_line *line, dps_text *out);

#endif
