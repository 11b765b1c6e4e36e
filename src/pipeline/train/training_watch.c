/* Task: after every pass of the solver a point of the learning curve, and, where rows are held out,
 * their score; with early stopping, the end of the work.
 *
 * Early stopping: the iterate with the best score so far is kept (the first of equals); after N
 * passes without a better one the solver ends. What training returns is that iterate. The score is
 * tune.metric on the rows of data.validation: a function of the weights, the same for any number of
 * threads, so that the choice is, too. Its state is part of the solver's checkpoint.
 *
 * Cost: a pass of scores over the held-out rows, and a copy of the weights where they are better.
 */
#include "training_watch.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "job_limits.h"
#include "metric_value.h"
#include "row_exchange.h"
#include "row_subset.h"
#include "tile_kernels.h"
#include "tile_loop.h"

struct dps_watch {
    dps_training *t;
    dps_pass_observer observer;
    dps_curve *curve;
    double began, paused; /* of dps_now; seconds spent on scores */
    /* rows of data.validation; stream NULL: none */
    dps_dataset file;
    dps_labelled_rows rows;
    dps_feature_stream *stream;
    double *score; /* models x rows */
    /* early stopping */
    int64_t patience; /* 0: off */
    int64_t best_pass;
    double best_score; /* times the metric's sign */
    double *best_w;    /* models x length */
};

/* ---- the held-out rows ----------------------------------------------------------------------- */

typedef struct scoring {
    const dps_watch *watch;
    const dps_pass_report *report;
} scoring;

static dps_status score_tile(void *context, int64_t k, void *memory, dps_error *err)
{
    const dps_watch *watch = ((const scoring *)context)->watch;
    const dps_pass_report *report = ((const scoring *)context)->report;
    const dps_tile_source *source = dps_feature_stream_source(watch->stream);
    dps_z_tile z;
    DPS_TRY(dps_fetch(source, k, memory, &z, err));
    for (int32_t m = 0; m < report->models; m++) {
        dps_tile_scores(
            watch->t->run->simd, &z, report->w + (size_t)m * report->length, NULL, z.rows,
            watch->score + (size_t)m * (size_t)source->rows + (size_t)k * DPS_TILE_ROWS);
    }
    return DPS_OK;
}

static dps_status score_rows(const dps_watch *watch, const dps_pass_report *report, dps_error *err)
{
    const dps_tile_source *source = dps_feature_stream_source(watch->stream);
    const int64_t tiles = dps_tile_count(source->rows);
    scoring s = {watch, report};
    const dps_tile_loop loop = {.tiles = tiles,
                                .threads = dps_run_threads(watch->t->run, tiles),
                                .bytes = dps_fetch_bytes(source),
                                .visit = score_tile,
                                .context = &s};
    return dps_tile_loop_run(&loop, err);
}

/* A file of data.validation, scaled and labelled as the training rows. */
static dps_status read_file(dps_watch *watch, dps_error *err)
{
    const dps_training *t = watch->t;
    const char *path = t->settings.validation_file;
    dps_load_options load = t->settings.load;
    load.paths = &path;
    load.read.arrays = NULL;
    load.path_count = 1;
    load.weights = NULL;
    load.hold_out = NULL;
    load.cache = NULL;
    load.read.labels = DPS_LABELS_REQUIRED;
    load.read.table.model_weights = true;
    DPS_TRY(dps_dataset_load_as(&load, &t->data, t->run, &watch->file, err));
    watch->rows = dps_labelled_rows_of(&watch->file);
    return DPS_OK;
}

/* What ends the work must have a score. All. */
static dps_status check_metric(const dps_watch *watch, dps_error *err)
{
    const dps_training *t = watch->t;
    const dps_comm *comm = watch->rows.x.total_rows > 0 ? t->run->comm : NULL;
    const int32_t *label = watch->rows.label;
    int64_t rows = watch->rows.x.rows;
    void *all = NULL;
    dps_status status = DPS_OK;
    if (watch->rows.target != NULL) {
        return DPS_OK;
    }
    if (comm != NULL) {
        status = dps_gather_items(comm, label, rows, sizeof *label, &all, err);
        label = all;
        rows = dps_comm_sum(comm, rows);
    }
    if (status == DPS_OK && !dps_metric_applies(watch->curve->metric, label, NULL, 0, rows)) {
        status = dps_options_error(t->options, DPS_OPT_solver_early_stopping, err,
                                   "%s needs rows of two classes in data.validation, which has "
                                   "only one: give it more rows, or use tune.metric = accuracy",
                                   dps_name_of(dps_metric_names, watch->curve->metric));
    }
    dps_free(all);
    return dps_comm_agree(comm, status, err);
}

static dps_status take_rows(dps_watch *watch, dps_error *err)
{
    const dps_training *t = watch->t;
    dps_status status = DPS_OK;
    watch->rows = dps_held_rows_of(&t->data);
    if (t->settings.validation_file[0] != '\0') {
        status = read_file(watch, err);
    }
    status = dps_comm_agree(t->run->comm, status, err);
    if (status != DPS_OK || dps_rows_of_all(&watch->rows.x) == 0) {
        return status;
    }
    if (watch->patience > 0) {
        DPS_TRY(check_metric(watch, err));
    }
    size_t used = t->plan.needed + (t->problem.source->resident ? t->plan.tile_bytes : 0);
    DPS_TRY(dps_feature_stream_new(&watch->stream, &watch->rows.x, t->mapped.map, t->settings.bias,
                                   t->run->memory > used ? t->run->memory - used : 0, t->run, err));
    DPS_NEED(watch->score, (size_t)watch->rows.x.rows * (size_t)t->solution.models,
             "scores of data.validation", err);
    return DPS_OK;
}

