/* Sparse block, dot and axpy; the panel is covered by tests/contract/linalg. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cpu.h"
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

/* Rows by their addresses have the bits of rows of a tile, on every path and for every count. */
static void rows_from_anywhere_have_the_bits_of_a_tile(void **state)
{
    (void)state;
    enum { ROWS = 11, COLUMNS = 80 };
    _Alignas(64) static float z[ROWS * COLUMNS];
    _Alignas(64) static double w[COLUMNS];
    const float *row[ROWS];
    double c[ROWS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        z[i] = (float)(i * i % 1013) / 77.0f - 6.0f;
    }
    for (int i = 0; i < ROWS; i++) {
        row[i] = z + (i * 7 % ROWS) * COLUMNS;
        c[i] = 0.1 * (i + 1);
    }
    for (int j = 0; j < COLUMNS; j++) {
        w[j] = (double)(j * j % 31) / 3.0 - 5.0;
    }
    const dps_z_tile tile = {.rows = ROWS, .width = COLUMNS, .stride = COLUMNS, .z = z};
    for (int simd = 0; simd <= (int)dps_cpu_best(); simd++) {
        for (int32_t count = 0; count <= ROWS; count++) {
            double u[ROWS] = {0}, expected[ROWS] = {0};
            _Alignas(64) double sum[COLUMNS] = {0}, by_tile[COLUMNS] = {0};
            int32_t list[ROWS];
            for (int32_t i = 0; i < count; i++) {
                list[i] = i * 7 % ROWS;
            }
            dps_rows_scores((dps_simd)simd, COLUMNS, row, count, ROWS - count, w, u);
            dps_tile_scores(DPS_SIMD_PORTABLE, &tile, w, list, count, expected);
            assert_memory_equal(u, expected, sizeof u);
            dps_rows_add((dps_simd)simd, row, c, count, 16, 64, sum);
            dps_tile_add_panel(DPS_SIMD_PORTABLE, &tile, list, count, c, 16, 64, by_tile);
            assert_memory_equal(sum, by_tile, sizeof sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_update_scales_and_passes_over_zeros),
        cmocka_unit_test(no_sparse_block_means_no_update),
        cmocka_unit_test(rows_from_anywhere_have_the_bits_of_a_tile),
        cmocka_unit_test(dot_and_axpy_cover_every_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
