/* Tile engine: what dcd and sgd share. Both visit rows one after the other and differ only in what
 * they do with a row; the engine does the heavy arithmetic in blocks, with the same bits for any
 * number of threads. */
#ifndef DPS_ENGINE_H
#define DPS_ENGINE_H

#include "solver.h"

#define DPS_GROUP_TILES 16 /* tiles that the rows of a sub-block come from */
#define DPS_BLOCK_MAX   128

typedef struct dps_engine dps_engine;

/* A sub-block: up to b rows that are updated one after the other through their Gram matrix. */
typedef struct dps_block {
    int32_t rows;
    const int64_t *row; /* rows: global row numbers */
    const float *gram;  /* rows x stride: <z_i, z_j>, symmetric */
    size_t stride;
    const int32_t *order;    /* places: a permutation of 0..places-1, the same all through a pass */
    uint32_t places;         /* b, a power of two >= rows */
    uint32_t factor, offset; /* this sub-block's own, factor odd */
    int64_t step;            /* sub-blocks visited so far */
} dps_block;

/* The row to visit as number o < places; none if it is >= rows. Were all sub-blocks visited in one
 * order, the rows of one tile, and so of one class in a sorted file, would always come last. */
static inline int32_t dps_block_visit(const dps_block *block, uint32_t o)
{
    return block->order[(block->factor * o + block->offset) & (block->places - 1)];
}

/* What a solver does. Calls for different models run side by side, calls for one model in order. */
typedef struct dps_rule {
    void *context;
    /* Rows of the sub-block that model k wants to see, ascending; returns their number. */
    int32_t (*select)(void *context, int32_t k, const dps_block *block, int32_t *list);
    /* u[list[j]] holds <w, z> of the selected rows on entry and is scratch; c (zeroed, block->rows)
     * gets the coefficients of w <- R w + sum_i c_i z_i. Returns R. */
    double (*update)(void *context, int32_t k, const dps_block *block, const int32_t *list,
                     int32_t count, double *u, double *c);
    const uint8_t
        *needed;     /* per tile: 0 = no model selects any of its rows in this pass; NULL: all */
    double *average; /* models x length, or NULL: a running average of w ... */
    /* ... average += mix(context, i) (w - average) after sub-block i of the pass */
    double (*mix)(const void *context, int64_t i);
} dps_rule;

/* Memory of an engine: what it needs, and what it would like to have in order to keep the Gram
 * matrices. */
size_t dps_engine_memory(const dps_problem *problem, int threads);

DPS_MUST_USE dps_status dps_engine_new(dps_engine **engine, const dps_problem *problem,
                                       uint64_t seed, const dps_run *run, dps_error *err);
/* One pass over all rows: models[0..count-1] of w (models of the problem x length). */
DPS_MUST_USE dps_status dps_engine_pass(dps_engine *engine, const dps_rule *rule, int64_t pass,
                                        const int32_t *models, int32_t count, double *w,
                                        dps_error *err);
void dps_engine_free(dps_engine *engine); /* accepts NULL */

#endif
