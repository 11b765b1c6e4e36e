/* Task: products of tiles (products.h): which variant, and what is packed. Cost: 2 flops a product,
 * n^2 rows for a^T a; bound by multiply-adds. */
#include "products.h"

#include <assert.h>
#include <string.h>
#include "allocation.h"
#include "product_kernels.h"
#include "row_tile.h"

/* Panels of floats are packed from this width on: below, rows are short enough to be read as they
 * are, and packing would cost more than it gives. */
enum { LEAST_PACKED = 512, CHAIN = DPS_TILE_ROWS };

const dps_product_kernels *dps_product_kernels_of(dps_simd simd)
{
    return DPS_VARIANT(simd, &dps_product);
}

size_t dps_cross_bytes(size_t n)
{
    return DPS_TILE_ROWS * dps_whole_panels(n) * sizeof(double);
}

void dps_cross_add(dps_simd simd, bool exact, size_t rows, size_t n, const float *a, size_t lda,
                   double sign, double *c, void *scratch)
{
    const dps_product_kernels *kernels = dps_product_kernels_of(simd);
    const dps_product_shape shape = {.rows = n, .columns = n, .steps = rows, .sign = sign};
    const dps_product_target target = {.c = c};
    assert(rows <= DPS_TILE_ROWS && lda % DPS_PAD == 0 && lda >= n);
    if (exact) {
        kernels->pack_columns(rows, n, a, lda, scratch);
        kernels->multiply(&shape, true, scratch, scratch, target);
    } else {
        kernels->cross(&shape, a, lda, n >= LEAST_PACKED ? scratch : NULL, target);
    }
}

void dps_cross_add_gathered(dps_simd simd, size_t rows, size_t n, const float *gathered,
                            double sign, double *c)
{
    const dps_product_shape shape = {.rows = n, .columns = n, .steps = rows, .sign = sign};
    const size_t lda = dps_round_up(n, DPS_PAD);
    const dps_product_kernels *kernels = dps_product_kernels_of(simd);
    if (dps_cross_panel(simd, lda) == lda) {
        kernels->cross(&shape, gathered, lda, NULL, (dps_product_target){.c = c});
    } else {
        kernels->cross_packed(&shape, gathered, DPS_TILE_ROWS, (dps_product_target){.c = c});
    }
}

size_t dps_cross_panel(dps_simd simd, size_t lda)
{
    return lda < LEAST_PACKED ? lda : dps_product_kernels_of(simd)->panel;
}

size_t dps_cross_gathered(size_t lda)
{
    return DPS_TILE_ROWS * 2 * dps_whole_panels((lda + 1) / 2);
}

size_t dps_cross_block_bytes(size_t n)
{
    return 2 * dps_cross_bytes(n);
}

void dps_cross_block_add(dps_simd simd, bool exact, size_t rows, size_t columns_a, const float *a,
                         size_t lda, size_t columns_b, const float *b, size_t ldb, double sign,
                         double *c, size_t ldc, void *scratch)
{
    const dps_product_kernels *kernels = dps_product_kernels_of(simd);
    const dps_product_shape shape = {.rows = columns_a,
                                     .columns = columns_b,
                                     .steps = rows,
                                     .offset = a == b ? 0 : columns_b,
                                     .sign = sign};
    const dps_product_target target = {.c = c, .stride = ldc};
    assert(rows <= DPS_TILE_ROWS && lda % DPS_PAD == 0 && ldb % DPS_PAD == 0);
    if (!exact) {
        kernels->outer(&shape, a, lda, b, ldb, target);
        return;
    }
    double *left = scratch, *right = left + DPS_TILE_ROWS * dps_whole_panels(columns_a);
    kernels->pack_columns(rows, columns_a, a, lda, left);
    if (a != b) {
        kernels->pack_columns(rows, columns_b, b, ldb, right);
    }
    kernels->multiply(&shape, true, left, a == b ? left : right, target);
}

