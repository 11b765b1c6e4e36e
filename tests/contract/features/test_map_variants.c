/* One contract over every kind of map: each SIMD path, dense or compressed rows, narrow or wide,
 * gives the bits of the portable path on dense rows, all columns at once or a run at a time. */
#include "map_projections.h"
#include "unit/features/map_fixture.h"

typedef struct map_case {
    const char *name;
    dps_map_type type;
    dps_base base;
    int32_t exact_degree;
    bool collapse;
    int32_t features;
    dps_projection projection;
} map_case;

static const map_case cases[] = {
    {"signs", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, false, 131,
     DPS_PROJECTION_RADEMACHER},
    {"H0/1", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 1, true, 200, DPS_PROJECTION_RADEMACHER},
    {"collapsed linear", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, true, 300,
     DPS_PROJECTION_RADEMACHER},
    {"rbf", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, DPS_EXACT_NONE, true, 90,
     DPS_PROJECTION_RADEMACHER},
    {"rbf, exact constant", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, 0, true, 40,
     DPS_PROJECTION_RADEMACHER},
    {"fourier", DPS_MAP_FOURIER, DPS_BASE_RBF, DPS_EXACT_NONE, true, 70, DPS_PROJECTION_RADEMACHER},
    {"gaussian", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, true, 75,
     DPS_PROJECTION_GAUSSIAN},
    {"hadamard", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, false, 331,
     DPS_PROJECTION_HADAMARD},
    {"complex", DPS_MAP_COMPOSITIONAL, DPS_BASE_DOT, DPS_EXACT_NONE, true, 150,
     DPS_PROJECTION_COMPLEX},
    {"complex hadamard", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 1, true, 190,
     DPS_PROJECTION_COMPLEX_HADAMARD},
    {"laplacian", DPS_MAP_COMPOSITIONAL, DPS_BASE_LAPLACIAN, 0, true, 40,
     DPS_PROJECTION_RADEMACHER},
    {"intersection", DPS_MAP_COMPOSITIONAL, DPS_BASE_INTERSECTION, DPS_EXACT_NONE, true, 90,
     DPS_PROJECTION_RADEMACHER},
    {"chi2 alone", DPS_MAP_FOURIER, DPS_BASE_CHI2, DPS_EXACT_NONE, true, 70,
     DPS_PROJECTION_RADEMACHER},
    {"none", DPS_MAP_NONE, DPS_BASE_DOT, 1, true, 0, DPS_PROJECTION_RADEMACHER},
};

/* Of the recipes of check_case. */
static int32_t craft = 0;
static dps_refine refine = DPS_REFINE_NONE;

/* Numbers for a map that moves: about as drawn, or a metric near 1. The caller frees them. */
static float *moved_numbers(dps_map_recipe *recipe, int32_t columns)
{
    const dps_run run = fixture_run(1);
    const size_t d = (size_t)columns;
    dps_map *map;
    assert_int_equal(dps_map_new(&map, recipe, columns, &run, NULL), DPS_OK);
    const size_t projections = (d + 1) * (size_t)dps_map_factors(map);
    const bool metric = recipe->refine == DPS_REFINE_METRIC;
    const size_t count = metric ? (size_t)dps_metric_numbers(columns) : projections;
    float *v = dps_alloc(projections > count ? projections : count, sizeof *v);
    assert_non_null(v);
    if (!metric) {
        dps_map_projections(map, v);
    }
    for (size_t k = 0; k < count; k++) {
        const double u = dps_random_normal(12, DPS_STREAM_SAMPLE, 0, 0, (uint32_t)k);
        const bool one = metric && (count == d || k % (d + 1) == 0);
        v[k] += (one ? 1.0f : 0.0f) + 0.1f * (float)u;
    }
    recipe->moved = v;
    recipe->moved_count = (int64_t)count;
    dps_map_free(map);
    return v;
}

