/* Task: speed of the products of a tile with itself, SYRK, against SGEMM: the Gram matrix of 64
 * rows and the Hessian of a tile. A symmetric product needs half the flops of a full one; both are
 * counted as what they need, n (n + 1) k and 2 n n k. */
#include "bench_parts.h"

#include "allocation.h"
#include "blas.h"
#include "row_tile.h"

enum { GRAM_ROWS = 64 };
static const int32_t widths[] = {128, 512, 1024};

typedef struct product_context {
    size_t width;
    float *z, *result; /* DPS_TILE_ROWS x width; width x width, one a thread */
} product_context;

static float *result_of(const product_context *c, int thread)
{
    return c->result + (size_t)thread * c->width * c->width;
}

static void run_gram(void *context, int thread)
{
    const product_context *c = context;
    dps_blas_gram_float(GRAM_ROWS, c->width, c->z, c->width, 0.0f, result_of(c, thread), GRAM_ROWS);
}

static void run_gram_sgemm(void *context, int thread)
{
    const product_context *c = context;
    dps_blas_multiply_float(GRAM_ROWS, GRAM_ROWS, c->width, c->z, c->width, c->z, c->width,
                            result_of(c, thread), GRAM_ROWS);
}

static void run_hessian(void *context, int thread)
{
    const product_context *c = context;
    dps_blas_cross_float(c->width, DPS_TILE_ROWS, c->z, c->width, 0.0f, result_of(c, thread),
                         c->width);
}

/* As many flops of a full product of the same size: width x 384 times 384 x width. */
static void run_hessian_sgemm(void *context, int thread)
{
    const product_context *c = context;
    dps_blas_multiply_float(c->width, c->width, DPS_TILE_ROWS, c->z, DPS_TILE_ROWS, c->z,
                            DPS_TILE_ROWS, result_of(c, thread), c->width);
}

static dps_status measure_width(const dps_bench_session *session, product_context *c,
                                dps_error *err)
{
    const double w = (double)c->width, rows = GRAM_ROWS;
    const dps_bench_work gram = {run_gram, c, rows * (rows + 1) * w};
    const dps_bench_work gram_sgemm = {run_gram_sgemm, c, 2.0 * rows * rows * w};
    const dps_bench_work hessian = {run_hessian, c, w * (w + 1) * DPS_TILE_ROWS};
    const dps_bench_work hessian_sgemm = {run_hessian_sgemm, c, 2.0 * w * w * DPS_TILE_ROWS};
    dps_status status = DPS_OK;
    for (int threads = 1; threads != 0 && status == DPS_OK;
         threads = dps_bench_next_threads(session->run, threads)) {
        dps_bench_measure measure = {"linalg", "gram",    "width", w,   NULL,
                                     threads,  "Gflop/s", "SGEMM", 1e-9};
        status = dps_bench_compare(session, &measure, &gram, &gram_sgemm, err);
        if (status == DPS_OK) {
            measure.name = "hessian";
            status = dps_bench_compare(session, &measure, &hessian, &hessian_sgemm, err);
        }
    }
    return status;
}

dps_status dps_bench_linalg(const dps_bench_session *session, dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < sizeof widths / sizeof widths[0] && status == DPS_OK; k++) {
        const size_t width = (size_t)widths[k], threads = (size_t)session->run->threads;
        product_context c = {.width = width,
                             .z = dps_bench_floats(DPS_TILE_ROWS * width, 1),
                             .result = dps_alloc(threads, width * width * sizeof(float))};
        if (c.z == NULL || c.result == NULL) {
            status = dps_out_of_memory(err, threads, width * width * sizeof(float),
                                       "products to measure");
        } else {
            status = measure_width(session, &c, err);
        }
        dps_free(c.z);
        dps_free(c.result);
    }
    return status;
}
