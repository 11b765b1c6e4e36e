/* The BLAS and LAPACK calls do what peer_blas.h says of row-major matrices: each result is
 * multiplied back in plain double loops. Tolerances: c n u times the size of what is summed, u =
 * 2^-53 (2^-24 in float), with c a small constant (Higham, Accuracy and Stability, theorems 10.3
 * and 19.4). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "peer_blas.h"

#define FLOAT_UNIT 0x1p-24
#define CONSTANT   8.0

static uint64_t state = 11;

static double next_double(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(uint32_t)(state >> 32) * 0x1p-31 - 1.0;
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

static float *random_floats(size_t count)
{
    float *a = need(count, sizeof(float));
    for (size_t i = 0; i < count; i++) {
        a[i] = (float)next_double();
    }
    return a;
}

static void products_and_factors_fill_what_they_say(void **unused)
{
    (void)unused;
    enum { N = 37, K = 21, LDA = 40, LDC = 45 };
    float *a = random_floats(N * LDA), *b = random_floats(N * LDA);
    float *cross = need(K * LDC, sizeof(float)), *product = need(N * LDC, sizeof(float));
    double matrix[] = {4.0, NAN, 2.0, 5.0}; /* [[4, 2], [2, 5]] = L L^T, L = [[2, 0], [1, 2]] */
    dps_peer_cross(K, N, a, LDA, cross, LDC);
    dps_peer_multiply(N, N, K, a, LDA, b, LDA, product, LDC);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < LDC; j++) {
            double mixed = 0.0;
            for (size_t l = 0; l < K && j < N; l++) {
                mixed += (double)a[i * LDA + l] * (double)b[j * LDA + l];
            }
            assert_true(fabs((double)product[i * LDC + j] - mixed) <= CONSTANT * K * FLOAT_UNIT);
        }
    }
    for (size_t i = 0; i < K; i++) {
        for (size_t j = 0; j < LDC; j++) {
            double inner = 0.0;
            for (size_t l = 0; l < N && j <= i; l++) {
                inner += (double)a[l * LDA + i] * (double)a[l * LDA + j];
            }
            assert_true(fabs((double)cross[i * LDC + j] - inner) <= CONSTANT * N * FLOAT_UNIT);
        }
    }
    assert_true(dps_peer_cholesky(2, matrix, 2));
    assert_true(matrix[0] == 2.0 && matrix[2] == 1.0 && matrix[3] == 2.0);
    dps_free(a);
    dps_free(b);
    dps_free(cross);
    dps_free(product);
}

static void description_names_something(void **unused)
{
    (void)unused;
    assert_true(strlen(dps_peer_description()) > 3);
}

static void a_machine_without_a_library_is_told_which_package(void **unused)
{
    (void)unused;
    dps_error err;
    assert_int_equal(dps_peer_load(&err), DPS_ERROR_IO);
    assert_non_null(strstr(err.text, "Debian package"));
}

/* A machine may have no BLAS; the tests of label lapack run this program with one after the other.
 */
int main(void)
{
    const struct CMUnitTest with_library[] = {
        cmocka_unit_test(products_and_factors_fill_what_they_say),
        cmocka_unit_test(description_names_something),
    };
    const struct CMUnitTest without[] = {
        cmocka_unit_test(a_machine_without_a_library_is_told_which_package),
    };
    dps_error err;
    return dps_peer_load(&err) == DPS_OK ? cmocka_run_group_tests(with_library, NULL, NULL)
                                         : cmocka_run_group_tests(without, NULL, NULL);
}
