/* Task: random maps on all pairs of some rows, in double:
 *
 *   e_ij   <z(x_i), z(x_j)> / factor^2 - K_ij, over all entries, the diagonal too
 *   runs   maps of seeds s, s+1, ...; mean over them +- t s.d. / sqrt(runs) at 95 % (Student)
 *
 * Cost: runs x O(rows D' (rows / 2 + degree)). */
#include "study_map.h"
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "job_limits.h"
#include "map.h"

enum { TIMED_PASSES = 3 };

typedef struct study_work {
    const dps_study_rows *rows;
    int32_t columns;
    const dps_run *run;
} study_work;

/* --- one map ------------------------------------------------------------------------------- */

static double inner(const float *a, const float *b, int32_t width)
{
    double lane[8] = {0};
    int32_t j = 0;
    for (; j + 8 <= width; j += 8) {
        for (int32_t k = 0; k < 8; k++) {
            lane[k] += (double)a[j + k] * b[j + k];
        }
    }
    for (; j < width; j++) {
        lane[0] += (double)a[j] * b[j];
    }
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* Sums over all entries of the symmetric matrices. */
typedef struct error_sums {
    double absolute, square, largest, kernel;
} error_sums;

static error_sums compare(const study_work *w, const dps_map *map, double factor, const float *z,
                          size_t stride)
{
    const int32_t rows = w->rows->tile.rows;
    const double scale = 1 / (factor * factor), sparse = dps_map_sparse_scale(map);
    const double dots = dps_map_sparse_columns(map) > 0 ? sparse * sparse : 0;
    error_sums sums[DPS_TILE_ROWS];
#pragma omp parallel for schedule(dynamic, 4) num_threads(dps_run_threads(w->run, rows / 4))
    for (int32_t i = 0; i < rows; i++) {
        error_sums sum = {0};
        for (int32_t j = 0; j <= i; j++) {
            const size_t at = (size_t)i * (size_t)rows + (size_t)j;
            const double kernel = w->rows->kernel[at];
            const double found =
                inner(z + (size_t)i * stride, z + (size_t)j * stride, dps_map_width(map)) +
                dots * w->rows->dot[at];
            const double error = fabs(scale * found - kernel);
            const double times = i == j ? 1 : 2;
            sum.absolute += times * error;
            sum.square += times * error * error;
            sum.kernel += times * kernel * kernel;
            sum.largest = fmax(sum.largest, error);
        }
        sums[i] = sum;
    }
    error_sums total = {0};
    for (int32_t i = 0; i < rows; i++) {
        total.absolute += sums[i].absolute;
        total.square += sums[i].square;
        total.kernel += sums[i].kernel;
        total.largest = fmax(total.largest, sums[i].largest);
    }
    return total;
}

typedef struct map_result {
    double error[DPS_STUDY_ERRORS];
    double width, seconds;
    bool zero;
} map_result;

static dps_status apply(const study_work *w, const dps_map *map, float *z, size_t stride,
                        double *seconds, dps_error *err)
{
    dps_status status = DPS_OK;
    void *scratch = dps_alloc(dps_map_scratch_bytes(map), 1);
    if (scratch == NULL) {
        return dps_out_of_memory(err, dps_map_scratch_bytes(map), 1, "a map's scratch");
    }
    *seconds = INFINITY;
    for (int pass = 0; pass < TIMED_PASSES && status == DPS_OK; pass++) {
        const double begin = dps_now();
        status = dps_map_apply(map, w->run->simd, &w->rows->tile, z, stride, scratch, err);
        *seconds = fmin(*seconds, (dps_now() - begin) / w->rows->tile.rows);
    }
    dps_free(scratch);
    return status;
}

static bool all_zero(const float *z, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (z[k] != 0) {
            return false;
        }
    }
    return true;
}

/* NULL with an error: more than run.memory, or none left. */
static float *panel_of(const study_work *w, size_t stride, dps_error *err)
{
    const size_t rows = (size_t)w->rows->tile.rows;
    if (stride > w->run->memory / sizeof(float) / rows) {
        (void)!dps_error_set(err, DPS_ERROR_MEMORY,
                             "%zu rows of %zu mapped columns are more than run.memory; lower "
                             "--rows or the last of --sizes",
                             rows, stride);
        return NULL;
    }
    float *z = dps_alloc(rows * stride, sizeof *z);
    if (z == NULL) {
        (void)!dps_out_of_memory(err, rows * stride, sizeof *z, "mapped rows");
    }
    return z;
}

