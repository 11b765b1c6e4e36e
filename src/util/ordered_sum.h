/* Sums over rows that have the same bits for any number of threads and ranks.
 *
 * Tiles are dealt to a fixed number of slots: contiguous ranges that depend on the number of tiles
 * and the width only. A slot is filled by one thread in tile order; slots are then added pairwise
 * in a fixed binary tree (slot s + slot s+1, then pairs of pairs, ...), each pair as soon as both
 * are complete, so that few partial sums are alive at a time. Cost: one extra addition per element
 * and slot.
 *
 * Over ranks (run->comm) each has a contiguous range of the tiles, and the slots are those of the
 * whole: a slot that ends on another rank is handed on and filled further there, and the tree is
 * completed from rank to rank. */
#ifndef DPS_ORDERED_SUM_H
#define DPS_ORDERED_SUM_H

#include <stdint.h>
#include <stddef.h>
#include "run.h"

/* Number of slots for `tiles` tiles when a partial sum has `elements` doubles and a tile costs
 * about `tile_flops`: a power of two <= 16384, such that merging stays a small part of the work.
 * Never depends on threads. */
int64_t dps_slot_count(int64_t tiles, size_t elements, double tile_flops);
/* First tile of slot s of `slots` (slot `slots` gives `tiles`). */
int64_t dps_slot_begin(int64_t s, int64_t slots, int64_t tiles);

/* First tile of a rank (rank `ranks` gives `tiles`) when tiles are dealt in `units`, a power of
 * two: limits then fall on those of every sum with as many slots as units, and of fewer where ranks
 * are a power of two too. units = 0: as many as any sum over these tiles has slots. */
int64_t dps_rank_begin(int rank, int ranks, int64_t units, int64_t tiles);

/* Adds the t-th of this rank's tiles into `sum` (elements doubles). `scratch` is the calling
 * thread's own. */
typedef dps_status (*dps_tile_adder)(void *context, int64_t t, double *sum, void *scratch,
                                     dps_error *err);

typedef struct dps_ordered_sum {
    int64_t tiles;        /* of this rank */
    int64_t first_tile;   /* of them, in the whole */
    int64_t total_tiles;  /* of all ranks; 0: this rank alone sums, whatever run->comm is */
    int64_t slots;        /* from dps_slot_count of all tiles */
    size_t elements;      /* doubles in one sum */
    size_t scratch_bytes; /* per thread, 64-byte aligned, may be 0 */
    size_t carry_bytes; /* at the start of scratch: what `add` keeps from tile to tile of a slot */
    dps_tile_adder add;
    void *context;
    struct dps_sum_room *room; /* memory that sums share (sum_room.h); NULL: each has its own */
    double *seconds; /* over ranks: those of this rank at work are added; NULL: not wanted */
} dps_ordered_sum;

/* total[elements] = sum over all tiles (overwritten), on every rank. The error of the smallest
 * failing tile is reported, by all ranks. Stops early with DPS_ERROR_STOPPED. Over ranks there are
 * at least as many tiles as slots, and every rank calls. */
DPS_MUST_USE dps_status dps_ordered_sum_run(const dps_ordered_sum *sum, const dps_run *run,
                                            double *total, dps_error *err);

#endif
