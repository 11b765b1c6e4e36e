/* The degrees: the estimator's expectation, sum_n q(n) w_n^2 t^n, against closed forms of the
 * kernels written down again here; draws against q. */
#include "degrees.h"
#include "unit/features/map_fixture.h"

/* Two summations of at most 1000 positive terms, each term from at most n + 3 roundings. The terms
 * that matter have n < 100: 100 * 2^-53 is 1e-14. */
static const double identity_tolerance = 1e-12;

typedef struct kernel_case {
    const char *name;
    int32_t degree;
    double offset, gamma, sigma, domain_scale;
    double (*closed)(const dps_kernel_params *p, double t);
} kernel_case;

static double closed_homogeneous(const dps_kernel_params *p, double t)
{
    return pow(t, p->degree);
}

static double closed_polynomial(const dps_kernel_params *p, double t)
{
    return pow(t + p->offset, p->degree);
}

static double closed_exponential(const dps_kernel_params *p, double t)
{
    return exp(t / (p->sigma * p->sigma));
}

static double closed_vovk_real(const dps_kernel_params *p, double t)
{
    return (1.0 - pow(t, p->degree)) / (1.0 - t);
}

static double closed_vovk_infinite(const dps_kernel_params *p, double t)
{
    (void)p;
    return 1.0 / (1.0 - t);
}

/* coefficients 0.5, 0, 2, 0, 0, 0.25 */
static double closed_maclaurin(const dps_kernel_params *p, double t)
{
    (void)p;
    return 0.5 + 2.0 * t * t + 0.25 * pow(t, 5);
}

static double closed_linear(const dps_kernel_params *p, double t)
{
    (void)p;
    return t;
}

static const kernel_case cases[] = {
    {"homogeneous", 1, 0, 1, 1, 1, closed_homogeneous},
    {"homogeneous", 10, 0, 1, 1, 1, closed_homogeneous},
    {"polynomial", 3, 1, 1, 1, 1, closed_polynomial},
    {"polynomial", 10, 1, 1, 1, 1, closed_polynomial},
    {"polynomial", 7, 0.5, 2.5, 1, 1, closed_polynomial},
    {"polynomial", 4, 0, 1, 1, 1, closed_polynomial},
    {"exponential", 1, 0, 1, 1, 1, closed_exponential},
    {"exponential", 1, 0, 1, 0.25, 1, closed_exponential},
    {"exponential", 1, 0, 0.3, 2, 1, closed_exponential},
    {"vovk_real", 4, 0, 1, 1, 1, closed_vovk_real},
    {"vovk_real", 12, 0, 1.5, 1, 1, closed_vovk_real},
    {"vovk_infinite", 1, 0, 1, 1, 1.9, closed_vovk_infinite},
    {"vovk_infinite", 1, 0, 2, 1, 3, closed_vovk_infinite},
    {"maclaurin", 1, 0, 1, 1, 1, closed_maclaurin},
    {"maclaurin", 1, 0, 0.7, 1, 1, closed_maclaurin},
    {"linear", 1, 0, 3, 1, 1, closed_linear},
};

static dps_map_recipe recipe_of(const kernel_case *c)
{
    dps_map_recipe recipe = fixture_recipe(c->name, 100);
    dps_kernel_params *p = &recipe.kernel;
    p->degree = c->degree;
    p->offset = c->offset;
    p->gamma = c->gamma;
    p->sigma = c->sigma;
    p->domain_scale = c->domain_scale;
    p->coefficient_count = 6;
    p->coefficient[0] = 0.5;
    p->coefficient[2] = 2.0;
    p->coefficient[5] = 0.25;
    return recipe;
}

/* Exact degrees plus the expectation of the random ones, features of x / s with s^n in the weight.
 */
static double expectation(const dps_map_recipe *recipe, double t, double s)
{
    double sum = 0.0;
    for (int32_t n = 0; n <= recipe->exact_degree; n++) {
        sum += dps_kernel_coefficient(&recipe->kernel, n) * pow(t, n);
    }
    if (!dps_degrees_remain(recipe)) {
        return sum;
    }
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, recipe, &err), DPS_OK);
    double total = 0.0;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        const double w = dps_degree_weight(&law, recipe, n, s);
        sum += law.q[n] * w * w * pow(t / (s * s), n);
        total += law.q[n];
        assert_true(n > recipe->exact_degree || law.q[n] == 0.0);
    }
    assert_true(fabs(total - 1.0) < identity_tolerance);
    return sum;
}

