/* Every tile, or other piece of work, once, by all threads. */
#ifndef DPS_TILE_LOOP_H
#define DPS_TILE_LOOP_H

#include "run.h"

typedef struct dps_tile_loop {
    int64_t tiles;
    int threads;        /* at most */
    size_t bytes;       /* of memory that each thread has for all its tiles, aligned to DPS_ALIGN */
    const char *memory; /* what it is for, as errors name it; NULL: "a thread's tile" */
    /* From any thread; the error of the lowest tile that fails is the loop's, and tiles above it
     * may be left out. */
    dps_status (*visit)(void *context, int64_t t, void *memory, dps_error *err);
    void *context;
    const dps_run *stops; /* the loop ends where this run is stopped; NULL: nothing stops it */
    const char *doing;    /* "mapping": for the error then */
} dps_tile_loop;

DPS_MUST_USE dps_status dps_tile_loop_run(const dps_tile_loop *loop, dps_error *err);

#endif
