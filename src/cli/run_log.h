/* run.log: a JSON line for every iteration of a solver. */
#ifndef DPS_RUN_LOG_H
#define DPS_RUN_LOG_H

#include "run.h"

/* A sink that writes records and passes everything on. */
typedef struct dps_run_log {
    dps_log log; /* hand &log to dps_run */
    const dps_log *next;
    const char *path;
    int file;   /* -1: not open */
    bool ended; /* nothing more is written: an error was told */
    double began;
} dps_run_log;

/* Opens nothing yet: the file is made at the first record and appended to. next, path outlive it.
 */
void dps_run_log_init(dps_run_log *log, const char *path, const dps_log *next);
/* {"stage":"dcd","iteration":3,"seconds":1.234,"objective":12.5,"gap":0.01,"target":0.001} and a
 * newline; what is not a number is null. Returns the length, or 0 if it does not fit. */
size_t dps_run_log_record(const dps_progress *progress, double seconds, char *out, size_t size);
void dps_run_log_close(dps_run_log *log); /* accepts a zeroed struct */

#endif
