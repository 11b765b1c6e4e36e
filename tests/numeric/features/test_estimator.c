/* The features' inner products against the kernel, over their own randomness.
 *
 * By degree: D features of one degree are D independent draws, so that <z(x), z(y)> is the mean of
 * D products, and their spread gives its standard error. Limit: 5 standard errors; were the means
 * normal, a false alarm would have probability 6e-7 a check. Products of many factors are skewed,
 * but seeds are fixed: an alarm is a change. By seed: whole maps, many seeds, the same limit. */
#include "unit/features/map_fixture.h"

static const double standard_errors = 5.0;

typedef struct moments {
    double sum, sum2;
    int64_t count;
} moments;

static void add_value(moments *m, double value)
{
    m->sum += value;
    m->sum2 += value * value;
    m->count++;
}

/* Distance of the mean from `expected` in standard errors. */
static double z_score(const moments *m, double expected)
{
    const double n = (double)m->count, mean = m->sum / n;
    const double variance = fmax(m->sum2 / n - mean * mean, 0.0) * n / (n - 1.0);
    /* An estimate without spread must be right up to float rounding. */
    const double floor_error = 1e-6 * fabs(expected) + 1e-30;
    return fabs(mean - expected) / fmax(sqrt(variance / n), floor_error / standard_errors);
}

/* Products of all pairs of rows for a map whose features are all of one degree. */
static double worst_pair(const dps_map_recipe *recipe, const fixture_rows *r,
                         double (*kernel)(const fixture_rows *r, int64_t i, int64_t k),
                         int32_t degree)
{
    int32_t width;
    float *z = fixture_map(recipe, r, true, dps_cpu_best(), &width);
    assert_int_equal(width, recipe->features);
    double worst = 0.0;
    for (int64_t i = 0; i < r->rows; i++) {
        for (int64_t k = 0; k <= i; k++) {
            moments m = {0};
            for (int32_t j = 0; j < width; j++) {
                add_value(&m, (double)recipe->features * z[i * width + j] * z[k * width + j]);
            }
            worst = fmax(worst, z_score(&m, pow(kernel(r, i, k), degree)));
        }
    }
    dps_free(z);
    return worst;
}

static double rbf_half(const fixture_rows *r, int64_t i, int64_t k)
{
    return exp(-0.5 * fixture_distance2(r, i, k));
}

static void products_of_sign_projections_average_to_the_power_of_the_inner_product(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(4, 6, 1.0, 1.3, 11);
    for (int32_t degree = 1; degree <= 10; degree++) {
        dps_map_recipe recipe = fixture_recipe("homogeneous", 100000);
        recipe.kernel.degree = degree;
        recipe.measure = DPS_MEASURE_COEFFICIENT;
        recipe.input_scale = 2.0;
        const double worst = worst_pair(&recipe, &r, fixture_inner, degree);
        print_message("degree %d: %.2f standard errors\n", degree, worst);
        assert_true(worst < standard_errors);
    }
    fixture_rows_free(&r);
}

static void products_of_fourier_features_average_to_the_power_of_the_rbf(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(3, 6, 1.0, 1.0, 12);
    for (int32_t degree = 1; degree <= 10; degree++) {
        dps_map_recipe recipe = fixture_recipe("homogeneous", 30000);
        recipe.type = DPS_MAP_COMPOSITIONAL;
        recipe.base = DPS_BASE_RBF;
        recipe.kernel.degree = degree;
        recipe.measure = DPS_MEASURE_COEFFICIENT;
        const double worst = worst_pair(&recipe, &r, rbf_half, degree);
        print_message("degree %d: %.2f standard errors\n", degree, worst);
        assert_true(worst < standard_errors);
    }
    fixture_rows_free(&r);
}

/* Pairs cos cos + sin sin: mean over D/2 pairs; the diagonal is 1 exactly. */
static void fourier_pairs_average_to_the_rbf(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(4, 6, 1.0, 1.5, 13);
    dps_map_recipe recipe = fixture_recipe("linear", 40000);
    recipe.type = DPS_MAP_FOURIER;
    int32_t width;
    float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
    for (int64_t i = 0; i < r.rows; i++) {
        for (int64_t k = 0; k <= i; k++) {
            moments m = {0};
            for (int32_t j = 0; j < width; j += 2) {
                const float *a = z + i * width + j, *b = z + k * width + j;
                add_value(&m, width / 2.0 * ((double)a[0] * b[0] + (double)a[1] * b[1]));
            }
            assert_true(z_score(&m, rbf_half(&r, i, k)) < standard_errors);
        }
    }
    dps_free(z);
    fixture_rows_free(&r);
}

