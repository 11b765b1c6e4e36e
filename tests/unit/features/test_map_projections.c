/* Projections that move, against a map written out in double. */
#include "unit/features/moving_map.h"

enum { FEATURES = 75, COLUMNS = 13, ROWS = 111 };

typedef struct map_case {
    const char *name;
    dps_map_type type;
    dps_base base;
    int32_t exact_degree;
    dps_projection projection;
} map_case;

static const map_case cases[] = {
    {"fourier", DPS_MAP_FOURIER, DPS_BASE_RBF, DPS_EXACT_NONE, DPS_PROJECTION_RADEMACHER},
    {"fourier and the rows", DPS_MAP_FOURIER, DPS_BASE_RBF, 1, DPS_PROJECTION_RADEMACHER},
    {"laplacian", DPS_MAP_FOURIER, DPS_BASE_LAPLACIAN, DPS_EXACT_NONE, DPS_PROJECTION_RADEMACHER},
    {"signs", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, DPS_PROJECTION_RADEMACHER},
    {"signs, H0/1", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 1, DPS_PROJECTION_RADEMACHER},
    {"gaussian", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, DPS_PROJECTION_GAUSSIAN},
    {"compositional dot", DPS_MAP_COMPOSITIONAL, DPS_BASE_DOT, 0, DPS_PROJECTION_RADEMACHER},
    {"compositional rbf", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, DPS_EXACT_NONE,
     DPS_PROJECTION_RADEMACHER},
    {"compositional laplacian", DPS_MAP_COMPOSITIONAL, DPS_BASE_LAPLACIAN, 0,
     DPS_PROJECTION_RADEMACHER},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static dps_map_recipe recipe_of(const map_case *c, dps_refine refine)
{
    const bool fourier = c->type == DPS_MAP_FOURIER;
    dps_map_recipe recipe =
        fixture_recipe(fourier ? "linear" : "exponential", FEATURES + (fourier ? 1 : 0));
    recipe.type = c->type;
    recipe.base = c->base;
    recipe.base_gamma = 0.4;
    recipe.projection = c->projection;
    recipe.exact_degree = c->exact_degree;
    recipe.collapse = true;
    recipe.input_scale = 2.0;
    recipe.factor = 0.7;
    recipe.refine = refine;
    return recipe;
}

static dps_map *make(const dps_map_recipe *recipe, int32_t columns)
{
    const dps_run run = fixture_run(1);
    dps_map *map;
    dps_error err = {0};
    if (dps_map_new(&map, recipe, columns, &run, &err) != DPS_OK) {
        fail_msg("map: %s", err.text);
    }
    return map;
}

static float *floats(size_t count)
{
    float *v = dps_alloc(count, sizeof *v);
    assert_non_null(v);
    return v;
}

static float normal(uint32_t a, size_t index)
{
    return (float)dps_random_normal(11, DPS_STREAM_SAMPLE, a, 0, (uint32_t)index);
}

static size_t numbers_of(const dps_map *map)
{
    return ((size_t)map->layout.columns + 1) * (size_t)dps_map_factors(map);
}

static double *doubles_of(const float *v, size_t count)
{
    double *w = dps_alloc(count, sizeof *w);
    assert_non_null(w);
    for (size_t k = 0; k < count; k++) {
        w[k] = v[k];
    }
    return w;
}

/* As drawn, and a tenth of a normal number more. */
static float *moved_projections(const dps_map *map)
{
    const size_t count = numbers_of(map);
    float *v = floats(count);
    dps_map_projections(map, v);
    for (size_t k = 0; k < count; k++) {
        v[k] += 0.1f * normal(1, k);
    }
    return v;
}

static float *apply(const dps_map *map, const fixture_rows *r, dps_simd simd)
{
    const dps_row_tile tile = fixture_tile(r, 0, true);
    float *z = floats((size_t)tile.rows * (size_t)dps_map_width(map));
    void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
    dps_error err = {0};
    if (dps_map_apply(map, simd, &tile, z, (size_t)dps_map_width(map), scratch, &err) != DPS_OK) {
        fail_msg("apply: %s", err.text);
    }
    dps_free(scratch);
    return z;
}

/* How far floats may be off there, in running error bounds (Higham, Accuracy and Stability, 3.3):
 * a projection by d + 3 roundings of its terms, our cosine by 3e-7, a product by its factors. With
 * `which`: of its slope by that factor, where p itself has the derivative 1. */
static double error_bound(const dps_map *map, const moving_column *c, const double *v,
                          const float *x, int32_t which)
{
    const int32_t d = map->layout.columns, factors = dps_map_factors(map);
    const double unit = 0x1p-24 * 1.001, amplitude = (double)map->amplitude;
    double with = c->weight, without = c->weight;
    for (int32_t g = 0; g < c->degree; g++) {
        const int32_t f = c->first + g * c->step;
        const double p = projection(v, factors, f, x, d);
        double size = fabs(v[(size_t)d * (size_t)factors + (size_t)f]);
        for (int32_t j = 0; j < d; j++) {
            size += fabs(v[(size_t)j * (size_t)factors + (size_t)f] * (double)x[j]);
        }
        const double roundings = (d + 3) * unit * size;
        double value = fabs(p), error = roundings;
        if (c->cosine) {
            value = amplitude * fabs(g == which ? sin(p) : cos(p));
            error = amplitude * (roundings + 3e-7);
        } else if (g == which) {
            value = 1.0;
            error = 0.0;
        }
        without *= value;
        with *= (value + error) * (1.0 + 2.0 * unit);
    }
    return with - without + unit * without;
}

/* ---- tests -----------------------------------------------------------------------------------*/

static void a_moved_map_is_the_one_written_out_in_double(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(ROWS, COLUMNS, 0.9, 1.5, 51);
    for (size_t k = 0; k < CASES; k++) {
        const dps_map_recipe recipe = recipe_of(&cases[k], DPS_REFINE_PROJECTIONS);
        dps_map *map = make(&recipe, COLUMNS);
        float *v = moved_projections(map);
        dps_map_move(map, v);
        float *z = apply(map, &r, dps_cpu_best());
        double *exact_v = doubles_of(v, numbers_of(map));
        moving_column list[200];
        const int32_t count = list_columns(map, list), width = dps_map_width(map);
        double worst = 0.0, largest = 0.0;
        for (int32_t c = 0; c < count; c++) {
            for (size_t i = 0; i < ROWS; i++) {
                const float *x = r.dense + i * r.stride;
                const double exact = column_value(map, &list[c], exact_v, x, -1, 0);
                const double off = fabs(exact - z[i * (size_t)width + (size_t)list[c].column]);
                assert_true(off <= error_bound(map, &list[c], exact_v, x, -1));
                worst = fmax(worst, off / list[c].weight);
                largest = fmax(largest, fabs(exact) / list[c].weight);
            }
        }
        print_message("%s: %d columns, %d factors, off by %.2g of %.3g\n", cases[k].name, count,
                      dps_map_factors(map), worst, largest);
        assert_true(count > 30);
        dps_free(exact_v);
        dps_free(z);
        dps_free(v);
        dps_map_free(map);
    }
    fixture_rows_free(&r);
}

/* Cosines hold turns: a projection is rounded on its way there and back. */
static void projections_come_back_as_they_were_set(void **state)
{
    (void)state;
    for (int refine = DPS_REFINE_PROJECTIONS; refine <= DPS_REFINE_METRIC; refine++) {
        for (size_t k = 0; k < CASES; k++) {
            const dps_map_recipe recipe = recipe_of(&cases[k], (dps_refine)refine);
            dps_map *map = make(&recipe, COLUMNS);
            const size_t count = numbers_of(map);
            float *v = moved_projections(map), *again = floats(count);
            const double rounding = dps_recipe_is_dot(&recipe) ? 0.0 : 0x1p-23;
            dps_map_move(map, v);
            dps_map_projections(map, again);
            for (size_t i = 0; i < count; i++) {
                assert_true(fabs((double)again[i] - (double)v[i]) <= rounding * fabs(v[i]));
            }
            dps_free(v);
            dps_free(again);
            dps_map_free(map);
        }
    }
}

/* What a model does: the recipe holds the numbers. */
static void a_map_built_from_moved_numbers_is_the_map_that_moved(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(ROWS, COLUMNS, 0.9, 1.5, 52);
    for (size_t k = 0; k < CASES; k++) {
        dps_map_recipe recipe = recipe_of(&cases[k], DPS_REFINE_PROJECTIONS);
        dps_map *map = make(&recipe, COLUMNS);
        float *v = moved_projections(map);
        dps_map_move(map, v);
        recipe.moved = v;
        recipe.moved_count = (int64_t)numbers_of(map);
        dps_map *built = make(&recipe, COLUMNS);
        float *a = apply(map, &r, dps_cpu_best()), *b = apply(built, &r, dps_cpu_best());
        assert_int_equal(dps_map_width(map), dps_map_width(built));
        assert_memory_equal(a, b, ROWS * (size_t)dps_map_width(map) * sizeof *a);
        dps_free(a);
        dps_free(b);
        dps_map_free(built);
        /* one number too few */
        const dps_run run = fixture_run(1);
        dps_error err = {0};
        recipe.moved_count--;
        assert_int_equal(dps_map_new(&built, &recipe, COLUMNS, &run, &err), DPS_ERROR_DATA);
        assert_non_null(strstr(err.text, "the map moves by"));
        dps_free(v);
        dps_map_free(map);
    }
    fixture_rows_free(&r);
}

static void check_slopes(const map_case *c, dps_refine refine, const fixture_rows *r)
{
    enum { STRIDE = 200 };
    const double step = 1e-5;
    const dps_map_recipe recipe = recipe_of(c, refine);
    const dps_row_tile tile = fixture_tile(r, 0, true);
    dps_map *map = make(&recipe, r->columns);
    const int32_t factors = dps_map_factors(map);
    const size_t stride = dps_round_up((size_t)factors, DPS_PAD), size = ROWS * stride;
    float *v = moved_projections(map), *slope = floats(size), *other = floats(size);
    float *column_slope = floats((size_t)ROWS * STRIDE);
    void *scratch = dps_alloc(dps_map_slopes_bytes(map), 1);
    double *exact_v = doubles_of(v, numbers_of(map));
    moving_column list[STRIDE];
    const int32_t count = list_columns(map, list);
    double worst = 0.0;
    assert_true(dps_map_width(map) <= STRIDE);
    for (size_t k = 0; k < (size_t)ROWS * STRIDE; k++) {
        column_slope[k] = normal(2, k);
    }
    dps_map_move(map, v);
    dps_map_slopes(map, DPS_SIMD_PORTABLE, &tile, column_slope, STRIDE, slope, stride, scratch);
    for (int simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has((dps_simd)simd)) {
            dps_map_slopes(map, (dps_simd)simd, &tile, column_slope, STRIDE, other, stride,
                           scratch);
            assert_memory_equal(slope, other, size * sizeof *slope);
        }
    }
    for (int32_t k = 0; k < count; k++) {
        for (int32_t g = 0; g < list[k].degree; g++) {
            double error = 0.0, largest = 0.0;
            for (size_t i = 0; i < ROWS; i++) {
                const float *x = r->dense + i * r->stride;
                const double up = column_value(map, &list[k], exact_v, x, g, step);
                const double down = column_value(map, &list[k], exact_v, x, g, -step);
                const double exact = (double)column_slope[i * STRIDE + (size_t)list[k].column] *
                                     (up - down) / (2.0 * step);
                const double mine = slope[i * stride + (size_t)(list[k].first + g * list[k].step)];
                const double bound =
                    error_bound(map, &list[k], exact_v, x, g) + 1e-9 * list[k].weight;
                const double outer = fabs(column_slope[i * STRIDE + (size_t)list[k].column]);
                assert_true(fabs(exact - mine) <= outer * bound);
                error = fmax(error, fabs(exact - mine));
                largest = fmax(largest, fabs(exact));
            }
            worst = fmax(worst, error / largest);
        }
    }
    print_message("%s, %s: %d factors, off by %.2g of the largest of a factor\n", c->name,
                  dps_name_of(dps_refine_names, refine), factors, worst);
    assert_true(worst <= (dps_recipe_is_dot(&recipe) ? 1e-6
                          : c->base == DPS_BASE_RBF  ? 5e-6
                                                     : 1e-3));
    dps_free(v);
    dps_free(exact_v);
    dps_free(slope);
    dps_free(other);
    dps_free(column_slope);
    dps_free(scratch);
    dps_map_free(map);
}

