/* The BLAS and LAPACK of this machine, for `dpsvm bench` alone, which measures own kernels against
 * them: nothing that is trained or predicted goes through here, and none need be there. One thread
 * each; all matrices are row-major. */
#ifndef DPS_PEER_BLAS_H
#define DPS_PEER_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

/* Loads the library that the loader finds (LD_LIBRARY_PATH, the system's alternatives), if that has
 * not happened yet, and sets it to one thread by its own function (OpenBLAS, MKL, BLIS).
 * DPS_ERROR_IO, with the reason and a package, if there is none. */
DPS_MUST_USE dps_status dps_peer_load(dps_error *err);
/* What the loaded library says of itself and the core it chose ("OpenBLAS 0.3.21 ... SkylakeX
 * MAX_THREADS=64"), else its file; valid after dps_peer_load has succeeded. */
const char *dps_peer_description(void);

/* c (m x n) = a (m x k) b^T (n x k): SGEMM. */
void dps_peer_multiply(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                       size_t ldb, float *c, size_t ldc);
/* c (n x n, lower triangle) = a^T a; a: k x n: SSYRK. */
void dps_peer_cross(size_t n, size_t k, const float *a, size_t lda, float *c, size_t ldc);
/* Cholesky of the lower triangle of a in place: DPOTRF. */
DPS_MUST_USE bool dps_peer_cholesky(size_t n, double *a, size_t lda);

#endif
