/* Contract of the tile kernels over every SIMD path of this machine: the bits of the documented
 * order of summation, written here once more from tile_kernels.h and not from the code; nothing
 * outside [begin, end) is touched. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "tile_kernels.h"

enum { CASES = 60, MAX_ROWS = DPS_TILE_ROWS };

static uint32_t next_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static int32_t next_below(uint64_t *state, int32_t bound)
{
    return (int32_t)(((uint64_t)next_bits(state) * (uint64_t)bound) >> 32);
}

static double next_double(uint64_t *state)
{
    return ((double)next_bits(state) + (double)next_bits(state) * 0x1p-32) * 0x1p-31 - 1.0;
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

typedef struct problem {
    dps_z_tile tile;
    float *z, *value;
    int64_t *start;
    int32_t *column, *list;
    int32_t sparse_columns, count;
    size_t length; /* of w */
    double *w, *c;
} problem;

static void draw_sparse(problem *p, uint64_t *state)
{
    const size_t rows = (size_t)p->tile.rows;
    p->sparse_columns = 1 + next_below(state, 50);
    p->start = need(rows + 1, sizeof(int64_t));
    p->column = need(rows * (size_t)p->sparse_columns + 3, sizeof(int32_t));
    p->value = need(rows * (size_t)p->sparse_columns + 3, sizeof(float));
    int64_t e = 3; /* offsets need not start at 0 */
    for (size_t i = 0; i < rows; i++) {
        p->start[i] = e;
        for (int32_t j = 0; j < p->sparse_columns; j++) {
            if (next_below(state, 3) == 0) {
                p->column[e] = j;
                p->value[e++] = (float)next_double(state);
            }
        }
    }
    p->start[rows] = e;
    p->tile.start = p->start;
    p->tile.column = p->column;
    p->tile.value = p->value;
    p->tile.sparse_scale = 0.3;
}

static problem draw(uint64_t seed)
{
    uint64_t state = seed;
    problem p = {.sparse_columns = 0};
    const int32_t rows = 1 + next_below(&state, seed % 7 == 0 ? MAX_ROWS : 30);
    const int32_t width = 1 + next_below(&state, 200);
    const size_t stride = dps_round_up((size_t)width, DPS_PAD) + DPS_PAD * (seed % 2);
    p.z = need(MAX_ROWS * stride, sizeof(float));
    for (size_t i = 0; i < (size_t)rows; i++) {
        for (size_t j = 0; j < (size_t)width; j++) {
            p.z[i * stride + j] = (float)next_double(&state);
        }
    }
    p.tile = (dps_z_tile){.rows = rows, .width = width, .stride = stride, .z = p.z};
    if (seed % 3 == 0) {
        draw_sparse(&p, &state);
    }
    p.length = stride + (size_t)p.sparse_columns;
    p.w = need(p.length, sizeof(double));
    for (size_t j = 0; j < p.length; j++) {
        p.w[j] = j < (size_t)width || j >= stride ? next_double(&state) : 0.0;
    }
    p.count = 1 + next_below(&state, rows);
    p.list = need((size_t)p.count, sizeof(int32_t));
    p.c = need((size_t)p.count, sizeof(double));
    for (int32_t k = 0; k < p.count; k++) {
        p.list[k] = next_below(&state, rows); /* any order, repeats allowed */
        p.c[k] = next_below(&state, 4) == 0 ? 0.0 : next_double(&state);
    }
    return p;
}

static void drop(problem *p)
{
    dps_free(p->z);
    dps_free(p->value);
    dps_free(p->start);
    dps_free(p->column);
    dps_free(p->list);
    dps_free(p->w);
    dps_free(p->c);
}

/* The documented order. volatile: the product is rounded before it is added. */
static double expected_score(const problem *p, int32_t i, const double *w)
{
    const float *z = p->z + (size_t)i * p->tile.stride;
    double lane[16] = {0};
    for (size_t j = 0; j < p->tile.stride; j++) {
        volatile double product = (double)z[j] * (w != NULL ? w[j] : (double)z[j]);
        lane[j % 16] += product;
    }
    for (int step = 8; step >= 1; step /= 2) {
        for (int l = 0; l < step; l++) {
            lane[l] += lane[l + step];
        }
    }
    if (p->start == NULL) {
        return lane[0];
    }
    double sum = 0.0;
    for (int64_t e = p->start[i]; e < p->start[i + 1]; e++) {
        const double value = (double)p->value[e];
        volatile double product =
            value * (w != NULL ? w[p->tile.stride + (size_t)p->column[e]] : value);
        sum += product;
    }
    const double scale = p->tile.sparse_scale;
    volatile double scaled = (w != NULL ? scale : scale * scale) * sum;
    return lane[0] + scaled;
}

static void check_scores(const problem *p, dps_simd simd)
{
    double u[MAX_ROWS + 1];
    const int32_t *lists[] = {p->list, NULL};
    for (int l = 0; l < 2; l++) {
        for (int what = 0; what < 2; what++) {
            const double *w = what == 0 ? p->w : NULL;
            u[p->count] = 123.0;
            if (w != NULL) {
                dps_tile_scores(simd, &p->tile, w, lists[l], p->count, u);
            } else {
                dps_tile_norms(simd, &p->tile, lists[l], p->count, u);
            }
            for (int32_t k = 0; k < p->count; k++) {
                const double expected = expected_score(p, l == 0 ? p->list[k] : k, w);
                assert_memory_equal(&u[k], &expected, sizeof(double));
            }
            assert_true(u[p->count] == 123.0);
        }
    }
}

static void check_add(const problem *p, dps_simd simd, size_t begin, size_t end)
{
    double *got = need(p->length, sizeof(double)), *expected = need(p->length, sizeof(double));
    memcpy(got, p->w, p->length * sizeof(double));
    memcpy(expected, p->w, p->length * sizeof(double));
    for (int32_t k = 0; k < p->count; k++) {
        const float *z = p->z + (size_t)p->list[k] * p->tile.stride;
        for (size_t j = begin; j < end && p->c[k] != 0.0; j++) {
            volatile double product = p->c[k] * (double)z[j];
            expected[j] += product;
        }
    }
    dps_tile_add_panel(simd, &p->tile, p->list, p->count, p->c, begin, end, got);
    assert_memory_equal(got, expected, p->length * sizeof(double));
    dps_free(got);
    dps_free(expected);
}

static void every_path_has_the_documented_bits(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        problem p = draw(seed);
        for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
            if (!dps_cpu_has((dps_simd)simd)) {
                continue;
            }
            check_scores(&p, (dps_simd)simd);
            check_add(&p, (dps_simd)simd, 0, p.tile.stride);
            check_add(&p, (dps_simd)simd, p.tile.stride > DPS_PAD ? DPS_PAD : 0, p.tile.stride);
            check_add(&p, (dps_simd)simd, 0, p.tile.stride / 2 / DPS_PAD * DPS_PAD);
        }
        drop(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_has_the_documented_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