/* Every slope within what its floats may be off; 1e-6 of a factor's largest one where p itself is
 * the value, 5e-6 for cosines, whose argument is a float sum of 14 terms, and 1e-3 for a laplacian,
 * some of whose terms (of Cauchy's law) are thousands of turns. */
static void slopes_are_the_differences_of_the_map_in_double(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(ROWS, COLUMNS, 0.9, 1.5, 53);
    for (int refine = DPS_REFINE_PROJECTIONS; refine <= DPS_REFINE_METRIC; refine++) {
        for (size_t k = 0; k < CASES; k++) {
            check_slopes(&cases[k], (dps_refine)refine, &r);
        }
    }
    fixture_rows_free(&r);
}

/* ---- a metric --------------------------------------------------------------------------------*/

static float *z_of(const dps_map_recipe *recipe, const fixture_rows *r, int32_t *width)
{
    return fixture_map(recipe, r, true, dps_cpu_best(), width);
}

static double gram_difference(const float *a, int32_t wa, const float *b, int32_t wb)
{
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < 40; i++) {
        for (size_t k = 0; k <= i; k++) {
            const double x = fixture_dot(a + i * (size_t)wa, a + k * (size_t)wa, wa);
            const double y = fixture_dot(b + i * (size_t)wb, b + k * (size_t)wb, wb);
            worst = fmax(worst, fabs(x - y));
            largest = fmax(largest, fabs(x));
        }
    }
    return worst / largest;
}

