/* Task: speed of passes over mapped rows in memory, far more than fits any cache, against memcpy of
 * the same rows. GB/s count what memory must move: a pass reads every z once; a copy reads and
 * writes it. (Lines that a copy fetches only to overwrite them are not counted.) Passes: scores of
 * all rows, w += z^T c over all rows, and the visits of dcd (engine and rule together, its
 * certificates left out by the difference between a longer and a shorter run). */
#include "bench_private.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include "allocation.h"
#include "solver.h"
#include "tile_kernels.h"

enum { WIDTH = 512, TILES = 160, ROWS = TILES * DPS_TILE_ROWS, SHORT = 1, LONG = 4, RUNS = 3 };

typedef struct pass_context {
    dps_simd simd;
    int threads;
    float *z, *copy;
    double *w, *u, *step; /* w: WIDTH zeros, then WIDTH a thread; u: DPS_TILE_ROWS a thread */
    int32_t *label;
} pass_context;

static dps_z_tile tile_of(const pass_context *c, int64_t t)
{
    return (dps_z_tile){.rows = DPS_TILE_ROWS,
                        .width = WIDTH,
                        .stride = WIDTH,
                        .z = c->z + (size_t)t * DPS_TILE_ROWS * WIDTH};
}

static dps_status get(const void *context, int64_t t, DPS_UNUSED float *buffer,
                      DPS_UNUSED void *scratch, dps_z_tile *tile, DPS_UNUSED dps_error *err)
{
    *tile = tile_of(context, t);
    return DPS_OK;
}

/* A thread's share of the tiles. */
static void run_scores(void *context, int thread)
{
    const pass_context *c = context;
    for (int64_t t = thread; t < TILES; t += c->threads) {
        const dps_z_tile tile = tile_of(c, t);
        dps_tile_scores(c->simd, &tile, c->w, NULL, DPS_TILE_ROWS,
                        c->u + (size_t)thread * DPS_TILE_ROWS);
    }
}

/* w += z^T c into a weight vector of the thread's own, as a pass of Newton does. */
static void run_updates(void *context, int thread)
{
    const pass_context *c = context;
    double *w = c->w + (size_t)(thread + 1) * WIDTH;
    for (int64_t t = thread; t < TILES; t += c->threads) {
        const dps_z_tile tile = tile_of(c, t);
        dps_tile_add_panel(c->simd, &tile, NULL, DPS_TILE_ROWS, c->step, 0, WIDTH, w);
    }
}

static void run_copy(void *context, int thread)
{
    const pass_context *c = context;
    const size_t tile = (size_t)DPS_TILE_ROWS * WIDTH;
    for (size_t t = (size_t)thread; t < TILES; t += (size_t)c->threads) {
        memcpy(c->copy + t * tile, c->z + t * tile, tile * sizeof *c->z);
    }
}

/* CPU seconds where one thread works; others cannot be told from waiting. */
static double now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a dcd run of so many passes. */
static dps_status dcd_seconds(const dps_bench_session *session, const pass_context *c,
                              int64_t passes, double *seconds, dps_error *err)
{
    static const double even[] = {1.0, 1.0};
    const dps_tile_source source = {
        .rows = ROWS, .width = WIDTH, .stride = WIDTH, .resident = true, .context = c, .get = get};
    const dps_problem problem = {.source = &source,
                                 .label = c->label,
                                 .classes = 2,
                                 .class_weight = even,
                                 .loss = &dps_loss_squared_hinge,
                                 .C = 1.0};
    const dps_solver_settings settings = {.tolerance = 1e-12, .max_iterations = passes, .seed = 1};
    const dps_run run = {.threads = c->threads,
                         .simd = c->simd,
                         .memory = session->run->memory,
                         .stop = session->run->stop};
    dps_solution solution;
    DPS_TRY(dps_solution_init(&solution, &problem, err));
    const double begin = now(c->threads);
    const dps_status status = dps_solver_dcd.solve(&problem, &settings, &run, &solution, err);
    *seconds = now(c->threads) - begin;
    dps_solution_release(&solution);
    return status;
}

