/* Products of tiles against plain double loops, for every tail of the register tiles, on every SIMD
 * path with equal bits. Tolerances: exact sums c n u, u = 2^-53, of |a||b|; fast ones the same with
 * 2^-24 (Higham, Accuracy and Stability, 3.1). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "products.h"
#include "row_tile.h"

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

static float *random_floats(size_t count, uint64_t state)
{
    float *a = need(count, sizeof *a);
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        a[i] = (float)(uint32_t)(state >> 32) * 0x1p-31f - 1.0f;
    }
    return a;
}

static double *filled(size_t count, double value)
{
    double *c = need(count, sizeof *c);
    for (size_t i = 0; i < count; i++) {
        c[i] = value;
    }
    return c;
}

/* c on one path, one more element than there is, which must stay. */
static double *cross(dps_simd simd, bool exact, size_t rows, size_t n, const float *a, size_t lda)
{
    double *c = filled(n * (n + 1) / 2 + 1, 2.0);
    void *scratch = need(dps_cross_bytes(n), 1);
    dps_cross_add(simd, exact, rows, n, a, lda, -1.0, c, scratch);
    dps_free(scratch);
    return c;
}

static void check_cross(bool exact, size_t rows, size_t n)
{
    const size_t lda = dps_round_up(n, DPS_PAD), all = n * (n + 1) / 2;
    float *a = random_floats((rows + 1) * lda, rows + n);
    double *c = cross(DPS_SIMD_PORTABLE, exact, rows, n, a, lda), worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < rows; k++) {
                sum += (double)a[k * lda + i] * (double)a[k * lda + j];
            }
            worst = fmax(worst, fabs(2.0 - sum - c[i * (i + 1) / 2 + j]));
        }
    }
    assert_true(worst <= 2.0 * (double)(rows + 2) * (exact ? 0x1p-53 : 0x1p-24) * (double)rows);
    assert_true(c[all] == 2.0);
    for (dps_simd simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has(simd)) {
            double *other = cross(simd, exact, rows, n, a, lda);
            assert_memory_equal(c, other, (all + 1) * sizeof *c);
            dps_free(other);
        }
    }
    dps_free(a);
    dps_free(c);
}

static void squares_of_tiles_have_the_same_bits_on_every_path(void **unused)
{
    (void)unused;
    static const size_t widths[] = {1, 15, 16, 17, 47, 48, 49, 65, 97, 191, 300, 640};
    static const size_t heights[] = {0, 1, 5, 383, 384};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
            check_cross(false, heights[h], widths[w]);
            check_cross(true, heights[h], widths[w]);
        }
    }
}

/* One rounding a step, for floats of many sizes. */
static void fast_sums_are_fused_on_every_path(void **unused)
{
    (void)unused;
    enum { STEPS = 384, WIDTH = 16 };
    float *a = need((size_t)STEPS * WIDTH, sizeof *a);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        float *b = random_floats((size_t)STEPS * WIDTH, seed);
        for (size_t i = 0; i < (size_t)STEPS * WIDTH; i++) { /* of many sizes */
            a[i] = ldexpf(b[i], (int)(i * seed % 25) - 40 * (int)(seed % 3));
        }
        double *c = cross(dps_cpu_best(), false, STEPS, WIDTH, a, WIDTH);
        double *portable = cross(DPS_SIMD_PORTABLE, false, STEPS, WIDTH, a, WIDTH);
        for (size_t i = 0; i < WIDTH; i++) {
            for (size_t j = 0; j <= i; j++) {
                float sum = 0.0f;
                for (size_t k = 0; k < STEPS; k++) {
                    sum = fmaf(a[k * WIDTH + i], a[k * WIDTH + j], sum);
                }
                assert_true(c[i * (i + 1) / 2 + j] == 2.0 - (double)sum);
                assert_true(portable[i * (i + 1) / 2 + j] == 2.0 - (double)sum);
            }
        }
        dps_free(b);
        dps_free(c);
        dps_free(portable);
    }
    dps_free(a);
}

/* 1 + e + f^2 (1 - e^2) with e = 2^-23, f = 2^-12: less than half of e above 1 + e by 2^-70, which
 * a sum of doubles loses; rounded from there to even it would be 1 + 2 e. */
static void no_sum_is_rounded_twice(void **unused)
{
    (void)unused;
    const float e = 0x1p-23f, f = 0x1p-12f;
    float a[2 * DPS_PAD] = {1.0f, 1.0f + e};
    a[DPS_PAD] = (1.0f + e) * f;
    a[DPS_PAD + 1] = (1.0f - e) * f;
    for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has(simd)) {
            double *c = cross(simd, false, 2, 2, a, DPS_PAD);
            assert_true(2.0 - c[1] == 1.0 + (double)e);
            dps_free(c);
        }
    }
}

/* Two tiles, and one with itself; more columns than a chain. */
static void check_gram(size_t columns, size_t rows_a, size_t rows_b, bool same)
{
    const size_t ld = dps_round_up(columns, DPS_PAD), ldc = rows_b + 3;
    const size_t offset = same ? 0 : DPS_TILE_ROWS;
    float *a = random_floats(DPS_TILE_ROWS * ld, columns);
    float *b = same ? a : random_floats(DPS_TILE_ROWS * ld, columns + 1);
    double *first = NULL, worst = 0.0;
    void *scratch = need(dps_gram_bytes(), 1);
    for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (!dps_cpu_has(simd)) {
            continue;
        }
        double *c = filled(rows_a * ldc, 3.0);
        dps_gram_add(simd, columns, rows_a, a, rows_b, b, ld, offset, c, ldc, scratch);
        if (first == NULL) {
            first = c;
        } else {
            assert_memory_equal(first, c, rows_a * ldc * sizeof *c);
            dps_free(c);
        }
    }
    for (size_t i = 0; i < rows_a; i++) {
        for (size_t j = 0; j < ldc; j++) {
            double sum = 3.0;
            for (size_t k = 0; k < columns && j < rows_b && j <= i + offset; k++) {
                sum += (double)a[i * ld + k] * (double)b[j * ld + k];
            }
            worst = fmax(worst, fabs(sum - first[i * ldc + j]));
        }
    }
    assert_true(worst <= 2.0 * (double)(columns + 3) * 0x1p-53 * (double)columns);
    dps_free(scratch);
    dps_free(first);
    dps_free(a);
    if (!same) {
        dps_free(b);
    }
}

