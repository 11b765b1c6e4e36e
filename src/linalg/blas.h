/* The only door to BLAS and LAPACK. Every call runs on one thread; parallelism is over tiles. All
 * matrices are row-major. Results depend on the library and the core it chose; nothing that enters
 * a prediction goes through here (only weights and heuristics found in training do). */
#ifndef DPS_BLAS_H
#define DPS_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

/* Loads the library, if that has not happened yet, and sets it to one thread by its own function
 * (OpenBLAS, MKL, BLIS). Call it before anything below; DPS_ERROR_IO if there is none. */
DPS_MUST_USE dps_status dps_blas_load(dps_error *err);
/* What the library says of itself, its version and core among it ("OpenBLAS 0.3.21 NO_LAPACKE
 * DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64"), or "unknown BLAS": also before it is loaded.
 */
const char *dps_blas_description(void);

/* c (n x n, row stride ldc) = a a^T + beta c, lower triangle only; a: n x k, row stride lda. */
void dps_blas_gram_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                         size_t ldc);
/* c (n x n) = a^T a + beta c, lower triangle only; a: k x n, row stride lda. */
void dps_blas_cross_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                          size_t ldc);
/* c (m x n) = a (m x k) b^T (n x k): float SGEMM, for benchmarks and Gram matrices of two blocks.
 */
void dps_blas_multiply_float(size_t m, size_t n, size_t k, const float *a, size_t lda,
                             const float *b, size_t ldb, float *c, size_t ldc);

#endif
