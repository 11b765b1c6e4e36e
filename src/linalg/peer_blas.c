/* Task: SGEMM, SSYRK and DPOTRF of whatever library the machine has (peer_blas.h), by their Fortran
 * names, which every vendor has; the lengths of character arguments go to the end as gfortran's
 * convention asks, which other conventions ignore. Row-major against column-major: a row-major
 * matrix read by columns is its transpose, so that our lower triangle is the library's upper one.
 * Nothing is ever transposed in memory.
 *
 * Why by dlopen: the program needs no BLAS, so it must build and start where there is none. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr */
#include "peer_blas.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ADDRESS_ROOM ((size_t)512 << 20)

typedef void sgemm_function(const char *trans_a, const char *trans_b, const int *m, const int *n,
                            const int *k, const float *alpha, const float *a, const int *lda,
                            const float *b, const int *ldb, const float *beta, float *c,
                            const int *ldc, size_t length_a, size_t length_b);
typedef void ssyrk_function(const char *uplo, const char *trans, const int *n, const int *k,
                            const float *alpha, const float *a, const int *lda, const float *beta,
                            float *c, const int *ldc, size_t length_uplo, size_t length_trans);
typedef void dpotrf_function(const char *uplo, const int *n, double *a, const int *lda, int *info,
                             size_t length);
typedef void set_threads_function(int);
typedef char *describe_function(void);

/* Written once, under `once`, before any other use: constant ever after. */
static struct {
    sgemm_function *sgemm;
    ssyrk_function *ssyrk;
    dpotrf_function *dpotrf;
    bool complete;
    char reason[256]; /* why not */
    char description[256];
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Puts the address of `name` in *place (a function pointer: dlsym's void * has no other way). */
static bool bind_symbol(void *from, const char *name, void *place)
{
    void *symbol = dlsym(from, name);
    memcpy(place, &symbol, sizeof(symbol));
    return symbol != NULL;
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

/* What it says of itself, or the file that it is in. */
static void describe(void *handle)
{
    describe_function *words;
    Dl_info info;
    void *address;
    const char *text = NULL;
    if (bind_symbol(handle, "openblas_get_config", &words)) {
        text = words();
    } else if (bind_symbol(handle, "sgemm_", &address) && dladdr(address, &info) != 0) {
        text = info.dli_fname;
    }
    strncpy(library.description, text != NULL ? text : "without a name",
            sizeof(library.description) - 1);
}

static void set_one_thread(void *handle)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads",
                                        "bli_thread_set_num_threads"};
    set_threads_function *set_threads;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (bind_symbol(handle, names[i], &set_threads)) {
            set_threads(1);
        }
    }
}

static void load(void)
{
    /* The first brings the BLAS that belongs to it. */
    static const char *const files[] = {"liblapack.so.3", "libopenblas.so.0", "libopenblas.so",
                                        "libflexiblas.so.3", "libmkl_rt.so"};
    if (!has_room()) {
        return;
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !library.complete; i++) {
        void *handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            const char *reason = dlerror();
            if (i == 0 && reason != NULL) {
                strncpy(library.reason, reason, sizeof(library.reason) - 1);
            }
            continue;
        }
        library.complete = bind_symbol(handle, "sgemm_", &library.sgemm) &&
                           bind_symbol(handle, "ssyrk_", &library.ssyrk) &&
                           bind_symbol(handle, "dpotrf_", &library.dpotrf);
        if (library.complete) {
            set_one_thread(handle);
            describe(handle);
        }
    }
}

dps_status dps_peer_load(dps_error *err)
{
    pthread_once(&once, load);
    if (!library.complete) {
        return dps_error_set(err, DPS_ERROR_IO,
                             "no BLAS and LAPACK to compare with (Debian package libopenblas0, or "
                             "liblapack3): %s",
                             library.reason);
    }
    return DPS_OK;
}

const char *dps_peer_description(void)
{
    return library.description;
}

static int as_int(size_t n)
{
    assert(library.complete && n <= INT32_MAX);
    return (int)n;
}

void dps_peer_multiply(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                       size_t ldb, float *c, size_t ldc)
{
    const int rows = as_int(m), columns = as_int(n), steps = as_int(k);
    const int stride_a = as_int(lda), stride_b = as_int(ldb), stride_c = as_int(ldc);
    const float one = 1.0f, zero = 0.0f;
    library.sgemm("T", "N", &columns, &rows, &steps, &one, b, &stride_b, a, &stride_a, &zero, c,
                  &stride_c, 1, 1);
}

void dps_peer_cross(size_t n, size_t k, const float *a, size_t lda, float *c, size_t ldc)
{
    const int order = as_int(n), steps = as_int(k), stride_a = as_int(lda), stride_c = as_int(ldc);
    const float one = 1.0f, zero = 0.0f;
    library.ssyrk("U", "N", &order, &steps, &one, a, &stride_a, &zero, c, &stride_c, 1, 1);
}

bool dps_peer_cholesky(size_t n, double *a, size_t lda)
{
    const int order = as_int(n), stride = as_int(lda);
    int info = 0;
    library.dpotrf("U", &order, a, &stride, &info, 1);
    assert(info >= 0);
    return info == 0;
}
