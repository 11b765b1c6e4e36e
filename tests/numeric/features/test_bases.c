/* Scalar maps of every base kernel: mean k(x, y)^n and second moment of products of n of them,
 * pairs of cosine and sine alone, and orthogonal frequencies.
 *
 * D features of one degree are independent: mean and mean square of D products against the formulas
 * of docs/algorithms.md (equations 16, 23, 27 to 29), limit 5 standard errors; were the means
 * normal, a false alarm would have probability 6e-7 a check. Seeds are fixed: an alarm is a change.
 */
#include "orthogonal.h"
#include "unit/features/map_fixture.h"

static const double standard_errors = 5.0;
static const double base_gamma = 0.5;

typedef struct base_case {
    dps_base base;
    const char *name;
} base_case;

static const base_case bases[] = {{DPS_BASE_RBF, "rbf"},
                                  {DPS_BASE_LAPLACIAN, "laplacian"},
                                  {DPS_BASE_INTERSECTION, "intersection"},
                                  {DPS_BASE_CHI2, "chi2"}};

/* k(x, y), and the second moment of W(x) W(y). */
static double kernel(dps_base base, const float *x, const float *y, int32_t d, double *second)
{
    double two = 0.0, one = 0.0, sum = 0.0, square = 0.0;
    for (int32_t j = 0; j < d; j++) {
        const double a = x[j], b = y[j], low = fmin(a, b), high = fmax(a, b);
        two += (a - b) * (a - b);
        one += fabs(a - b);
        if (low > 0.0) {
            const double ratio = low / high;
            sum += base == DPS_BASE_CHI2 ? 2.0 / (1.0 / a + 1.0 / b) : low;
            square +=
                a * b * (1.0 + 0.5 * (base == DPS_BASE_CHI2 ? 2.0 / (ratio + 1.0 / ratio) : ratio));
        }
    }
    if (base == DPS_BASE_RBF) {
        *second = 1.0 + 0.5 * exp(-4.0 * base_gamma * two);
        return exp(-base_gamma * two);
    }
    if (base == DPS_BASE_LAPLACIAN) {
        *second = 1.0 + 0.5 * exp(-2.0 * base_gamma * one);
        return exp(-base_gamma * one);
    }
    *second = d * square;
    return sum;
}

static fixture_rows non_negative_rows(int64_t count, int32_t columns, uint64_t seed)
{
    fixture_rows r = fixture_rows_new(count, columns, 0.8, 1.3, seed);
    for (size_t j = 0; j < (size_t)count * r.stride; j++) {
        r.dense[j] = fabsf(r.dense[j]);
    }
    return r;
}

static double score(double sum, double sum2, int32_t count, double expected)
{
    const double mean = sum / count, variance = fmax(sum2 / count - mean * mean, 0.0);
    return fabs(mean - expected) / fmax(sqrt(variance / count), 1e-7);
}

static void check_degree(const base_case *c, const fixture_rows *r, int32_t degree)
{
    dps_map_recipe recipe = fixture_recipe("homogeneous", 40000);
    recipe.type = DPS_MAP_COMPOSITIONAL;
    recipe.base = c->base;
    recipe.base_gamma = base_gamma;
    recipe.kernel.degree = degree;
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    int32_t width;
    float *z = fixture_map(&recipe, r, true, dps_cpu_best(), &width);
    for (int64_t i = 0; i < r->rows; i++) {
        for (int64_t k = 0; k <= i; k++) {
            double second, sum[3] = {0}; /* of p, p^2, p^4 */
            const double t =
                kernel(c->base, fixture_row(r, i), fixture_row(r, k), r->columns, &second);
            for (int32_t j = 0; j < width; j++) {
                const double p = (double)width * z[i * width + j] * z[k * width + j];
                sum[0] += p;
                sum[1] += p * p;
                sum[2] += p * p * p * p;
            }
            const double bias = score(sum[0], sum[1], width, pow(t, degree));
            const double spread = score(sum[1], sum[2], width, pow(second, degree));
            print_message("%s, degree %d: %.2f and %.2f standard errors\n", c->name, (int)degree,
                          bias, spread);
            assert_true(bias < standard_errors);
            assert_true(spread < standard_errors);
        }
    }
    dps_free(z);
}

static void products_have_the_mean_and_the_second_moment_of_their_base(void **state)
{
    (void)state;
    fixture_rows r = non_negative_rows(3, 6, 81);
    for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
        for (int32_t degree = 1; degree <= 4; degree++) {
            check_degree(&bases[b], &r, degree);
        }
    }
    fixture_rows_free(&r);
}