/* Runs of two lengths in turn; what they differ by is visits alone. The result goes into `pass` as
 * seconds of one pass. */
static dps_status dcd_pass(const dps_bench_session *session, const pass_context *c, double *pass,
                           dps_error *err)
{
    double least_short = INFINITY, least_long = INFINITY;
    for (int k = 0; k < RUNS; k++) {
        double shorter, longer;
        DPS_TRY(dcd_seconds(session, c, SHORT, &shorter, err));
        DPS_TRY(dcd_seconds(session, c, LONG, &longer, err));
        least_short = fmin(least_short, shorter);
        least_long = fmin(least_long, longer);
    }
    *pass = (least_long - least_short) / (LONG - SHORT);
    return DPS_OK;
}

static dps_status measure_passes(const dps_bench_session *session, pass_context *c, dps_error *err)
{
    const double bytes = (double)ROWS * WIDTH * sizeof(float) / c->threads;
    const dps_bench_work copy = {run_copy, c, 2.0 * bytes}, scores = {run_scores, c, bytes};
    dps_bench_measure measure = {
        "solver",   "scores", "width",  WIDTH, dps_name_of(dps_simd_names, c->simd),
        c->threads, "GB/s",   "memcpy", 1e-9};
    DPS_TRY(dps_bench_compare(session, &measure, &scores, &copy, err));
    const dps_bench_work updates = {run_updates, c, bytes};
    measure.name = "updates";
    DPS_TRY(dps_bench_compare(session, &measure, &updates, &copy, err));
    double pass;
    DPS_TRY(dcd_pass(session, c, &pass, err));
    measure.name = "dcd pass";
    return dps_bench_compare_rate(session, &measure, bytes * c->threads / pass, &copy, err);
}

static dps_status prepare(pass_context *c, const dps_run *run, dps_error *err)
{
    const size_t panel = (size_t)ROWS * WIDTH * sizeof(float), needed = 2 * panel + panel / 8;
    memset(c, 0, sizeof *c);
    if (needed > run->memory) {
        return dps_error_set(err, DPS_ERROR_MEMORY,
                             "the solver's measures need %zu bytes and %zu are allowed; raise "
                             "run.memory or name another room",
                             needed, run->memory);
    }
    c->z = dps_bench_floats((size_t)ROWS * WIDTH, 1);
    c->copy = dps_alloc(panel, 1);
    c->w = dps_alloc(((size_t)run->threads + 1) * WIDTH, sizeof *c->w);
    c->step = dps_alloc(DPS_TILE_ROWS, sizeof *c->step);
    c->u = dps_alloc((size_t)run->threads * DPS_TILE_ROWS, sizeof *c->u);
    c->label = dps_alloc(ROWS, sizeof *c->label);
    if (c->z == NULL || c->copy == NULL || c->w == NULL || c->u == NULL || c->step == NULL ||
        c->label == NULL) {
        return dps_out_of_memory(err, 2 * panel, 1, "rows to measure");
    }
    for (size_t i = 0; i < DPS_TILE_ROWS; i++) {
        c->step[i] = 1e-6;
    }
    for (size_t i = 0; i < ROWS; i++) {
        c->label[i] = c->z[i * WIDTH] > 0;
    }
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++) {
        c->z[i] *= 0.0625f; /* |z|^2 about 1 */
    }
    return DPS_OK;
}

dps_status dps_bench_solver(const dps_bench_session *session, dps_error *err)
{
    pass_context c;
    dps_status status = prepare(&c, session->run, err);
    for (int simd = DPS_SIMD_PORTABLE; simd <= (int)session->run->simd && status == DPS_OK;
         simd++) {
        c.simd = (dps_simd)simd;
        for (c.threads = 1; c.threads != 0 && status == DPS_OK;
             c.threads = dps_bench_next_threads(session->run, c.threads)) {
            status = measure_passes(session, &c, err);
        }
    }
    dps_free(c.z);
    dps_free(c.copy);
    dps_free(c.w);
    dps_free(c.u);
    dps_free(c.step);
    dps_free(c.label);
    return status;
}
