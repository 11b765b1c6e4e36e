/* Inner products by an RBF's kernel against exponentials of distances in plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "allocation.h"
#include "kernel_gram.h"

enum { ROWS = 400, COLUMNS = 5, STRIDE = 16 };

static float table[2 * DPS_TILE_ROWS * STRIDE];

static dps_status get(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)context;
    (void)err;
    const int64_t left = ROWS - t * DPS_TILE_ROWS;
    *tile = (dps_row_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                           .columns = COLUMNS,
                           .stride = STRIDE,
                           .dense = table + (size_t)t * DPS_TILE_ROWS * STRIDE};
    return DPS_OK;
}

static void entries_are_the_kernels_and_distances_are_kept(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            table[i * STRIDE + j] = (float)((i * 31 + j * 17) % 23) / 23;
        }
    }
    const dps_row_source rows = {.rows = ROWS, .columns = COLUMNS, .get = get};
    const dps_run run = {.threads = 2};
    double *distance = NULL, *gram = dps_alloc((size_t)ROWS * ROWS, sizeof *gram);
    double *first = NULL;
    assert_non_null(gram);
    for (int round = 0; round < 2; round++) {
        const dps_map_recipe recipe = {.base = DPS_BASE_RBF, .base_gamma = round == 0 ? 0.7 : 30};
        assert_int_equal(dps_kernel_gram(&rows, &recipe, 0.5, &distance, &run, gram, NULL), DPS_OK);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < ROWS; j++) {
                double square = 0;
                for (size_t c = 0; c < COLUMNS; c++) {
                    const double d = (double)table[i * STRIDE + c] - (double)table[j * STRIDE + c];
                    square += d * d;
                }
                const double expected = exp(-recipe.base_gamma * square) + 0.25;
                assert_true(fabs(gram[i * ROWS + j] - expected) < 1e-14);
            }
        }
        assert_true(first == NULL || first == distance);
        first = distance;
    }
    dps_free(distance);
    dps_free(gram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_the_kernels_and_distances_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