static void pairs_of_cosine_and_sine_average_to_their_base(void **state)
{
    (void)state;
    fixture_rows r = non_negative_rows(4, 6, 82);
    for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
        dps_map_recipe recipe = fixture_recipe("linear", 40000);
        recipe.type = DPS_MAP_FOURIER;
        recipe.base = bases[b].base;
        recipe.base_gamma = base_gamma;
        int32_t width;
        float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
        for (int64_t i = 0; i < r.rows; i++) {
            for (int64_t k = 0; k <= i; k++) {
                double second, sum = 0.0, sum2 = 0.0;
                for (int32_t j = 0; j < width; j += 2) {
                    const float *a = z + i * width + j, *b2 = z + k * width + j;
                    const double p = width / 2.0 * ((double)a[0] * b2[0] + (double)a[1] * b2[1]);
                    sum += p;
                    sum2 += p * p;
                }
                const double expected = kernel(bases[b].base, fixture_row(&r, i),
                                               fixture_row(&r, k), r.columns, &second);
                assert_true(score(sum, sum2, width / 2, expected) < standard_errors);
            }
        }
        dps_free(z);
    }
    fixture_rows_free(&r);
}

static void orthogonal_vectors_are_orthogonal_and_keep_their_lengths(void **state)
{
    (void)state;
    enum { D = 90 };
    static double v[D * D], before[D * D], work[2 * D];
    for (int32_t count = 1; count <= D; count = 2 * count + 1) {
        for (int32_t k = 0; k < D * count; k++) {
            before[k] = v[k] = dps_random_normal(3, DPS_STREAM_GAUSS, 0, 0, (uint32_t)k);
        }
        dps_make_orthogonal(v, D, count, work);
        for (int32_t a = 0; a < count; a++) {
            for (int32_t b = 0; b <= a; b++) {
                double inner = 0.0, length = 0.0;
                for (int32_t c = 0; c < D; c++) {
                    inner += v[c * count + a] * v[c * count + b];
                    length += before[c * count + a] * before[c * count + a];
                }
                /* condition of g is below 1e4 here: 1e4 eps D |v|^2 */
                assert_true(fabs(inner - (a == b ? length : 0.0)) < 2e-10 * D);
            }
        }
        for (int32_t c = 0; c < D; c++) {
            assert_true(fabs(v[c * count] - before[c * count]) < 1e-13); /* the first stays */
        }
    }
}

/* Error of the kernel over 400 seeds with D/2 = d frequencies, orthogonal against independent ones:
 * both unbiased, and the variance falls by more than a fifth for near rows (Yu et al. 2016, Theorem
 * 1, has a factor of about 1 - (d - 1) / d exp(-|v|^2) |v|^4 / (1 - exp(-|v|^2))^2 there). The
 * ratio has a standard error of about 10 %. */
static void orthogonal_frequencies_are_unbiased_with_less_variance(void **state)
{
    (void)state;
    enum { SEEDS = 400 };
    fixture_rows r = fixture_rows_new(2, 20, 1.0, 1.0, 83);
    double variance[2], second;
    const double expected =
        kernel(DPS_BASE_RBF, fixture_row(&r, 0), fixture_row(&r, 1), r.columns, &second);
    for (int orthogonal = 0; orthogonal < 2; orthogonal++) {
        double sum = 0.0, sum2 = 0.0, worst = 0.0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            dps_map_recipe recipe = fixture_recipe("linear", 40);
            recipe.type = DPS_MAP_FOURIER;
            recipe.base = DPS_BASE_RBF;
            recipe.base_gamma = base_gamma;
            recipe.orthogonal = orthogonal == 1;
            recipe.seed = seed;
            int32_t width;
            float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
            const double p = fixture_dot(z, z + width, width);
            worst = fmax(worst, fabs(fixture_dot(z, z, width) - 1.0));
            sum += p;
            sum2 += p * p;
            dps_free(z);
        }
        variance[orthogonal] = sum2 / SEEDS - sum / SEEDS * (sum / SEEDS);
        assert_true(score(sum, sum2, SEEDS, expected) < standard_errors);
        assert_true(worst < 1e-5);
    }
    print_message("variance: independent %.3g, orthogonal %.3g\n", variance[0], variance[1]);
    assert_true(variance[1] < 0.8 * variance[0]);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_mean_and_the_second_moment_of_their_base),
        cmocka_unit_test(pairs_of_cosine_and_sine_average_to_their_base),
        cmocka_unit_test(orthogonal_vectors_are_orthogonal_and_keep_their_lengths),
        cmocka_unit_test(orthogonal_frequencies_are_unbiased_with_less_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