static void check_identity(const kernel_case *c, dps_map_recipe recipe, double *worst)
{
    static const double points[] = {-0.9, -0.3, 0.0, 0.1, 0.5, 0.95};
    for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++) {
        const double t = points[k];
        const double argument = recipe.kernel.gamma / recipe.kernel.domain_scale * t;
        const double f = c->closed(&recipe.kernel, argument);
        const double size = fabs(c->closed(&recipe.kernel, fabs(argument)));
        for (double s = 1.0; s <= 4.0; s *= 4.0) {
            const double error = fabs(expectation(&recipe, t, s) - f) / fmax(size, 1e-300);
            *worst = fmax(*worst, t == 0.0 && size == 0.0 ? 0.0 : error);
            if (*worst > identity_tolerance) {
                fail_msg("%s, t = %g, measure %d, p = %g, exact %d: %g against %g", c->name, t,
                         recipe.measure, recipe.p, recipe.exact_degree, expectation(&recipe, t, s),
                         f);
            }
        }
    }
}

static void expectation_is_the_kernel_for_every_kernel_measure_p_and_exact_degree(void **state)
{
    (void)state;
    double worst = 0.0;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        for (int32_t exact = DPS_EXACT_NONE; exact <= 4; exact++) {
            dps_map_recipe recipe = recipe_of(&cases[c]);
            recipe.exact_degree = exact;
            for (recipe.p = 2.0; recipe.p <= 3.0; recipe.p++) {
                recipe.measure = DPS_MEASURE_GEOMETRIC;
                check_identity(&cases[c], recipe, &worst);
            }
            recipe.measure = DPS_MEASURE_COEFFICIENT;
            recipe.mean_norm2 = 0.6;
            check_identity(&cases[c], recipe, &worst);
        }
    }
    print_message("largest relative error %.2g\n", worst);
}

static void geometric_law_is_the_papers_at_p_2(void **state)
{
    (void)state;
    const dps_map_recipe recipe = fixture_recipe("polynomial", 1);
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, &recipe, &err), DPS_OK);
    for (int32_t n = 0; n <= 60; n++) {
        assert_true(law.q[n] == ldexp(1.0, -(n + 1)));
    }
}

static void draws_invert_the_law_at_its_steps(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 1);
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, &recipe, &err), DPS_OK);
    assert_int_equal(dps_degree_at(&law, 0.49), 0);
    assert_int_equal(dps_degree_at(&law, 0.5), 1);
    assert_int_equal(dps_degree_at(&law, 0.7499), 1);
    assert_int_equal(dps_degree_at(&law, 0.75), 2);
    assert_int_equal(dps_degree_at(&law, 0x1.fffffffffffffp-1), 53);
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.kernel = fixture_kernel("homogeneous");
    assert_int_equal(dps_degree_law_init(&law, &recipe, &err), DPS_OK);
    assert_int_equal(dps_degree_at(&law, 1e-17), 3);
    assert_int_equal(dps_degree_at(&law, 0x1.fffffffffffffp-1), 3);
}

/* Pearson's statistic of 10^6 draws; degrees with fewer than 10 expected are pooled. The limit is
 * the quantile of chi-squared at a false-alarm rate of 1e-6 (Wilson & Hilferty 1931, z = 4.753). */
static void check_chi_squared(const dps_map_recipe *recipe)
{
    enum { draws = 1000000 };
    static int64_t count[DPS_MAX_DEGREE + 1];
    memset(count, 0, sizeof(count));
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, recipe, &err), DPS_OK);
    for (int32_t i = 0; i < draws; i++) {
        count[dps_degree_of_feature(&law, recipe, i)]++;
    }
    double statistic = 0.0, pooled_expected = 0.0, pooled = 0.0;
    int bins = 0;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        const double expected = draws * law.q[n];
        assert_true(law.q[n] > 0.0 || count[n] == 0);
        if (expected < 10.0) {
            pooled_expected += expected;
            pooled += (double)count[n];
            continue;
        }
        statistic += ((double)count[n] - expected) * ((double)count[n] - expected) / expected;
        bins++;
    }
    if (pooled_expected >= 1.0) {
        statistic += (pooled - pooled_expected) * (pooled - pooled_expected) / pooled_expected;
        bins++;
    }
    const double df = bins - 1, spread = 2.0 / (9.0 * df);
    const double limit = df * pow(1.0 - spread + 4.753 * sqrt(spread), 3);
    print_message("chi-squared %.1f, %g degrees of freedom, limit %.1f\n", statistic, df, limit);
    assert_true(statistic < limit);
}

