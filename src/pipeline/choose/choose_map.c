/* Task: the measure of `map.measure = auto` and D of `map.features = auto`.
 * Rows: a stratified sample of 4096 rows, which keeps rare classes (choose_map_sample.c). Each map
 * is planned on all rows, as training will plan it, and scored on the sample by the folds of
 * cross_validation.c. Measure, at D = map.features or 512, whichever is less (512 where D is
 * automatic): geometric p = 2, geometric p = 1.3, coefficient, variance; what the kernel or the map
 * refuses is left out. Then D = 64, 128, 256, ... until two values in a row are no better than the
 * best before them by more than one standard error of the paired difference, or the next one would
 * bring the sum of rows x D over 2^24. What memory cannot hold is refused, so that no choice
 * depends on it. Two, because a target of high degree is at chance until its degree is drawn often
 * enough. Chosen in both: the first that is as good as the best up to one standard error (the rule
 * of choose_c.c). C is solver.C, or 1 where it is automatic, and is chosen after the map: with
 * map.scale = unit the same C means about the same for every map. Each map is built anew: the work
 * doubles with D, so that what could be kept of the earlier maps is less than the last one costs.
 * Cost: folds x maps solves on the sample. */
#include "choose_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "choose_map_sample.h"
#include "comm.h"
#include "job_limits.h"
#include "model_selection.h"
#include "number.h"
#include "training.h"

enum { MEASURE_FEATURES = 512, FIRST_FEATURES = 64, PATIENCE = 2 };
static const int64_t most_work = (int64_t)1 << 24; /* rows x features, summed over the steps */

static const struct {
    const char *name;
    dps_measure measure;
    double p;
} measures[] = {{"geometric, p = 2", DPS_MEASURE_GEOMETRIC, 2},
                {"geometric, p = 1.3", DPS_MEASURE_GEOMETRIC, 1.3},
                {"coefficient", DPS_MEASURE_COEFFICIENT, 2},
                {"variance", DPS_MEASURE_VARIANCE, 2}};
enum { MEASURES = sizeof measures / sizeof measures[0] };

/* ---- the rule -------------------------------------------------------------------------------- */

/* The first of the best of the first `count` steps. */
static int32_t best_of(const dps_map_steps *steps, int32_t count)
{
    int32_t best = 0;
    for (int32_t j = 1; j < count; j++) {
        if (dps_metric_better(steps->metric, steps->step[j].spread.mean,
                              steps->step[best].spread.mean)) {
            best = j;
        }
    }
    return best;
}

static bool as_good(const dps_map_steps *steps, int32_t a, int32_t b)
{
    return dps_within_one_error(steps->metric, steps->step[a].score, steps->step[b].score,
                                steps->folds);
}

int32_t dps_map_steps_choose(const dps_map_steps *steps)
{
    const int32_t best = best_of(steps, steps->count);
    int32_t chosen = 0;
    while (chosen < best && !as_good(steps, chosen, best)) {
        chosen++;
    }
    return chosen;
}

bool dps_map_steps_level(const dps_map_steps *steps)
{
    const int32_t before = steps->count - PATIENCE;
    if (before < 1) {
        return false;
    }
    const int32_t best = best_of(steps, before);
    for (int32_t j = before; j < steps->count; j++) {
        if (!as_good(steps, best, j)) {
            return false;
        }
    }
    return true;
}

static void release_steps(dps_map_steps *steps)
{
    for (int32_t j = 0; j < steps->count; j++) {
        dps_free(steps->step[j].score);
    }
}

/* ---- one map --------------------------------------------------------------------------------- */

typedef struct chooser {
    dps_training *t;
    dps_run silent;
    dps_problem all; /* of all rows, without source */
    dps_map_sample sample;
} chooser;

/* The score of every fold of the sample, on these tiles. */
static dps_status score_folds(chooser *c, const dps_tile_source *source, const dps_run *run,
                              dps_map_step *step, dps_error *err)
{
    const dps_settings *settings = &c->t->settings;
    dps_map_sample *s = &c->sample;
    dps_problem problem = c->all;
    problem.source = source;
    problem.label = s->label;
    problem.target = s->target;
    problem.row_weight = s->row_weight;
    dps_status status = DPS_OK;
    if (s->fold == NULL) {
        status = dps_selection_folds(settings, c->t->options, &problem, run, &s->fold, err);
    }
    const dps_cross_validation cv = {.problem = &problem,
                                     .solver = settings->solver,
                                     .settings = &settings->solver_settings,
                                     .fold = s->fold,
                                     .folds = settings->validation.folds,
                                     .metric = settings->validation.metric};
    for (int32_t f = 0; f < cv.folds && status == DPS_OK; f++) {
        dps_solution solution;
        dps_fold_result result;
        status = dps_solution_init(&solution, &problem, err);
        if (status == DPS_OK) {
            status = dps_cross_validate_fold(&cv, f, problem.C, run, &solution, NULL, &result, err);
            dps_solution_release(&solution);
        }
        if (status == DPS_OK) {
            dps_score_keep(step->score, cv.folds, f, &result);
        }
    }
    return status;
}

