/* Task: A = L L^T by blocks of columns, and L L^T x = b.
 *
 *     for block k:    A_kk = L_kk L_kk^T,   L_ik = A_ik L_kk^-T (i > k),
 *                     A_ij = A_ij - L_ik L_jk^T (i >= j > k)
 *
 * (right-looking; Golub & Van Loan, Matrix Computations, 4.2). Each line is a task of its own on a
 * block: tasks of a line may run in any order or side by side, since a block takes its updates in
 * the order of k whoever makes them. Cost: n^3 / 3 flops, all of them in the register tiles of
 * product_body.h; n^2 numbers packed and unpacked.
 *
 * Why not LAPACK: its DPOTRF has other bits with every library and every core a library chooses,
 * and Newton's path through an ill-conditioned problem hangs on them; this one is as fast as
 * OpenBLAS' or faster from order 64 to 2,048 (docs/evidence/performance.md), and loading a library
 * costs more than a small fit. */
#include "cholesky.h"

#include "product_kernels.h"
#include "tile_kernels.h"

enum { BLOCK = DPS_CHOLESKY_BLOCK };

/* The rows of a block of columns as panels, from the diagonal down. */
typedef struct column_panels {
    const dps_product_kernels *kernels;
    size_t n, lda, first, width; /* columns first ... first + width - 1 */
    double *a;
    double *inverse; /* 1 / l_jj of the block */
    double *panels;
} column_panels;

static double *panels_of(const column_panels *p, size_t row)
{
    return p->panels + (row - p->first) * BLOCK;
}

static size_t rows_from(const column_panels *p, size_t row)
{
    return p->n - row < BLOCK ? p->n - row : BLOCK;
}

static bool factor_diagonal(const column_panels *p)
{
    double *block = p->a + p->first * p->lda + p->first;
    p->kernels->take_rows(p->width, p->width, true, block, p->lda, p->panels);
    if (!p->kernels->factor(p->width, p->panels, p->inverse)) {
        return false;
    }
    p->kernels->put_rows(p->width, p->width, true, p->panels, block, p->lda);
    return true;
}

static void solve_block(const column_panels *p, size_t row)
{
    double *block = p->a + row * p->lda + p->first, *panels = panels_of(p, row);
    p->kernels->take_rows(p->width, rows_from(p, row), false, block, p->lda, panels);
    p->kernels->solve(p->width, rows_from(p, row), p->panels, p->inverse, panels);
    p->kernels->put_rows(p->width, rows_from(p, row), false, panels, block, p->lda);
}

static void update_block(const column_panels *p, size_t row, size_t column)
{
    const dps_product_shape shape = {.rows = rows_from(p, row),
                                     .columns = rows_from(p, column),
                                     .steps = p->width,
                                     .offset = row - column,
                                     .sign = -1.0};
    p->kernels->multiply(&shape, false, panels_of(p, row), panels_of(p, column),
                         (dps_product_target){.c = p->a + row * p->lda + column, .stride = p->lda});
}

size_t dps_cholesky_bytes(size_t n)
{
    const size_t steps = n < BLOCK ? dps_whole_panels(n) : BLOCK;
    return (BLOCK + dps_whole_panels(n) * steps) * sizeof(double);
}

bool dps_cholesky(dps_simd simd, size_t n, double *a, size_t lda, void *scratch)
{
    column_panels p = {
        .kernels = dps_product_kernels_of(simd), .n = n, .lda = lda, .a = a, .inverse = scratch};
    p.panels = p.inverse + BLOCK;
    for (; p.first < n; p.first += BLOCK) {
        p.width = rows_from(&p, p.first);
        if (!factor_diagonal(&p)) {
            return false;
        }
        for (size_t row = p.first + BLOCK; row < n; row += BLOCK) {
            solve_block(&p, row);
        }
        for (size_t row = p.first + BLOCK; row < n; row += BLOCK) {
            for (size_t column = p.first + BLOCK; column <= row; column += BLOCK) {
                update_block(&p, row, column);
            }
        }
    }
    return true;
}

void dps_cholesky_solve(size_t n, const double *l, size_t lda, double *b)
{
    for (size_t i = 0; i < n; i++) { /* L y = b */
        const double *row = l + i * lda;
        b[i] = (b[i] - dps_dot(i, row, b)) / row[i];
    }
    for (size_t i = n; i-- > 0;) { /* L^T x = y */
        const double *row = l + i * lda;
        b[i] /= row[i];
        dps_axpy(i, -b[i], row, b);
    }
}
