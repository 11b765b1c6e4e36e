/* Every value of every map against its formula (docs/algorithms.md) in long double, from the seeded
 * draws: uniforms, normals, signs, permutations and numbers below n are taken from rng and signs.h,
 * all else is written out here. Nothing of the map's layout, panels or kernels is asked but the
 * values and their number.
 *
 * Tolerance, for u = 2^-24 (float) and a row of k values that are not 0:
 *   projection  p = sum_j w_j x_j: each w_j rounded once, x_j scaled once, k additions: at most
 *               (k + 4) u sum_j |w_j x_j|; a Walsh-Hadamard transform has fewer additions
 *   cosine      of 2 pi t: 2 pi times the error of t, which is (k + 4) u (sum_j |w_j x_j| / 2 pi + 1),
 *               and 6 u of the polynomial (projection_real_portable.c)
 *   product     of factors p_k with errors e_k: prod (|p_k| + e_k) - prod |p_k|, and a rounding a
 *               factor and for the weight, amplitude and root: 3 u each
 *   monomials   n + 4 roundings
 *   mixtures    as a projection of the columns that are mixed, whose bounds add up
 */
#include "map_formula.h"

/* ---- the cases ------------------------------------------------------------------------------- */

typedef struct map_case {
    const char *name, *kernel;
    dps_map_type type;
    dps_base base;
    dps_projection projection;
    int32_t features, exact_degree, craft;
    dps_measure measure;
    dps_allocation allocation;
    bool orthogonal;
} map_case;

#define SIGNS        DPS_PROJECTION_RADEMACHER
#define GEOMETRIC    DPS_MEASURE_GEOMETRIC, DPS_ALLOCATION_IID
#define COEFFICIENTS DPS_MEASURE_COEFFICIENT, DPS_ALLOCATION_STRATIFIED
#define NONE         DPS_EXACT_NONE

static const map_case cases[] = {
    {"linear", "linear", DPS_MAP_NONE, DPS_BASE_DOT, SIGNS, 0, 1, 0, GEOMETRIC, false},
    {"signs", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, SIGNS, 70, NONE, 0, GEOMETRIC, false},
    {"signs of exp", "exponential", DPS_MAP_MACLAURIN, DPS_BASE_DOT, SIGNS, 70, NONE, 0,
     COEFFICIENTS, false},
    {"signs and exact", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, SIGNS, 40, 3, 0, GEOMETRIC,
     false},
    {"gaussians", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_GAUSSIAN, 70, 1, 0,
     COEFFICIENTS, false},
    {"hadamard", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_HADAMARD, 70, NONE,
     0, COEFFICIENTS, false},
    {"complex", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_COMPLEX, 70, NONE, 0,
     COEFFICIENTS, false},
    {"complex hadamard", "exponential", DPS_MAP_MACLAURIN, DPS_BASE_DOT,
     DPS_PROJECTION_COMPLEX_HADAMARD, 70, 1, 0, COEFFICIENTS, false},
    {"crafted", "polynomial", DPS_MAP_MACLAURIN, DPS_BASE_DOT, SIGNS, 24, 1, 4, COEFFICIENTS,
     false},
    {"rbf", "linear", DPS_MAP_FOURIER, DPS_BASE_RBF, SIGNS, 70, NONE, 0, GEOMETRIC, false},
    {"laplacian", "linear", DPS_MAP_FOURIER, DPS_BASE_LAPLACIAN, SIGNS, 70, NONE, 0, GEOMETRIC,
     false},
    {"orthogonal rbf", "linear", DPS_MAP_FOURIER, DPS_BASE_RBF, SIGNS, 70, NONE, 0, GEOMETRIC,
     true},
    {"intersection", "linear", DPS_MAP_FOURIER, DPS_BASE_INTERSECTION, SIGNS, 70, NONE, 0,
     GEOMETRIC, false},
    {"chi2", "linear", DPS_MAP_FOURIER, DPS_BASE_CHI2, SIGNS, 70, NONE, 0, GEOMETRIC, false},
    {"crafted rbf", "linear", DPS_MAP_FOURIER, DPS_BASE_RBF, SIGNS, 24, NONE, 3, GEOMETRIC, false},
    {"polynomial of rbf", "polynomial", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, SIGNS, 70, 0, 0,
     COEFFICIENTS, false},
    {"exp of laplacian", "exponential", DPS_MAP_COMPOSITIONAL, DPS_BASE_LAPLACIAN, SIGNS, 70, NONE,
     0, GEOMETRIC, false},
    {"polynomial of intersection", "polynomial", DPS_MAP_COMPOSITIONAL, DPS_BASE_INTERSECTION,
     SIGNS, 70, NONE, 0, COEFFICIENTS, false},
    {"exp of chi2", "exponential", DPS_MAP_COMPOSITIONAL, DPS_BASE_CHI2, SIGNS, 70, 0, 0,
     COEFFICIENTS, false},
};

