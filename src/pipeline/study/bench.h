/* `dpsvm bench`: what each room reaches on this machine, as a share of a reference measured in the
 * same run. */
#ifndef DPS_BENCH_H
#define DPS_BENCH_H

#include "run.h"

typedef struct dps_bench_measure {
    const char *room, *name;
    const char *size_name; /* what `size` is: "d", "width", ... */
    double size;
    const char *simd; /* or NULL: does not depend on it */
    int threads;
    const char *unit;      /* of the rate: units a second times scale */
    const char *reference; /* "SGEMM", "memcpy", "memchr" */
    double scale;
} dps_bench_measure;

typedef struct dps_bench_rate {
    const dps_bench_measure *of;
    double rate, reference; /* NAN: there is no reference */
} dps_bench_rate;

/* Takes one measure. */
typedef dps_status (*dps_bench_taker)(void *context, const dps_bench_rate *rate, dps_error *err);

/* The rooms that can be measured, NULL-terminated. */
extern const char *const dps_bench_rooms[];

/* Measures a room, by its number (NULL: all of them), on synthetic data with 1, 2, 4, ...
 * run->threads threads and every SIMD path up to run->simd. A measure is taken as soon as it is
 * known. Needs about 300 MB. */
DPS_MUST_USE dps_status dps_bench(const unsigned *room, const dps_run *run, dps_bench_taker take,
                                  void *context, dps_error *err);

#endif
