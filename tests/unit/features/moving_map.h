/* A map of map.refine written out in double: p = <v, x> + b from projections V as doubles, a column
 * = its weight times the product of amplitude cos(p), or of p. */
#ifndef DPS_MOVING_MAP_H
#define DPS_MOVING_MAP_H

#include "map_private.h"
#include "map_projections.h"
#include "unit/features/map_fixture.h"

/* A column that moves: its factors are numbers first, first + step, ... */
typedef struct moving_column {
    int32_t column, degree, first, step;
    double weight;
    bool cosine;
} moving_column;

/* Blocks in order, panels of 32 columns, all first factors of a panel before its second ones. */
static inline int32_t list_columns(const dps_map *map, moving_column *list)
{
    int32_t count = 0, factor = 0;
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        const bool cosine = block->kind == DPS_BLOCK_COSINES;
        for (int32_t at = 0; at < block->columns && (cosine || block->kind == DPS_BLOCK_AFFINE);
             at += DPS_PANEL) {
            const int32_t left = block->columns - at, lanes = left < DPS_PANEL ? left : DPS_PANEL;
            for (int32_t lane = 0; lane < lanes; lane++) {
                list[count++] =
                    (moving_column){.column = map->exact.width + block->first + at + lane,
                                    .degree = block->degree,
                                    .first = factor + lane,
                                    .step = lanes,
                                    .weight = (float)block->weight,
                                    .cosine = cosine};
            }
            factor += block->degree * lanes;
        }
    }
    assert_int_equal(factor, dps_map_factors(map));
    return count;
}

static inline double projection(const double *v, int32_t factors, int32_t f, const float *x,
                                int32_t d)
{
    double p = v[(size_t)d * (size_t)factors + (size_t)f];
    for (int32_t j = 0; j < d; j++) {
        p += v[(size_t)j * (size_t)factors + (size_t)f] * (double)x[j];
    }
    return p;
}

/* The column where the projection of its factor `which` is greater by `more`. */
static inline double column_value(const dps_map *map, const moving_column *c, const double *v,
                                  const float *x, int32_t which, double more)
{
    double z = c->weight;
    for (int32_t g = 0; g < c->degree; g++) {
        const double p =
            projection(v, dps_map_factors(map), c->first + g * c->step, x, map->layout.columns) +
            (g == which ? more : 0.0);
        z *= c->cosine ? (double)map->amplitude * cos(p) : p;
    }
    return z;
}

#endif
