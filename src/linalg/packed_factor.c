/* Task: L L^T x = b by blocks of columns, for rows b of right-hand sides.
 *
 *     L y = b:    y_j = b_j D_j^T,  b_i = b_i - y_j L_ij^T (i > j),    D_j = L_jj^-1, j ascending
 *     L^T x = y:  x_j = y_j D_j,    y_i = y_i - x_j L_ji (i < j),      j descending
 *
 * Every product is one call on panels that were packed once: D_j^T, the rows below it, D_j, and the
 * columns left of it. Cost: 4 n^2 flops a right-hand side, n^2 numbers read for all of them; n^2
 * packed once. */
#include "packed_factor.h"

#include <stdint.h>
#include <string.h>
#include "product_kernels.h"
#include "row_tile.h"

enum { BLOCK = DPS_CHOLESKY_BLOCK };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of the block of columns first ... first + width - 1. */
typedef struct block_panels {
    size_t first, width, below;           /* rows below it */
    size_t forward, down, backward, left; /* where they begin */
    size_t end;
} block_panels;

static block_panels block_at(size_t n, size_t first, size_t begin)
{
    block_panels b = {.first = first, .width = least(BLOCK, n - first), .forward = begin};
    b.below = n - first - b.width;
    b.down = b.forward + b.width * dps_whole_panels(b.width);
    b.backward = b.down + b.width * dps_whole_panels(b.below);
    b.left = b.backward + b.width * dps_whole_panels(b.width);
    b.end = b.left + b.width * dps_whole_panels(first);
    return b;
}

size_t dps_packed_factor_bytes(size_t n)
{
    size_t end = 0;
    for (size_t first = 0; first < n; first += BLOCK) {
        end = block_at(n, first, end).end;
    }
    return end * sizeof(double);
}

size_t dps_packed_factor_scratch(size_t count)
{
    const size_t pack = (2 * dps_whole_panels(BLOCK) + BLOCK + 1) * BLOCK;
    const size_t solve = (dps_whole_panels(count) + count) * BLOCK;
    return (pack > solve ? pack : solve) * sizeof(double);
}

/* inverse (width x width) = L_jj^-T. */
static void invert_diagonal(const dps_product_kernels *kernels, size_t width, const double *l,
                            size_t lda, double *inverse, double *scratch)
{
    double *reciprocal = scratch, *factor = reciprocal + BLOCK;
    double *unit = factor + dps_whole_panels(BLOCK) * BLOCK;
    memset(inverse, 0, width * width * sizeof *inverse);
    for (size_t j = 0; j < BLOCK; j++) {
        reciprocal[j] = j < width ? 1.0 / l[j * lda + j] : 1.0;
    }
    for (size_t j = 0; j < width; j++) {
        inverse[j * width + j] = 1.0;
    }
    kernels->take_rows(width, width, true, l, lda, factor);
    kernels->take_rows(width, width, false, inverse, width, unit);
    kernels->solve(width, width, factor, reciprocal, unit);
    kernels->put_rows(width, width, false, unit, inverse, width);
}

void dps_pack_factor(dps_simd simd, size_t n, const double *l, size_t lda, double *panels,
                     void *scratch)
{
    const dps_product_kernels *kernels = dps_product_kernels_of(simd);
    double *inverse = scratch, *rest = inverse + (size_t)BLOCK * BLOCK;
    block_panels b = {0};
    for (size_t first = 0; first < n; first += BLOCK) {
        b = block_at(n, first, b.end);
        const double *diagonal = l + first * lda + first;
        const size_t w = b.width;
        invert_diagonal(kernels, w, diagonal, lda, inverse, rest);
        kernels->take(w, w, inverse, w, 1, panels + b.forward);
        kernels->take(w, b.below, diagonal + w * lda, 1, lda, panels + b.down);
        kernels->take(w, w, inverse, 1, w, panels + b.backward);
        kernels->take(w, first, l + first * lda, lda, 1, panels + b.left);
    }
}

typedef struct sides {
    const dps_product_kernels *kernels;
    const double *panels;
    double *b;
    size_t ldb, count;
    double *own, *left; /* of a block: count x BLOCK, and packed */
} sides;

/* The block's part of every right-hand side times `diagonal`, and the products of that with other
 * panels taken from the columns at `to`. */
static void eliminate(const sides *s, const block_panels *block, const double *diagonal,
                      const double *other, size_t to, size_t columns)
{
    const size_t w = block->width;
    double *at = s->b + block->first;
    dps_product_shape shape = {
        .rows = s->count, .columns = w, .steps = w, .offset = SIZE_MAX / 2, .sign = 1.0};
    s->kernels->take(w, s->count, at, 1, s->ldb, s->left);
    memset(s->own, 0, s->count * w * sizeof *s->own);
    s->kernels->multiply(&shape, false, s->left, diagonal,
                         (dps_product_target){.c = s->own, .stride = w});
    for (size_t k = 0; k < s->count; k++) {
        memcpy(at + k * s->ldb, s->own + k * w, w * sizeof *at);
    }
    if (columns > 0) {
        shape.columns = columns;
        shape.sign = -1.0;
        s->kernels->take(w, s->count, at, 1, s->ldb, s->left);
        s->kernels->multiply(&shape, false, s->left, other,
                             (dps_product_target){.c = s->b + to, .stride = s->ldb});
    }
}

void dps_packed_solve(dps_simd simd, size_t n, const double *panels, double *b, size_t ldb,
                      size_t count, void *scratch)
{
    const sides s = {.kernels = dps_product_kernels_of(simd),
                     .panels = panels,
                     .b = b,
                     .ldb = ldb,
                     .count = count,
                     .left = scratch,
                     .own = (double *)scratch + dps_whole_panels(count) * BLOCK};
    size_t begin[1 + UINT16_MAX / BLOCK], blocks = 0; /* of the panels */
    for (size_t first = 0, end = 0; first < n; first += BLOCK) {
        const block_panels block = block_at(n, first, end);
        eliminate(&s, &block, panels + block.forward, panels + block.down, first + block.width,
                  block.below);
        begin[blocks++] = end;
        end = block.end;
    }
    while (blocks-- > 0) {
        const block_panels block = block_at(n, blocks * BLOCK, begin[blocks]);
        eliminate(&s, &block, panels + block.backward, panels + block.left, 0, block.first);
    }
}