static dps_map_recipe recipe_of(const map_case *c)
{
    dps_map_recipe r = fixture_recipe(c->kernel, c->features);
    r.kernel.degree = 5;
    r.kernel.offset = 0.7;
    r.kernel.sigma = 0.8;
    r.type = c->type;
    r.base = c->base;
    r.projection = c->projection;
    r.exact_degree = c->exact_degree;
    r.craft = c->craft;
    r.measure = c->measure;
    r.allocation = c->allocation;
    r.orthogonal = c->orthogonal;
    r.seed = 12345;
    r.factor = 0.3;
    r.input_scale = c->type == DPS_MAP_MACLAURIN ? 2.0 : 1.0;
    return r;
}

/* The largest error found, as a share of what is allowed. */
static double compare(const map_case *c, const dps_map_recipe *r, const fixture_rows *rows,
                      const figure *wanted, int32_t count, bool dense, dps_simd simd)
{
    int32_t width;
    double worst = 0;
    float *z = fixture_map(r, rows, dense, simd, &width);
    assert_int_equal(width, count);
    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t j = 0; j < width; j++) {
            const figure *f = &wanted[(size_t)i * (size_t)count + (size_t)j];
            const float found = z[(size_t)i * (size_t)width + (size_t)j];
            const real off = fabsl((real)found - f->value), most = f->error + FLT_MIN;
            if (!(off <= most)) {
                fail_msg("%s, d = %d, %s %s, row %d, column %d: %.9g, the formula gives %.9Lg (+- "
                         "%.2Lg)",
                         c->name, rows->columns, dense ? "dense" : "compressed",
                         dps_name_of(dps_simd_names, simd), i, j, (double)found, f->value, most);
            }
            worst = fmax(worst, (double)(off / most));
        }
    }
    dps_free(z);
    return worst;
}

static void check_case(const map_case *c, int32_t d)
{
    const dps_map_recipe r = recipe_of(c);
    fixture_rows rows = fixture_rows_new(ROWS, d, d > 100 ? 0.02 : 0.8, 1.5, 4);
    const size_t exact =
        r.exact_degree > 1 ? (size_t)d * (size_t)(d + 3) * (size_t)(d + 7) : (size_t)d + 1;
    const size_t most = (size_t)r.features * 4 + exact;
    figure *wanted = dps_alloc(ROWS * most, sizeof *wanted);
    int32_t count = 0;
    double worst = 0;
    assert_non_null(wanted);
    for (int64_t i = 0; i < ROWS; i++) {
        row x = {fixture_row(&rows, i), d, 0};
        for (int32_t j = 0; j < d; j++) {
            x.k += x.x[j] != 0;
        }
        count = formula(&r, x, wanted + (size_t)i * (size_t)count);
    }
    for (int dense = 0; dense < 2; dense++) {
        for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= dps_cpu_best(); simd++) {
            worst = fmax(worst, compare(c, &r, &rows, wanted, count, dense == 1, simd));
        }
    }
    print_message("%-28s d = %4d: %5d columns, worst error %.2f of what is allowed\n", c->name, d,
                  count, worst);
    dps_free(wanted);
    fixture_rows_free(&rows);
}

static void narrow_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_case(&cases[k], 5);
        check_case(&cases[k], 37);
    }
}

/* Compressed rows that are not made dense. */
static void wide_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        if (cases[k].exact_degree <= 1 && !cases[k].orthogonal) {
            check_case(&cases[k], 2100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_rows),
        cmocka_unit_test(wide_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
