/* Hot loops over a z-tile, in one documented order of summation, equal bits on every SIMD path.
 *
 * Score of row i:  u_i = sum_j z_ij w_j.  Panel: 16 double lanes, lane l adds double(z_ij) * w_j
 * (product rounded, then added: no fma) for j = l, l + 16, ... in order; then lanes are added as a
 * tree: l += l + 8, l += l + 4, l += l + 2, l += l + 1. Sparse block: entries in order, one double,
 * product of double(value) * w; it is multiplied by sparse_scale and added to the panel's sum last.
 * Update of column j: w_j += sum_i c_i z_ij in row order, product rounded, then added. */
#ifndef DPS_TILE_KERNELS_H
#define DPS_TILE_KERNELS_H

#include "row_tile.h"
#include "run.h"

/* u[k] = score of row list[k] of the tile, k < count; list = NULL means rows 0..count-1.
 * w: 64-byte aligned, stride + sparse_columns doubles. */
void dps_tile_scores(dps_simd simd, const dps_z_tile *tile, const double *w, const int32_t *list,
                     int32_t count, double *u);
/* score[k * step + i] = score of row i by weights w + k * length, k < models, for the rows i of the
 * tile with part[i] = which. */
void dps_tile_scores_of_part(dps_simd simd, const dps_z_tile *tile, const int32_t *part,
                             int32_t which, const double *w, size_t length, int32_t models,
                             double *score, int64_t step);

/* w_j += sum_k c[k] z[list[k]][j] for panel columns begin <= j < end (multiples of DPS_PAD). Rows
 * with c[k] = 0 are passed over. */
void dps_tile_add_panel(dps_simd simd, const dps_z_tile *tile, const int32_t *list, int32_t count,
                        const double *c, size_t begin, size_t end, double *w);
/* The same for the sparse block; w points at the whole weight vector. Nothing without a block. */
void dps_tile_add_sparse(const dps_z_tile *tile, const int32_t *list, int32_t count,
                         const double *c, double *w);

/* The same for panel rows from anywhere, by their addresses. scores: columns a multiple of DPS_PAD;
 * z has `ahead` addresses more, of rows that will be asked for next. add: c[k] != 0. */
void dps_rows_scores(dps_simd simd, size_t columns, const float *const *z, int32_t count,
                     int32_t ahead, const double *w, double *u);
void dps_rows_add(dps_simd simd, const float *const *z, const double *c, int32_t count,
                  size_t begin, size_t end, double *w);

/* s[k] = |z_k|^2 of row list[k] in the score's order of summation. */
void dps_tile_norms(dps_simd simd, const dps_z_tile *tile, const int32_t *list, int32_t count,
                    double *s);

/* dot and axpy of double vectors, n any; the same 16 lanes; one thread. */
double dps_dot(size_t n, const double *a, const double *b);
void dps_axpy(size_t n, double factor, const double *x, double *y);

#endif
