/* map.craft: many random features mixed down to D columns by one Hadamard transform keep the
 * kernel's mean and have less error than D features.
 *
 * Mean over 300 seeds within 5 standard errors. */
#include "unit/features/map_fixture.h"

static const double standard_errors = 5.0;

enum { SEEDS = 300, D = 64 };

typedef struct craft_case {
    const char *name;
    dps_map_type type;
    dps_base base;
    dps_projection projection;
    int32_t exact_degree;
    bool collapse;
} craft_case;

static const craft_case cases[] = {
    {"signs", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_RADEMACHER, DPS_EXACT_NONE, false},
    {"H0/1", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_RADEMACHER, 1, true},
    {"complex hadamard", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_PROJECTION_COMPLEX_HADAMARD, 1, true},
    {"rbf", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, DPS_PROJECTION_RADEMACHER, 0, true},
    {"fourier", DPS_MAP_FOURIER, DPS_BASE_RBF, DPS_PROJECTION_RADEMACHER, DPS_EXACT_NONE, true},
};

static dps_map_recipe recipe_of(const craft_case *c)
{
    dps_map_recipe recipe = fixture_recipe(c->type == DPS_MAP_FOURIER ? "linear" : "polynomial", D);
    recipe.kernel.degree = 6;
    recipe.type = c->type;
    recipe.base = c->base;
    recipe.projection = c->projection;
    recipe.exact_degree = c->exact_degree;
    recipe.collapse = c->collapse;
    recipe.allocation = DPS_ALLOCATION_STRATIFIED;
    return recipe;
}

/* Mean squared error of K(row 0, row 1), checked for bias. */
static double squared_error(dps_map_recipe recipe, const fixture_rows *r, double expected)
{
    double sum = 0.0, sum2 = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        recipe.seed = seed;
        int32_t width;
        float *z = fixture_map(&recipe, r, true, dps_cpu_best(), &width);
        if (recipe.craft > 1) {
            const int32_t exact = recipe.exact_degree < 0    ? 0
                                  : recipe.exact_degree == 0 ? 1
                                                             : 1 + r->columns;
            assert_int_equal(width, exact + D);
        }
        const double error = fixture_dot(z, z + width, width) - expected;
        sum += error;
        sum2 += error * error;
        dps_free(z);
    }
    const double mean = sum / SEEDS, variance = sum2 / SEEDS - mean * mean;
    assert_true(fabs(mean) < standard_errors * sqrt(variance / SEEDS));
    return sum2 / SEEDS;
}

static void mixtures_are_unbiased_for_every_kind_of_map(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(2, 7, 1.0, 1.0, 91);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        dps_map_recipe recipe = recipe_of(&cases[c]);
        const bool rbf = cases[c].base == DPS_BASE_RBF;
        const double t = rbf ? exp(-0.5 * fixture_distance2(&r, 0, 1)) : fixture_inner(&r, 0, 1);
        const double expected = recipe.type == DPS_MAP_FOURIER ? t : pow(1.0 + t, 6);
        const double plain = squared_error(recipe, &r, expected);
        recipe.craft = 8;
        const double crafted = squared_error(recipe, &r, expected);
        print_message("%s: %.3g, crafted %.3g\n", cases[c].name, plain, crafted);
    }
    fixture_rows_free(&r);
}

/* Where features of high degree vary much more than K(x, x) K(y, y), as signs do here: the mixture
 * adds about (K(x, x) K(y, y) + K(x, y)^2) / D to an eighth of the variance. */
static void mixtures_have_less_error_than_few_features(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(2, 7, 1.0, 1.0, 92);
    dps_map_recipe recipe = recipe_of(&cases[0]);
    recipe.p = 4.0;
    const double expected = pow(1.0 + fixture_inner(&r, 0, 1), 6);
    const double plain = squared_error(recipe, &r, expected);
    recipe.craft = 8;
    const double crafted = squared_error(recipe, &r, expected);
    print_message("%.3g, crafted %.3g\n", plain, crafted);
    assert_true(crafted < 0.8 * plain);
    fixture_rows_free(&r);
}

/* Nothing is mixed where the collapse leaves no more than D columns. */
static void fewer_columns_than_d_are_left_alone(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(2, 7, 1.0, 1.0, 93);
    dps_map_recipe recipe = fixture_recipe("linear", 500);
    recipe.measure = DPS_MEASURE_COEFFICIENT;
    recipe.collapse = true;
    recipe.craft = 4;
    int32_t width;
    float *z = fixture_map(&recipe, &r, true, dps_cpu_best(), &width);
    assert_int_equal(width, 7); /* 2,000 features of degree 1 collapse to d columns */
    dps_free(z);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixtures_are_unbiased_for_every_kind_of_map),
        cmocka_unit_test(mixtures_have_less_error_than_few_features),
        cmocka_unit_test(fewer_columns_than_d_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