/* One map of the recipe's seed. */
static dps_status measure_map(const study_work *w, const dps_map_recipe *recipe, map_result *result,
                              dps_error *err)
{
    dps_map *map;
    DPS_TRY(dps_map_new(&map, recipe, w->columns, w->run, err));
    const int32_t width = dps_map_width(map), rows = w->rows->tile.rows;
    const size_t stride = dps_round_up((size_t)width + 1, DPS_PAD);
    float *z = panel_of(w, stride, err); /* columns beyond the width stay 0 */
    const dps_status status =
        z == NULL ? DPS_ERROR_MEMORY : apply(w, map, z, stride, &result->seconds, err);
    if (status == DPS_OK) {
        const error_sums sum = compare(w, map, recipe->factor, z, stride);
        const double entries = (double)rows * rows;
        result->error[DPS_STUDY_MEAN] = sum.absolute / entries;
        result->error[DPS_STUDY_LARGEST] = sum.largest;
        result->error[DPS_STUDY_RMS] = sqrt(sum.square / entries);
        result->error[DPS_STUDY_FROBENIUS] = sum.kernel > 0 ? sqrt(sum.square / sum.kernel) : NAN;
        result->width = (double)width + dps_map_sparse_columns(map);
        result->zero = dps_map_sparse_columns(map) == 0 && all_zero(z, (size_t)rows * stride);
    }
    dps_free(z);
    dps_map_free(map);
    return status;
}

/* --- several maps --------------------------------------------------------------------------- */

/* 97.5 % quantile of Student's t. */
static double student(int32_t freedom)
{
    static const double small[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    const int32_t count = (int32_t)(sizeof small / sizeof small[0]);
    return freedom <= count ? small[freedom - 1] : 1.96 + 2.5 / freedom;
}

static dps_estimate estimate_of(const map_result *result, int32_t runs, int error)
{
    dps_estimate estimate = {.half = NAN};
    double square = 0;
    for (int32_t s = 0; s < runs; s++) {
        estimate.mean += result[s].error[error] / runs;
    }
    for (int32_t s = 0; s < runs; s++) {
        const double away = result[s].error[error] - estimate.mean;
        square += away * away;
    }
    if (runs > 1) {
        estimate.half = student(runs - 1) * sqrt(square / (runs - 1) / runs);
    }
    return estimate;
}

static void summarise(const map_result *result, int32_t runs, dps_study_point *point)
{
    double drawn = 0;
    point->seconds = INFINITY;
    for (int32_t s = 0; s < runs; s++) {
        point->width += result[s].width;
        point->seconds = fmin(point->seconds, result[s].seconds);
        point->zero_maps += result[s].zero;
        drawn += result[s].zero ? 0 : result[s].error[DPS_STUDY_RMS];
    }
    point->width /= runs;
    point->rms_not_zero = drawn / (runs - point->zero_maps); /* 0 / 0 is NAN */
    for (int e = 0; e < DPS_STUDY_ERRORS; e++) {
        point->error[e] = estimate_of(result, runs, e);
    }
}

dps_status dps_study_measure(const dps_study_rows *rows, const dps_map_recipe *recipe,
                             int32_t columns, int32_t runs, const dps_run *run,
                             dps_study_point *point, dps_error *err)
{
    const study_work w = {rows, columns, run};
    dps_map_recipe drawn = *recipe;
    map_result *result;
    dps_status status = DPS_OK;
    DPS_NEED(result, (size_t)runs, "the errors of a map", err);
    for (int32_t s = 0; s < runs && status == DPS_OK; s++) {
        drawn.seed = recipe->seed + (uint64_t)s;
        status = dps_run_stopped(run) ? dps_error_set(err, DPS_ERROR_STOPPED, "stopped")
                                      : measure_map(&w, &drawn, &result[s], err);
    }
    if (status == DPS_OK) {
        point->made = true;
        summarise(result, runs, point);
    }
    dps_free(result);
    return status;
}

void dps_study_point_facts(dps_study_point *point, const dps_map_facts *facts)
{
    point->coverage = facts->coverage;
    point->max_degree = facts->max_degree_drawn;
    memcpy(point->degree_count, facts->degree_count, sizeof point->degree_count);
}
