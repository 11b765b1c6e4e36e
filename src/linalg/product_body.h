/* Symmetric and general products of panels, and the blocks of a Cholesky factor, for inclusion by
 * one file an instruction set, which defines VECTOR_BYTES, ROWS, PARTS and KERNELS, the vector
 * types with one number in all lanes (float_spread, double_spread), and multiply-adds (madd_float,
 * madd_double: one rounding; madd_exact: where the product needs none).
 *
 * Order of summation (products.h, cholesky.h): one chain of fused multiply-adds an entry, in the
 * order of the steps, so that it does not depend on ROWS, PARTS or the width of a vector.
 *
 * ROWS x PARTS vectors of sums stay in registers over all steps; each step loads PARTS vectors of
 * one operand and spreads ROWS numbers of the other (Goto & van de Geijn 2008). Both read the same
 * packed panels. Cost: 2 flops a product; bound by multiply-adds. */
#include <string.h>
#include "product_kernels.h"

/* Sums become registers only if the loops over them are unrolled early. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { GROUP_BYTES = 384 << 10, float_lanes = VECTOR_BYTES / 4, double_lanes = VECTOR_BYTES / 8 };

static inline double *target_row(dps_product_target c, size_t i)
{
    return c.c + (c.stride > 0 ? i * c.stride : i * (i + 1) / 2);
}

#define NAME(word)    float_##word
#define REAL          float
#define VECTOR        float_vector
#define MADD(a, b, c) madd_float(a, b, c)
#include "product_tile_body.h"
#undef NAME
#undef REAL
#undef VECTOR
#undef MADD

#define NAME(word)    double_##word
#define REAL          double
#define VECTOR        double_vector
#define MADD(a, b, c) madd_double(a, b, c)
#include "product_tile_body.h"
#undef NAME
#undef MADD

#define NAME(word)    exact_##word
#define exact_lanes   double_lanes
#define exact_spread  double_spread
#define MADD(a, b, c) madd_exact(a, b, c)
#include "product_tile_body.h"
#undef NAME
#undef REAL
#undef VECTOR
#undef MADD

/* ---- panels of floats ------------------------------------------------------------------------ */

/* Of steps x columns numbers; zeros beyond the columns. */
static void pack_floats(size_t steps, size_t columns, const float *a, size_t lda, float *panels)
{
    for (size_t first = 0; first < columns; first += float_panel) {
        const size_t left = columns - first, used = left < float_panel ? left : float_panel;
        for (size_t k = 0; k < steps; k++, panels += float_panel) {
            memcpy(panels, a + k * lda + first, used * sizeof(float));
            memset(panels + used, 0, (float_panel - used) * sizeof(float));
        }
    }
}

static void cross(const dps_product_shape *shape, const float *a, size_t lda, float *panels,
                  dps_product_target c)
{
    float_operand operand = {a, float_panel, lda};
    if (panels != NULL) {
        pack_floats(shape->steps, shape->columns, a, lda, panels);
        operand = (float_operand){panels, float_panel * shape->steps, float_panel};
    }
    float_product(shape, operand, operand, c);
}

static void cross_packed(const dps_product_shape *shape, const float *panels, size_t stride,
                         dps_product_target c)
{
    const float_operand operand = {panels, float_panel * stride, float_panel};
    float_product(shape, operand, operand, c);
}

static void outer(const dps_product_shape *shape, const float *a, size_t lda, const float *b,
                  size_t ldb, dps_product_target c)
{
    float_product(shape, (float_operand){a, float_panel, lda}, (float_operand){b, float_panel, ldb},
                  c);
}

/* ---- panels of doubles ----------------------------------------------------------------------- */

static void pack_columns(size_t steps, size_t columns, const float *a, size_t lda, double *panels)
{
    for (size_t first = 0; first < columns; first += double_panel) {
        const size_t left = columns - first, used = left < double_panel ? left : double_panel;
        for (size_t k = 0; k < steps; k++, panels += double_panel) {
            for (size_t j = 0; j < double_panel; j++) {
                panels[j] = j < used ? (double)a[k * lda + first + j] : 0.0;
            }
        }
    }
}

static void pack_rows(size_t steps, size_t rows, const float *a, size_t lda, double *panels)
{
    for (size_t first = 0; first < rows; first += double_panel, panels += steps * double_panel) {
        for (size_t i = 0; i < double_panel; i++) {
            for (size_t k = 0; k < steps; k++) {
                panels[k * double_panel + i] =
                    first + i < rows ? (double)a[(first + i) * lda + k] : 0.0;
            }
        }
    }
}

static void take(size_t steps, size_t lanes, const double *a, size_t step, size_t lane,
                 double *panels)
{
    for (size_t first = 0; first < lanes; first += double_panel) {
        const size_t left = lanes - first, used = left < double_panel ? left : double_panel;
        const double *from = a + first * lane;
        if (lane == 1) {
            for (size_t k = 0; k < steps; k++) {
                memcpy(panels + k * double_panel, from + k * step, used * sizeof *panels);
            }
        } else {
            for (size_t i = 0; i < used; i++) {
                for (size_t k = 0; k < steps; k++) {
                    panels[k * double_panel + i] = from[k * step + i * lane];
                }
            }
        }
        for (size_t k = 0; k < steps; k++, panels += double_panel) {
            memset(panels + used, 0, (double_panel - used) * sizeof *panels);
        }
    }
}

