/* Task: bench_scale.h. Reading, scaling and mapping are the stages of a training on a file of
 * synthetic text; a step, a pass or an epoch of a solver is what a run of LONG of them takes more
 * than one of SHORT, on mapped rows in memory, so that what comes before and after is left out.
 * Newton's is of the logistic loss, whose Hessian has every row in every step. Seconds are of the
 * clock, because waiting counts; the least of RUNS, threads in turn. */
#include "bench_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "allocation.h"
#include "bench_private.h"
#include "job_limits.h"
#include "large_pages.h"
#include "products.h"
#include "random.h"
#include "scratch.h"
#include "solver.h"
#include "train.h"

enum {
    ROWS = DPS_SCALE_ROWS,
    WIDTH = DPS_SCALE_WIDTH,
    COLUMNS = DPS_SCALE_COLUMNS,
    RUNS = 5,
    SHORT = 1,
    LONG = 4,
    PATH_ROOM = 1024,
    MOST_COUNTS = 16 /* 1, 2, 4, ..., DPS_BENCH_THREADS and the last */
};

enum { READ, SCALE, MAP, NEWTON, DCD, SGD, STAGES };
static const char *const stage_names[STAGES] = {"read",        "scale",    "map",
                                                "newton step", "dcd pass", "sgd epoch"};

typedef struct scale_session {
    const dps_run *run;
    float *z; /* whole tiles of ROWS x WIDTH */
    int32_t *label;
    int counts, threads[MOST_COUNTS];
    double seconds[STAGES][MOST_COUNTS], bytes[STAGES], flops[STAGES];
    double memory[MOST_COUNTS], products[MOST_COUNTS];
} scale_session;

/* ---- text ------------------------------------------------------------------------------------ */

static dps_status write_rows(FILE *file, const char *path, dps_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t bits[4] = {0};
        char line[COLUMNS * 16 + 8], *at = line;
        dps_random_block(1, DPS_STREAM_SAMPLE, i, 0, 0, bits);
        at += sprintf(at, "%d", bits[0] % 2 == 0 ? -1 : 1);
        for (uint32_t j = 0; j < COLUMNS; j++) {
            dps_random_block(1, DPS_STREAM_SAMPLE, i, 0, j + 1, bits);
            at += sprintf(at, " %u:0.%04u", j + 1, bits[1] % 10000);
        }
        good = good && fprintf(file, "%s\n", line) > 0;
    }
    return good ? DPS_OK : dps_error_set(err, DPS_ERROR_IO, "cannot write to %s", path);
}

static dps_status set_options(dps_options *options, const char *path, dps_error *err)
{
    static const char *const fixed[] = {"map.features=488", "solver.type=newton",
                                        "solver.max_iterations=1", "output.baseline=off"};
    char text[PATH_ROOM + 64];
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++) {
        DPS_TRY(dps_options_set_text(options, fixed[k], err));
    }
    snprintf(text, sizeof text, "data.train=%s", path);
    DPS_TRY(dps_options_set_text(options, text, err));
    snprintf(text, sizeof text, "output.model=%s.model", path);
    return dps_options_set_text(options, text, err);
}

/* One training's stages before the solver. */
static dps_status time_stages(scale_session *s, const dps_options *options, int count,
                              dps_error *err)
{
    dps_run run = {.threads = s->threads[count],
                   .simd = s->run->simd,
                   .memory = s->run->memory,
                   .scratch = s->run->scratch,
                   .stop = s->run->stop};
    dps_train_result result;
    DPS_TRY(dps_train(options, false, NULL, &run, &result, err));
    const dps_stage_cost *stage = result.cost.stage;
    const double found[] = {stage[DPS_STAGE_PARSE].seconds, stage[DPS_STAGE_SCALE].seconds,
                            stage[DPS_STAGE_MAP].seconds};
    for (int k = READ; k <= MAP; k++) {
        s->seconds[k][count] = fmin(s->seconds[k][count], found[k]);
    }
    s->bytes[READ] = stage[DPS_STAGE_PARSE].bytes;
    s->bytes[SCALE] = stage[DPS_STAGE_SCALE].bytes;
    s->bytes[MAP] = stage[DPS_STAGE_MAP].bytes;
    s->flops[MAP] = (double)ROWS * result.facts.flops_per_row;
    dps_train_result_release(&result);
    return DPS_OK;
}

static dps_status measure_stages(scale_session *s, const char *path, dps_error *err)
{
    dps_options options;
    DPS_TRY(dps_options_init(&options, err));
    dps_status status = set_options(&options, path, err);
    for (int k = 0; k < RUNS; k++) {
        for (int count = 0; count < s->counts && status == DPS_OK; count++) {
            status = time_stages(s, &options, count, err);
        }
    }
    dps_options_release(&options);
    return status;
}

