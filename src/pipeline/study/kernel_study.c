/* Task: the error of random maps on pairs of the user's rows, by D and by map.
 *
 *   K      exact kernel matrix of up to 384 sampled rows (study_rows.c)
 *   e_ij   the errors of maps of several seeds on all pairs (study_map.c)
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
#include "map_layout.h"
#include "settings.h"
#include "study_map.h"
#include "study_rows.h"

typedef struct study_work {
    dps_study *study;
    const dps_run *run;
    dps_run quiet; /* planning warns of coverage, which the table has */
    dps_dataset data;
    dps_row_source source;
    dps_study_rows rows;
} study_work;

/* --- one point of a curve ------------------------------------------------------------------ */

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
                                int32_t features, dps_study_curve *curve, dps_study_point *point,
                                dps_error *err)
{
    dps_map_request asked = *configured;
    dps_map_recipe recipe;
    dps_map_facts facts;
    dps_error reason;
    asked.features = features;
    const dps_status status = plan(w, &asked, &recipe, &facts, &reason);
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
    dps_study_point_facts(point, &facts);
    return dps_study_measure(&w->rows, &recipe, w->source.columns, w->study->request.runs, w->run,
                             point, err);
}

static dps_status measure_curve(const study_work *w, const dps_map_request *asked, const char *name,
                                dps_error *err)
{
    dps_study *study = w->study;
    const dps_study_request *request = &study->request;
    dps_study_curve *curve = &study->curve[study->curves];
    snprintf(curve->name, sizeof curve->name, "%s", name);
    curve->point = dps_alloc((size_t)request->sizes, sizeof *curve->point);
    study->curves++;
    dps_status status = curve->point == NULL
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
        status = measure_point(w, asked, request->size[k], curve, &curve->point[k], err);
    }
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
    dps_free(study->metric.t);
    dps_free(study->metric.feature);
    dps_free(study->metric.length);
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