/* The first tile, made a run of columns at a time. */
static void check_runs(const char *name, const dps_map_recipe *recipe, const fixture_rows *r,
                       bool dense, dps_simd simd, const float *reference)
{
    enum { most = 40 };
    const dps_run run = fixture_run(1);
    const dps_row_tile tile = fixture_tile(r, 0, dense);
    dps_map *map;
    assert_int_equal(dps_map_new(&map, recipe, r->columns, &run, NULL), DPS_OK);
    const int32_t width = dps_map_width(map);
    float *z = dps_alloc((size_t)tile.rows * (size_t)width, sizeof(float));
    void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
    int32_t end = 0;
    for (int32_t begin = 0; begin < width; begin = end) {
        end = dps_map_run_end(map, begin, most);
        const int32_t columns = end - begin;
        assert_true(columns > 0 && (columns <= most || begin == 0));
        assert_int_equal(
            dps_map_apply_run(map, simd, &tile, begin, end, z, (size_t)columns, scratch, NULL),
            DPS_OK);
        for (int32_t i = 0; i < tile.rows; i++) {
            if (memcmp(z + (size_t)i * (size_t)columns,
                       reference + (size_t)i * (size_t)width + (size_t)begin,
                       (size_t)columns * sizeof(float)) != 0) {
                fail_msg("%s, %d columns: %s on %s rows, map's columns from %d differ", name,
                         r->columns, dps_name_of(dps_simd_names, simd),
                         dense ? "dense" : "compressed", begin);
            }
        }
    }
    assert_int_equal(end, width);
    dps_free(z);
    dps_free(scratch);
    dps_map_free(map);
}

static void check_case(const map_case *c, const fixture_rows *r, int32_t exact_degree)
{
    const bool linear = c->type == DPS_MAP_NONE || c->type == DPS_MAP_FOURIER;
    dps_map_recipe recipe = fixture_recipe(linear ? "linear" : "exponential", c->features);
    recipe.type = c->type;
    recipe.base = c->base;
    recipe.projection = c->projection;
    recipe.exact_degree = exact_degree;
    recipe.collapse = c->collapse;
    recipe.input_scale = 4.0;
    recipe.craft = craft;
    recipe.orthogonal = c->type == DPS_MAP_FOURIER && c->base == DPS_BASE_RBF && r->columns < 200 &&
                        refine == DPS_REFINE_NONE;
    recipe.factor = 0.7;
    recipe.refine = refine;
    float *moved = refine != DPS_REFINE_NONE ? moved_numbers(&recipe, r->columns) : NULL;
    int32_t width;
    float *reference = fixture_map(&recipe, r, true, DPS_SIMD_PORTABLE, &width);
    const dps_row_tile tile = fixture_tile(r, 0, true);
    double size = 0.0;
    for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        for (int dense = 0; dense < 2 && dps_cpu_has((dps_simd)simd); dense++) {
            float *z = fixture_map(&recipe, r, dense, (dps_simd)simd, &width);
            const size_t bytes = (size_t)tile.rows * (size_t)width * sizeof(float);
            if (memcmp(reference, z, bytes) != 0) {
                fail_msg("%s, %d columns: %s on %s rows differs", c->name, r->columns,
                         dps_name_of(dps_simd_names, (dps_simd)simd),
                         dense ? "dense" : "compressed");
            }
            size += fixture_dot(z, z, width);
            dps_free(z);
            if (dps_map_in_runs(&recipe)) {
                check_runs(c->name, &recipe, r, dense, (dps_simd)simd, reference);
            }
        }
    }
    /* Additive maps are 0 where no coordinate is above 0. */
    assert_true(size > 0.0 || c->base >= DPS_BASE_INTERSECTION);
    dps_free(reference);
    dps_free(moved);
}

static void mixed_columns_have_the_same_bits_on_every_path(void **state)
{
    (void)state;
    static const int32_t columns[] = {9, 70, 2050};
    for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
        fixture_rows r = fixture_rows_new(columns[k] < 100 ? 35 : 2, columns[k], 0.3, 3.0, 45);
        craft = 2;
        for (size_t c = 0; c + 1 < sizeof(cases) / sizeof(cases[0]); c++) {
            check_case(&cases[c], &r, cases[c].exact_degree);
        }
        craft = 0;
        fixture_rows_free(&r);
    }
}

