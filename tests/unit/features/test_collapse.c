#include "collapse.h"
#include "signs.h"
#include "unit/features/map_fixture.h"

enum { most = 700 };

static double sign_of(uint64_t seed, int32_t feature, int32_t columns, int32_t j)
{
    uint32_t word[(most + 31) / 32];
    dps_draw_signs(seed, (uint32_t)feature, 0, columns, word, 1);
    return (word[j / 32] >> (j % 32)) & 1u ? -1.0 : 1.0;
}

/* The pivoted factor reproduces an entry to about rank eps D_1. */
static void check_gram(uint64_t seed, int32_t count, int32_t columns, int32_t *rank)
{
    int32_t feature[most];
    for (int32_t i = 0; i < count; i++) {
        feature[i] = 3 * i + 1;
    }
    double *factor = NULL, sign[70][33];
    assert_true(count <= 70 && columns <= 33);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t a = 0; a < columns; a++) {
            sign[i][a] = sign_of(seed, feature[i], columns, a);
        }
    }
    dps_error err;
    const dps_run run = fixture_run(2);
    assert_int_equal(dps_collapse_linear(seed, feature, count, columns, &run, &factor, rank, &err),
                     DPS_OK);
    assert_true(*rank >= 1 && *rank <= columns);
    for (int32_t a = 0; a < columns; a++) {
        for (int32_t b = 0; b <= a; b++) {
            double expected = 0.0, got = 0.0;
            for (int32_t i = 0; i < count; i++) {
                expected += sign[i][a] * sign[i][b];
            }
            for (int32_t m = 0; m < *rank; m++) {
                got += factor[m * columns + a] * factor[m * columns + b];
            }
            assert_true(fabs(got - expected) < 1e-12 * count * columns);
        }
    }
    dps_free(factor);
}

static void the_factor_reproduces_the_gram_matrix_of_the_signs(void **state)
{
    (void)state;
    int32_t rank;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_gram(seed, 70, 33, &rank);
        assert_int_equal(rank, 33);
    }
    check_gram(1, 5, 1, &rank);
    assert_int_equal(rank, 1);
}

/* Three vectors of 2 signs span 1 or 2 dimensions; equal up to sign with probability 1/4. */
static void rank_deficient_signs_give_fewer_columns(void **state)
{
    (void)state;
    int deficient = 0;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        int32_t rank;
        check_gram(seed, 3, 2, &rank);
        deficient += rank == 1;
    }
    assert_true(deficient > 4 && deficient < 32);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    int32_t feature[most];
    for (int32_t i = 0; i < most; i++) {
        feature[i] = i;
    }
    double *factor[2] = {NULL, NULL};
    int32_t rank[2];
    for (int k = 0; k < 2; k++) {
        dps_error err;
        const dps_run run = fixture_run(1 + 3 * k);
        assert_int_equal(
            dps_collapse_linear(5, feature, most, 600, &run, &factor[k], &rank[k], &err), DPS_OK);
    }
    assert_int_equal(rank[0], rank[1]);
    assert_memory_equal(factor[0], factor[1], (size_t)rank[0] * 600 * sizeof(double));
    dps_free(factor[0]);
    dps_free(factor[1]);
}

static void too_little_memory_is_refused_with_the_options(void **state)
{
    (void)state;
    int32_t feature[1] = {0}, rank;
    double *factor = NULL;
    dps_error err;
    dps_run run = fixture_run(1);
    run.memory = 1000;
    assert_int_equal(dps_collapse_linear(5, feature, 1, 200, &run, &factor, &rank, &err),
                     DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "map.collapse"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_reproduces_the_gram_matrix_of_the_signs),
        cmocka_unit_test(rank_deficient_signs_give_fewer_columns),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(too_little_memory_is_refused_with_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
