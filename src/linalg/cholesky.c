/* Task: A = L L^T by blocks of columns, and L L^T x = b.
 *
 *     for block k:    A_kk = L_kk L_kk^T,   L_ik = A_ik L_kk^-T (i > k),
 *                     A_ij = A_ij - L_ik L_jk^T (i >= j > k)
 *
 * (right-looking; Golub & Van Loan, Matrix Computations, 4.2). Tasks of a line, a few rows or a
 * part of a block each, run in any order or side by side, since an entry takes its updates in the
 * order of k whoever makes them; between the lines threads wait for each other, three times a
 * block. Cost: n^3 / 3 flops, all of them in the register tiles of product_body.h; n^2 numbers
 * packed and unpacked.
 *
 * Why not LAPACK: its DPOTRF has other bits with every library and every core a library chooses,
 * and Newton's path through an ill-conditioned problem hangs on them; this one is as fast as
 * OpenBLAS' or faster from order 64 to 2,048 (docs/evidence/performance.md), and loading a library
 * costs more than a small fit. */
#include "cholesky.h"

#include <omp.h>

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

static size_t at_most(size_t edge, size_t left)
{
    return left < edge ? left : edge;
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

/* Some rows below the block on the diagonal, from a whole panel on. */
static void solve_rows(const column_panels *p, size_t row, size_t rows)
{
    double *block = p->a + row * p->lda + p->first, *panels = panels_of(p, row);
    p->kernels->take_rows(p->width, rows, false, block, p->lda, panels);
    p->kernels->solve(p->width, rows, p->panels, p->inverse, panels);
    p->kernels->put_rows(p->width, rows, false, panels, block, p->lda);
}

static void update_block(const column_panels *p, size_t edge, size_t row, size_t column)
{
    const dps_product_shape shape = {.rows = at_most(edge, p->n - row),
                                     .columns = at_most(edge, p->n - column),
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

/* By the calling thread, which may be in a region of another's. */
static bool factor_alone(column_panels p)
{
    for (; p.first < p.n; p.first += BLOCK) {
        const size_t below = p.first + BLOCK;
        p.width = at_most(BLOCK, p.n - p.first);
        if (!factor_diagonal(&p)) {
            return false;
        }
        for (size_t row = below; row < p.n; row += BLOCK) {
            solve_rows(&p, row, at_most(BLOCK, p.n - row));
        }
        for (size_t row = below; row < p.n; row += BLOCK) {
            for (size_t column = below; column <= row; column += BLOCK) {
                update_block(&p, BLOCK, row, column);
            }
        }
    }
    return true;
}

/* How finely the lines are dealt: whole panels, as large as gives every thread some of them. */
typedef struct grain {
    size_t solve, update; /* rows; rows and columns */
} grain;

static grain grain_of(size_t left, int threads)
{
    enum { PANEL = 24, SHARES = 3 };
    grain g = {BLOCK, BLOCK};
    const size_t wanted = SHARES * (size_t)threads;
    while (g.solve > PANEL && left / g.solve < wanted) {
        g.solve /= 2;
    }
    while (g.update > 2 * PANEL && (left / g.update) * (left / g.update) / 2 < wanted) {
        g.update /= 2;
    }
    return g;
}

/* By all threads of the region; all return the same. */
static bool factor_by_blocks(column_panels p, int threads, bool *good)
{
    for (; p.first < p.n; p.first += BLOCK) {
        const size_t below = p.first + BLOCK, left = below < p.n ? p.n - below : 0;
        const grain g = grain_of(left, threads);
        const size_t side = (left + g.update - 1) / g.update;
        p.width = at_most(BLOCK, p.n - p.first);
#pragma omp single
        *good = factor_diagonal(&p);
        if (!*good) {
            return false;
        }
#pragma omp for schedule(dynamic, 1)
        for (size_t row = below; row < p.n; row += g.solve) {
            solve_rows(&p, row, at_most(g.solve, p.n - row));
        }
#pragma omp for schedule(dynamic, 1)
        for (size_t k = 0; k < side * (side + 1) / 2; k++) {
            size_t i = 0, j = k;
            while (j > i) {
                j -= ++i;
            }
            update_block(&p, g.update, below + i * g.update, below + j * g.update);
        }
    }
    return true;
}

bool dps_cholesky(dps_simd simd, int threads, size_t n, double *a, size_t lda, void *scratch)
{
    const double worth = (double)n * (double)n * (double)n / 6.0 / DPS_WORK_PER_THREAD;
    const column_panels p = {.kernels = dps_product_kernels_of(simd),
                             .n = n,
                             .lda = lda,
                             .a = a,
                             .inverse = scratch,
                             .panels = (double *)scratch + BLOCK};
    const int team = n < 2 * (size_t)BLOCK ? 1 : threads < worth ? threads : (int)worth;
    bool good = true, all = true;
    if (team <= 1) {
        return factor_alone(p);
    }
#pragma omp parallel num_threads(team) reduction(&& : all)
    all = factor_by_blocks(p, omp_get_num_threads(), &good);
    return all;
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
