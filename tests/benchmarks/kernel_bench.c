/* Micro-benchmark of the map kernels and the tile kernels against this machine's SGEMM and memory
 * copy: interleaved runs, medians of CPU time. Not a test; built with -DDPSVM_BENCH=ON.
 *
 *     kernel_bench [sign|real|tile]
 *
 * Gflop/s count 2 n D d L for every projection (n rows, D features, d coordinates, L factors). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "blas.h"
#include "cpu.h"
#include "memory.h"
#include "projection.h"
#include "tile_kernels.h"

enum { FEATURES = 512, FACTORS = 3, REPEATS = 15, PANELS = FEATURES / DPS_PANEL };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other processes take no part in it */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t next_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "kernel_bench: no memory\n");
        exit(1);
    }
    return block;
}

static float *random_floats(size_t count, uint64_t *state)
{
    float *v = need(count, sizeof(float));
    for (size_t i = 0; i < count; i++) {
        v[i] = (float)next_bits(state) * 0x1p-31f - 1.0f;
    }
    return v;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *seconds)
{
    qsort(seconds, REPEATS, sizeof(double), ascending);
    return seconds[REPEATS / 2];
}

/* What one column of the table runs. */
typedef struct bench_case {
    const char *name;
    void (*run)(void *context);
    void *context;
    bool available;
} bench_case;

/* Runs the cases in turn REPEATS times and prints units / median seconds of each, and the ratio to
 * the first. Each sample repeats the work until it takes about 2 ms. */
static void run_cases(const char *label, bench_case *cases, size_t count, double units)
{
    static double seconds[8][REPEATS];
    int loops[8];
    for (size_t k = 0; k < count; k++) {
        if (cases[k].available) {
            cases[k].run(cases[k].context);
            const double start = cpu_seconds();
            cases[k].run(cases[k].context);
            const double once = cpu_seconds() - start;
            loops[k] = once > 2e-3 ? 1 : (int)(2e-3 / (once + 1e-7)) + 1;
        }
    }
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (size_t k = 0; k < count; k++) {
            if (cases[k].available) {
                const double start = cpu_seconds();
                for (int l = 0; l < loops[k]; l++) {
                    cases[k].run(cases[k].context);
                }
                seconds[k][repeat] = (cpu_seconds() - start) / loops[k];
            }
        }
    }
    printf("%-12s", label);
    double first = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double rate = cases[k].available ? units / median(seconds[k]) * 1e-9 : 0.0;
        first = k == 0 ? rate : first;
        printf("  %s %7.2f (%5.2f)", cases[k].name, rate, rate / first);
    }
    printf("\n");
    fflush(stdout);
}

/* Everything a projection case needs; shared by its variants. */
typedef struct projection_case {
    dps_simd simd;
    dps_row_tile tile;
    const dps_sign_panels *sign;
    const dps_real_panels *real;
    const float *matrix; /* FEATURES x tile.stride, for SGEMM */
    float *z;
    void *scratch;
} projection_case;

static void run_sgemm(void *context)
{
    const projection_case *c = context;
    for (int factor = 0; factor < FACTORS; factor++) {
        dps_blas_multiply_float((size_t)c->tile.rows, FEATURES, (size_t)c->tile.columns,
                                c->tile.dense, c->tile.stride, c->matrix, c->tile.stride, c->z,
                                FEATURES);
    }
}

static void run_sign(void *context)
{
    const projection_case *c = context;
    dps_sign_project(c->simd, c->sign, &c->tile, c->z, FEATURES, FEATURES, c->scratch);
}

static void run_real(void *context)
{
    const projection_case *c = context;
    dps_real_project(c->simd, c->real, &c->tile, c->z, FEATURES, FEATURES, c->scratch);
}

static projection_case projection_base(int32_t d, uint64_t *state)
{
    projection_case c = {.tile = {.rows = DPS_TILE_ROWS, .columns = d}};
    c.tile.stride = dps_round_up((size_t)d, DPS_PAD);
    float *x = random_floats(DPS_TILE_ROWS * c.tile.stride, state);
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        memset(x + i * c.tile.stride + d, 0, (c.tile.stride - (size_t)d) * sizeof(float));
    }
    c.tile.dense = x;
    c.matrix = random_floats(FEATURES * c.tile.stride, state);
    c.z = need(DPS_TILE_ROWS * FEATURES, sizeof(float));
    const size_t sign = dps_sign_scratch_bytes(d), real = dps_real_scratch_bytes(d);
    c.scratch = need(sign > real ? sign : real, 1);
    return c;
}

static void run_projection(const char *what, int32_t d, projection_case *base, void (*run)(void *))
{
    projection_case simd[3] = {*base, *base, *base};
    static const char *const names[] = {"portable", "avx2", "avx512"};
    bench_case cases[4] = {{"sgemm", run_sgemm, base, true}};
    for (int k = 0; k < 3; k++) {
        simd[k].simd = (dps_simd)k;
        cases[k + 1] = (bench_case){names[k], run, &simd[k], dps_cpu_has((dps_simd)k)};
    }
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, (int)d);
    run_cases(label, cases, 4, 2.0 * DPS_TILE_ROWS * FEATURES * d * FACTORS);
    union {
        const float *in;
        void *out;
    } x = {base->tile.dense}, matrix = {base->matrix};
    dps_free(x.out);
    dps_free(matrix.out);
    dps_free(base->z);
    dps_free(base->scratch);
}