static void a_million_iid_degrees_follow_the_law(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 1000000);
    recipe.kernel.degree = 10;
    check_chi_squared(&recipe);
    recipe.p = 3.0;
    recipe.seed = 2;
    check_chi_squared(&recipe);
    recipe.p = 1.3;
    recipe.exact_degree = 1;
    check_chi_squared(&recipe);
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    check_chi_squared(&recipe);
}

static int zeckendorf_terms(int64_t n)
{
    int terms = 0;
    while (n > 0) {
        int64_t a = 1, b = 2;
        while (b <= n) {
            const int64_t next = a + b;
            a = b;
            b = next;
        }
        n -= a;
        terms++;
    }
    return terms;
}

/* Checks |count_n(N) - N q(n)| for every prefix N <= length and degree n < 24 against the derived
 * bound, 2 x Zeckendorf terms of N, and against the far smaller 1 + 0.32 ln N, near which the worst
 * shifts of this sequence are known to lie (docs/algorithms.md, equation 9). Returns the largest.
 */
static double stratified_deviation(const dps_map_recipe *recipe, int32_t length)
{
    int64_t count[64] = {0};
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, recipe, &err), DPS_OK);
    double worst = 0.0;
    for (int32_t i = 0; i < length; i++) {
        const int32_t degree = dps_degree_of_feature(&law, recipe, i);
        assert_true(degree < 64);
        count[degree]++;
        const double derived = 2.0 * zeckendorf_terms(i + 1), sharp = 1.0 + 0.32 * log(i + 1.0);
        for (int32_t n = 0; n < 24; n++) {
            const double deviation = fabs((double)count[n] - (i + 1) * law.q[n]);
            assert_true(deviation <= derived + 1e-6 && deviation <= sharp + 1e-6);
            worst = fmax(worst, deviation);
        }
    }
    return worst;
}

/* Deterministic: no false alarm. An iid draw fails at once (its deviation is of order sqrt(N)). */
static void stratified_counts_of_every_prefix_keep_the_derived_bound(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (int variant = 0; variant < 4; variant++) {
            dps_map_recipe recipe = fixture_recipe("polynomial", 0);
            recipe.kernel.degree = 10;
            recipe.seed = seed;
            recipe.allocation = DPS_ALLOCATION_STRATIFIED;
            recipe.p = variant == 1 ? 3.0 : 2.0;
            recipe.exact_degree = variant == 2 ? 1 : DPS_EXACT_NONE;
            recipe.measure = variant == 3 ? DPS_MEASURE_COEFFICIENT : DPS_MEASURE_GEOMETRIC;
            worst = fmax(worst, stratified_deviation(&recipe, 10000));
        }
    }
    print_message("largest deviation of 80 runs of 10000 prefixes: %.3f\n", worst);
}

static void degrees_do_not_depend_on_the_number_of_features(void **state)
{
    (void)state;
    for (int allocation = 0; allocation < 2; allocation++) {
        dps_map_recipe few = fixture_recipe("exponential", 10);
        few.allocation = (dps_allocation)allocation;
        dps_map_recipe many = few;
        many.features = 100000;
        dps_degree_law law;
        dps_error err;
        assert_int_equal(dps_degree_law_init(&law, &few, &err), DPS_OK);
        for (int32_t i = 0; i < 1000; i++) {
            assert_int_equal(dps_degree_of_feature(&law, &few, i),
                             dps_degree_of_feature(&law, &many, i));
        }
    }
}

static void coefficient_measure_that_overflows_is_refused(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("exponential", 10);
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.mean_norm2 = 1e6;
    dps_degree_law law;
    dps_error err;
    assert_int_equal(dps_degree_law_init(&law, &recipe, &err), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "data.normalize"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectation_is_the_kernel_for_every_kernel_measure_p_and_exact_degree),
        cmocka_unit_test(geometric_law_is_the_papers_at_p_2),
        cmocka_unit_test(draws_invert_the_law_at_its_steps),
        cmocka_unit_test(a_million_iid_degrees_follow_the_law),
        cmocka_unit_test(stratified_counts_of_every_prefix_keep_the_derived_bound),
        cmocka_unit_test(degrees_do_not_depend_on_the_number_of_features),
        cmocka_unit_test(coefficient_measure_that_overflows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
