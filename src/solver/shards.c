/* Task: which tiles are whose, and sums over shards with the same bits for any threads and ranks.
 *
 * Shard s of K has tiles floor(s T / K) .. floor((s + 1) T / K) - 1 of T; a rank has the shards
 * floor(r K / R) .. of R ranks, which is how rows are dealt to ranks too.
 *
 * auto: one. A pass over K shards gets less far than one over the rows in a single order (1.02 to
 * 1.3 times the row visits at K = 2, 3 at 8 where shards are alike, 2 to 5 times in a series in
 * time: docs/evidence/performance.md, Shards), and threads share the rows of one shard without that
 * loss (engine_blocks.c). More is for whoever has ranks for it.
 *
 * Cost of a sum: K additions an element. */
#include "shards.h"

#include "comm.h"
#include "ordered_sum.h"
#include "tile_fetch.h"

/* Additions that are worth waking threads. */
#define WORK_WORTH_THREADS 2e5
#define BLOCK              256 /* elements that a thread adds at a time */

dps_shards dps_shards_of(const dps_problem *problem, int32_t wanted, const dps_run *run)
{
    const int64_t rows = dps_tiles_rows(problem->source);
    dps_shards s = {.total = wanted > 0 ? wanted : 1,
                    .first_tile = dps_tile_count(problem->source->first_row),
                    .total_tiles = dps_tile_count(rows),
                    .comm = dps_problem_comm(problem, run)};
    const int64_t rank = dps_comm_rank(s.comm), ranks = dps_comm_size(s.comm);
    s.first = (int32_t)(rank * s.total / ranks);
    s.count = (int32_t)((rank + 1) * s.total / ranks) - s.first;
    return s;
}

int64_t dps_shard_begin(const dps_shards *s, int32_t l)
{
    return s->count == 0 ? 0
                         : dps_slot_begin(s->first + l, s->total, s->total_tiles) - s->first_tile;
}

/* ---------------------------------------------------------------- sums */

/* The tree of dps_ordered_sum, in place: neighbours, then neighbours of those. Sums start from 0.0,
 * which turns -0.0 into 0.0. */
static void add_block(int32_t count, double *values, size_t stride, size_t begin, size_t end,
                      double *total)
{
    for (int32_t width = 1; width < count; width *= 2) {
        for (int32_t l = 0; l + width < count; l += 2 * width) {
            double *left = values + (size_t)l * stride;
            const double *right = values + (size_t)(l + width) * stride;
            for (size_t i = begin; i < end; i++) {
                left[i] += right[i];
            }
        }
    }
    for (size_t i = begin; i < end; i++) {
        total[i] = 0.0 + values[i];
    }
}

typedef struct shard_values {
    const double *values;
    size_t stride, elements;
} shard_values;

static dps_status add_shard(void *context, int64_t l, double *sum, DPS_UNUSED void *scratch,
                            DPS_UNUSED dps_error *err)
{
    const shard_values *v = context;
    const double *mine = v->values + (size_t)l * v->stride;
    for (size_t i = 0; i < v->elements; i++) {
        sum[i] += mine[i];
    }
    return DPS_OK;
}

dps_status dps_shards_sum(const dps_shards *s, const dps_run *run, double *values, size_t stride,
                          size_t elements, double *total, dps_error *err)
{
    if (s->comm != NULL) {
        shard_values v = {values, stride, elements};
        const dps_ordered_sum sum = {.tiles = s->count,
                                     .first_tile = s->first,
                                     .total_tiles = s->total,
                                     .slots = s->total,
                                     .elements = elements,
                                     .add = add_shard,
                                     .context = &v};
        return dps_ordered_sum_run(&sum, run, total, err);
    }
    const int64_t blocks = (int64_t)((elements + BLOCK - 1) / BLOCK);
    const double work = (double)elements * (double)s->count;
    const int threads = work < WORK_WORTH_THREADS ? 1 : dps_run_threads(run, blocks);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t b = 0; b < blocks; b++) {
        const size_t begin = (size_t)b * BLOCK;
        add_block(s->count, values, stride, begin,
                  begin + BLOCK < elements ? begin + BLOCK : elements, total);
    }
    return DPS_OK;
}

void dps_shards_share(const dps_shards *s, void *bytes, size_t size)
{
    if (s->comm != NULL && s->total == 1) {
        dps_comm_broadcast(s->comm, dps_comm_size(s->comm) - 1, bytes, size);
    }
}
