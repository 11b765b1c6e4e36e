/* Task: the error of random maps on pairs of the user's rows, by D and by map.
 *
 *   K      exact kernel matrix of up to 384 sampled rows (study_rows.c)
 *   e_ij   <z(x_i), z(x_j)> / factor^2 - K_ij, over all entries, the diagonal too
 *   runs   maps of seeds s, s+1, ...; mean over them +- t s.d. / sqrt(runs) at 95 % (Student)
 *
 * All pairs of few rows instead of random pairs of many: mapping costs by the row, and the maps'
 * randomness, not the rows', is what the interval is about. Cost: maps x sizes x runs of
 * O(rows D' (rows / 2 + degree)). Comparisons at equal D' and equal time lie between measured
 * points, in logarithms, so that they need no further maps. */
#include "kernel_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "dataset.h"
#include "job_limits.h"
#include "map.h"
#include "map_layout.h"
#include "settings.h"
#include "study_rows.h"

enum { TIMED_PASSES = 3 };

typedef struct study_work {
    dps_study *study;
    const dps_run *run;
    dps_run quiet; /* planning warns of coverage, which the table has */
    dps_dataset data;
    dps_row_source source;
    dps_study_rows rows;
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
    const int32_t rows = w->rows.tile.rows;
    const double scale = 1 / (factor * factor), sparse = dps_map_sparse_scale(map);
    const double dots = dps_map_sparse_columns(map) > 0 ? sparse * sparse : 0;
    error_sums sums[DPS_TILE_ROWS];
#pragma omp parallel for schedule(dynamic, 4) num_threads(dps_run_threads(w->run, rows / 4))
    for (int32_t i = 0; i < rows; i++) {
        error_sums sum = {0};
        for (int32_t j = 0; j <= i; j++) {
            const size_t at = (size_t)i * (size_t)rows + (size_t)j;
            const double kernel = w->rows.kernel[at];
            const double found =
                inner(z + (size_t)i * stride, z + (size_t)j * stride, dps_map_width(map)) +
                dots * w->rows.dot[at];
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
        status = dps_map_apply(map, w->run->simd, &w->rows.tile, z, stride, scratch, err);
        *seconds = fmin(*seconds, (dps_now() - begin) / w->rows.tile.rows);
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
    const size_t rows = (size_t)w->rows.tile.rows;
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
    DPS_TRY(dps_map_new(&map, recipe, w->source.columns, w->run, err));
    const int32_t width = dps_map_width(map), rows = w->rows.tile.rows;
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

/* --- one point of a curve ------------------------------------------------------------------ */

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

/* A map whose features are all 0 is a map here. */
static dps_status plan(const study_work *w, const dps_map_request *asked, dps_map_recipe *recipe,
                       dps_map_facts *facts, dps_error *err)
{
    const dps_scaler *scaler = &w->data.scaler;
    const dps_status status = dps_map_plan(asked, &w->source, scaler->radius1, scaler->radius2,
                                           scaler->dense, &w->quiet, recipe, facts, err);
    /* facts are complete only where the columns could be laid out */
    return status == DPS_ERROR_CONFIG && facts->max_degree_drawn >= 0 ? DPS_OK : status;
}

static dps_status measure_point(const study_work *w, const dps_map_request *configured,
                                int32_t features, map_result *result, dps_study_curve *curve,
                                dps_study_point *point, dps_error *err)
{
    dps_map_request asked = *configured;
    dps_map_recipe recipe;
    dps_map_facts facts;
    dps_error reason;
    asked.features = features;
    dps_status status = plan(w, &asked, &recipe, &facts, &reason);
    if (status == DPS_ERROR_CONFIG) {
        snprintf(curve->reason, sizeof curve->reason, "D = %ld: %.200s", (long)features,
                 reason.text);
        return DPS_OK;
    }
    if (status != DPS_OK) {
        if (err != NULL) {
            *err = reason;
        }
        return status;
    }
    for (int32_t s = 0; s < w->study->request.runs && status == DPS_OK; s++) {
        recipe.seed = asked.seed + (uint64_t)s;
        status = dps_run_stopped(w->run) ? dps_error_set(err, DPS_ERROR_STOPPED, "stopped")
                                         : measure_map(w, &recipe, &result[s], err);
    }
    if (status == DPS_OK) {
        point->made = true;
        point->coverage = facts.coverage;
        point->max_degree = facts.max_degree_drawn;
        memcpy(point->degree_count, facts.degree_count, sizeof point->degree_count);
        summarise(result, w->study->request.runs, point);
    }
    return status;
}

static dps_status measure_curve(const study_work *w, const dps_map_request *asked, const char *name,
                                dps_error *err)
{
    dps_study *study = w->study;
    const dps_study_request *request = &study->request;
    dps_study_curve *curve = &study->curve[study->curves];
    map_result *result = dps_alloc((size_t)request->runs, sizeof *result);
    snprintf(curve->name, sizeof curve->name, "%s", name);
    curve->point = dps_alloc((size_t)request->sizes, sizeof *curve->point);
    study->curves++;
    dps_status status = curve->point == NULL || result == NULL
                            ? dps_out_of_memory(err, (size_t)request->sizes, sizeof *curve->point,
                                                "the errors of a map")
                            : DPS_OK;
    for (int32_t k = 0; k < request->sizes && status == DPS_OK; k++) {
        const dps_progress progress = {.stage = "measure",
                                       .fraction = -1,
                                       .iteration = (study->curves - 1) * request->sizes + k,
                                       .objective = NAN,
                                       .gap = NAN,
                                       .target = NAN};
        dps_log_progress(w->run, &progress);
        status = measure_point(w, asked, request->size[k], result, curve, &curve->point[k], err);
    }
    dps_free(result);
    return status;
}

/* --- the maps that are compared ------------------------------------------------------------ */

static dps_status compare_measures(const study_work *w, const dps_map_request *configured,
                                   dps_error *err)
{
    const bool dot = dps_recipe_is_dot(&w->study->recipe);
    const int last = dot ? DPS_PROJECTION_COMPLEX_HADAMARD : DPS_PROJECTION_RADEMACHER;
    const int32_t low = dot ? 1 : 0; /* highest degree that H0/1 may carry */
    const bool has_low = dps_kernel_coefficient(&configured->kernel, 0) > 0 ||
                         (dot && dps_kernel_coefficient(&configured->kernel, 1) > 0);
    dps_status status = DPS_OK;
    for (int p = 0; p <= last; p++) {
        const dps_projection projection = (dps_projection)p;
        for (int m = 0; m <= DPS_MEASURE_VARIANCE; m++) {
            const dps_measure measure = (dps_measure)m;
            for (int32_t on = 0; on <= has_low && status == DPS_OK; on++) {
                char name[96];
                dps_map_request asked = *configured;
                asked.projection = projection;
                asked.measure = measure;
                asked.exact_degree = on ? low : DPS_EXACT_NONE;
                snprintf(name, sizeof name, "%s%s%s%s",
                         dot ? dps_name_of(dps_projection_names, projection) : "", dot ? ", " : "",
                         dps_name_of(dps_measure_names, measure),
                         !on   ? ", none exact"
                         : dot ? ", h01"
                               : ", degree 0 exact");
                status = measure_curve(w, &asked, name, err);
            }
        }
    }
    return status;
}

static dps_status compare_maps(const study_work *w, const dps_map_request *configured,
                               dps_error *err)
{
    dps_map_request asked = *configured;
    if (configured->type == DPS_MAP_NONE) {
        return DPS_OK;
    }
    if (configured->type == DPS_MAP_FOURIER) {
        asked.orthogonal = !configured->orthogonal;
        return configured->base == DPS_BASE_RBF
                   ? measure_curve(w, &asked, asked.orthogonal ? "orthogonal" : "not orthogonal",
                                   err)
                   : DPS_OK;
    }
    asked.measure = DPS_MEASURE_GEOMETRIC;
    asked.allocation = DPS_ALLOCATION_IID;
    asked.projection = DPS_PROJECTION_RADEMACHER;
    asked.truncate = 0;
    asked.craft = 1;
    asked.collapse = false;
    asked.exact_degree = DPS_EXACT_NONE;
    DPS_TRY(measure_curve(w, &asked, "the paper's", err));
    return compare_measures(w, configured, err);
}

/* --- the whole ----------------------------------------------------------------------------- */

enum { MOST_CURVES = 2 + 5 * 3 * 2 };

static dps_status measure_all(study_work *w, dps_map_request *asked, dps_error *err)
{
    dps_study *study = w->study;
    dps_study_request *request = &study->request;
    dps_map_facts facts;
    asked->features = request->size[request->sizes - 1];
    DPS_TRY(plan(w, asked, &study->recipe, &facts, err));
    DPS_TRY(dps_study_rows_kernel(&w->rows, &study->recipe, err));
    /* the same kernel for every map, and its widths found once */
    asked->kernel = study->recipe.kernel;
    asked->base_gamma = study->recipe.base_gamma;
    study->mean_diagonal = facts.mean_diagonal;
    if (isnan(request->epsilon)) {
        request->epsilon = 0.1 * facts.mean_diagonal;
    }
    study->has_bounds = asked->type == DPS_MAP_MACLAURIN || asked->type == DPS_MAP_COMPOSITIONAL;
    if (study->has_bounds) {
        study->terms = dps_bound_terms_of(&study->recipe, study->radius1, study->columns);
    }
    DPS_NEED(study->curve, MOST_CURVES, "the study", err);
    DPS_TRY(measure_curve(w, asked, "configured", err));
    if (study->curve[0].reason[0] != '\0') {
        return dps_error_set(err, DPS_ERROR_CONFIG, "%s", study->curve[0].reason);
    }
    return request->compare ? compare_maps(w, asked, err) : DPS_OK;
}

static void default_sizes(dps_study_request *request)
{
    static const int32_t size[] = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
    if (request->sizes == 0) {
        request->sizes = (int32_t)(sizeof size / sizeof size[0]);
        memcpy(request->size, size, sizeof size);
    }
}

dps_status dps_kernel_study(const dps_options *options, const dps_study_request *request,
                            const dps_run *run, dps_study *study, dps_error *err)
{
    dps_settings settings;
    study_work w = {.study = study, .run = run, .quiet = *run};
    const double begin = dps_now();
    w.quiet.log = NULL;
    memset(study, 0, sizeof *study);
    study->request = *request;
    default_sizes(&study->request);
    DPS_TRY(dps_settings_read(options, &settings, err));
    DPS_TRY(dps_settings_refuse_of_training(options, &settings, "kernel", err));
    DPS_TRY(dps_dataset_load(&settings.load, run, &w.data, err));
    dps_log_text(run, DPS_NORMAL, "input: %s", w.data.note);
    w.source = dps_dataset_rows(&w.data);
    study->data_rows = w.source.rows;
    study->columns = w.source.columns;
    study->radius1 = w.data.scaler.radius1;
    study->radius2 = w.data.scaler.radius2;
    dps_status status =
        dps_study_rows_init(&w.rows, &w.data, request->rows, settings.request.seed, err);
    if (status == DPS_OK) {
        study->request.rows = w.rows.tile.rows;
        status = measure_all(&w, &settings.request, err);
    }
    dps_study_rows_release(&w.rows);
    dps_dataset_release(&w.data);
    study->seconds = dps_now() - begin;
    if (status != DPS_OK) {
        dps_study_release(study);
    }
    return status;
}

void dps_study_release(dps_study *study)
{
    for (int32_t c = 0; c < study->curves; c++) {
        dps_free(study->curve[c].point);
    }
    dps_free(study->curve);
    memset(study, 0, sizeof *study);
}

/* --- comparisons --------------------------------------------------------------------------- */

/* Where the curve's x (width or time) is `wanted`. */
static double error_where(const dps_study_curve *curve, int32_t sizes, bool time, double wanted)
{
    for (int32_t k = 0; k + 1 < sizes; k++) {
        const dps_study_point *a = &curve->point[k], *b = a + 1;
        const double left = time ? a->seconds : a->width, right = time ? b->seconds : b->width;
        if (!a->made || !b->made || !(left > 0 && left <= wanted && wanted <= right)) {
            continue;
        }
        const double low = log(a->error[DPS_STUDY_MEAN].mean);
        const double high = log(b->error[DPS_STUDY_MEAN].mean);
        const double share = right > left ? log(wanted / left) / log(right / left) : 0;
        return exp(low + share * (high - low));
    }
    return NAN;
}

double dps_study_at_equal_width(const dps_study *study, int32_t curve, int32_t k)
{
    return error_where(&study->curve[curve], study->request.sizes, false,
                       study->curve[0].point[k].width);
}

double dps_study_at_equal_time(const dps_study *study, int32_t curve, int32_t k)
{
    return error_where(&study->curve[curve], study->request.sizes, true,
                       study->curve[0].point[k].seconds);
}