static void check_identity(const map_case *c, int32_t columns)
{
    fixture_rows r = fixture_rows_new(ROWS, columns, 0.9, 1.5, 54);
    const size_t count = (size_t)dps_metric_numbers(columns), d = (size_t)columns;
    dps_map_recipe recipe = recipe_of(c, DPS_REFINE_METRIC);
    float *t = floats(count);
    int32_t width, same, none;
    float *drawn = z_of(&recipe, &r, &width);
    for (size_t j = 0; j < d; j++) {
        t[count == d ? j : j * d + j] = 1.0f;
    }
    recipe.moved = t;
    recipe.moved_count = (int64_t)count;
    float *by_one = z_of(&recipe, &r, &same);
    assert_int_equal(width, same);
    if (dps_recipe_is_dot(&recipe)) {
        assert_memory_equal(drawn, by_one, ROWS * (size_t)width * sizeof *drawn);
    }
    const double rounding = dps_recipe_is_dot(&recipe) ? 1e-6 : 1e-5; /* turns, times d and 2 pi */
    assert_true(gram_difference(drawn, width, by_one, width) <= rounding);
    /* the rows are columns of another place there */
    recipe.refine = DPS_REFINE_NONE;
    recipe.moved = NULL;
    recipe.moved_count = 0;
    float *plain = z_of(&recipe, &r, &none);
    assert_true(gram_difference(plain, none, by_one, width) <= rounding);
    dps_free(t);
    dps_free(drawn);
    dps_free(by_one);
    dps_free(plain);
    fixture_rows_free(&r);
}

