#include "exact.h"
#include "unit/features/map_fixture.h"

/* Exact columns of degree 0 .. k of row i. */
static void exact_row(const dps_exact *exact, const fixture_rows *r, int64_t i, float *z)
{
    float *scratch = dps_alloc(dps_exact_scratch(exact), sizeof(float));
    assert_non_null(scratch);
    dps_exact_row(exact, fixture_row(r, i), z, scratch);
    dps_free(scratch);
}

/* Float columns: each of relative error 4 * 2^-24 (two products, weight, coordinates); inner
 * products of vectors of norms^2 f(1) = 2^k, in double. */
static void inner_products_of_exact_columns_are_the_truncated_series(void **state)
{
    (void)state;
    fixture_rows r = fixture_rows_new(6, 5, 1.0, 1.0, 3);
    for (int32_t k = 0; k <= 7; k++) {
        dps_map_recipe recipe = fixture_recipe("polynomial", 0);
        recipe.kernel.degree = k > 0 ? k : 1;
        recipe.exact_degree = k;
        recipe.input_scale = 2.0;
        dps_exact exact;
        dps_error err;
        assert_int_equal(dps_exact_init(&exact, &recipe, 5, &err), DPS_OK);
        float *z = dps_alloc((size_t)exact.width * 2, sizeof(float));
        assert_non_null(z);
        for (int64_t i = 0; i < r.rows; i++) {
            exact_row(&exact, &r, i, z);
            for (int64_t j = 0; j <= i; j++) {
                exact_row(&exact, &r, j, z + exact.width);
                const double expected =
                    k == 0 ? 1.0 : pow(1.0 + fixture_inner(&r, i, j), recipe.kernel.degree);
                const double got = fixture_dot(z, z + exact.width, exact.width);
                assert_true(fabs(got - expected) < 1e-6 * pow(2.0, k));
            }
        }
        dps_free(z);
        dps_exact_release(&exact);
    }
    fixture_rows_free(&r);
}

static void monomials_come_in_lexicographic_order_with_multinomial_weights(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("homogeneous", 0);
    recipe.exact_degree = 3;
    dps_exact exact;
    dps_error err;
    assert_int_equal(dps_exact_init(&exact, &recipe, 3, &err), DPS_OK);
    assert_int_equal(exact.width, 10);
    const float x[3] = {2.0f, 3.0f, 5.0f};
    /* 000 001 002 011 012 022 111 112 122 222 */
    const double value[10] = {8, 12, 20, 18, 30, 50, 27, 45, 75, 125};
    const double share[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
    float z[10], scratch[64];
    assert_true(dps_exact_scratch(&exact) <= 64);
    dps_exact_row(&exact, x, z, scratch);
    for (int j = 0; j < 10; j++) {
        assert_true(fabs(z[j] - value[j] * sqrt(share[j])) < 1e-6 * value[j]);
        assert_int_equal(dps_exact_column_degree(&exact, j), 3);
    }
    dps_exact_release(&exact);
}

static void degrees_without_a_coefficient_have_no_columns(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("maclaurin", 0);
    recipe.kernel.coefficient_count = 5;
    recipe.kernel.coefficient[0] = 4.0;
    recipe.kernel.coefficient[3] = 1.0;
    recipe.exact_degree = 4;
    dps_exact_size size;
    dps_exact exact;
    dps_error err;
    assert_int_equal(dps_exact_measure(&size, &recipe, 4, &err), DPS_OK);
    assert_int_equal(size.width, 1 + 20);
    assert_int_equal(dps_exact_init(&exact, &recipe, 4, &err), DPS_OK);
    assert_int_equal(exact.width, 21);
    assert_int_equal(dps_exact_column_degree(&exact, 0), 0);
    assert_int_equal(dps_exact_column_degree(&exact, 1), 3);
    assert_int_equal(dps_exact_column_degree(&exact, 20), 3);
    dps_exact_release(&exact);
    recipe.exact_degree = 0; /* and a kernel without a constant none at all */
    recipe.kernel.coefficient[0] = 0.0;
    assert_int_equal(dps_exact_measure(&size, &recipe, 4, &err), DPS_OK);
    assert_int_equal(size.degree, -1);
    assert_int_equal(size.width, 0);
}

static void too_many_monomials_are_refused_before_allocating(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("polynomial", 0);
    recipe.kernel.degree = 64;
    recipe.exact_degree = 64;
    dps_exact exact;
    dps_error err;
    assert_int_equal(dps_exact_init(&exact, &recipe, 100000, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "map.exact_degree"));
}

static void weights_beyond_float_are_refused(void **state)
{
    (void)state;
    dps_map_recipe recipe = fixture_recipe("homogeneous", 0);
    recipe.kernel.degree = 10;
    recipe.exact_degree = 10;
    recipe.input_scale = 65536.0;
    dps_exact exact;
    dps_error err;
    assert_int_equal(dps_exact_init(&exact, &recipe, 3, &err), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "degree 10"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_products_of_exact_columns_are_the_truncated_series),
        cmocka_unit_test(monomials_come_in_lexicographic_order_with_multinomial_weights),
        cmocka_unit_test(degrees_without_a_coefficient_have_no_columns),
        cmocka_unit_test(too_many_monomials_are_refused_before_allocating),
        cmocka_unit_test(weights_beyond_float_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
