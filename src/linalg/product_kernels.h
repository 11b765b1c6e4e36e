/* The variants behind products.h and cholesky.h: same arguments, same bits. Panels are how they
 * hold matrices: `columns` columns (or rows) side by side, step after step of the index that is
 * summed over. A panel of floats has float_panel columns, one of doubles double_panel
 * (product_body.h); both divide DPS_CHOLESKY_BLOCK. */
#ifndef DPS_PRODUCT_KERNELS_H
#define DPS_PRODUCT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include "run.h"

#define DPS_CHOLESKY_BLOCK 192

/* Columns of doubles that whole panels of every variant have room for; half as many bytes hold
 * panels of floats. */
static inline size_t dps_whole_panels(size_t columns)
{
    enum { most = 24 };
    return (columns + most - 1) / most * most;
}

/* c, rows of doubles: row i begins at i * stride, or at i (i + 1) / 2 where stride is 0. */
typedef struct dps_product_target {
    double *c;
    size_t stride;
} dps_product_target;

/* Entries (i, j) with i < rows, j < columns and j <= i + offset get sign * sum over `steps` of
 * a_i b_j added, sign 1 or -1. */
typedef struct dps_product_shape {
    size_t rows, columns, steps, offset;
    double sign;
} dps_product_shape;

typedef struct dps_product_kernels {
    /* c += sign a^T a of steps x columns floats (row stride lda), which are packed into `panels`
     * first if that is not NULL; without, lda is a multiple of 16. */
    void (*cross)(const dps_product_shape *shape, const float *a, size_t lda, float *panels,
                  dps_product_target c);
    /* The same of rows that lie in such panels already, `stride` rows apart. */
    void (*cross_packed)(const dps_product_shape *shape, const float *panels, size_t stride,
                         dps_product_target c);
    size_t panel; /* columns of a panel of floats */
    /* c += a^T b of floats; row strides are multiples of 16. */
    void (*outer)(const dps_product_shape *shape, const float *a, size_t lda, const float *b,
                  size_t ldb, dps_product_target c);
    /* u (count x rows) = w z^T, sum (count x columns) += c z; z: rows x columns, columns a multiple
     * of 16 (dps_scores_many, dps_sums_many). */
    void (*scores)(size_t rows, size_t columns, const float *z, size_t ldz, size_t count,
                   const float *w, size_t ldw, float *u, size_t ldu);
    void (*add_rows)(size_t rows, size_t columns, const float *z, size_t ldz, size_t count,
                     const float *c, size_t ldc, float *sum);
    /* Floats as panels of doubles: by columns of a (steps x columns), or by its rows
     * (rows x steps). */
    void (*pack_columns)(size_t steps, size_t columns, const float *a, size_t lda, double *panels);
    void (*pack_rows)(size_t steps, size_t rows, const float *a, size_t lda, double *panels);
    /* c += sign a b^T of panels; exact: products of floats, which doubles hold without rounding. */
    void (*multiply)(const dps_product_shape *shape, bool exact, const double *a, const double *b,
                     dps_product_target c);
    /* Number (k, i) of a, at k * step + i * lane, as panels of `lanes` lanes. */
    void (*take)(size_t steps, size_t lanes, const double *a, size_t step, size_t lane,
                 double *panels);
    /* Rows of doubles as panels and back; lower: zeros right of the diagonal, and not written. */
    void (*take_rows)(size_t steps, size_t rows, bool lower, const double *a, size_t lda,
                      double *panels);
    void (*put_rows)(size_t steps, size_t rows, bool lower, const double *panels, double *a,
                     size_t lda);
    /* panels of an n x n block -> its Cholesky factor, and 1 / l_jj; false: not positive definite.
     */
    bool (*factor)(size_t n, double *panels, double *inverse);
    /* x of x l^T = b in place: rows as panels of n steps, l and inverse from `factor`. */
    void (*solve)(size_t n, size_t rows, const double *l, const double *inverse, double *panels);
} dps_product_kernels;

const dps_product_kernels *dps_product_kernels_of(dps_simd simd);
extern const dps_product_kernels dps_product_portable;
extern const dps_product_kernels dps_product_avx2;
extern const dps_product_kernels dps_product_avx512;

#endif
