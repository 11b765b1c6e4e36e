/* `dpsvm bench scale`: how the stages of a training scale with threads on this machine. */
#ifndef DPS_BENCH_SCALE_H
#define DPS_BENCH_SCALE_H

#include "run.h"

enum { DPS_SCALE_ROWS = 20000, DPS_SCALE_WIDTH = 512, DPS_SCALE_COLUMNS = 22 };

typedef struct dps_scale_line {
    const char *stage; /* "read", "scale", "map"; "newton step", "dcd pass", "sgd epoch" */
    int threads;
    double seconds, alone; /* the least of some runs; with one thread */
    double bytes, flops;   /* that the stage must read, and make; 0: not what bounds it */
    double memory;         /* bytes a second that so many threads read from memory */
    double products;       /* flops a second of the products of a Hessian */
} dps_scale_line;

typedef dps_status (*dps_scale_taker)(void *context, const dps_scale_line *line, dps_error *err);

/* With 1, 2, 4, ... run->threads threads, on rows made for it: text of DPS_SCALE_ROWS rows of
 * DPS_SCALE_COLUMNS columns in the folder of run.scratch, and as many mapped rows of
 * DPS_SCALE_WIDTH columns. A line is taken as soon as it is known. Needs about 300 MB. */
DPS_MUST_USE dps_status dps_bench_scale(const dps_run *run, dps_scale_taker take, void *context,
                                        dps_error *err);

#endif
