/* Parts of the tile engine that engine.c puts together: the order of visits, rounds of shards. */
#ifndef DPS_ENGINE_PRIVATE_H
#define DPS_ENGINE_PRIVATE_H

#include "engine.h"

#define DPS_STRETCH 16 /* groups that blocks of rows go through without waking threads anew */

/* A group: tiles of each of the rank's shards. Tile j of shard l is at l * group_tiles + j. */
typedef struct dps_group {
    int64_t number;
    bool any;      /* it has a wanted row */
    dps_z_tile *z; /* shards x group_tiles */
    bool *present; /* shards x group_tiles: to be fetched */
    float *panel;  /* shards x group_tiles tiles, unless resident */
} dps_group;

struct dps_engine {
    const dps_problem *problem;
    const dps_run *run;
    dps_shards shards;
    uint64_t seed;
    int32_t models;       /* of the problem */
    int32_t group_tiles;  /* most tiles of a shard in a group */
    int32_t places;       /* for tiles in a group: the rank's shards x group_tiles */
    int32_t round_rows;   /* most rows of a shard in a round of this pass */
    double reach, merges; /* of this pass: sum of what merge returned, at most 2 each; calls */
    double agreed, apart; /* of this pass: |sum over shards|^2, sum over shards of |own|^2 */
    int64_t groups;
    int64_t *tile;  /* the rank's tiles in this pass, shard after shard, group after group */
    int64_t *order; /* of groups */
    int64_t *draw;  /* groups: scratch for permutations */
    double *norm2;  /* rows: |z_i|^2, once its tile was seen */
    bool *measured; /* tiles */
    /* A group's rows in order of visits, a slot a shard; by blocks: a slot a group in hand. */
    dps_visit *list; /* slots x group_tiles x DPS_TILE_ROWS */
    int32_t *listed; /* slots: their number; 0: nothing to visit */
    char *scratch;   /* threads x scratch_bytes */
    size_t scratch_bytes;
    dps_group hand[DPS_STRETCH]; /* the one visited, the one fetched meanwhile; by blocks: all that
                                    are visited before others are fetched */
    int32_t hands;
    /* With blocks of more than one row. */
    int32_t block_rows; /* at most */
    int32_t block_now;  /* in this pass */
    int64_t blocks;     /* of this pass so far */
    double *overlap;    /* models: sum of what take returned in this pass, each at most 4 */
    float *basis;       /* DPS_COUPLED x stride */
    float *coupling;    /* rows x DPS_COUPLED, once a tile was seen */
    float *moved;       /* models x DPS_COUPLED */
    double *score;      /* 2 x models x block_rows */
    double *factor;     /* models x block_rows */
    double *change;     /* models x length */
    int32_t alone;      /* blocks that one thread visits before others are woken again */
    int32_t patience;   /* the same, of the next time they are late */
    int32_t prompt;     /* blocks since patience was halved for which nobody was late */
    /* With several shards. block: doubles of a model's weights and head */
    size_t block;
    double *own;     /* shards x models x block */
    double *sum;     /* models x block */
    double *reached; /* models: of a round, as merge returned it */
};

/* ---- order (engine_order.c) ---- */

int64_t dps_group_count(const dps_shards *shards, int32_t group_tiles);
/* Deals the tiles to groups and draws the order of groups. */
void dps_order_pass(dps_engine *engine, uint32_t pass);
/* Tiles of shard l in a group, and the j-th of them. */
int32_t dps_order_tiles(const dps_engine *engine, int64_t group, int32_t l);
int64_t dps_order_tile(const dps_engine *engine, int64_t group, int32_t l, int32_t j);
/* Lists the wanted rows of shard l in a fetched group. */
void dps_order_rows(dps_engine *engine, const dps_group *hand, int32_t l, int32_t slot,
                    uint32_t pass, const uint8_t *wanted);

static inline dps_visit *dps_engine_list(const dps_engine *e, int32_t slot)
{
    return e->list + (size_t)slot * (size_t)e->group_tiles * DPS_TILE_ROWS;
}

/* ---- blocks (engine_blocks.c) ---- */

#define DPS_LEAST_PATIENCE 64 /* blocks, some 5 ms: a time slice of another program */
/* Visits the listed rows of the first groups in hand, of the only shard, block by block. */
void dps_engine_blocks(dps_engine *engine, const dps_rule *rule, int32_t groups,
                       const int32_t *models, int32_t count, double *w);
/* After a pass: the rows of blocks of the next. */
void dps_block_adapt(dps_engine *engine, const int32_t *models, int32_t count);

/* ---- rounds (engine_rounds.c) ---- */

/* Rows of a shard in the rounds of the first pass, for so many columns. */
int32_t dps_round_rows(int32_t shards, int32_t width);
/* After a pass: those of the next. */
void dps_round_adapt(dps_engine *engine);
/* Visits the listed rows round by round. All. */
DPS_MUST_USE dps_status dps_engine_rounds(dps_engine *engine, const dps_rule *rule,
                                          const int32_t *models, int32_t count, double *w,
                                          dps_error *err);

#endif
