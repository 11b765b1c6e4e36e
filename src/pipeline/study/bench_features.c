/* Task: speed of the map kernels, products and weights included, against SGEMM alone on the same
 * shape: rows x d times d x D, once a factor. Gflop/s count 2 rows D d factors for both. */
#include "bench_private.h"

#include <string.h>
#include "allocation.h"
#include "peer_blas.h"
#include "projection.h"

enum { FEATURES = 512, FACTORS = 3, PANELS = FEATURES / DPS_PANEL };
static const int32_t widths[] = {8, 22, 57, 123, 256, 784};

typedef enum kind { SIGNS, LINEAR, COSINE, KINDS } kind;
static const char *const kind_names[] = {"signs", "real", "cosine"};

/* Panels of one width; z and scratch: one a thread. */
typedef struct map_context {
    kind kind;
    dps_simd simd;
    dps_row_tile tile;
    dps_sign_panels sign;
    dps_real_panels real;
    int32_t degree[PANELS];
    size_t sign_offset[PANELS], real_offset[PANELS], phase_offset[PANELS];
    float *x, *matrix, *phase, *weight;
    uint32_t *word;
    char *threads_memory;
    size_t z_bytes, thread_bytes;
} map_context;

static float *z_of(const map_context *c, int thread)
{
    return (float *)(void *)(c->threads_memory + (size_t)thread * c->thread_bytes);
}

static void run_map(void *context, int thread)
{
    const map_context *c = context;
    float *z = z_of(c, thread);
    void *scratch = (char *)(void *)z + c->z_bytes;
    if (c->kind == SIGNS) {
        dps_sign_project(c->simd, &c->sign, &c->tile, z, FEATURES, FEATURES, scratch);
    } else {
        dps_real_project(c->simd, &c->real, &c->tile, z, FEATURES, FEATURES, scratch);
    }
}

static void run_sgemm(void *context, int thread)
{
    const map_context *c = context;
    for (int factor = 0; factor < FACTORS; factor++) {
        dps_peer_multiply(DPS_TILE_ROWS, FEATURES, (size_t)c->tile.columns, c->tile.dense,
                          c->tile.stride, c->matrix, c->tile.stride, z_of(c, thread), FEATURES);
    }
}

static void release(map_context *c)
{
    dps_free(c->x);
    dps_free(c->matrix);
    dps_free(c->phase);
    dps_free(c->weight);
    dps_free(c->word);
    dps_free(c->threads_memory);
}

static void lay_panels(map_context *c, size_t sign_step, size_t real_step)
{
    for (size_t p = 0; p < PANELS; p++) {
        c->degree[p] = FACTORS;
        c->sign_offset[p] = p * sign_step;
        c->real_offset[p] = p * real_step;
        c->phase_offset[p] = p * FACTORS * DPS_PANEL;
    }
}

static dps_status prepare(map_context *c, int32_t d, int threads, dps_error *err)
{
    const size_t blocks = ((size_t)d + 31) / 32, sign_step = FACTORS * blocks * DPS_PANEL;
    const size_t real_step = FACTORS * (size_t)d * DPS_PANEL;
    const size_t stride = dps_round_up((size_t)d, DPS_PAD);
    const size_t sign = dps_sign_scratch_bytes(d), real = dps_real_scratch_bytes(d);
    *c = (map_context){.z_bytes = DPS_TILE_ROWS * FEATURES * sizeof(float)};
    c->thread_bytes = c->z_bytes + dps_round_up(sign > real ? sign : real, DPS_ALIGN);
    c->x = dps_bench_floats(DPS_TILE_ROWS * stride, 1);
    /* the same numbers serve as SGEMM's matrix and as frequencies */
    c->matrix = dps_bench_floats(PANELS * real_step + FEATURES * stride, 2);
    c->phase = dps_bench_floats(PANELS * FACTORS * DPS_PANEL, 3);
    c->weight = dps_bench_floats(FEATURES, 4);
    c->word = (uint32_t *)(void *)dps_bench_floats(PANELS * sign_step, 5);
    c->threads_memory = dps_alloc((size_t)threads, c->thread_bytes);
    if (c->x == NULL || c->matrix == NULL || c->phase == NULL || c->weight == NULL ||
        c->word == NULL || c->threads_memory == NULL) {
        release(c);
        return dps_out_of_memory(err, (size_t)threads, c->thread_bytes, "a map to measure");
    }
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        memset(c->x + i * stride + d, 0, (stride - (size_t)d) * sizeof *c->x);
    }
    c->tile = (dps_row_tile){.rows = DPS_TILE_ROWS, .columns = d, .dense = c->x, .stride = stride};
    lay_panels(c, sign_step, real_step);
    c->sign = (dps_sign_panels){.columns = d,
                                .panels = PANELS,
                                .degree = c->degree,
                                .offset = c->sign_offset,
                                .word = c->word,
                                .weight = c->weight,
                                .input_scale_inverse = 1.0f};
    c->real = (dps_real_panels){.columns = d,
                                .panels = PANELS,
                                .degree = c->degree,
                                .offset = c->real_offset,
                                .frequency = c->matrix,
                                .phase_offset = c->phase_offset,
                                .amplitude = 1.0f,
                                .weight = c->weight};
    return DPS_OK;
}

static void choose_kind(map_context *c, kind chosen)
{
    c->kind = chosen;
    c->real.kind = chosen == COSINE ? DPS_REAL_COSINE : DPS_REAL_LINEAR;
    c->real.phase = chosen == COSINE ? c->phase : NULL;
}

static dps_status measure_width(const dps_bench_session *session, map_context *c, dps_error *err)
{
    const double units = 2.0 * DPS_TILE_ROWS * FEATURES * c->tile.columns * FACTORS;
    const dps_bench_work work = {run_map, c, units}, reference = {run_sgemm, c, units};
    const bool peer = dps_peer_load(NULL) == DPS_OK;
    for (int k = SIGNS; k < KINDS; k++) {
        choose_kind(c, (kind)k);
        for (int simd = DPS_SIMD_PORTABLE; simd <= (int)session->run->simd; simd++) {
            c->simd = (dps_simd)simd;
            for (int threads = 1; threads != 0;
                 threads = dps_bench_next_threads(session->run, threads)) {
                const dps_bench_measure measure = {"features",
                                                   kind_names[k],
                                                   "d",
                                                   c->tile.columns,
                                                   dps_name_of(dps_simd_names, c->simd),
                                                   threads,
                                                   "Gflop/s",
                                                   "SGEMM",
                                                   1e-9};
                DPS_TRY(dps_bench_compare(session, &measure, &work, peer ? &reference : NULL, err));
            }
        }
    }
    return DPS_OK;
}

dps_status dps_bench_features(const dps_bench_session *session, dps_error *err)
{
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        map_context c;
        DPS_TRY(prepare(&c, widths[k], session->run->threads, err));
        const dps_status status = measure_width(session, &c, err);
        release(&c);
        DPS_TRY(status);
    }
    return DPS_OK;
}
