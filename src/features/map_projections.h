/* The projections of a map as numbers that move (map.refine), and how its columns follow them.
 *
 * A map of recipe.refine has random columns that are products of factors, each a function of
 * p = <v, x> + b: p itself for kernels of <x, y>, sqrt(2) cos(p) (fourier: cos(p)) for those of
 * x - y. F factors in all, numbered by panels of DPS_PANEL columns of one degree: within a panel
 * all columns' first factors, then their second ones. Their projections are a matrix of d + 1 rows
 * of F numbers: the coefficients of one coordinate after the other, then b. */
#ifndef DPS_MAP_PROJECTIONS_H
#define DPS_MAP_PROJECTIONS_H

#include "map.h"

/* F; 0: nothing of this map moves. */
int32_t dps_map_factors(const dps_map *map);
/* The projections, (d + 1) x F, as they are; and others in their place. */
void dps_map_projections(const dps_map *map, float *v);
void dps_map_move(dps_map *map, const float *v);

/* map.refine = metric: x -> x T in front of the map, T of d x d numbers, or of the d on its
 * diagonal where rows are wide. As projections: v = T start in their coefficients, offsets as they
 * are; start and v are (d + 1) x factors. */
#define DPS_FULL_METRIC 256 /* widest rows of a full T */
static inline int64_t dps_metric_numbers(int32_t d)
{
    return d <= DPS_FULL_METRIC ? (int64_t)d * d : d;
}
void dps_metric_apply(int32_t d, int32_t factors, const float *t, const float *start, float *v);

/* By the chain rule from columns to projections: slope[i][f] = sum over columns j of
 * column_slope[i][j] dz_j / dp_f at row i, the columns being those of dps_map_apply. tile: dense.
 * slope: tile->rows x stride. scratch: dps_map_slopes_bytes, 64-byte aligned. */
void dps_map_slopes(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                    const float *column_slope, size_t column_stride, float *slope, size_t stride,
                    void *scratch);
size_t dps_map_slopes_bytes(const dps_map *map);

#endif
