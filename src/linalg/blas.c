/* Task: the few BLAS and LAPACK calls of training, on one thread each (blas.h).
 *
 * Row-major against LAPACK's column-major: a row-major matrix read by columns is its transpose, so
 * that our lower triangle is LAPACK's upper one (A = L L^T is its A = U^T U with U = L^T). Nothing
 * is ever transposed in memory.
 *
 * The library is loaded when training first needs it, not with the program: OpenBLAS takes three
 * times as long to start as all the rest of a prediction, and starts its threads before anybody can
 * ask it not to, unless its environment variable says so first. Where BLAS is not a shared library
 * (DPS_BLAS_LINKED) it is called directly.
 *
 * LAPACK is called by its Fortran names (any vendor has them); the lengths of character arguments
 * are passed at the end as gfortran's convention asks, which other conventions ignore. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <assert.h>
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "blas.h"

#ifndef DPS_BLAS_LINKED
#define ADDRESS_ROOM ((size_t)512 << 20)
#endif

typedef void dpotrf_function(const char *uplo, const int *n, double *a, const int *lda, int *info,
                             size_t length);
typedef void dpotrs_function(const char *uplo, const int *n, const int *columns, const double *a,
                             const int *lda, double *b, const int *ldb, int *info, size_t length);
typedef void set_threads_function(int);
typedef char *describe_function(void);

/* Written once, under `once`, before any other use: constant ever after. */
static struct {
    __typeof__(cblas_ssyrk) *ssyrk;
    __typeof__(cblas_sgemm) *sgemm;
    dpotrf_function *dpotrf;
    dpotrs_function *dpotrs;
    bool complete;
    char reason[256]; /* why not */
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef DPS_BLAS_LINKED
dpotrf_function dpotrf_;
dpotrs_function dpotrs_;

static void bind_library(void)
{
    library.ssyrk = cblas_ssyrk;
    library.sgemm = cblas_sgemm;
    library.dpotrf = dpotrf_;
    library.dpotrs = dpotrs_;
}
#else
/* Puts the address of `name` in *place (a function pointer: dlsym's void * has no other way). */
static void bind_symbol(const char *name, void *place)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(place, &symbol, sizeof(symbol));
    if (symbol == NULL) {
        const char *reason = dlerror();
        strncpy(library.reason, reason != NULL ? reason : name, sizeof(library.reason) - 1);
    }
}

/* OpenBLAS takes 128 MiB of address space for each thread that calls it, and where a limit on that
 * (ulimit -v) denies them, it asks again for ever. So the limit is tried before. */
static bool has_room(void)
{
    void *room = mmap(NULL, ADDRESS_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        strncpy(library.reason,
                "it needs 512 MB of address space; raise the limit (ulimit -v, or the batch "
                "system's)",
                sizeof(library.reason) - 1);
        return false;
    }
    munmap(room, ADDRESS_ROOM);
    return true;
}

static void bind_library(void)
{
    static const char *const files[] = {DPS_BLAS_LIBRARIES};
    if (!has_room()) {
        return;
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (dlopen(files[i], RTLD_NOW | RTLD_GLOBAL) == NULL) {
            strncpy(library.reason, dlerror(), sizeof(library.reason) - 1);
            return;
        }
    }
    bind_symbol("cblas_ssyrk", &library.ssyrk);
    bind_symbol("cblas_sgemm", &library.sgemm);
    bind_symbol("dpotrf_", &library.dpotrf);
    bind_symbol("dpotrs_", &library.dpotrs);
}
#endif

static void load(void)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads",
                                        "bli_thread_set_num_threads"};
    bind_library();
    library.complete = library.ssyrk != NULL && library.sgemm != NULL && library.dpotrf != NULL &&
                       library.dpotrs != NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *symbol = dlsym(RTLD_DEFAULT, names[i]);
        if (symbol != NULL) {
            set_threads_function *set_threads;
            memcpy(&set_threads, &symbol, sizeof(symbol));
            set_threads(1);
        }
    }
}

dps_status dps_blas_load(dps_error *err)
{
    pthread_once(&once, load);
    if (!library.complete) {
        return dps_error_set(err, DPS_ERROR_IO,
                             "cannot load BLAS and LAPACK, which training needs (Debian package "
                             "libopenblas0): %s",
                             library.reason);
    }
    return DPS_OK;
}

const char *dps_blas_description(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (symbol == NULL) {
        return "unknown BLAS";
    }
    describe_function *describe;
    memcpy(&describe, &symbol, sizeof(symbol));
    return describe();
}

static int as_int(size_t n)
{
    assert(library.complete && n <= INT32_MAX);
    return (int)n;
}

void dps_blas_gram_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                         size_t ldc)
{
    library.ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, as_int(n), as_int(k), 1.0f, a,
                  as_int(lda), beta, c, as_int(ldc));
}

void dps_blas_cross_float(size_t n, size_t k, const float *a, size_t lda, float beta, float *c,
                          size_t ldc)
{
    library.ssyrk(CblasRowMajor, CblasLower, CblasTrans, as_int(n), as_int(k), 1.0f, a, as_int(lda),
                  beta, c, as_int(ldc));
}

void dps_blas_multiply_float(size_t m, size_t n, size_t k, const float *a, size_t lda,
                             const float *b, size_t ldb, float *c, size_t ldc)
{
    library.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as_int(m), as_int(n), as_int(k), 1.0f, a,
                  as_int(lda), b, as_int(ldb), 0.0f, c, as_int(ldc));
}
