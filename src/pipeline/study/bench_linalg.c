/* Task: speed of products and factors against the machine's BLAS and LAPACK: the Hessian of a tile
 * (fast and exact sums) against SSYRK, inner products of two tiles against SGEMM, Cholesky against
 * DPOTRF. A symmetric product needs half the flops of a full one; all are counted as what they
 * need: n (n + 1) k, 2 n n k and n^3 / 3. Own products include the addition in double. */
#include "bench_private.h"

#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "peer_blas.h"
#include "products.h"
#include "row_tile.h"

static const int32_t widths[] = {32, 64, 128, 256, 512, 1024, 2048};

typedef struct product_context {
    dps_simd simd;
    bool exact;
    size_t width;
    float *z;       /* DPS_TILE_ROWS x width */
    double *matrix; /* width x width, positive definite */
    char *memory;
    size_t result_bytes, thread_bytes; /* of one thread: the result, and scratch after it */
} product_context;

static void *result_of(const product_context *c, int thread)
{
    return c->memory + (size_t)thread * c->thread_bytes;
}

static void *scratch_of(const product_context *c, int thread)
{
    return (char *)result_of(c, thread) + c->result_bytes;
}

static void run_hessian(void *context, int thread)
{
    const product_context *c = context;
    dps_cross_add(c->simd, c->exact, DPS_TILE_ROWS, c->width, c->z, c->width, 1.0,
                  result_of(c, thread), scratch_of(c, thread));
}

static void run_ssyrk(void *context, int thread)
{
    const product_context *c = context;
    dps_peer_cross(c->width, DPS_TILE_ROWS, c->z, c->width, result_of(c, thread), c->width);
}

static void run_gram(void *context, int thread)
{
    const product_context *c = context;
    dps_gram_add(c->simd, c->width, DPS_TILE_ROWS, c->z, DPS_TILE_ROWS, c->z, c->width,
                 DPS_TILE_ROWS, result_of(c, thread), DPS_TILE_ROWS, scratch_of(c, thread));
}

static void run_sgemm(void *context, int thread)
{
    const product_context *c = context;
    dps_peer_multiply(DPS_TILE_ROWS, DPS_TILE_ROWS, c->width, c->z, c->width, c->z, c->width,
                      result_of(c, thread), DPS_TILE_ROWS);
}

static void run_cholesky(void *context, int thread)
{
    const product_context *c = context;
    double *l = result_of(c, thread);
    memcpy(l, c->matrix, c->width * c->width * sizeof *l);
    (void)!dps_cholesky(c->simd, 1, c->width, l, c->width, scratch_of(c, thread));
}

static void run_dpotrf(void *context, int thread)
{
    const product_context *c = context;
    double *l = result_of(c, thread);
    memcpy(l, c->matrix, c->width * c->width * sizeof *l);
    (void)!dps_peer_cholesky(c->width, l, c->width);
}

static dps_status measure_paths(const dps_bench_session *session, product_context *c, int threads,
                                dps_error *err)
{
    const double w = (double)c->width, rows = DPS_TILE_ROWS;
    const dps_bench_work hessian = {run_hessian, c, w * (w + 1) * rows};
    const dps_bench_work ssyrk = {run_ssyrk, c, w * (w + 1) * rows};
    const dps_bench_work gram = {run_gram, c, 2.0 * rows * rows * w};
    const dps_bench_work sgemm = {run_sgemm, c, 2.0 * rows * rows * w};
    const dps_bench_work cholesky = {run_cholesky, c, w * w * w / 3.0};
    const dps_bench_work dpotrf = {run_dpotrf, c, w * w * w / 3.0};
    const struct {
        const char *name, *reference;
        const dps_bench_work *work, *peer;
        bool exact;
    } kinds[] = {{"hessian", "SSYRK", &hessian, &ssyrk, false},
                 {"exact hessian", "SSYRK", &hessian, &ssyrk, true},
                 {"gram", "SGEMM", &gram, &sgemm, true},
                 {"cholesky", "DPOTRF", &cholesky, &dpotrf, false}};
    const bool peer = dps_peer_load(NULL) == DPS_OK;
    dps_status status = DPS_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (int simd = DPS_SIMD_PORTABLE; simd <= (int)session->run->simd && status == DPS_OK;
             simd++) {
            const dps_bench_measure measure = {"linalg",
                                               kinds[k].name,
                                               "width",
                                               w,
                                               dps_name_of(dps_simd_names, (dps_simd)simd),
                                               threads,
                                               "Gflop/s",
                                               kinds[k].reference,
                                               1e-9};
            c->simd = (dps_simd)simd;
            c->exact = kinds[k].exact;
            status = dps_bench_compare(session, &measure, kinds[k].work,
                                       peer ? kinds[k].peer : NULL, err);
        }
    }
    return status;
}

static void release(product_context *c)
{
    dps_free(c->z);
    dps_free(c->matrix);
    dps_free(c->memory);
}

static dps_status prepare(product_context *c, size_t width, int threads, dps_error *err)
{
    const size_t entries = width > DPS_TILE_ROWS ? width : DPS_TILE_ROWS;
    const size_t sizes[] = {dps_cross_bytes(width), dps_gram_bytes(), dps_cholesky_bytes(width)};
    *c = (product_context){.width = width, .result_bytes = entries * entries * sizeof(double)};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t bytes = c->result_bytes + dps_round_up(sizes[k], DPS_ALIGN);
        c->thread_bytes = bytes > c->thread_bytes ? bytes : c->thread_bytes;
    }
    c->z = dps_bench_floats(DPS_TILE_ROWS * width, 1);
    c->matrix = dps_alloc(width * width, sizeof *c->matrix);
    c->memory = dps_alloc((size_t)threads, c->thread_bytes);
    if (c->z == NULL || c->matrix == NULL || c->memory == NULL) {
        release(c);
        return dps_out_of_memory(err, (size_t)threads, c->thread_bytes, "products to measure");
    }
    for (size_t i = 0; i < width; i++) {
        for (size_t j = 0; j < width; j++) {
            c->matrix[i * width + j] = i == j ? (double)width : 0.5;
        }
    }
    return DPS_OK;
}

dps_status dps_bench_linalg(const dps_bench_session *session, dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < sizeof widths / sizeof widths[0] && status == DPS_OK; k++) {
        product_context c;
        DPS_TRY(prepare(&c, (size_t)widths[k], session->run->threads, err));
        for (int threads = 1; threads != 0 && status == DPS_OK;
             threads = dps_bench_next_threads(session->run, threads)) {
            status = measure_paths(session, &c, threads, err);
        }
        release(&c);
    }
    return status;
}
