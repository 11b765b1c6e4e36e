/* Task: the few BLAS and LAPACK calls of training, on one thread each (blas.h).
 *
 * Row-major against LAPACK's column-major: a row-major matrix read by columns is its transpose, so
 * that our lower triangle is LAPACK's upper one (A = L L^T is its A = U^T U with U = L^T), and the
 * QR of our matrix is the LQ of what LAPACK sees. Nothing is ever transposed in memory.
 *
 * LAPACK is called by its Fortran names (any vendor has them); the lengths of character arguments
 * are passed at the end as gfortran's convention asks, which other conventions ignore. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <assert.h>
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include "blas.h"
#include "memory.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dpotrs_(const char *uplo, const int *n, const int *columns, const double *a, const int *lda,
             double *b, const int *ldb, int *info, size_t length);
void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivot, int *rank,
             const double *tolerance, double *work, int *info, size_t length);
void dgelqf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *work_length, int *info);
void dorglq_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *work_length, int *info);

static int as_int(size_t n)
{
    assert(n <= INT32_MAX);
    return (int)n;
}

typedef void (*set_threads_function)(int);
typedef char *(*describe_function)(void);

void dps_blas_single_thread(void)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads",
                                        "bli_thread_set_num_threads"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *symbol = dlsym(RTLD_DEFAULT, names[i]);
        if (symbol != NULL) {
            set_threads_function set_threads;
            memcpy(&set_threads, &symbol, sizeof(symbol));
            set_threads(1);
        }
    }
}

const char *dps_blas_description(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (symbol == NULL) {
        return "unknown BLAS";
    }
    describe_function describe;
    memcpy(&describe, &symbol, sizeof(symbol));
    return describe();
}

void dps_blas_gram_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                         size_t ldc)
{
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, as_int(n), as_int(k), 1.0f, a, as_int(lda),
                beta, c, as_int(ldc));
}

void dps_blas_cross_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                          size_t ldc)
{
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, as_int(n), as_int(k), 1.0f, a, as_int(lda),
                beta, c, as_int(ldc));
}

void dps_blas_multiply_float(size_t m, size_t n, size_t k, const float *a, size_t lda,
                             const float *b, size_t ldb, float *c, size_t ldc)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as_int(m), as_int(n), as_int(k), 1.0f, a,
                as_int(lda), b, as_int(ldb), 0.0f, c, as_int(ldc));
}

bool dps_cholesky(size_t n, double *a, size_t lda)
{
    const int order = as_int(n), stride = as_int(lda);
    int info = 0;
    dpotrf_("U", &order, a, &stride, &info, 1);
    assert(info >= 0);
    return info == 0;
}

void dps_cholesky_solve(size_t n, const double *l, size_t lda, double *b)
{
    const int order = as_int(n), stride = as_int(lda), one = 1;
    const int length = order > 0 ? order : 1;
    int info = 0;
    dpotrs_("U", &order, &one, l, &stride, b, &length, &info, 1);
    assert(info == 0);
}

/* True if the diagonal of a (n x n) and so its trace is finite. */
static bool finite_diagonal(size_t n, const double *a)
{
    double trace = 0.0;
    for (size_t i = 0; i < n; i++) {
        trace += a[i * n + i];
    }
    return isfinite(trace);
}

dps_status dps_semidefinite_factor(size_t n, double *a, double *f, size_t *rank, dps_error *err)
{
    const int order = as_int(n), stride = n > 0 ? order : 1;
    const double tolerance = -1.0; /* DPSTRF's own: n * eps * largest diagonal element */
    dps_status status = DPS_OK;
    int *pivot = dps_alloc(n, sizeof(int));
    double *work = dps_alloc(n, 2 * sizeof(double));
    if (pivot == NULL || work == NULL) {
        status = dps_out_of_memory(err, n, 2 * sizeof(double), "a pivoted Cholesky factor");
        goto done;
    }
    if (!finite_diagonal(n, a)) {
        status = dps_error_set(err, DPS_ERROR_NUMERIC,
                               "a matrix of inner products holds values that are not finite; "
                               "expected finite features (see data.scaling and data.normalize)");
        goto done;
    }
    int found = 0, info = 0;
    dpstrf_("U", &order, a, &stride, pivot, &found, &tolerance, work, &info, 1);
    assert(info >= 0);
    /* P^T A P = L L^T: row i of L is row pivot[i] of F. What lies right of column `rank` was never
     * factored. */
    memset(f, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const size_t columns = i + 1 < (size_t)found ? i + 1 : (size_t)found;
        memcpy(f + (size_t)(pivot[i] - 1) * n, a + i * n, columns * sizeof(double));
    }
    *rank = (size_t)found;
done:
    dps_free(pivot);
    dps_free(work);
    return status;
}

/* DGELQF and DORGLQ on the transpose that LAPACK sees; diagonal: n, that of R. */
static void lapack_lq(int n, double *a, double *diagonal, double *tau, double *work,
                      int work_length)
{
    int info = 0;
    dgelqf_(&n, &n, a, &n, tau, work, &work_length, &info);
    assert(info == 0);
    for (size_t j = 0; j < (size_t)n; j++) {
        diagonal[j] = a[j * (size_t)n + j];
    }
    dorglq_(&n, &n, &n, a, &n, tau, work, &work_length, &info);
    assert(info == 0);
}

dps_status dps_orthonormalise(size_t n, double *a, dps_error *err)
{
    enum { BLOCK = 64 }; /* LAPACK's usual block: workspace of n * BLOCK */
    if (n == 0) {
        return DPS_OK;
    }
    double *work = dps_alloc(n, (BLOCK + 2) * sizeof(double));
    if (work == NULL) {
        return dps_out_of_memory(err, n, (BLOCK + 2) * sizeof(double), "an orthogonal matrix");
    }
    double *tau = work + n * BLOCK, *diagonal = tau + n;
    lapack_lq(as_int(n), a, diagonal, tau, work, as_int(n * BLOCK));
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        sum += fabs(diagonal[j]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = diagonal[j] < 0.0 ? -a[i * n + j] : a[i * n + j];
        }
    }
    dps_free(work);
    if (!isfinite(sum)) {
        return dps_error_set(err, DPS_ERROR_NUMERIC,
                             "cannot orthonormalise a matrix with values that are not finite; "
                             "check map.gamma");
    }
    return DPS_OK;
}
