/* Products of tiles, lower triangles only, in one documented order of summation: equal bits on
 * every SIMD path. All matrices are row-major; every call runs on one thread.
 *
 *   fast    an entry is one chain of float fused multiply-adds over the rows, in their order, added
 *           in double: an error of about 1e-6 of the diagonal for the 384 rows of a tile
 *   exact   the chain is of doubles, in which products of floats have no rounding at all */
#ifndef DPS_PRODUCTS_H
#define DPS_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include "run.h"

/* c, the packed lower triangle of n x n doubles (entry (i, j) at i (i + 1) / 2 + j), += sign a^T a
 * with sign 1 or -1; a: rows x n floats, rows <= DPS_TILE_ROWS, row stride lda a multiple of
 * DPS_PAD. scratch: dps_cross_bytes, 64-byte aligned. */
void dps_cross_add(dps_simd simd, bool exact, size_t rows, size_t n, const float *a, size_t lda,
                   double sign, double *c, void *scratch);
size_t dps_cross_bytes(size_t n);

/* Fast, of rows that were gathered as the variant reads them: columns k p ... k p + p - 1 of row r
 * at (k DPS_TILE_ROWS + r) p, p = dps_cross_panel, as many of them as a row of lda has. Room for
 * dps_cross_gathered floats. */
void dps_cross_add_gathered(dps_simd simd, size_t rows, size_t n, const float *gathered,
                            double sign, double *c);
size_t dps_cross_panel(dps_simd simd, size_t lda);
size_t dps_cross_gathered(size_t lda);

/* The entries of dps_cross_add of two groups of columns, a and b of lda and ldb floats: c
 * (columns_a x columns_b doubles, row stride ldc) += sign a^T b, the lower triangle where a == b.
 * scratch: dps_cross_block_bytes of the wider group. */
void dps_cross_block_add(dps_simd simd, bool exact, size_t rows, size_t columns_a, const float *a,
                         size_t lda, size_t columns_b, const float *b, size_t ldb, double sign,
                         double *c, size_t ldc, void *scratch);
size_t dps_cross_block_bytes(size_t n);

/* c (columns_a x columns_b doubles, row stride ldc) += a^T b, fast, of two tiles of floats with as
 * many rows, lda and ldb multiples of DPS_PAD. */
void dps_outer_add(dps_simd simd, size_t rows, size_t columns_a, const float *a, size_t lda,
                   size_t columns_b, const float *b, size_t ldb, double *c, size_t ldc);

/* c (rows_a x rows_b doubles, row stride ldc) += a b^T, exact, for two tiles of `columns` columns
 * and row stride ld; entries (i, j) with j <= i + offset only. The columns are summed in chains of
 * DPS_TILE_ROWS, which are added in order. scratch: dps_gram_bytes(). */
void dps_gram_add(dps_simd simd, size_t columns, size_t rows_a, const float *a, size_t rows_b,
                  const float *b, size_t ld, size_t offset, double *c, size_t ldc, void *scratch);
size_t dps_gram_bytes(void);

/* A tile and `count` vectors at once, in floats: an error of about 1e-6. z: rows x columns, row
 * stride ldz; columns and ldz multiples of DPS_PAD.
 *
 *   scores   u[k ldu + i] = <w_k, z_i>: 16 lanes, lane l the chain of the columns l, l + 16, ...;
 *            then l += l + 8, l += l + 4, l += l + 2, l += l + 1
 *   sums     total[k ldt + j] += sum_i c[k ldc + i] z_ij: a chain over the rows, added in double */
void dps_scores_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                     size_t count, const float *w, size_t ldw, float *u, size_t ldu);
/* scratch: dps_sums_bytes, 64-byte aligned. */
void dps_sums_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                   size_t count, const float *c, size_t ldc, double *total, size_t ldt,
                   float *scratch);
size_t dps_sums_bytes(size_t columns, size_t count);
/* The chains alone: sum, count x columns of floats one after the other, += c z. For few vectors:
 * their sums should stay in the first-level cache. */
void dps_chains_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                     size_t count, const float *c, size_t ldc, float *sum);

#endif
