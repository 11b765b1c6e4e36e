/* Sparse block, dot and axpy; the panel is covered by tests/contract/linalg. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tile_kernels.h"

static void sparse_update_scales_and_passes_over_zeros(void **unused)
{
    (void)unused;
    static const int64_t start[] = {0, 2, 3};
    static const int32_t column[] = {0, 2, 1};
    static const float value[] = {1.0f, 2.0f, 4.0f};
    const dps_z_tile tile = {.rows = 2,
                             .stride = DPS_PAD,
                             .start = start,
                             .column = column,
                             .value = value,
                             .sparse_scale = 0.5};
    double w[DPS_PAD + 3] = {0};
    static const int32_t list[] = {1, 0};
    static const double c[] = {3.0, 10.0}, none[] = {0.0, 0.0};
    dps_tile_add_sparse(&tile, list, 2, c, w);
    dps_tile_add_sparse(&tile, NULL, 2, none, w);
    static const double expected[] = {5.0, 6.0, 10.0};
    for (int j = 0; j < DPS_PAD; j++) {
        assert_true(w[j] == 0.0);
    }
    for (int j = 0; j < 3; j++) {
        assert_true(w[DPS_PAD + j] == expected[j]);
    }
}

static void no_sparse_block_means_no_update(void **unused)
{
    (void)unused;
    const dps_z_tile tile = {.rows = 1, .stride = DPS_PAD};
    const double c = 1.0;
    double w = 7.0;
    dps_tile_add_sparse(&tile, NULL, 1, &c, &w);
    assert_true(w == 7.0);
}

/* Whole numbers below 2^53: every order of summation is exact, for every tail of the lanes. */
static void dot_and_axpy_cover_every_tail(void **unused)
{
    (void)unused;
    double a[70], b[70];
    for (size_t n = 0; n <= 68; n++) {
        double expected = 0.0;
        for (size_t j = 0; j < 70; j++) {
            a[j] = (double)(j + 1);
            b[j] = (double)(j * j % 31) - 15.0;
            expected += j < n ? a[j] * b[j] : 0.0;
        }
        assert_true(dps_dot(n, a, b) == expected);
        dps_axpy(n, 2.0, a, b);
        for (size_t j = 0; j < 70; j++) {
            const double before = (double)(j * j % 31) - 15.0;
            assert_true(b[j] == (j < n ? before + 2.0 * a[j] : before));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_update_scales_and_passes_over_zeros),
        cmocka_unit_test(no_sparse_block_means_no_update),
        cmocka_unit_test(dot_and_axpy_cover_every_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
