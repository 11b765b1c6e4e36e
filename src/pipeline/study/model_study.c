/* Task: the error of a model's map on the kernel that it stands for.
 *
 *   K      f(<xT, yT>), k(xT, yT) or f(k(xT, yT)) as the map's kernel is; T = I unless map.refine =
 *          metric has learnt one (docs/algorithms.md, equation 38)
 *   model  the map of the model, of its own seed and moved as the model holds it
 *
 * T was learnt with this one draw of the map, so that the map's own error is not that of a draw
 * taken afterwards: maps of other seeds with the same T stand beside it, and theory speaks of
 * these. All rows are read and some sampled; Cost: as kernel_study.c, one or two kernels. */
#include "model_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "dataset.h"
#include "job_limits.h"
#include "map_projections.h"
#include "plan_options.h"
#include "prediction_steps.h"
#include "study_map.h"
#include "study_rows.h"

enum { MOST_CURVES = 3 };

typedef struct model_work {
    dps_study *study;
    const dps_run *run;
    dps_run quiet;
    dps_model model;
    dps_dataset data;
    dps_study_rows rows;
} model_work;

/* --- before rows are read ------------------------------------------------------------------ */

static dps_status load_model(model_work *w, const dps_predict_request *input, dps_error *err)
{
    dps_predictor predictor; /* whose making checks the map against the weights */
    DPS_TRY(dps_prediction_load(input->model_path, w->run, &w->model, &predictor, err));
    dps_predictor_release(&predictor);
    const dps_map_recipe *recipe = &w->model.recipe;
    if (recipe->refine != DPS_REFINE_PROJECTIONS || recipe->moved_count == 0) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, input->model_path, 0, 0,
                        "map.refine = projections has moved every projection by itself, and no "
                        "kernel in closed form stands behind such a map: its kernel is "
                        "<z(x), z(y)> itself, with no error (dpsvm transform writes z). Train with "
                        "map.refine = metric, or none, for a map with a kernel");
}

/* The sizes that are asked for, the model's own among them. */
static dps_status take_sizes(model_work *w, dps_error *err)
{
    dps_study_request *request = &w->study->request;
    dps_map_recipe recipe = w->model.recipe;
    const int32_t own = recipe.features;
    if (request->sizes > 0 && own == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--sizes: the model's map draws no features; leave it out");
    }
    int32_t at = 0;
    if (recipe.type == DPS_MAP_FOURIER) {
        recipe.kernel.gamma = 1; /* planning's, of the rows beside the cosines; never asked for */
    }
    for (int32_t k = 0; k < request->sizes; k++) {
        dps_error reason;
        recipe.features = request->size[k];
        const dps_status status = dps_check_map_options(&recipe, &reason);
        if (status != DPS_OK) {
            return dps_error_set(err, status, "--sizes: D = %ld: %s", (long)recipe.features,
                                 reason.text);
        }
        at += request->size[k] < own;
    }
    if (at < request->sizes && request->size[at] == own) {
        return DPS_OK;
    }
    if (request->sizes == DPS_STUDY_MOST_SIZES) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--sizes: expected at most %d beside the model's own D, %ld",
                             DPS_STUDY_MOST_SIZES - 1, (long)own);
    }
    memmove(request->size + at + 1, request->size + at,
            (size_t)(request->sizes - at) * sizeof *request->size);
    request->size[at] = own;
    request->sizes++;
    return DPS_OK;
}

/* --- the metric ---------------------------------------------------------------------------- */

/* An entry of T. */
static double entry(const dps_study_metric *metric, int32_t i, int32_t j)
{
    const size_t d = (size_t)metric->columns;
    if (metric->columns > DPS_FULL_METRIC) {
        return i == j ? (double)metric->t[i] : 0;
    }
    return (double)metric->t[(size_t)i * d + (size_t)j];
}

/* Row lengths, whose squares are the diagonal of M = T T^T, and tr(M)^2 / tr(M^2). */
static void measure_metric(dps_study_metric *metric)
{
    const int32_t d = metric->columns;
    const bool full = d <= DPS_FULL_METRIC;
    double trace = 0, square = 0;
    for (int32_t i = 0; i < d; i++) {
        for (int32_t j = full ? 0 : i; j < (full ? d : i + 1); j++) {
            double m = 0;
            for (int32_t k = full ? 0 : i; k < (full ? d : i + 1); k++) {
                m += entry(metric, i, k) * entry(metric, j, k);
            }
            square += m * m;
            if (i == j) {
                trace += m;
                metric->length[i] = sqrt(m);
            }
        }
    }
    metric->directions = square > 0 ? trace * trace / square : 0;
}

