/* One contract over every combination of map options: it is refused with a reason that names an
 * option, or the map that comes of it estimates its kernel without bias (with map.truncate: but for
 * the residual) and has the width that planning promised.
 *
 * Which combinations mean something stands here once more, in `meaningful`. Measures and
 * allocations take turns over the combinations. Mean over 100 seeds within 5 standard errors: a
 * false alarm would have probability 1e-5 a check by Student's t were the estimates normal; seeds
 * are fixed. */
#include "unit/features/map_fixture.h"

static const double standard_errors = 5.0;

enum { SEEDS = 100, D = 32 };

typedef struct combination {
    dps_map_type type;
    dps_base base;
    dps_projection projection;
    int32_t exact;
    int32_t craft;
    bool orthogonal;
    double truncate;
} combination;

static const int32_t exacts[] = {DPS_EXACT_AUTO, DPS_EXACT_WIDEST, DPS_EXACT_NONE, 0, 2};

static bool meaningful(const combination *c)
{
    const bool signs = c->projection == DPS_PROJECTION_RADEMACHER;
    switch (c->type) {
    case DPS_MAP_NONE:
        return signs && c->craft == 1 && !c->orthogonal && c->truncate == 0.0 &&
               c->exact != DPS_EXACT_NONE && c->exact != 0 && c->exact != DPS_EXACT_WIDEST;
    case DPS_MAP_MACLAURIN:
        return !c->orthogonal;
    case DPS_MAP_COMPOSITIONAL:
        return !c->orthogonal && (c->base == DPS_BASE_DOT || (signs && c->exact != 2));
    case DPS_MAP_FOURIER:
        return signs && c->base != DPS_BASE_DOT && c->truncate == 0.0 && c->exact < 0 &&
               (!c->orthogonal || c->base == DPS_BASE_RBF);
    }
    return false;
}

static double base_value(const combination *c, const fixture_rows *r)
{
    const float *x = fixture_row(r, 0), *y = fixture_row(r, 1);
    double absolute = 0.0, low = 0.0, chi2 = 0.0;
    for (int32_t j = 0; j < r->columns; j++) {
        absolute += fabs((double)x[j] - y[j]);
        low += fmin(x[j], y[j]);
        chi2 += x[j] + y[j] > 0.0f ? 2.0 * x[j] * y[j] / ((double)x[j] + y[j]) : 0.0;
    }
    if (c->type == DPS_MAP_NONE || c->type == DPS_MAP_MACLAURIN || c->base == DPS_BASE_DOT) {
        return fixture_inner(r, 0, 1);
    }
    return c->base == DPS_BASE_RBF         ? exp(-0.5 * fixture_distance2(r, 0, 1))
           : c->base == DPS_BASE_LAPLACIAN ? exp(-0.5 * absolute)
           : c->base == DPS_BASE_CHI2      ? chi2
                                           : low;
}

static dps_map_request request_of(const combination *c, int turn)
{
    const bool series = c->type == DPS_MAP_MACLAURIN || c->type == DPS_MAP_COMPOSITIONAL;
    dps_map_request asked =
        fixture_request(fixture_recipe(series ? "polynomial" : "linear", D)); /* (1 + t)^3 */
    asked.type = c->type;
    asked.base = c->base;
    asked.projection = c->projection;
    asked.exact_degree = c->exact;
    asked.craft = c->craft;
    asked.orthogonal = c->orthogonal;
    asked.truncate = c->truncate;
    asked.truncate_mode = (dps_truncate_mode)(turn / 6 % 2);
    asked.measure = (dps_measure)(turn % 3);
    asked.allocation = (dps_allocation)(turn / 3 % 2);
    asked.collapse = true;
    return asked;
}

static void describe(const combination *c, char *text, size_t size)
{
    snprintf(text, size,
             "type %d, base %d, projection %d, exact %d, craft %d, orthogonal %d, "
             "truncate %g",
             (int)c->type, (int)c->base, (int)c->projection, (int)c->exact, (int)c->craft,
             c->orthogonal, c->truncate);
}