static void the_metric_one_is_the_map_as_drawn(void **state)
{
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        check_identity(&cases[k], COLUMNS);
        check_identity(&cases[k], 300);
    }
}

static void check_metric(const map_case *c, int32_t columns)
{
    fixture_rows r = fixture_rows_new(ROWS, columns, 0.9, 1.5, 55);
    const size_t count = (size_t)dps_metric_numbers(columns), d = (size_t)columns;
    dps_map_recipe recipe = recipe_of(c, DPS_REFINE_METRIC);
    dps_map *map = make(&recipe, columns);
    const size_t factors = (size_t)dps_map_factors(map);
    float *t = floats(count), *start = floats((d + 1) * factors), *v = floats((d + 1) * factors);
    for (size_t k = 0; k < count; k++) {
        t[k] = normal(3, k) / (count == d ? 1.0f : sqrtf((float)d));
    }
    dps_map_projections(map, start);
    for (size_t j = 0; j < factors; j++) {
        for (size_t i = 0; i < d; i++) {
            double sum = count == d ? (double)t[i] * (double)start[i * factors + j] : 0.0;
            for (size_t k = 0; k < d && count > d; k++) {
                sum += (double)t[i * d + k] * (double)start[k * factors + j];
            }
            v[i * factors + j] = (float)sum;
        }
        v[d * factors + j] = start[d * factors + j];
    }
    int32_t width, same;
    recipe.moved = t;
    recipe.moved_count = (int64_t)count;
    float *a = z_of(&recipe, &r, &width);
    recipe.refine = DPS_REFINE_PROJECTIONS;
    recipe.moved = v;
    recipe.moved_count = (int64_t)((d + 1) * factors);
    float *b = z_of(&recipe, &r, &same);
    assert_int_equal(width, same);
    assert_memory_equal(a, b, ROWS * (size_t)width * sizeof *a);
    dps_free(a);
    dps_free(b);
    dps_free(t);
    dps_free(start);
    dps_free(v);
    dps_map_free(map);
    fixture_rows_free(&r);
}

