/* Factors of every shape of blocks multiply back, in plain double loops, and solve; refused where
 * there is none. Tolerance: c n u of what is summed, u = 2^-53, with c a small constant (Higham,
 * Accuracy and Stability, theorem 10.3). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cholesky.h"
#include "cpu.h"
#include "packed_factor.h"

#define UNIT     0x1p-53
#define CONSTANT 8.0

static const size_t sizes[] = {0, 1, 7, 8, 23, 65, 191, 192, 193, 391, 577};
#define SIZES (sizeof sizes / sizeof sizes[0])

static double next_double(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(uint32_t)(*state >> 32) * 0x1p-31 - 1.0;
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

/* n I + entries in [-1, 1): diagonally dominant nearly, conditioned below 10. The upper triangle is
 * NAN, so that reading it would show. */
static double *sample(size_t n, size_t lda)
{
    uint64_t state = n + 11;
    double *a = need(n * lda, sizeof *a);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < lda; j++) {
            a[i * lda + j] = j <= i ? next_double(&state) + (i == j ? (double)n + 2.0 : 0.0) : NAN;
        }
    }
    return a;
}

static bool factor_by(int threads, dps_simd simd, size_t n, double *a, size_t lda)
{
    void *scratch = need(dps_cholesky_bytes(n), 1);
    const bool good = dps_cholesky(simd, threads, n, a, lda, scratch);
    dps_free(scratch);
    return good;
}

static bool factor(dps_simd simd, size_t n, double *a, size_t lda)
{
    return factor_by(1, simd, n, a, lda);
}

static void factors_multiply_back_and_solve(void **unused)
{
    (void)unused;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t n = sizes[s], lda = n + 3;
        uint64_t state = 5;
        double *original = sample(n, lda), *a = need(n * lda, sizeof *a);
        double *x = need(n, sizeof *x), *rhs = need(n, sizeof *rhs);
        double worst = 0.0, error = 0.0;
        memcpy(a, original, n * lda * sizeof *a);
        assert_true(factor(dps_cpu_best(), n, a, lda));
        for (size_t i = 0; i < n; i++) {
            x[i] = next_double(&state);
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                double sum = 0.0;
                for (size_t k = 0; k <= j; k++) {
                    sum += a[i * lda + k] * a[j * lda + k];
                }
                worst = fmax(worst, fabs(sum - original[i * lda + j]));
                rhs[i] += original[i * lda + j] * x[j];
                rhs[j] += j < i ? original[i * lda + j] * x[i] : 0.0;
            }
            assert_true(isnan(a[i * lda + i + 1])); /* right of the triangle: untouched */
        }
        dps_cholesky_solve(n, a, lda, rhs);
        for (size_t i = 0; i < n; i++) {
            error = fmax(error, fabs(rhs[i] - x[i]));
        }
        print_message("n = %zu: product off by %.2g, solution by %.2g\n", n, worst, error);
        assert_true(worst <= CONSTANT * (double)n * UNIT * ((double)n + 2.0));
        assert_true(error <= CONSTANT * 10.0 * (double)n * UNIT);
        dps_free(original);
        dps_free(a);
        dps_free(x);
        dps_free(rhs);
    }
}

