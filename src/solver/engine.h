/* Tile engine: what dcd and sgd share. Both visit rows one after the other and differ only in what
 * they do with a row; the engine decides the order, fetches tiles ahead, and shares rows among
 * models, shards and threads, with the same bits for any number of threads. */
#ifndef DPS_ENGINE_H
#define DPS_ENGINE_H

#include "coupling.h"
#include "shards.h"
#include "state.h"
#include "tile_kernels.h"

#define DPS_GROUP_TILES 16  /* tiles whose rows are mixed */
#define DPS_CHUNK_ROWS  64  /* rows that stay in cache while every model visits them */
#define DPS_ROUND_ROWS  256 /* most rows of a shard between two exchanges with the others */
#define DPS_PIECE_ROWS  16  /* rows of a block whose sums are made together */
#define DPS_HEAD_NORM   15  /* place of the sum of |own|^2, the engine's */
#define DPS_ROUND_HEAD  16  /* doubles that a shard adds beside its weights */

typedef struct dps_engine dps_engine;

/* A row to visit. */
typedef struct dps_visit {
    const dps_z_tile *tile;
    int32_t place; /* row within the tile */
    int64_t row;   /* row of the data on this rank */
    double norm2;  /* |z|^2 */
} dps_visit;

/* <w, z> of the row. */
static inline double dps_visit_score(dps_simd simd, const dps_visit *visit, const double *w)
{
    double u;
    dps_tile_scores(simd, visit->tile, w, &visit->place, 1, &u);
    return u;
}

/* Asks for the row's panel ahead of its visit: rows come in random order, which hardware does not
 * foresee. */
static inline void dps_visit_prefetch(const dps_visit *visit)
{
    const float *z = visit->tile->z + (size_t)visit->place * visit->tile->stride;
    for (size_t l = 0; l < visit->tile->stride; l += DPS_PAD) {
        __builtin_prefetch(z + l);
    }
}

/* w += c z */
static inline void dps_visit_add(dps_simd simd, const dps_visit *visit, double c, double *w)
{
    dps_tile_add_panel(simd, visit->tile, &visit->place, 1, &c, 0, visit->tile->stride, w);
    dps_tile_add_sparse(visit->tile, &visit->place, 1, &c, w);
}

/* Rows of which all threads compute the scores at one w (engine_blocks.c). */
typedef struct dps_block {
    int32_t k;    /* model */
    int32_t turn; /* 0 and 1 by turns: of what prepare leaves to the chain, two blocks are kept */
    bool last;    /* of those in hand: no other is scored before this one is taken */
    const dps_visit *visit;
    int32_t count;
    const float *coupling; /* of row i of the data, DPS_COUPLED floats from i * DPS_COUPLED on */
    float *moved;          /* DPS_COUPLED: V times what w has changed by since u was computed */
    double *u;             /* <w, z> of each row, of those that the model does not want 0 */
    double *c;             /* what the rule makes of them: w changes by sum_j c_j z_j */
} dps_block;

/* What a solver does with a block. prepare and account come from several threads, for parts of the
 * rows, those of account beginning at multiples of DPS_PIECE_ROWS; the others once a block and
 * model, in this order: prepare, chain, account, take. A block is prepared before the one before it
 * is taken. */
typedef struct dps_block_rule {
    void (*prepare)(void *context, const dps_block *block, int32_t begin, int32_t end);
    /* Sets c of every row, one after the other, and may leave in u what it took for the score;
     * leaves V sum_j c_j z_j in moved. */
    void (*chain)(void *context, const dps_block *block);
    void (*account)(void *context, const dps_block *block, int32_t begin, int32_t end);
    /* change = sum_j c_j z_j. Leaves in moved what w has really been changed by, times V. Returns
     * how far the changes of the rows overlap beyond what their scores knew of each other: 1 where
     * not. */
    double (*take)(void *context, const dps_block *block, const double *change, double *w);
    const uint8_t *active; /* rows x models: whose score a model wants; NULL: all */
} dps_block_rule;

/* Rows of a block, 1: they are visited one by one. wanted: a number, or 0 for auto: from rows and
 * columns alone. 1 with several shards or a sparse block. */
int32_t dps_block_rows(const dps_problem *problem, int32_t shards, int32_t wanted);

/* What a solver does. Calls for different models or shards run side by side, calls for one model
 * and shard in order. l: a shard of this rank, from 0.
 *
 * With one shard, `update` works on the weights themselves and the other calls are not made; an
 * engine of blocks calls those of `block` instead. With
 * several, rounds of at most DPS_ROUND_ROWS rows a shard: open, update on the shard's own copy of
 * the weights, close; the sum over shards; merge; settle. */
typedef struct dps_rule {
    void *context;
    /* Updates w (of model k) at count <= DPS_CHUNK_ROWS rows, one after the other. */
    void (*update)(void *context, int32_t l, int32_t k, const dps_visit *visit, int32_t count,
                   double *w);
    void (*open)(void *context, int32_t l, int32_t k);
    /* Turns the shard's weights `own` into what it adds to the sum, given the weights w that the
     * round began with; head: DPS_HEAD_NORM zeros, summed too. */
    void (*close)(void *context, int32_t l, int32_t k, const double *w, double *own, double *head);
    /* Takes the sums into the weights. Returns how much further or less far than what the shards
     * made of it was best, 2 where that is not known. */
    double (*merge)(void *context, int32_t k, const double *sum, const double *head, double *w);
    /* What a shard has left to do once its round is merged; may be NULL. */
    void (*settle)(void *context, int32_t l, int32_t k);
    /* Per row: 0 = no model wants to see it in this pass; NULL: all rows. Tiles without a wanted
     * row are not fetched. Must not change during a pass. */
    const uint8_t *wanted;
    dps_block_rule block;
} dps_rule;

size_t dps_engine_memory(const dps_problem *problem, int32_t shards, int32_t block_rows,
                         int threads);

/* block_rows: 1: rows one by one; more, with one shard and without a sparse block: by blocks of at
 * most so many. All. */
DPS_MUST_USE dps_status dps_engine_new(dps_engine **engine, const dps_problem *problem,
                                       const dps_shards *shards, int32_t block_rows, uint64_t seed,
                                       const dps_run *run, dps_error *err);
/* One pass over the rows: models[0..count-1] of w (models of the problem x length). All. */
DPS_MUST_USE dps_status dps_engine_pass(dps_engine *engine, const dps_rule *rule, int64_t pass,
                                        const int32_t *models, int32_t count, double *w,
                                        dps_error *err);
/* What a pass leaves to the next. */
void dps_engine_list_state(dps_engine *engine, dps_state *state);
void dps_engine_free(dps_engine *engine); /* accepts NULL */

#endif
