/* Task: the order in which dcd and sgd visit rows.
 *
 * Every pass deals the tiles of each shard anew to groups of up to 16 (16 / K with K shards, so
 * that a group has 16 in all), one of every `groups` neighbouring tiles to each group at random, so
 * that every group is a fair sample of a file sorted by class; groups come in random order, and a
 * shard's rows of a group in a random order of their own. Everything is drawn by (seed, pass,
 * group, shard): the same for tiles in memory and for tiles made again.
 *
 * Measured on 20,000 rows of 500 Fourier features, squared hinge, C = 1: gap after 20 passes 4e-4
 * with this order, 3e-4 with all rows in random order. */
#include "engine_private.h"

#include "ordered_sum.h"
#include "random.h"

/* Factors of the draws of a pass: the order of groups, then the deals, then (top bit) the rows of
 * groups. */
enum { FACTOR_GROUPS, FACTOR_DEAL };
#define FACTOR_ROWS 0x80000000u

/* Tiles of the rank's shard l. */
static int64_t shard_tiles(const dps_engine *e, int32_t l)
{
    return dps_shard_begin(&e->shards, l + 1) - dps_shard_begin(&e->shards, l);
}

/* First place of group g among n tiles: groups are even to within a tile. */
static int64_t group_begin(const dps_engine *e, int64_t n, int64_t g)
{
    const int64_t over = n % e->groups;
    return g * (n / e->groups) + (g < over ? g : over);
}

int64_t dps_group_count(const dps_shards *s, int32_t group_tiles)
{
    int64_t most = 0;
    for (int32_t k = 0; k < s->total; k++) {
        const int64_t n = dps_slot_begin(k + 1, s->total, s->total_tiles) -
                          dps_slot_begin(k, s->total, s->total_tiles);
        most = n > most ? n : most;
    }
    return (most + group_tiles - 1) / group_tiles;
}

static void deal_shard(dps_engine *e, uint32_t pass, int32_t l)
{
    const int64_t begin = dps_shard_begin(&e->shards, l), n = shard_tiles(e, l);
    const uint32_t factor =
        FACTOR_DEAL + (uint32_t)(e->shards.first + l) * DPS_GROUP_TILES; /* a shard's own */
    for (int64_t first = 0, j = 0; first < n; first += e->groups, j++) {
        const int64_t left = n - first, count = left < e->groups ? left : e->groups;
        dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, pass, factor + (uint32_t)j, count,
                               e->draw);
        for (int64_t g = 0; g < count; g++) {
            e->tile[begin + group_begin(e, n, g) + j] = begin + first + e->draw[g];
        }
    }
}

void dps_order_pass(dps_engine *e, uint32_t pass)
{
    for (int32_t l = 0; l < e->shards.count; l++) {
        deal_shard(e, pass, l);
    }
    dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, pass, FACTOR_GROUPS, e->groups, e->order);
}

int32_t dps_order_tiles(const dps_engine *e, int64_t group, int32_t l)
{
    const int64_t n = shard_tiles(e, l);
    return (int32_t)(group_begin(e, n, group + 1) - group_begin(e, n, group));
}

int64_t dps_order_tile(const dps_engine *e, int64_t group, int32_t l, int32_t j)
{
    return e->tile[dps_shard_begin(&e->shards, l) + group_begin(e, shard_tiles(e, l), group) + j];
}

/* Fisher-Yates with four draws of 32 bits a block; (draw * n) / 2^32 is even to within n / 2^32. */
static void shuffle(const dps_engine *e, uint32_t pass, uint32_t number, int32_t *list,
                    int32_t count)
{
    uint32_t bits[4] = {0};
    for (uint32_t i = (uint32_t)count; i > 1; i--) {
        if (i % 4 == 0 || i == (uint32_t)count) {
            dps_random_block(e->seed, DPS_STREAM_SHUFFLE, pass, FACTOR_ROWS | number, i / 4, bits);
        }
        const uint32_t l = (uint32_t)(((uint64_t)bits[i % 4] * i) >> 32);
        const int32_t swap = list[i - 1];
        list[i - 1] = list[l];
        list[l] = swap;
    }
}

void dps_order_rows(dps_engine *e, const dps_group *hand, int32_t l, int32_t slot, uint32_t pass,
                    const uint8_t *wanted)
{
    dps_visit *list = dps_engine_list(e, slot);
    const int32_t tiles = hand->any ? dps_order_tiles(e, hand->number, l) : 0;
    const size_t at = (size_t)l * (size_t)e->group_tiles;
    int64_t first[DPS_GROUP_TILES];                            /* row of each tile */
    int32_t mixed[DPS_GROUP_TILES * DPS_TILE_ROWS], count = 0; /* tile * DPS_TILE_ROWS + row */
    for (int32_t j = 0; j < tiles; j++) {
        first[j] = dps_order_tile(e, hand->number, l, j) * DPS_TILE_ROWS;
        for (int32_t r = 0; hand->present[at + (size_t)j] && r < hand->z[at + (size_t)j].rows;
             r++) {
            if (wanted == NULL || wanted[first[j] + r]) {
                mixed[count++] = j * DPS_TILE_ROWS + r;
            }
        }
    }
    const int64_t shard = e->shards.first + l;
    shuffle(e, pass, (uint32_t)(hand->number * e->shards.total + shard), mixed, count);
    for (int32_t i = 0; i < count; i++) {
        const int32_t j = mixed[i] / DPS_TILE_ROWS, r = mixed[i] % DPS_TILE_ROWS;
        const int64_t row = first[j] + r;
        list[i] = (dps_visit){
            .tile = &hand->z[at + (size_t)j], .place = r, .row = row, .norm2 = e->norm2[row]};
    }
    e->listed[slot] = count;
}