/* Against the solution one by one, at the same tolerance. */
static void packed_factors_solve_many_sides_with_the_bits_of_one(void **unused)
{
    (void)unused;
    enum { SIDES = 11 };
    for (size_t s = 1; s < SIZES; s++) {
        const size_t n = sizes[s], lda = n + 3, ldb = n + 5;
        double *a = sample(n, lda), *panels = need(dps_packed_factor_bytes(n), 1), worst = 0.0;
        double *rhs = need(SIDES * ldb, sizeof *rhs), *first = NULL;
        uint64_t state = 7;
        assert_true(factor(dps_cpu_best(), n, a, lda));
        for (size_t k = 0; k < SIDES * ldb; k++) {
            rhs[k] = next_double(&state);
        }
        for (dps_simd simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
            void *scratch = need(dps_packed_factor_scratch(SIDES), 1);
            double *many = need(SIDES * ldb, sizeof *many), *one = need(ldb, sizeof *one);
            memcpy(many, rhs, SIDES * ldb * sizeof *many);
            memcpy(one, rhs + 6 * ldb, ldb * sizeof *one);
            if (dps_cpu_has(simd)) {
                dps_pack_factor(simd, n, a, lda, panels, scratch);
                dps_packed_solve(simd, n, panels, many, ldb, SIDES, scratch);
                dps_packed_solve(simd, n, panels, one, ldb, 1, scratch);
                assert_memory_equal(one, many + 6 * ldb, ldb * sizeof *one);
                if (first == NULL) {
                    first = need(SIDES * ldb, sizeof *first);
                    memcpy(first, many, SIDES * ldb * sizeof *first);
                }
                assert_memory_equal(first, many, SIDES * ldb * sizeof *first);
            }
            dps_free(scratch);
            dps_free(many);
            dps_free(one);
        }
        for (size_t k = 0; k < SIDES; k++) {
            dps_cholesky_solve(n, a, lda, rhs + k * ldb);
            for (size_t i = 0; i < n; i++) {
                worst = fmax(worst, fabs(rhs[k * ldb + i] - first[k * ldb + i]));
            }
        }
        assert_true(worst <= CONSTANT * 10.0 * UNIT); /* solutions are of order 1 / n */
        dps_free(a);
        dps_free(panels);
        dps_free(rhs);
        dps_free(first);
    }
}

static void every_simd_path_gives_the_same_bits(void **unused)
{
    (void)unused;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t n = sizes[s], lda = n + 5;
        double *first = sample(n, lda), *a = need(n * lda, sizeof *a);
        memcpy(a, first, n * lda * sizeof *a);
        assert_true(factor(DPS_SIMD_PORTABLE, n, first, lda));
        for (dps_simd simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
            double *copy = need(n * lda, sizeof *copy);
            memcpy(copy, a, n * lda * sizeof *copy);
            if (dps_cpu_has(simd)) {
                assert_true(factor(simd, n, copy, lda));
                assert_memory_equal(first, copy, n * lda * sizeof *copy);
            }
            dps_free(copy);
        }
        dps_free(first);
        dps_free(a);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **unused)
{
    (void)unused;
    static const int threads[] = {2, 3, 4, 8, 16, 64};
    static const size_t orders[] = {391, 577, 1037};
    for (size_t s = 0; s < sizeof orders / sizeof orders[0]; s++) {
        const size_t n = orders[s], lda = n + 5;
        double *first = sample(n, lda), *a = need(n * lda, sizeof *a);
        double *copy = need(n * lda, sizeof *copy);
        memcpy(a, first, n * lda * sizeof *a);
        assert_true(factor(dps_cpu_best(), n, first, lda));
        for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            memcpy(copy, a, n * lda * sizeof *copy);
            assert_true(factor_by(threads[k], dps_cpu_best(), n, copy, lda));
            assert_memory_equal(first, copy, n * lda * sizeof *copy);
        }
        dps_free(first);
        dps_free(a);
        dps_free(copy);
    }
}

/* The last pivot of an otherwise good matrix is made 0, negative, infinite, NAN. */
static void matrices_without_a_factor_are_refused(void **unused)
{
    (void)unused;
    static const double wrong[] = {0.0, -1.0, INFINITY, NAN};
    for (size_t s = 1; s < SIZES; s++) {
        const size_t n = sizes[s], lda = n;
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            double *a = sample(n, lda);
            a[n * lda - 1] = wrong[k];
            assert_false(factor_by(k % 2 == 0 ? 1 : 3, dps_cpu_best(), n, a, lda));
            dps_free(a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_multiply_back_and_solve),
        cmocka_unit_test(packed_factors_solve_many_sides_with_the_bits_of_one),
        cmocka_unit_test(every_simd_path_gives_the_same_bits),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(matrices_without_a_factor_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
