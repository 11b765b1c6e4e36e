/* Cholesky factors of symmetric matrices, and systems solved by them: own loops in one documented
 * order of summation, equal bits on every SIMD path and for every number of threads.
 *
 * Entry (i, j) of L: from a_ij one product l_ik l_jk after the other is taken away (fused), k
 * ascending, those of a block of DPS_CHOLESKY_BLOCK columns before the own one as one sum, itself a
 * chain from zero; then times 1 / l_jj. */
#ifndef DPS_CHOLESKY_H
#define DPS_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>
#include "run.h"

/* L of the lower triangle of a (n x n, row stride lda) in place, by at most so many threads. False:
 * not positive definite (a is spoilt). scratch: dps_cholesky_bytes(n), 64-byte aligned. */
DPS_MUST_USE bool dps_cholesky(dps_simd simd, int threads, size_t n, double *a, size_t lda,
                               void *scratch);
size_t dps_cholesky_bytes(size_t n);
/* Solves L L^T x = b in place. */
void dps_cholesky_solve(size_t n, const double *l, size_t lda, double *b);

#endif
