/* Sums over rows that have the same bits for any number of threads.
 *
 * Tiles are dealt to a fixed number of slots: contiguous ranges that depend on the number of tiles
 * and the width only. A slot is filled by one thread in tile order; slots are then added pairwise
 * in a fixed binary tree (slot s + slot s+1, then pairs of pairs, ...), each pair as soon as both
 * are complete, so that few partial sums are alive at a time. Cost: one extra addition per element
 * and slot. */
#ifndef DPS_ORDERED_SUM_H
#define DPS_ORDERED_SUM_H

#include <stdint.h>
#include <stddef.h>
#include "run.h"

/* Number of slots for `tiles` tiles when a partial sum has `elements` doubles and a tile costs
 * about `tile_flops`: a power of two <= 256, such that merging stays a small part of the work.
 * Never depends on threads. */
int64_t dps_slot_count(int64_t tiles, size_t elements, double tile_flops);
/* First tile of slot s of `slots` (slot `slots` gives `tiles`). */
int64_t dps_slot_begin(int64_t s, int64_t slots, int64_t tiles);

/* Adds tile t into `sum` (elements doubles). `scratch` is the calling thread's own. */
typedef dps_status (*dps_tile_adder)(void *context, int64_t t, double *sum, void *scratch,
                                     dps_error *err);

typedef struct dps_ordered_sum {
    int64_t tiles;
    int64_t slots;        /* from dps_slot_count */
    size_t elements;      /* doubles in one sum */
    size_t scratch_bytes; /* per thread, 64-byte aligned, may be 0 */
    dps_tile_adder add;
    void *context;
} dps_ordered_sum;

/* total[elements] = sum over all tiles (overwritten). The error of the smallest failing tile is
 * reported. Stops early with DPS_ERROR_STOPPED. */
DPS_MUST_USE dps_status dps_ordered_sum_run(const dps_ordered_sum *sum, const dps_run *run,
                                            double *total, dps_error *err);

#endif