static void multiply(const dps_product_shape *shape, bool exact, const double *a, const double *b,
                     dps_product_target c)
{
    const size_t size = double_panel * shape->steps;
    if (exact) {
        exact_product(shape, (exact_operand){a, size, double_panel},
                      (exact_operand){b, size, double_panel}, c);
    } else {
        double_product(shape, (double_operand){a, size, double_panel},
                       (double_operand){b, size, double_panel}, c);
    }
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* Steps of a panel: whole groups of ROWS; beyond the block the factor of 1. */
static size_t padded_steps(size_t steps)
{
    return (steps + ROWS - 1) / ROWS * ROWS;
}

static void take_rows(size_t steps, size_t rows, bool lower, const double *a, size_t lda,
                      double *panels)
{
    const size_t padded = padded_steps(steps);
    for (size_t first = 0; first < rows; first += double_panel, panels += padded * double_panel) {
        for (size_t i = 0; i < double_panel; i++) {
            const size_t row = first + i;
            const size_t end = row >= rows ? 0 : lower && row + 1 < steps ? row + 1 : steps;
            for (size_t k = 0; k < end; k++) {
                panels[k * double_panel + i] = a[row * lda + k];
            }
            for (size_t k = end; k < padded; k++) {
                panels[k * double_panel + i] = lower && k == row ? 1.0 : 0.0;
            }
        }
    }
}

static void put_rows(size_t steps, size_t rows, bool lower, const double *panels, double *a,
                     size_t lda)
{
    const size_t size = padded_steps(steps) * double_panel;
    for (size_t row = 0; row < rows; row++) {
        const double *from = panels + row / double_panel * size + row % double_panel;
        const size_t end = lower && row + 1 < steps ? row + 1 : steps;
        for (size_t k = 0; k < end; k++) {
            a[row * lda + k] = from[k * double_panel];
        }
    }
}

/* Columns first ... first + ROWS - 1 of a panel x of rows, less their products with the columns
 * before; l: those ROWS rows of the factor. Together with `divide` one chain an entry. */
__attribute__((always_inline)) static inline void
reduce(size_t first, const double *l, const double *x, double_vector rest[ROWS][PARTS])
{
    memcpy(rest, x + first * double_panel, sizeof(double_vector) * ROWS * PARTS);
    double_tile(first, true, l, double_panel, x, double_panel, PARTS, rest);
}

/* The same columns divided by the triangle of ROWS rows of the factor. */
__attribute__((always_inline)) static inline void divide(size_t first, const double *l,
                                                         const double *inverse,
                                                         double_vector rest[ROWS][PARTS], double *x)
{
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t q = 0; q < r; q++) {
            const double_vector factor = double_spread(-l[(first + q) * double_panel + r]);
            for (size_t h = 0; h < PARTS; h++) {
                rest[r][h] = madd_double(factor, rest[q][h], rest[r][h]);
            }
        }
        for (size_t h = 0; h < PARTS; h++) {
            rest[r][h] *= double_spread(inverse[first + r]);
            memcpy(x + (first + r) * double_panel + h * double_lanes, &rest[r][h],
                   sizeof(double_vector));
        }
    }
}

/* The ROWS x ROWS triangle at the diagonal: from `rest`, its rows in lanes from `lane` on, to l and
 * inverse. The same operations in the same order as in `divide`. */
static bool factor_corner(size_t first, size_t lane, double_vector rest[ROWS][PARTS], double *l,
                          double *inverse)
{
    double row[ROWS][double_panel];
    memcpy(row, rest, sizeof row);
    for (size_t r = 0; r < ROWS; r++) { /* column first + r, of the rows i >= r */
        for (size_t i = r; i < ROWS; i++) {
            double value = row[r][lane + i];
            for (size_t q = 0; q < r; q++) {
                value = fma(-l[(first + q) * double_panel + r], row[q][lane + i], value);
            }
            row[r][lane + i] = value;
        }
        const double pivot = row[r][lane + r];
        if (!(pivot > 0.0) || isinf(pivot)) {
            return false;
        }
        inverse[first + r] = 1.0 / sqrt(pivot);
        for (size_t i = r; i < ROWS; i++) {
            row[r][lane + i] *= inverse[first + r];
            l[(first + r) * double_panel + i] = row[r][lane + i];
        }
    }
    return true;
}

static bool factor(size_t n, double *panels, double *inverse)
{
    const size_t padded = padded_steps(n), size = padded * double_panel;
    for (size_t first = 0; first < padded; first += ROWS) {
        const size_t lane = first % double_panel;
        double *corner = panels + first / double_panel * size;
        for (double *x = corner; x < panels + (n + double_panel - 1) / double_panel * size;
             x += size) {
            double_vector rest[ROWS][PARTS];
            reduce(first, corner + lane, x, rest);
            if (x == corner && !factor_corner(first, lane, rest, corner + lane, inverse)) {
                return false;
            }
            divide(first, corner + lane, inverse, rest, x);
        }
    }
    return true;
}

static void solve(size_t n, size_t rows, const double *l, const double *inverse, double *panels)
{
    const size_t padded = padded_steps(n), size = padded * double_panel;
    for (size_t row = 0; row < rows; row += double_panel, panels += size) {
        for (size_t first = 0; first < padded; first += ROWS) {
            const double *corner = l + first / double_panel * size + first % double_panel;
            double_vector rest[ROWS][PARTS];
            reduce(first, corner, panels, rest);
            divide(first, corner, inverse, rest, panels);
        }
    }
}

#include "product_many_body.h"

const dps_product_kernels KERNELS = {.cross = cross,
                                     .cross_packed = cross_packed,
                                     .panel = float_panel,
                                     .outer = outer,
                                     .scores = scores,
                                     .add_rows = add_rows,
                                     .pack_columns = pack_columns,
                                     .pack_rows = pack_rows,
                                     .multiply = multiply,
                                     .take = take,
                                     .take_rows = take_rows,
                                     .put_rows = put_rows,
                                     .factor = factor,
                                     .solve = solve};
