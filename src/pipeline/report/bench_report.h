/* A measure of `dpsvm bench` as JSON. */
#ifndef DPS_BENCH_REPORT_H
#define DPS_BENCH_REPORT_H

#include "bench.h"
#include "text.h"

/* An object on one line, without its end. */
DPS_MUST_USE dps_status dps_bench_json(const dps_bench_rate *rate, dps_text *out, dps_error *err);

#endif