static void bench_sign(int32_t d)
{
    uint64_t state = 1;
    const size_t blocks = ((size_t)d + 31) / 32;
    int32_t degree[PANELS];
    size_t offset[PANELS];
    uint32_t *word = need(PANELS * FACTORS * blocks * DPS_PANEL, sizeof(uint32_t));
    for (size_t i = 0; i < PANELS * FACTORS * blocks * DPS_PANEL; i++) {
        word[i] = next_bits(&state);
    }
    for (int p = 0; p < PANELS; p++) {
        degree[p] = FACTORS;
        offset[p] = (size_t)p * FACTORS * blocks * DPS_PANEL;
    }
    float *weight = random_floats(FEATURES, &state);
    const dps_sign_panels panels = {d, PANELS, degree, offset, word, weight, 1.0f};
    projection_case base = projection_base(d, &state);
    base.sign = &panels;
    run_projection("signs", d, &base, run_sign);
    dps_free(word);
    dps_free(weight);
}

static void bench_real(int32_t d, dps_real_kind kind)
{
    uint64_t state = 1;
    int32_t degree[PANELS];
    size_t offset[PANELS], phase_offset[PANELS];
    for (int p = 0; p < PANELS; p++) {
        degree[p] = FACTORS;
        offset[p] = (size_t)p * FACTORS * (size_t)d * DPS_PANEL;
        phase_offset[p] = (size_t)p * FACTORS * DPS_PANEL;
    }
    float *frequency = random_floats((size_t)PANELS * FACTORS * (size_t)d * DPS_PANEL, &state);
    float *phase = random_floats(PANELS * FACTORS * DPS_PANEL, &state);
    float *weight = random_floats(FEATURES, &state);
    const dps_real_panels panels = {kind,         d,     PANELS,      degree, offset, frequency,
                                    phase_offset, phase, 1.41421356f, weight};
    projection_case base = projection_base(d, &state);
    base.real = &panels;
    run_projection(kind == DPS_REAL_LINEAR ? "linear" : "cosine", d, &base, run_real);
    dps_free(frequency);
    dps_free(phase);
    dps_free(weight);
}

typedef struct tile_case {
    dps_simd simd;
    dps_z_tile tile;
    float *copy;
    double *w, *u;
} tile_case;

static void run_copy(void *context)
{
    const tile_case *c = context;
    memcpy(c->copy, c->tile.z, DPS_TILE_ROWS * c->tile.stride * sizeof(float));
}

static void run_scores(void *context)
{
    const tile_case *c = context;
    dps_tile_scores(c->simd, &c->tile, c->w, NULL, c->tile.rows, c->u);
}

static void run_add(void *context)
{
    const tile_case *c = context;
    dps_tile_add_panel(c->simd, &c->tile, NULL, c->tile.rows, c->u, 0, c->tile.stride, c->w);
}

static void bench_tile(int32_t width, const char *what, void (*run)(void *))
{
    uint64_t state = 1;
    static const char *const names[] = {"portable", "avx2", "avx512"};
    const size_t stride = dps_round_up((size_t)width, DPS_PAD);
    float *z = random_floats(DPS_TILE_ROWS * stride, &state);
    tile_case base = {.tile = {.rows = DPS_TILE_ROWS, .width = width, .stride = stride, .z = z}};
    base.copy = need(DPS_TILE_ROWS * stride, sizeof(float));
    base.w = need(stride, sizeof(double));
    base.u = need(DPS_TILE_ROWS, sizeof(double));
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        base.u[i] = 1e-9 * (double)i + 1e-9;
    }
    tile_case simd[3] = {base, base, base};
    bench_case cases[4] = {{"copy", run_copy, &base, true}};
    for (int k = 0; k < 3; k++) {
        simd[k].simd = (dps_simd)k;
        cases[k + 1] = (bench_case){names[k], run, &simd[k], dps_cpu_has((dps_simd)k)};
    }
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, (int)width);
    run_cases(label, cases, 4, 4.0 * DPS_TILE_ROWS * (double)stride);
    dps_free(z);
    dps_free(base.copy);
    dps_free(base.w);
    dps_free(base.u);
}

int main(int argc, char **argv)
{
    static const int32_t shapes[] = {8, 22, 57, 123, 256, 784};
    static const int32_t widths[] = {128, 512, 2048, 8192};
    const char *what = argc > 1 ? argv[1] : "all";
    const bool all = strcmp(what, "all") == 0;
    dps_error err;
    if (dps_blas_load(&err) != DPS_OK) {
        return 1;
    }
    printf("%s; Gflop/s (ratio to SGEMM), tiles GB/s of z (ratio to memcpy)\n",
           dps_blas_description());
    for (size_t k = 0; k < 6 && (all || strcmp(what, "sign") == 0); k++) {
        bench_sign(shapes[k]);
    }
    for (size_t k = 0; k < 12 && (all || strcmp(what, "real") == 0); k++) {
        bench_real(shapes[k % 6], k < 6 ? DPS_REAL_LINEAR : DPS_REAL_COSINE);
    }
    for (size_t k = 0; k < 4 && (all || strcmp(what, "tile") == 0); k++) {
        bench_tile(widths[k], "scores", run_scores);
        bench_tile(widths[k], "add", run_add);
    }
    return 0;
}