static dps_status measure_text(scale_session *s, dps_error *err)
{
    char path[PATH_ROOM], model[PATH_ROOM + 8];
    snprintf(path, sizeof path, "%s/dpsvm-scale-XXXXXX", dps_scratch_folder(s->run));
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        return dps_error_set(err, DPS_ERROR_IO, "cannot write %s: set run.scratch", path);
    }
    dps_status status = write_rows(file, path, err);
    if (fclose(file) != 0 && status == DPS_OK) {
        status = dps_error_set(err, DPS_ERROR_IO, "cannot write to %s", path);
    }
    DPS_THEN(status, measure_stages(s, path, err));
    snprintf(model, sizeof model, "%s.model", path);
    (void)unlink(path);
    (void)unlink(model);
    return status;
}

/* ---- solvers --------------------------------------------------------------------------------- */

static dps_status get(const void *context, int64_t t, DPS_UNUSED float *buffer,
                      DPS_UNUSED void *scratch, dps_z_tile *tile, DPS_UNUSED dps_error *err)
{
    const scale_session *s = context;
    const int64_t left = ROWS - t * DPS_TILE_ROWS;
    *tile = (dps_z_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                         .width = WIDTH,
                         .stride = WIDTH,
                         .z = s->z + (size_t)t * DPS_TILE_ROWS * WIDTH};
    return DPS_OK;
}

static dps_status solver_seconds(const scale_session *s, const dps_solver *solver, int threads,
                                 int64_t passes, double *seconds, dps_error *err)
{
    static const double even[] = {1.0, 1.0};
    const dps_tile_source source = {
        .rows = ROWS, .width = WIDTH, .stride = WIDTH, .resident = true, .context = s, .get = get};
    const dps_problem problem = {.source = &source,
                                 .label = s->label,
                                 .classes = 2,
                                 .class_weight = even,
                                 .loss = solver == &dps_solver_newton ? &dps_loss_logistic
                                                                      : &dps_loss_squared_hinge,
                                 .C = 1.0};
    const dps_solver_settings settings = {
        .tolerance = 1e-15, .max_iterations = passes, .seed = 1, .leaves_ending = true};
    const dps_run run = {
        .threads = threads, .simd = s->run->simd, .memory = s->run->memory, .stop = s->run->stop};
    dps_solution solution;
    DPS_TRY(dps_solution_init(&solution, &problem, err));
    if (solver == &dps_solver_newton) {
        solution.w[0] = 1e-3; /* warm: no steps on a part of the rows before */
    }
    const double begin = dps_now();
    const dps_status status = solver->solve(&problem, &settings, &run, &solution, err);
    *seconds = dps_now() - begin;
    dps_solution_release(&solution);
    return status;
}

static dps_status measure_solver(scale_session *s, int stage, const dps_solver *solver,
                                 dps_error *err)
{
    double least[MOST_COUNTS][2];
    for (int k = 0; k < RUNS; k++) {
        for (int count = 0; count < s->counts; count++) {
            for (int longer = 0; longer <= 1; longer++) {
                double seconds;
                DPS_TRY(solver_seconds(s, solver, s->threads[count], longer ? LONG : SHORT,
                                       &seconds, err));
                double *best = &least[count][longer];
                *best = k == 0 || seconds < *best ? seconds : *best;
            }
        }
    }
    for (int count = 0; count < s->counts; count++) {
        s->seconds[stage][count] = (least[count][1] - least[count][0]) / (LONG - SHORT);
    }
    return DPS_OK;
}

static dps_status measure_solvers(scale_session *s, dps_error *err)
{
    const double z = (double)ROWS * WIDTH * sizeof(float), width = WIDTH;
    s->bytes[NEWTON] = 2.0 * z; /* sums and scores */
    s->flops[NEWTON] = ROWS * width * width + width * width * width / 3.0;
    s->bytes[DCD] = s->bytes[SGD] = z;
    DPS_TRY(measure_solver(s, NEWTON, &dps_solver_newton, err));
    DPS_TRY(measure_solver(s, DCD, &dps_solver_dcd, err));
    return measure_solver(s, SGD, &dps_solver_sgd, err);
}

/* ---- what the machine gives ------------------------------------------------------------------ */

/* Bytes a second of all threads, each with its part of more than caches hold. */
static double read_rate(const float *value, int64_t floats, int threads)
{
    enum { PIECE = 1 << 16 };
    double least = INFINITY, total = 0.0;
    for (int k = 0; k < RUNS; k++) {
        const double begin = dps_now();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : total)
        for (int64_t part = 0; part < floats; part += PIECE) {
            float sum[4 * DPS_PAD] = {0};
            for (int64_t i = part; i < part + PIECE; i += 4 * DPS_PAD) {
                for (int64_t l = 0; l < 4 * DPS_PAD; l++) {
                    sum[l] += value[i + l];
                }
            }
            total += (double)sum[0] + (double)sum[DPS_PAD];
        }
        least = fmin(least, dps_now() - begin);
    }
    return isfinite(total) ? (double)floats * sizeof(float) / least : NAN;
}

