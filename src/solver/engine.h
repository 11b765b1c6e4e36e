/* Tile engine: what dcd and sgd share. Both visit rows one after the other and differ only in what
 * they do with a row; the engine decides the order, fetches tiles ahead, and shares rows among
 * models and threads, with the same bits for any number of threads. */
#ifndef DPS_ENGINE_H
#define DPS_ENGINE_H

#include "solver.h"
#include "tile_kernels.h"

#define DPS_GROUP_TILES 16 /* tiles whose rows are mixed */
#define DPS_CHUNK_ROWS  64 /* rows that stay in cache while every model visits them */

typedef struct dps_engine dps_engine;

/* A row to visit. */
typedef struct dps_visit {
    const dps_z_tile *tile;
    int32_t place; /* row within the tile */
    int64_t row;   /* row of the data */
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

/* What a solver does. Calls for different models run side by side, calls for one model in order. */
typedef struct dps_rule {
    void *context;
    /* Updates w (of model k) at count <= DPS_CHUNK_ROWS rows, one after the other. */
    void (*update)(void *context, int32_t k, const dps_visit *visit, int32_t count, double *w);
    /* Per row: 0 = no model wants to see it in this pass; NULL: all rows. Tiles without a wanted
     * row are not fetched. Must not change during a pass. */
    const uint8_t *wanted;
} dps_rule;

size_t dps_engine_memory(const dps_problem *problem, int threads);

DPS_MUST_USE dps_status dps_engine_new(dps_engine **engine, const dps_problem *problem,
                                       uint64_t seed, const dps_run *run, dps_error *err);
/* One pass over the rows: models[0..count-1] of w (models of the problem x length). */
DPS_MUST_USE dps_status dps_engine_pass(dps_engine *engine, const dps_rule *rule, int64_t pass,
                                        const int32_t *models, int32_t count, double *w,
                                        dps_error *err);
void dps_engine_free(dps_engine *engine); /* accepts NULL */

#endif