static dps_status take_metric(model_work *w, dps_error *err)
{
    const dps_model *model = &w->model;
    dps_study_metric *metric = &w->study->metric;
    const size_t count = (size_t)model->recipe.moved_count;
    if (count == 0) {
        return DPS_OK;
    }
    const int32_t d = model->scaler.columns;
    metric->columns = d;
    metric->alignment = NAN;
    metric->steps = model->refine_steps;
    metric->rows = model->refine_rows;
    DPS_NEED(metric->t, count, "the metric", err);
    DPS_NEED(metric->length, (size_t)d, "the metric", err);
    DPS_NEED(metric->feature, (size_t)d, "the metric", err);
    memcpy(metric->t, model->recipe.moved, count * sizeof *metric->t);
    for (int32_t j = 0; j < d; j++) {
        dps_feature_name(&model->table, model->scaler.index[j], metric->feature[j]);
    }
    measure_metric(metric);
    w->study->recipe.moved = metric->t;
    return DPS_OK;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* As predict reads them; all of them, then the sample. */
static dps_status read_rows(model_work *w, const dps_predict_request *input, dps_error *err)
{
    dps_study *study = w->study;
    const dps_dataset like = {
        .table = w->model.table, .scaler = w->model.scaler, .classes = w->model.classes};
    const dps_load_options load = {.paths = input->paths,
                                   .path_count = input->path_count,
                                   .read = {.format = input->format,
                                            .zero_based = input->zero_based,
                                            .labels = DPS_LABELS_OPTIONAL,
                                            .table = input->table}};
    DPS_TRY(dps_dataset_load_as(&load, &like, w->run, &w->data, err));
    if (strcmp(w->data.note, "libsvm") != 0) { /* something was guessed */
        dps_log_text(w->run, DPS_NORMAL, "input: %s", w->data.note);
    }
    study->data_rows = w->data.x.rows;
    study->columns = w->model.scaler.columns;
    DPS_TRY(dps_study_rows_init(&w->rows, &w->data, study->request.rows, study->recipe.seed, err));
    study->request.rows = w->rows.tile.rows;
    return DPS_OK;
}

/* --- curves -------------------------------------------------------------------------------- */

static dps_status begin_curve(dps_study *study, const char *name, dps_error *err)
{
    dps_study_curve *curve = &study->curve[study->curves++];
    snprintf(curve->name, sizeof curve->name, "%s", name);
    DPS_NEED(curve->point, (size_t)study->request.sizes, "the errors of a map", err);
    return DPS_OK;
}

/* The last curve's point k: maps of the recipe, whose seed is the first. */
static dps_status measure_point(const model_work *w, const dps_map_recipe *recipe, int32_t k,
                                int32_t runs, dps_error *err)
{
    const dps_study *study = w->study;
    dps_study_point *point = &study->curve[study->curves - 1].point[k];
    dps_map_recipe drawn = *recipe, covered;
    dps_map_facts facts;
    drawn.features = study->request.size[k];
    covered = drawn;
    if (recipe->moved != NULL && !(recipe->truncate > 0) && !dps_recipe_is_shift(recipe)) {
        /* of x T; the degrees that truncation drops stay those that it dropped by x */
        covered.largest_argument = study->radius2 * study->radius2;
    }
    const dps_status status = dps_map_facts_of(&covered, study->radius1, study->radius2,
                                               study->columns, &w->quiet, &facts, err);
    if (status != DPS_OK && !(status == DPS_ERROR_CONFIG && facts.max_degree_drawn >= 0)) {
        return status; /* a map whose features are all 0 is a map here */
    }
    dps_study_point_facts(point, &facts);
    return dps_study_measure(&w->rows, &drawn, study->columns, runs, w->run, point, err);
}

static dps_status measure_curve(const model_work *w, const char *name, const dps_map_recipe *recipe,
                                bool own_size, int32_t runs, dps_error *err)
{
    dps_study *study = w->study;
    DPS_TRY(begin_curve(study, name, err));
    for (int32_t k = 0; k < study->request.sizes; k++) {
        const dps_progress progress = {.stage = "measure",
                                       .fraction = -1,
                                       .iteration = (study->curves - 1) * study->request.sizes + k,
                                       .objective = NAN,
                                       .gap = NAN,
                                       .target = NAN};
        dps_log_progress(w->run, &progress);
        if (!own_size || study->request.size[k] == recipe->features) {
            DPS_TRY(measure_point(w, recipe, k, runs, err));
        }
    }
    return DPS_OK;
}

/* <A, B> / (|A| |B|) in the Frobenius norm, of symmetric matrices given by their lower triangles
 * (Cristianini, Shawe-Taylor, Elisseeff & Kandola 2001, "On kernel-target alignment"). */
static double alignment(const double *a, const double *b, int32_t rows)
{
    double ab = 0, aa = 0, bb = 0;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const size_t at = (size_t)i * (size_t)rows + (size_t)j;
            const double times = i == j ? 1 : 2;
            ab += times * a[at] * b[at];
            aa += times * a[at] * a[at];
            bb += times * b[at] * b[at];
        }
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

/* The kernel and the maps without the metric. Leaves the rows with that kernel. */
static dps_status measure_drawn(model_work *w, dps_error *err)
{
    const int32_t rows = w->rows.tile.rows;
    const size_t entries = (size_t)rows * (size_t)rows;
    dps_map_recipe drawn = w->study->recipe;
    double *learnt;
    drawn.moved = NULL;
    drawn.moved_count = 0;
    DPS_NEED(learnt, entries, "the kernel as drawn", err);
    memcpy(learnt, w->rows.kernel, entries * sizeof *learnt);
    dps_status status = dps_study_rows_kernel(&w->rows, &drawn, err);
    if (status == DPS_OK) {
        w->study->metric.alignment = alignment(learnt, w->rows.kernel, rows);
        status = measure_curve(w, "as drawn", &drawn, false, w->study->request.runs, err);
    }
    dps_free(learnt);
    return status;
}

static void describe_rows(model_work *w)
{
    dps_study *study = w->study;
    const int32_t rows = w->rows.tile.rows;
    double sum = 0;
    for (int32_t i = 0; i < rows; i++) {
        sum += w->rows.kernel[(size_t)i * ((size_t)rows + 1)];
    }
    study->mean_diagonal = sum / rows;
    study->radius1 = w->rows.radius1;
    study->radius2 = w->rows.radius2;
    if (isnan(study->request.epsilon)) {
        study->request.epsilon = 0.1 * study->mean_diagonal;
    }
    study->has_bounds =
        study->recipe.type == DPS_MAP_MACLAURIN || study->recipe.type == DPS_MAP_COMPOSITIONAL;
    if (study->has_bounds) {
        study->terms = dps_bound_terms_of(&study->recipe, study->radius1, study->columns);
    }
}

static dps_status measure_all(model_work *w, dps_error *err)
{
    dps_study *study = w->study;
    dps_map_recipe other = study->recipe;
    DPS_TRY(dps_study_rows_kernel(&w->rows, &study->recipe, err));
    describe_rows(w);
    DPS_NEED(study->curve, MOST_CURVES, "the study", err);
    DPS_TRY(measure_curve(w, "model", &study->recipe, true, 1, err));
    if (study->recipe.features > 0) {
        other.seed++;
        DPS_TRY(measure_curve(w, "other seeds", &other, false, study->request.runs, err));
    }
    return study->metric.columns > 0 ? measure_drawn(w, err) : DPS_OK;
}

/* --- the whole ----------------------------------------------------------------------------- */

static dps_status study_model(model_work *w, const dps_predict_request *input, dps_error *err)
{
    DPS_TRY(take_sizes(w, err));
    w->study->recipe = w->model.recipe;
    DPS_TRY(take_metric(w, err));
    DPS_TRY(read_rows(w, input, err));
    return measure_all(w, err);
}

dps_status dps_model_study(const dps_predict_request *input, const dps_study_request *request,
                           const dps_run *run, dps_study *study, dps_error *err)
{
    const double begin = dps_now();
    model_work w = {.study = study, .run = run, .quiet = *run};
    w.quiet.log = NULL;
    *study = (dps_study){.request = *request, .model = input->model_path};
    dps_status status = load_model(&w, input, err);
    DPS_THEN(status, study_model(&w, input, err));
    dps_study_rows_release(&w.rows);
    dps_dataset_release(&w.data);
    dps_model_release(&w.model);
    study->seconds = dps_now() - begin;
    if (status != DPS_OK) {
        dps_study_release(study);
    }
    return status;
}