static dps_status measure_memory(scale_session *s, dps_error *err)
{
    enum { MEGABYTES = 256 };
    const int64_t floats = (int64_t)MEGABYTES << 18;
    float *value = dps_alloc_large((size_t)floats * sizeof *value);
    if (value == NULL) {
        return dps_out_of_memory(err, (size_t)floats, sizeof *value, "memory to measure");
    }
    for (int64_t i = 0; i < floats; i++) {
        value[i] = 1.0f;
    }
    for (int count = 0; count < s->counts; count++) {
        s->memory[count] = read_rate(value, floats, s->threads[count]);
    }
    dps_free(value);
    return DPS_OK;
}

/* Flops a second of Hessians of one tile, each thread's own. */
static dps_status product_rate(const scale_session *s, int threads, double *rate, dps_error *err)
{
    enum { TIMES = 8 };
    const size_t packed = (size_t)WIDTH * (WIDTH + 1) / 2;
    char *memory = dps_alloc((size_t)threads, packed * sizeof(double) + dps_cross_bytes(WIDTH));
    double least = INFINITY;
    if (memory == NULL) {
        return dps_out_of_memory(err, (size_t)threads, packed * sizeof(double), "products");
    }
    for (int k = 0; k < RUNS; k++) {
        const double begin = dps_now();
#pragma omp parallel for schedule(static, 1) num_threads(threads)
        for (int thread = 0; thread < threads; thread++) {
            char *own =
                memory + (size_t)thread * (packed * sizeof(double) + dps_cross_bytes(WIDTH));
            for (int again = 0; again < TIMES; again++) {
                dps_cross_add(s->run->simd, false, DPS_TILE_ROWS, WIDTH, s->z, WIDTH, 1.0,
                              (double *)(void *)own, own + packed * sizeof(double));
            }
        }
        least = fmin(least, dps_now() - begin);
    }
    dps_free(memory);
    *rate = (double)threads * TIMES * DPS_TILE_ROWS * WIDTH * (WIDTH + 1) / least;
    return DPS_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static dps_status prepare(scale_session *s, dps_error *err)
{
    const size_t tiles = (ROWS + DPS_TILE_ROWS - 1) / DPS_TILE_ROWS;
    const size_t floats = tiles * DPS_TILE_ROWS * WIDTH;
    for (int threads = dps_bench_next_threads(s->run, 0); threads != 0 && s->counts < MOST_COUNTS;
         threads = dps_bench_next_threads(s->run, threads)) {
        s->threads[s->counts++] = threads;
    }
    for (int k = 0; k < STAGES; k++) {
        for (int count = 0; count < s->counts; count++) {
            s->seconds[k][count] = INFINITY;
        }
    }
    s->z = dps_alloc_large(floats * sizeof *s->z);
    s->label = dps_alloc(ROWS, sizeof *s->label);
    float *drawn = dps_bench_floats(floats, 1);
    if (s->z == NULL || s->label == NULL || drawn == NULL) {
        dps_free(drawn);
        return dps_out_of_memory(err, 2 * floats, sizeof *s->z, "rows to measure");
    }
    for (size_t i = 0; i < floats; i++) {
        s->z[i] = drawn[i] * 0.0625f; /* |z|^2 about 1 */
    }
    dps_free(drawn);
    for (size_t i = 0; i < ROWS; i++) {
        s->label[i] = s->z[i * WIDTH] + s->z[i * WIDTH + 1] > 0;
    }
    return DPS_OK;
}

static dps_status measure(scale_session *s, dps_error *err)
{
    DPS_TRY(measure_memory(s, err));
    for (int count = 0; count < s->counts; count++) {
        DPS_TRY(product_rate(s, s->threads[count], &s->products[count], err));
    }
    DPS_TRY(measure_text(s, err));
    return measure_solvers(s, err);
}

dps_status dps_bench_scale(const dps_run *run, dps_scale_taker take, void *context, dps_error *err)
{
    scale_session s = {.run = run};
    dps_status status = prepare(&s, err);
    DPS_THEN(status, measure(&s, err));
    for (int k = 0; k < STAGES; k++) {
        for (int count = 0; count < s.counts && status == DPS_OK; count++) {
            const dps_scale_line line = {.stage = stage_names[k],
                                         .threads = s.threads[count],
                                         .seconds = s.seconds[k][count],
                                         .alone = s.seconds[k][0],
                                         .bytes = s.bytes[k],
                                         .flops = s.flops[k],
                                         .memory = s.memory[count],
                                         .products = s.products[count]};
            status = take(context, &line, err);
        }
    }
    dps_free(s.z);
    dps_free(s.label);
    return status;
}