/* ---- after a pass ---------------------------------------------------------------------------- */

static void judge(dps_watch *watch, const dps_pass_report *report, double score, bool *stop)
{
    const double value = dps_metric_sign(watch->curve->metric) * score;
    if (watch->best_pass == 0 || value > watch->best_score ||
        (isnan(watch->best_score) && !isnan(value))) {
        watch->best_score = value;
        watch->best_pass = report->iteration;
        memcpy(watch->best_w, report->w, (size_t)report->models * report->length * sizeof(double));
    }
    *stop = report->iteration - watch->best_pass >= watch->patience;
}

static dps_status after_pass(void *context, const dps_pass_report *report, bool *stop,
                             dps_error *err)
{
    dps_watch *watch = context;
    const double now = dps_now();
    dps_curve_point point = {.solver = report->solver,
                             .pass = report->iteration,
                             .seconds = now - watch->began - watch->paused,
                             .objective = report->objective,
                             .gap = report->gap,
                             .score = NAN};
    dps_status status = DPS_OK;
    *stop = false;
    if (watch->stream != NULL) {
        const dps_comm *comm = watch->rows.x.total_rows > 0 ? watch->t->run->comm : NULL;
        status = dps_comm_agree(comm, score_rows(watch, report, err), err);
        DPS_THEN(status,
                 dps_metric_of_ranks(watch->curve->metric, &watch->t->problem, watch->rows.label,
                                     watch->rows.target, watch->score, watch->rows.weight,
                                     watch->rows.x.rows, comm, &point.score, NULL, err));
        if (status == DPS_OK && watch->patience > 0) {
            judge(watch, report, point.score, stop);
        }
    }
    watch->paused += dps_now() - now;
    return status == DPS_OK ? dps_curve_add(watch->curve, &point, err) : status;
}

static void list_state(void *context, dps_state *state)
{
    dps_watch *watch = context;
    const dps_solution *solution = &watch->t->solution;
    if (watch->patience > 0) {
        DPS_STATE_ADD(state, "best_pass", watch->best_pass);
        DPS_STATE_ADD(state, "best_score", watch->best_score);
        dps_state_add(state, "best_weights", watch->best_w,
                      (size_t)solution->models * solution->length * sizeof(double));
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

dps_status dps_watch_new(dps_watch **watch, dps_training *t, dps_error *err)
{
    const bool drawn = t->options->output_curve[0] != '\0' || t->options->output_plot[0] != '\0';
    *watch = NULL;
    if (!drawn && t->settings.early_stopping == 0) {
        return DPS_OK;
    }
    const size_t weights = (size_t)t->solution.models * t->solution.length;
    dps_watch *w;
    DPS_NEED_ON_ALL(t->run->comm, w, 1, "the learning curve", err);
    w->t = t;
    w->observer = (dps_pass_observer){.context = w,
                                      .stops = t->settings.early_stopping > 0,
                                      .after_pass = after_pass,
                                      .list_state = list_state};
    w->curve = &t->result->curve;
    w->curve->metric = t->settings.validation.metric;
    w->patience = t->settings.early_stopping;
    dps_status status = take_rows(w, err);
    if (status == DPS_OK && w->patience > 0) {
        w->best_w = dps_alloc(weights, sizeof *w->best_w);
        status = w->best_w == NULL
                     ? dps_out_of_memory(err, weights, sizeof *w->best_w, "the best weights")
                     : DPS_OK;
    }
    if (status != DPS_OK) {
        dps_watch_free(w);
        return status;
    }
    w->began = dps_now();
    *watch = w;
    return DPS_OK;
}

const dps_pass_observer *dps_watch_observer(const dps_watch *watch)
{
    return watch == NULL ? NULL : &watch->observer;
}

/* Where a later iterate would have been returned, the validation rows have ended the work. */
static dps_status restore_best(dps_watch *watch, dps_training *t, dps_error *err)
{
    dps_solution *solution = &t->solution;
    const size_t bytes = (size_t)solution->models * solution->length * sizeof(double);
    if (memcmp(solution->w, watch->best_w, bytes) == 0) {
        return DPS_OK;
    }
    memcpy(solution->w, watch->best_w, bytes);
    solution->outcome = DPS_STOPPED_EARLY;
    return dps_solution_certify(&t->problem, t->settings.solver_settings.tolerance, t->run,
                                solution, err);
}

dps_status dps_watch_finish(dps_watch *watch, dps_training *t, dps_error *err)
{
    if (watch == NULL || watch->patience == 0 || watch->best_pass == 0) {
        return DPS_OK;
    }
    watch->curve->best_pass = watch->best_pass;
    watch->curve->best_score = dps_metric_sign(watch->curve->metric) * watch->best_score;
    return restore_best(watch, t, err);
}

void dps_watch_free(dps_watch *watch)
{
    if (watch != NULL) {
        dps_feature_stream_free(watch->stream);
        dps_dataset_release(&watch->file);
        dps_free(watch->score);
        dps_free(watch->best_w);
        dps_free(watch);
    }
}