void dps_outer_add(dps_simd simd, size_t rows, size_t columns_a, const float *a, size_t lda,
                   size_t columns_b, const float *b, size_t ldb, double *c, size_t ldc)
{
    const dps_product_shape shape = {.rows = columns_a,
                                     .columns = columns_b,
                                     .steps = rows,
                                     .offset = columns_b, /* no triangle */
                                     .sign = 1.0};
    assert(rows <= DPS_TILE_ROWS && lda % DPS_PAD == 0 && ldb % DPS_PAD == 0);
    dps_product_kernels_of(simd)->outer(&shape, a, lda, b, ldb,
                                        (dps_product_target){.c = c, .stride = ldc});
}

size_t dps_gram_bytes(void)
{
    return 2 * (size_t)CHAIN * dps_whole_panels(DPS_TILE_ROWS) * sizeof(double);
}

void dps_gram_add(dps_simd simd, size_t columns, size_t rows_a, const float *a, size_t rows_b,
                  const float *b, size_t ld, size_t offset, double *c, size_t ldc, void *scratch)
{
    const dps_product_kernels *kernels = dps_product_kernels_of(simd);
    double *left = scratch, *right = left + (size_t)CHAIN * dps_whole_panels(DPS_TILE_ROWS);
    assert(rows_a <= DPS_TILE_ROWS && rows_b <= DPS_TILE_ROWS);
    for (size_t first = 0; first < columns; first += CHAIN) {
        const size_t steps = columns - first < CHAIN ? columns - first : CHAIN;
        const dps_product_shape shape = {
            .rows = rows_a, .columns = rows_b, .steps = steps, .offset = offset, .sign = 1.0};
        kernels->pack_rows(steps, rows_a, a + first, ld, left);
        if (a != b) {
            kernels->pack_rows(steps, rows_b, b + first, ld, right);
        }
        kernels->multiply(&shape, true, left, a != b ? right : left,
                          (dps_product_target){.c = c, .stride = ldc});
    }
}

void dps_scores_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                     size_t count, const float *w, size_t ldw, float *u, size_t ldu)
{
    assert(columns % DPS_PAD == 0 && ldz % DPS_PAD == 0);
    dps_product_kernels_of(simd)->scores(rows, columns, z, ldz, count, w, ldw, u, ldu);
}

/* Columns whose sums stay in the first-level cache while the rows pass. */
static size_t columns_at_once(size_t columns, size_t count)
{
    enum { CACHE = 16 << 10 };
    const size_t most = CACHE / sizeof(float) / count / DPS_PAD * DPS_PAD;
    const size_t width = most < DPS_PAD ? DPS_PAD : most;
    return width < columns ? width : columns;
}

size_t dps_sums_bytes(size_t columns, size_t count)
{
    return count * columns_at_once(columns, count) * sizeof(float);
}

void dps_sums_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                   size_t count, const float *c, size_t ldc, double *total, size_t ldt,
                   float *scratch)
{
    assert(columns % DPS_PAD == 0 && ldz % DPS_PAD == 0 && count > 0);
    const size_t most = columns_at_once(columns, count);
    for (size_t first = 0; first < columns; first += most) {
        const size_t width = columns - first < most ? columns - first : most;
        memset(scratch, 0, count * width * sizeof *scratch);
        dps_product_kernels_of(simd)->add_rows(rows, width, z + first, ldz, count, c, ldc, scratch);
        for (size_t k = 0; k < count; k++) {
            for (size_t j = 0; j < width; j++) {
                total[k * ldt + first + j] += (double)scratch[k * width + j];
            }
        }
    }
}

void dps_chains_many(dps_simd simd, size_t rows, size_t columns, const float *z, size_t ldz,
                     size_t count, const float *c, size_t ldc, float *sum)
{
    assert(columns % DPS_PAD == 0 && ldz % DPS_PAD == 0);
    dps_product_kernels_of(simd)->add_rows(rows, columns, z, ldz, count, c, ldc, sum);
}
