/* What the measures of `dpsvm bench` share: private to bench*.c. */
#ifndef DPS_BENCH_PARTS_H
#define DPS_BENCH_PARTS_H

#include <stddef.h>
#include "bench.h"
#include "run.h"

#define DPS_BENCH_THREADS 1024 /* as dps_limit_threads */

typedef struct dps_bench_session {
    const dps_run *run;
    dps_bench_taker take;
    void *context;
} dps_bench_session;

/* Work that every one of `threads` threads does, each on its own memory. units: of one thread's
 * call. */
typedef struct dps_bench_work {
    void (*call)(void *context, int thread);
    void *context;
    double units;
} dps_bench_work;

/* Runs work and reference in turn and emits rate, reference rate and their quotient. reference
 * NULL: this machine has none; the rate alone. */
DPS_MUST_USE dps_status dps_bench_compare(const dps_bench_session *session,
                                          const dps_bench_measure *measure,
                                          const dps_bench_work *work,
                                          const dps_bench_work *reference, dps_error *err);

/* The same for work whose rate (units a second) is known already. */
DPS_MUST_USE dps_status dps_bench_compare_rate(const dps_bench_session *session,
                                               const dps_bench_measure *measure, double rate,
                                               const dps_bench_work *reference, dps_error *err);

/* 1, 2, 4, ... and the last, run->threads; 0 after it. */
int dps_bench_next_threads(const dps_run *run, int threads);
/* count floats in [-1, 1), always the same. NULL: no memory. From dps_alloc. */
float *dps_bench_floats(size_t count, uint64_t seed);

/* One function a room. */
DPS_MUST_USE dps_status dps_bench_data(const dps_bench_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_bench_features(const dps_bench_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_bench_linalg(const dps_bench_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_bench_solver(const dps_bench_session *session, dps_error *err);

#endif
