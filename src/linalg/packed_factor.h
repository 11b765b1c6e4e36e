/* A Cholesky factor laid out for systems with many right-hand sides: two products of panels a block
 * instead of loops over rows. Equal bits on every SIMD path and for any number of right-hand sides
 * beside one. */
#ifndef DPS_PACKED_FACTOR_H
#define DPS_PACKED_FACTOR_H

#include <stddef.h>
#include "run.h"

/* Bytes of the panels, and of scratch to pack, or to solve `count` right-hand sides. All blocks
 * are 64-byte aligned. */
size_t dps_packed_factor_bytes(size_t n);
size_t dps_packed_factor_scratch(size_t count);
/* l: lower triangle, n x n, row stride lda (cholesky.h). scratch: of count 0. */
void dps_pack_factor(dps_simd simd, size_t n, const double *l, size_t lda, double *panels,
                     void *scratch);
/* L L^T x = b in place, for `count` right-hand sides, ldb doubles apart. */
void dps_packed_solve(dps_simd simd, size_t n, const double *panels, double *b, size_t ldb,
                      size_t count, void *scratch);

#endif