typedef struct whole_case {
    const char *kernel;
    int32_t degree;
    double domain_scale;
    bool rbf;
    double (*closed)(double t);
} whole_case;

static double cube(double t)
{
    return (1.0 + t) * (1.0 + t) * (1.0 + t);
}

static double vovk_four(double t)
{
    return 1.0 + t + t * t + t * t * t;
}

static double vovk_scaled(double t)
{
    return 1.0 / (1.0 - t / 2.5);
}

/* exact_degree, collapse, measure and allocation by bits of `variant`. */
static void set_variant(dps_map_recipe *recipe, int variant, bool rbf)
{
    recipe->allocation = (variant & 1) ? DPS_ALLOCATION_STRATIFIED : DPS_ALLOCATION_IID;
    recipe->measure = (variant & 2) ? DPS_MEASURE_COEFFICIENT : DPS_MEASURE_GEOMETRIC;
    recipe->exact_degree = (variant & 4) ? (rbf ? 0 : 1) : DPS_EXACT_NONE;
    recipe->collapse = (variant & 8) != 0;
}

static void check_whole(const whole_case *c, const fixture_rows *r, int variant)
{
    moments m[3] = {{0}};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        dps_map_recipe recipe = fixture_recipe(c->kernel, 64);
        recipe.seed = seed;
        recipe.kernel.degree = c->degree;
        recipe.kernel.domain_scale = c->domain_scale;
        recipe.type = c->rbf ? DPS_MAP_COMPOSITIONAL : DPS_MAP_MACLAURIN;
        recipe.base = c->rbf ? DPS_BASE_RBF : DPS_BASE_DOT;
        recipe.p = variant % 3 == 0 ? 3.0 : 2.0;
        set_variant(&recipe, variant, c->rbf);
        int32_t width;
        float *z = fixture_map(&recipe, r, true, dps_cpu_best(), &width);
        for (int64_t k = 0; k < 3; k++) {
            add_value(&m[k], fixture_dot(z, z + k * width, width));
        }
        dps_free(z);
    }
    for (int64_t k = 0; k < 3; k++) {
        const double t = c->rbf ? rbf_half(r, 0, k) : fixture_inner(r, 0, k);
        const double score = z_score(&m[k], c->closed(t));
        if (!(score < standard_errors)) {
            fail_msg("%s, rbf %d, variant %d, pair %d: %.2f standard errors, mean %g, kernel %g",
                     c->kernel, c->rbf, variant, (int)k, score, m[k].sum / (double)m[k].count,
                     c->closed(t));
        }
    }
}

static void whole_maps_are_unbiased_over_200_seeds(void **state)
{
    (void)state;
    static const whole_case cases[] = {
        {"polynomial", 3, 1.0, false, cube}, {"vovk_real", 4, 1.0, false, vovk_four},
        {"exponential", 1, 1.0, false, exp}, {"vovk_infinite", 1, 2.5, false, vovk_scaled},
        {"exponential", 1, 1.0, true, exp},  {"polynomial", 3, 1.0, true, cube},
    };
    fixture_rows r = fixture_rows_new(3, 8, 1.0, 1.0, 14);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        for (int variant = 0; variant < 16; variant++) {
            check_whole(&cases[c], &r, variant);
        }
    }
    fixture_rows_free(&r);
}

/* Root-mean-square error over seeds against D on a log-log scale: -1/2 for independent draws.
 * 40 seeds a point leave a standard error of about 0.02 on the slope over six doublings; the limit
 * 0.1 is five of them. */
static void error_falls_as_the_root_of_the_number_of_features(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(3, 8, 1.0, 1.0, 15);
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int points = 0;
    for (int32_t features = 64; features <= 4096; features *= 2, points++) {
        double square = 0.0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            dps_map_recipe recipe = fixture_recipe("polynomial", features);
            recipe.seed = seed;
            int32_t width;
            float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
            for (int64_t k = 0; k < 3; k++) {
                const double error =
                    fixture_dot(z, z + k * width, width) - cube(fixture_inner(&r, 0, k));
                square += error * error;
            }
            dps_free(z);
        }
        const double x = log(features), y = 0.5 * log(square);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    const double slope = (points * sxy - sx * sy) / (points * sxx - sx * sx);
    print_message("slope %.3f\n", slope);
    assert_true(fabs(slope + 0.5) < 0.1);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_sign_projections_average_to_the_power_of_the_inner_product),
        cmocka_unit_test(products_of_fourier_features_average_to_the_power_of_the_rbf),
        cmocka_unit_test(fourier_pairs_average_to_the_rbf),
        cmocka_unit_test(whole_maps_are_unbiased_over_200_seeds),
        cmocka_unit_test(error_falls_as_the_root_of_the_number_of_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
