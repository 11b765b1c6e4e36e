/* Every projection estimates <x, y>^n without bias and with the variance that the formulas give, by
 * degree and over seeds.
 *
 * D features of degree n make one estimate e = <z(x), z(y)>; S seeds give independent estimates.
 * Limits: |mean - s^n| and |variance - formula| within 5 standard errors, the latter from the
 * fourth central moment. Were the estimates normal, a false alarm would have probability 6e-7 a
 * check (80 checks); they are skewed at high degrees, but seeds are fixed: an alarm is a change.
 *
 * Second moments of one factor P = <w, x> conj<w, y> (docs/algorithms.md, equation 23), N = |x|^2
 * |y|^2, s = <x, y>, q = sum x_j^2 y_j^2:
 *
 *   real       a = E P^2 = N + 2 s^2 (gaussian),  N + 2 (s^2 - q) (signs)
 *   complex    a = E |P|^2 = N + s^2 - q,  b = E P^2 = 2 s^2 - q; the estimate is the real part
 *   Hadamard   two outputs of a block: the outputs add up to size s, so that E P_1 P_2 = s^2 - (a -
 *              s^2) / (size - 1), and so with b
 */
#include "unit/features/map_fixture.h"

static const double standard_errors = 5.0;

typedef struct projection_case {
    dps_projection projection;
    const char *name;
    bool gaussian, pairs, blocks;
} projection_case;

static const projection_case cases[] = {
    {DPS_PROJECTION_RADEMACHER, "rademacher", false, false, false},
    {DPS_PROJECTION_GAUSSIAN, "gaussian", true, false, false},
    {DPS_PROJECTION_HADAMARD, "hadamard", false, false, true},
    {DPS_PROJECTION_COMPLEX, "complex", false, true, false},
    {DPS_PROJECTION_COMPLEX_HADAMARD, "complex_hadamard", false, true, true},
};

enum { FEATURES = 24, BLOCK = 16, COLUMNS = 11, SEEDS = 3000 };

/* s^2 - (second - s^2) / (size - 1): second moment over two outputs of one block. */
static double across(double second, double s)
{
    return s * s - (second - s * s) / (BLOCK - 1);
}

/* Variance of the mean of FEATURES features (or FEATURES / 2 pairs). */
static double formula(const projection_case *c, const float *x, const float *y, int32_t n)
{
    const double s = fixture_dot(x, y, COLUMNS);
    const double norms = fixture_dot(x, x, COLUMNS) * fixture_dot(y, y, COLUMNS);
    double q = 0.0;
    for (int32_t j = 0; j < COLUMNS; j++) {
        q += (double)x[j] * x[j] * y[j] * y[j];
    }
    const double power = pow(s, 2 * n);
    const int32_t units = c->pairs ? FEATURES / 2 : FEATURES;
    double own, other;
    if (c->pairs) {
        const double a = norms + s * s - q, b = 2.0 * s * s - q;
        own = 0.5 * (pow(a, n) + pow(b, n)) - power;
        other = 0.5 * (pow(across(a, s), n) + pow(across(b, s), n)) - power;
    } else {
        const double a = norms + 2.0 * s * s - (c->gaussian ? 0.0 : 2.0 * q);
        own = pow(a, n) - power;
        other = pow(across(a, s), n) - power;
    }
    double variance = units * own;
    for (int32_t first = 0; c->blocks && first < units; first += BLOCK) {
        const int32_t count = units - first < BLOCK ? units - first : BLOCK;
        variance += (double)count * (count - 1) * other;
    }
    return variance / ((double)units * units);
}

static void check(const projection_case *c, const fixture_rows *r, int64_t k, int32_t degree)
{
    static double estimate[SEEDS];
    const float *x = fixture_row(r, 0), *y = fixture_row(r, k);
    double mean = 0.0;
    for (int32_t t = 0; t < SEEDS; t++) {
        dps_map_recipe recipe = fixture_recipe("homogeneous", FEATURES);
        recipe.kernel.degree = degree;
        recipe.measure = DPS_MEASURE_COEFFICIENT;
        recipe.projection = c->projection;
        recipe.input_scale = 2.0;
        recipe.seed = (uint64_t)(1000 + t);
        int32_t width;
        float *z = fixture_map(&recipe, r, true, dps_cpu_best(), &width);
        assert_int_equal(width, FEATURES);
        estimate[t] = fixture_dot(z, z + k * width, width);
        mean += estimate[t] / SEEDS;
        dps_free(z);
    }
    double second = 0.0, fourth = 0.0;
    for (int32_t t = 0; t < SEEDS; t++) {
        const double square = (estimate[t] - mean) * (estimate[t] - mean);
        second += square / SEEDS;
        fourth += square * square / SEEDS;
    }
    const double expected = pow(fixture_dot(x, y, COLUMNS), degree);
    const double variance = formula(c, x, y, degree);
    const double bias = fabs(mean - expected) / sqrt(second / SEEDS);
    const double spread = fabs(second - variance) / sqrt((fourth - second * second) / SEEDS);
    print_message("%-16s degree %d: bias %.2f, variance %.2f standard errors (ratio %.3f)\n",
                  c->name, (int)degree, bias, spread, second / variance);
    assert_true(bias < standard_errors);
    assert_true(spread < standard_errors);
}

static void every_projection_is_unbiased_and_has_the_variance_of_its_formula(void **state)
{
    (void)state;
    static const int32_t degrees[] = {1, 2, 3, 5};
    fixture_rows r = fixture_rows_new(2, COLUMNS, 1.0, 1.3, 11);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        for (size_t n = 0; n < sizeof(degrees) / sizeof(degrees[0]); n++) {
            check(&cases[c], &r, (int64_t)(n % 2), degrees[n]);
        }
    }
    fixture_rows_free(&r);
}

/* At degree 1 whole blocks are orthogonal: no error at all. */
static void whole_hadamard_blocks_are_exact_at_degree_1(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(5, 20, 1.0, 1.0, 12);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        if (!cases[c].blocks) {
            continue;
        }
        dps_map_recipe recipe = fixture_recipe("linear", 128);
        recipe.measure = DPS_MEASURE_COEFFICIENT;
        recipe.projection = cases[c].projection;
        int32_t width;
        float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
        for (int64_t i = 0; i < r.rows; i++) {
            for (int64_t k = 0; k <= i; k++) {
                const double error =
                    fixture_dot(z + i * width, z + k * width, width) - fixture_inner(&r, i, k);
                assert_true(fabs(error) < 1e-6); /* float rounding of numbers up to 1 */
            }
        }
        dps_free(z);
    }
    fixture_rows_free(&r);
}

/* Pairs: on rows without negative entries the complex map has less error from degree 2 on. */
static void complex_projections_have_less_variance_on_non_negative_rows(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(2, COLUMNS, 1.0, 1.3, 13);
    for (size_t j = 0; j < 2 * r.stride; j++) {
        r.dense[j] = fabsf(r.dense[j]);
    }
    const float *x = fixture_row(&r, 0), *y = fixture_row(&r, 1);
    for (int32_t n = 2; n <= 10; n++) {
        assert_true(formula(&cases[3], x, y, n) < formula(&cases[0], x, y, n));
    }
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_projection_is_unbiased_and_has_the_variance_of_its_formula),
        cmocka_unit_test(whole_hadamard_blocks_are_exact_at_degree_1),
        cmocka_unit_test(complex_projections_have_less_variance_on_non_negative_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