/* Adds a map to the steps; on error they are as before. */
static dps_status try_map(chooser *c, const dps_map_recipe *asked, dps_map_steps *steps,
                          dps_error *err)
{
    dps_training *t = c->t;
    const dps_scaler *scaler = &t->data.scaler;
    dps_settings settings = t->settings;
    dps_problem problem = c->all;
    dps_run run = c->silent;
    size_t left = 0;
    dps_map_facts facts;
    dps_map *map = NULL;
    dps_feature_stream *stream = NULL;
    dps_map_step step = {.features = asked->features};

    settings.recipe = *asked;
    dps_status status = dps_map_plan(&settings.recipe, &t->rows, scaler->radius1, scaler->radius2,
                                     scaler->dense, &c->silent, &facts, err);
    if (status == DPS_OK) {
        problem.label = c->sample.label;
        problem.target = c->sample.target;
        problem.row_weight = c->sample.row_weight;
        status = dps_comm_agree(t->run->comm,
                                dps_plan_trial(&settings, &t->data, &facts, &problem,
                                               c->sample.x.rows, c->sample.bytes, &run, &left, err),
                                err);
    }
    if (status != DPS_OK) {
        return status;
    }
    step.width = facts.width;
    step.score = dps_alloc(dps_score_length(steps->folds), sizeof *step.score);
    if (step.score == NULL) {
        return dps_out_of_memory(err, dps_score_length(steps->folds), sizeof *step.score,
                                 "the scores");
    }
    status = dps_map_new(&map, &settings.recipe, scaler->columns, &run, err);
    if (status == DPS_OK) {
        status =
            dps_feature_stream_new(&stream, &c->sample.rows, map, settings.bias, left, &run, err);
    }
    if (status == DPS_OK) {
        status = score_folds(c, dps_feature_stream_source(stream), &run, &step, err);
    }
    dps_feature_stream_free(stream);
    dps_map_free(map);
    if (status != DPS_OK) {
        dps_free(step.score);
        return status;
    }
    step.spread = dps_spread_of(step.score, steps->folds);
    steps->step[steps->count++] = step;
    return DPS_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void log_head(const chooser *c, const char *what, double begin)
{
    const dps_validation *v = &c->t->settings.validation;
    char how[64] = "held-out rows";
    if (v->folds > 1) {
        snprintf(how, sizeof how, "%ld-fold cross-validation", (long)v->folds);
    }
    dps_log_text(c->t->run, DPS_NORMAL,
                 "%s by %s on %lld rows in %.2f s: %s and standard error:", what, how,
                 (long long)c->sample.x.rows, dps_now() - begin, dps_metric_name(v->metric));
}

static void log_step(const chooser *c, const dps_map_steps *steps, int32_t j, const char *name)
{
    const dps_spread *s = &steps->step[j].spread;
    char error[32] = "";
    if (!isnan(s->error)) {
        snprintf(error, sizeof error, " +- %.4f", s->error);
    }
    dps_log_text(c->t->run, DPS_NORMAL, "  %s  %.4f%s%s%s", name, s->mean, error,
                 j == best_of(steps, steps->count) ? "  best" : "",
                 j == dps_map_steps_choose(steps)
                     ? "  chosen (first within one standard error of the best)"
                     : "");
}

/* The same for the report. */
static void keep_steps(const chooser *c, const dps_map_steps *steps, dps_map_search *search)
{
    search->count = steps->count;
    search->metric = steps->metric;
    search->rows = c->sample.x.rows;
    for (int32_t j = 0; j < steps->count; j++) {
        const dps_map_step *step = &steps->step[j];
        search->trial[j] = (dps_map_trial){.features = step->features,
                                           .width = step->width,
                                           .spread = step->spread,
                                           .best = j == best_of(steps, steps->count),
                                           .chosen = j == dps_map_steps_choose(steps)};
    }
}

/* ---- measure, then features ------------------------------------------------------------------ */

static dps_status choose_measure(chooser *c, dps_map_steps *steps, dps_error *err)
{
    dps_settings *settings = &c->t->settings;
    const double begin = dps_now();
    int32_t tried[MEASURES] = {0};
    dps_error reason[MEASURES];
    dps_map_recipe asked = settings->recipe;
    if (settings->choose_features || asked.features > MEASURE_FEATURES) {
        asked.features = MEASURE_FEATURES;
    }
    for (int32_t m = 0; m < MEASURES; m++) {
        asked.measure = measures[m].measure;
        asked.p = measures[m].p;
        const dps_status status = try_map(c, &asked, steps, &reason[m]);
        tried[m] = status == DPS_OK ? steps->count - 1 : -1;
        if (status != DPS_OK && status != DPS_ERROR_CONFIG && status != DPS_ERROR_NUMERIC) {
            *err = reason[m];
            return status;
        }
    }
    if (steps->count == 0) { /* no measure is to blame */
        *err = reason[0];
        return err->status;
    }
    const int32_t chosen = dps_map_steps_choose(steps);
    dps_map_search *search = &c->t->result->measure_search;
    keep_steps(c, steps, search);
    char head[64];
    snprintf(head, sizeof head, "measure at D = %ld", (long)asked.features);
    log_head(c, head, begin);
    for (int32_t m = 0; m < MEASURES; m++) {
        char name[32];
        snprintf(name, sizeof name, "%-18s", measures[m].name);
        if (tried[m] < 0) {
            dps_log_text(c->t->run, DPS_NORMAL, "  %s  left out: %s", name, reason[m].text);
            continue;
        }
        log_step(c, steps, tried[m], name);
        search->trial[tried[m]].measure = measures[m].name;
        if (tried[m] == chosen) {
            settings->recipe.measure = measures[m].measure;
            settings->recipe.p = measures[m].p;
        }
    }
    return DPS_OK;
}

static dps_status choose_features(chooser *c, dps_map_steps *steps, dps_error *err)
{
    dps_settings *settings = &c->t->settings;
    const double begin = dps_now();
    const char *end = "no gain from more features";
    dps_map_recipe asked = settings->recipe;
    int64_t work = 0;
    asked.features = FIRST_FEATURES;
    while (!dps_map_steps_level(steps)) {
        work += c->sample.x.rows * asked.features;
        if (steps->count > 0 && (work > most_work || steps->count == DPS_MAP_STEPS)) {
            end = "the next step would exceed the work of 2^24 rows x features";
            break;
        }
        const dps_status status = try_map(c, &asked, steps, err);
        /* every one of a few features may be 0: more of them need not be */
        const bool too_few = status == DPS_ERROR_CONFIG && steps->count == 0 &&
                             work + 2 * c->sample.x.rows * asked.features <= most_work;
        if (status != DPS_OK && !too_few) {
            return status;
        }
        asked.features *= 2;
    }
    settings->recipe.features = steps->step[dps_map_steps_choose(steps)].features;
    keep_steps(c, steps, &c->t->result->features_search);
    log_head(c, "features", begin);
    for (int32_t j = 0; j < steps->count; j++) {
        char name[64];
        snprintf(name, sizeof name, "D = %-6ld  D' = %-6ld", (long)steps->step[j].features,
                 (long)steps->step[j].width);
        log_step(c, steps, j, name);
    }
    dps_log_text(c->t->run, DPS_NORMAL, "  ended: %s", end);
    return DPS_OK;
}

static dps_status with_steps(chooser *c,
                             dps_status (*choose)(chooser *, dps_map_steps *, dps_error *),
                             dps_error *err)
{
    const dps_validation *v = &c->t->settings.validation;
    dps_map_steps steps = {.metric = v->metric, .folds = v->folds};
    const dps_status status = choose(c, &steps, err);
    release_steps(&steps);
    return status;
}

dps_status dps_choose_map(dps_training *t, dps_error *err)
{
    const dps_settings *settings = &t->settings;
    const dps_dataset *data = &t->data;
    if (!settings->choose_measure && !settings->choose_features) {
        return DPS_OK;
    }
    chooser c = {.t = t,
                 .silent = *t->run,
                 .all = {.target = data->target,
                         .label = data->label,
                         .classes = settings->loss->regression ? 1 : data->classes.count,
                         .class_weight = t->class_weight,
                         .row_weight = data->row_weight,
                         .loss = settings->loss,
                         .epsilon = settings->epsilon,
                         .C = settings->C}};
    dps_error local;
    dps_error *said = err == NULL ? &local : err;
    c.silent.log = NULL; /* what is said is said about the map that is chosen */
    dps_status status = dps_map_sample_take(&c.sample, t, c.all.classes, said);
    if (status == DPS_OK) {
        status = dps_selection_check(settings, t->options, c.all.classes, c.sample.x.rows, said);
    }
    if (status == DPS_OK && settings->choose_measure) {
        status = with_steps(&c, choose_measure, said);
    }
    if (status == DPS_OK && settings->choose_features) {
        status = with_steps(&c, choose_features, said);
    }
    dps_map_sample_release(&c.sample);
    if (status == DPS_OK) { /* whatever processors there are, all go on with the same */
        dps_map_recipe *recipe = &t->settings.recipe;
        dps_comm_broadcast(t->run->comm, 0, &recipe->measure, sizeof recipe->measure);
        dps_comm_broadcast(t->run->comm, 0, &recipe->features, sizeof recipe->features);
    }
    return status;
}