static void check_mean(dps_map_recipe recipe, const fixture_rows *r, const combination *c,
                       const dps_map_facts *facts)
{
    const bool series = c->type == DPS_MAP_MACLAURIN || c->type == DPS_MAP_COMPOSITIONAL;
    const double t = base_value(c, r), expected = series ? pow(1.0 + t, 3) : t;
    double sum = 0.0, sum2 = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        recipe.seed = seed;
        int32_t width;
        float *z = fixture_map(&recipe, r, true, dps_cpu_best(), &width);
        const double estimate = fixture_dot(z, z + width, width);
        if (seed == 7) {
            assert_int_equal(width, facts->width);
        }
        sum += estimate;
        sum2 += estimate * estimate;
        dps_free(z);
    }
    const double mean = sum / SEEDS, variance = fmax(sum2 / SEEDS - mean * mean, 0.0);
    const double limit =
        facts->residual + fmax(standard_errors * sqrt(variance / (SEEDS - 1)), 1e-5);
    if (!(fabs(mean - expected) <= limit)) {
        char text[200];
        describe(c, text, sizeof(text));
        fail_msg("%s: mean %g, kernel %g, limit %g", text, mean, expected, limit);
    }
}

/* Plans; true where the combination passed. */
static bool check(const combination *c, const fixture_rows *r, int turn)
{
    const dps_map_request asked = request_of(c, turn);
    dps_map_recipe recipe;
    const dps_row_source source = fixture_source(r, true);
    const dps_run run = fixture_run(1);
    dps_map_facts facts;
    dps_error err = {0};
    const dps_status status =
        dps_map_plan(&asked, &source, 1.0, 1.0, true, &run, &recipe, &facts, &err);
    char text[200];
    describe(c, text, sizeof(text));
    if (meaningful(c) != (status == DPS_OK)) {
        fail_msg("%s: status %d: %s", text, (int)status, err.text);
    }
    if (status != DPS_OK) {
        assert_int_equal(status, DPS_ERROR_CONFIG);
        assert_non_null(strstr(err.text, "map."));
        return false;
    }
    check_mean(recipe, r, c, &facts);
    return true;
}

static int turns;

static int check_with(dps_map_type type, dps_base base, dps_projection projection,
                      const fixture_rows *r)
{
    int passed = 0;
    for (size_t e = 0; e < sizeof(exacts) / sizeof(exacts[0]); e++) {
        for (int bits = 0; bits < 8; bits++) {
            const combination c = {.type = type,
                                   .base = base,
                                   .projection = projection,
                                   .exact = exacts[e],
                                   .craft = 1 + (bits & 1),
                                   .orthogonal = (bits & 2) != 0,
                                   .truncate = (bits & 4) != 0 ? 0.01 : 0.0};
            passed += check(&c, r, turns);
            turns += meaningful(&c);
        }
    }
    return passed;
}

static void every_combination_is_unbiased_or_refused_with_a_reason(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(12, 5, 1.0, 0.44, 95);
    for (size_t j = 0; j < 12 * r.stride; j++) {
        r.dense[j] = fabsf(r.dense[j]); /* L1 norms up to 0.44 sqrt(5) < 1, as planning is told */
    }
    int passed = 0;
    for (int type = DPS_MAP_NONE; type <= DPS_MAP_FOURIER; type++) {
        const bool based = type == DPS_MAP_COMPOSITIONAL || type == DPS_MAP_FOURIER;
        for (int base = DPS_BASE_DOT; base <= (based ? DPS_BASE_CHI2 : DPS_BASE_DOT); base++) {
            for (int p = DPS_PROJECTION_RADEMACHER; p <= DPS_PROJECTION_COMPLEX_HADAMARD; p++) {
                passed += check_with((dps_map_type)type, (dps_base)base, (dps_projection)p, &r);
            }
        }
    }
    print_message("%d combinations are maps\n", passed);
    assert_true(passed > 250);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_is_unbiased_or_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
