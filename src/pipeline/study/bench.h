/* `dpsvm bench`: what each room reaches on this machine, as a share of a reference measured in the
 * same run. */
#ifndef DPS_BENCH_H
#define DPS_BENCH_H

#include "run.h"
#include "text.h"

/* Takes one line (a JSON object, no newline). */
typedef dps_status (*dps_bench_line)(void *context, const char *json, dps_error *err);

/* The rooms that can be measured, NULL-terminated. */
const char *const *dps_bench_rooms(void);

/* Measures `room` (NULL: all of them) on synthetic data with 1, 2, 4, ... run->threads threads and
 * every SIMD path up to run->simd. One line a measure, as soon as it is known. Needs about 300 MB.
 */
DPS_MUST_USE dps_status dps_bench(const char *room, const dps_run *run, dps_bench_line line,
                                  void *context, dps_error *err);

#endif
