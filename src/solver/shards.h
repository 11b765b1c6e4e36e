/* Shards: K fixed, contiguous ranges of the tiles that dcd and sgd visit side by side. A result
 * depends on K, never on how many threads or ranks work on the shards. */
#ifndef DPS_SHARDS_H
#define DPS_SHARDS_H

#include "solver.h"

typedef struct dps_shards {
    int32_t total;               /* K, a power of two */
    int32_t first;               /* of this rank's: the rank's l-th shard is first + l */
    int32_t count;               /* of this rank; alone: K */
    int64_t first_tile;          /* of this rank, in the data */
    int64_t total_tiles;         /* of the data */
    const struct dps_comm *comm; /* NULL: alone */
} dps_shards;

/* wanted: K, or 0 for auto, which is 1. */
dps_shards dps_shards_of(const dps_problem *problem, int32_t wanted, const dps_run *run);

/* First tile of the rank's l-th shard, counted from the rank's first (l = count: their end). */
int64_t dps_shard_begin(const dps_shards *shards, int32_t l);

/* total = sum over all shards, in one fixed binary tree over their numbers. values: what the rank's
 * l-th shard adds at values + l * stride, overwritten. All. */
DPS_MUST_USE dps_status dps_shards_sum(const dps_shards *shards, const dps_run *run, double *values,
                                       size_t stride, size_t elements, double *total,
                                       dps_error *err);

/* With one shard on several ranks: what its owner has computed, to everybody. All. */
void dps_shards_share(const dps_shards *shards, void *bytes, size_t size);

#endif