static void inner_products_of_tiles_are_exact_to_double(void **unused)
{
    (void)unused;
    check_gram(1, 1, 1, true);
    check_gram(37, 100, 100, true);
    check_gram(385, 47, 384, false);
    check_gram(1000, 384, 23, false);
}

/* c of 7 columns more than b has, which must stay. */
static void check_outer(size_t rows, size_t columns_a, size_t columns_b)
{
    const size_t lda = dps_round_up(columns_a, DPS_PAD), ldb = dps_round_up(columns_b, DPS_PAD);
    const size_t ldc = columns_b + 7, all = columns_a * ldc;
    float *a = random_floats(rows * lda, rows), *b = random_floats(rows * ldb, rows + 1);
    double *first = NULL, worst = 0.0;
    for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has(simd)) {
            double *c = filled(all, 3.0);
            dps_outer_add(simd, rows, columns_a, a, lda, columns_b, b, ldb, c, ldc);
            first = first == NULL ? c : first;
            assert_memory_equal(first, c, all * sizeof *c);
            dps_free(c == first ? NULL : c);
        }
    }
    for (size_t i = 0; i < columns_a; i++) {
        for (size_t j = 0; j < ldc; j++) {
            double sum = 3.0;
            for (size_t k = 0; k < rows && j < columns_b; k++) {
                sum += (double)a[k * lda + i] * (double)b[k * ldb + j];
            }
            worst = fmax(worst, fabs(sum - first[i * ldc + j]));
        }
    }
    assert_true(worst <= 2.0 * (double)(rows + 3) * 0x1p-24 * (double)rows);
    dps_free(first);
    dps_free(a);
    dps_free(b);
}

static void products_of_two_tiles_have_the_same_bits_on_every_path(void **unused)
{
    (void)unused;
    check_outer(1, 1, 1);
    check_outer(384, 23, 50);
    check_outer(383, 100, 17);
    check_outer(77, 15, 300);
}

/* Chains are fused: the double sums of the loops differ by c n u of what is summed. */
static void check_many(size_t rows, size_t columns, size_t count)
{
    const size_t ldz = columns + DPS_PAD, ldu = rows + 3, ldt = columns + 1;
    float *z = random_floats((rows + 1) * ldz, rows), *w = random_floats(count * ldz, columns);
    float *c = random_floats(count * ldu, count), *first_u = NULL;
    double *first_sum = NULL;
    for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        float *u = need(count * ldu, sizeof *u);
        double *sum = filled(count * ldt, 2.0);
        void *scratch = need(dps_sums_bytes(columns, count), 1);
        if (dps_cpu_has(simd)) {
            dps_scores_many(simd, rows, columns, z, ldz, count, w, ldz, u, ldu);
            dps_sums_many(simd, rows, columns, z, ldz, count, c, ldu, sum, ldt, scratch);
            assert_true(first_u == NULL || memcmp(first_u, u, count * ldu * sizeof *u) == 0);
            assert_true(first_sum == NULL ||
                        memcmp(first_sum, sum, count * ldt * sizeof *sum) == 0);
        }
        dps_free(scratch);
        if (first_u == NULL) {
            first_u = u;
            first_sum = sum;
        } else {
            dps_free(u);
            dps_free(sum);
        }
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < rows; i++) {
            double score = 0.0;
            for (size_t j = 0; j < columns; j++) {
                score += (double)z[i * ldz + j] * (double)w[k * ldz + j];
            }
            assert_true(fabs(score - (double)first_u[k * ldu + i]) <= 4e-7 * (double)columns);
        }
        for (size_t j = 0; j < columns; j++) {
            double sum = 2.0;
            for (size_t i = 0; i < rows; i++) {
                sum += (double)c[k * ldu + i] * (double)z[i * ldz + j];
            }
            assert_true(fabs(sum - first_sum[k * ldt + j]) <= 4e-7 * (double)rows);
        }
        assert_true(first_sum[k * ldt + columns] == 2.0); /* beyond: untouched */
    }
    dps_free(z);
    dps_free(w);
    dps_free(c);
    dps_free(first_u);
    dps_free(first_sum);
}

static void many_vectors_at_once_have_the_same_bits_on_every_path(void **unused)
{
    (void)unused;
    static const size_t counts[] = {1, 2, 3, 4, 5, 26};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        check_many(1, 16, counts[c]);
        check_many(8, 48, counts[c]);
        check_many(47, 1040, counts[c]);
        check_many(384, 272, counts[c]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_of_tiles_have_the_same_bits_on_every_path),
        cmocka_unit_test(fast_sums_are_fused_on_every_path),
        cmocka_unit_test(no_sum_is_rounded_twice),
        cmocka_unit_test(inner_products_of_tiles_are_exact_to_double),
        cmocka_unit_test(products_of_two_tiles_have_the_same_bits_on_every_path),
        cmocka_unit_test(many_vectors_at_once_have_the_same_bits_on_every_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