static void check_columns(int64_t rows, int32_t columns, double density)
{
    fixture_rows r = fixture_rows_new(rows, columns, density, 3.0, 41);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        check_case(&cases[c], &r, cases[c].exact_degree);
    }
    fixture_rows_free(&r);
}

static void narrow_rows_have_the_same_bits_on_every_path(void **state)
{
    (void)state;
    check_columns(101, 1, 1.0);
    check_columns(99, 7, 0.8);
    check_columns(230, 33, 0.4);
    check_columns(130, 128, 1.0);
}

/* Beyond 2048 columns compressed rows are never made dense. */
static void wide_compressed_rows_have_the_bits_of_dense_ones(void **state)
{
    (void)state;
    check_columns(19, 2049, 0.02);
    check_columns(3, 3001, 0.5);
}

static void exact_monomials_of_compressed_rows_have_the_bits_of_dense_ones(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(23, 11, 0.5, 2.0, 42);
    for (int32_t degree = 2; degree <= 5; degree++) {
        check_case(&cases[0], &r, degree);
    }
    fixture_rows_free(&r);
    r = fixture_rows_new(3, 2050, 0.01, 2.0, 43);
    check_case(&cases[0], &r, 2);
    fixture_rows_free(&r);
}

static bool can_move(const map_case *c)
{
    return c->type != DPS_MAP_NONE && c->base <= DPS_BASE_LAPLACIAN &&
           c->projection <= DPS_PROJECTION_GAUSSIAN;
}

/* Exact degree 1 beside a fourier map comes with map.refine alone. */
static void moved_maps_have_the_same_bits_on_every_path(void **state)
{
    (void)state;
    static const int32_t columns[] = {1, 9, 70, 256, 2048};
    for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
        fixture_rows r = fixture_rows_new(columns[k] < 100 ? 107 : 3, columns[k], 0.3, 3.0, 46);
        for (size_t c = 0; c + 1 < sizeof(cases) / sizeof(cases[0]); c++) {
            for (int way = DPS_REFINE_PROJECTIONS; can_move(&cases[c]) && way <= DPS_REFINE_METRIC;
                 way++) {
                refine = (dps_refine)way;
                check_case(&cases[c], &r, cases[c].exact_degree);
                if (cases[c].type == DPS_MAP_FOURIER) {
                    check_case(&cases[c], &r, 1);
                }
            }
        }
        refine = DPS_REFINE_NONE;
        fixture_rows_free(&r);
    }
}

static void rows_of_zeros_have_the_same_bits(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(5, 2100, 0.0, 1.0, 44);
    for (size_t c = 0; c + 1 < sizeof(cases) / sizeof(cases[0]); c++) {
        check_case(&cases[c], &r, cases[c].exact_degree);
    }
    fixture_rows_free(&r);
}

/* A kind of map, projection or base that no case has would be held to nothing. */
static void every_name_of_the_tables_has_a_case(void **state)
{
    (void)state;
    const struct {
        const char *const *names;
        size_t at; /* of the value in a case */
    } tables[] = {{dps_map_type_names, offsetof(map_case, type)},
                  {dps_base_names, offsetof(map_case, base)},
                  {dps_projection_names, offsetof(map_case, projection)}};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (unsigned value = 0; tables[t].names[value] != NULL; value++) {
            bool found = false;
            for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
                unsigned has;
                memcpy(&has, (const char *)&cases[k] + tables[t].at, sizeof has);
                found |= has == value;
            }
            if (!found) {
                fail_msg("no case for %s", tables[t].names[value]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_of_the_tables_has_a_case),
        cmocka_unit_test(narrow_rows_have_the_same_bits_on_every_path),
        cmocka_unit_test(wide_compressed_rows_have_the_bits_of_dense_ones),
        cmocka_unit_test(exact_monomials_of_compressed_rows_have_the_bits_of_dense_ones),
        cmocka_unit_test(mixed_columns_have_the_same_bits_on_every_path),
        cmocka_unit_test(moved_maps_have_the_same_bits_on_every_path),
        cmocka_unit_test(rows_of_zeros_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