/* Full and, beyond 256 columns, diagonal. Where degree 1 is exact, the rows move in one of the two
 * alone. */
static void a_metric_is_projections_multiplied_by_it(void **state)
{
    (void)state;
    assert_int_equal(dps_metric_numbers(256), 256 * 256);
    assert_int_equal(dps_metric_numbers(257), 257);
    for (size_t k = 0; k < CASES; k++) {
        if (cases[k].exact_degree < 1) {
            check_metric(&cases[k], COLUMNS);
            check_metric(&cases[k], 300);
        }
    }
}

/* x T of the columns that the map carries exactly. */
static void a_metric_moves_the_exact_rows(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(ROWS, COLUMNS, 0.9, 1.5, 56);
    dps_map_recipe recipe = recipe_of(&cases[4], DPS_REFINE_METRIC);
    float t[COLUMNS * COLUMNS];
    for (size_t k = 0; k < COLUMNS * COLUMNS; k++) {
        t[k] = normal(4, k);
    }
    recipe.moved = t;
    recipe.moved_count = COLUMNS * COLUMNS;
    dps_map *map = make(&recipe, COLUMNS);
    float *z = apply(map, &r, dps_cpu_best());
    const size_t width = (size_t)dps_map_width(map), first = width - COLUMNS;
    const double weight = sqrt(dps_kernel_coefficient(&recipe.kernel, 1)) * recipe.factor;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < COLUMNS; k++) {
                sum += (double)r.dense[i * r.stride + k] * (double)t[k * COLUMNS + j];
            }
            assert_true(fabs(weight * sum - z[i * width + first + j]) <= 1e-5);
            assert_int_equal(dps_map_column_degree(map, (int32_t)(first + j)), 1);
        }
    }
    dps_free(z);
    dps_map_free(map);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_map_is_the_one_written_out_in_double),
        cmocka_unit_test(projections_come_back_as_they_were_set),
        cmocka_unit_test(a_map_built_from_moved_numbers_is_the_map_that_moved),
        cmocka_unit_test(slopes_are_the_differences_of_the_map_in_double),
        cmocka_unit_test(the_metric_one_is_the_map_as_drawn),
        cmocka_unit_test(a_metric_is_projections_multiplied_by_it),
        cmocka_unit_test(a_metric_moves_the_exact_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
