/* Task: the measure of `map.measure = auto` and D of `map.features = auto`. Rows: a stratified
 * sample of 4096 rows, which keeps rare classes (trial_rows.c). Each map is planned on all rows, as
 * training will plan it, and scored on the sample by the folds of cross_validation.c. Measure, at D
 * = map.features or 512, whichever is less (512 where D is automatic): geometric p = 2, geometric p
 * = 1.3, coefficient, variance; what the kernel or the map refuses is left out. Then D = 64, 128,
 * 256, ... until two values in a row are no better than the best before them by more than one
 * standard error of the paired difference, or the next one would bring the sum of rows x D over
 * 2^24. What memory cannot hold is refused, so that no choice depends on it. Two, because a target
 * of high degree is at chance until its degree is drawn often enough. Chosen in both: the first
 * that is as good as the best (ladder.h). C is solver.C, or 1 where it is automatic, and is chosen
 * after the map: with map.scale = unit the same C means about the same for every map. Each map is
 * built anew: the work doubles with D, so that what could be kept of the earlier maps is less than
 * the last one costs. Cost: folds x maps solves on the sample. */
#include "choose_map.h"

#include <math.h>
#include <stdio.h>
#include "comm.h"
#include "job_limits.h"
#include "model_selection.h"
#include "trial.h"

enum { MOST_ROWS = 4096, MEASURE_FEATURES = 512, FIRST_FEATURES = 64, PATIENCE = 2 };
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

/* ---- one map --------------------------------------------------------------------------------- */

typedef struct chooser {
    const dps_trial_base *base;
    dps_map_request *request; /* so far */
    dps_run silent;
    dps_trial_rows sample;
    int64_t rows; /* of it */
} chooser;

/* Adds a map to the ladder; on error it is as before. */
static dps_status try_map(const chooser *c, const dps_map_request *asked, dps_ladder *ladder,
                          dps_error *err)
{
    const dps_settings *settings = c->base->settings;
    const dps_scaler *scaler = &c->base->data->scaler;
    const dps_row_source all = dps_dataset_rows(c->base->data);
    dps_map_recipe recipe;
    dps_map_facts facts;
    DPS_TRY(dps_map_plan(asked, &all, scaler->radius1, scaler->radius2, scaler->dense, &c->silent,
                         &recipe, &facts, err));
    const dps_trial trial = {.base = c->base,
                             .rows = &c->sample.view[0].rows,
                             .bytes = c->sample.bytes,
                             .fold = c->sample.fold,
                             .folds = ladder->folds,
                             .metric = ladder->metric,
                             .recipe = &recipe,
                             .facts = &facts,
                             .solve = settings->solver_settings,
                             .C = &settings->C,
                             .count = 1};
    dps_rung *rung = dps_ladder_add(ladder, err);
    dps_trial_scores scores = {.record = rung == NULL ? NULL : rung->score};
    dps_status status = rung == NULL ? DPS_ERROR_MEMORY : DPS_OK;
    DPS_THEN(status, dps_trial_run(&trial, &c->silent, &scores, err));
    if (status != DPS_OK) {
        dps_ladder_drop(ladder, rung);
        return status;
    }
    rung->features = asked->features;
    rung->width = facts.width;
    rung->spread = dps_spread_of(rung->score, ladder->folds);
    return DPS_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void log_head(const chooser *c, const dps_ladder *ladder, const char *what)
{
    char how[64];
    dps_ladder_how(ladder->folds, how, sizeof how);
    dps_log_text(c->base->run, DPS_NORMAL,
                 "%s by %s on %lld rows in %.2f s: %s and standard error:", what, how,
                 (long long)ladder->rows, ladder->seconds,
                 dps_name_of(dps_metric_names, ladder->metric));
}

static void log_rung(const chooser *c, const dps_rung *rung, const char *name)
{
    char error[32] = "";
    if (!isnan(rung->spread.error)) {
        snprintf(error, sizeof error, " +- %.4f", rung->spread.error);
    }
    dps_log_text(c->base->run, DPS_NORMAL, "  %s  %.4f%s%s%s", name, rung->spread.mean, error,
                 rung->best ? "  best" : "",
                 rung->chosen ? "  chosen (first within one standard error of the best)" : "");
}

/* ---- measure, then features ------------------------------------------------------------------ */

static dps_status choose_measure(const chooser *c, dps_ladder *ladder, dps_error *err)
{
    const double begin = dps_now();
    int32_t tried[MEASURES] = {0};
    dps_error reason[MEASURES];
    dps_map_request asked = *c->request;
    if (c->base->settings->choose_features || asked.features > MEASURE_FEATURES) {
        asked.features = MEASURE_FEATURES;
    }
    for (int32_t m = 0; m < MEASURES; m++) {
        asked.measure = measures[m].measure;
        asked.p = measures[m].p;
        const dps_status status = try_map(c, &asked, ladder, &reason[m]);
        tried[m] = status == DPS_OK ? ladder->count - 1 : -1;
        if (status == DPS_OK) {
            ladder->rung[tried[m]].name = measures[m].name;
        } else if (status != DPS_ERROR_CONFIG && status != DPS_ERROR_NUMERIC) {
            *err = reason[m];
            return status;
        }
    }
    if (ladder->count == 0) { /* no measure is to blame */
        *err = reason[0];
        return err->status;
    }
    const int32_t chosen = dps_ladder_choose(ladder);
    char head[64];
    snprintf(head, sizeof head, "measure at D = %ld", (long)asked.features);
    ladder->seconds = dps_now() - begin;
    log_head(c, ladder, head);
    for (int32_t m = 0; m < MEASURES; m++) {
        char name[32];
        snprintf(name, sizeof name, "%-18s", measures[m].name);
        if (tried[m] < 0) {
            dps_log_text(c->base->run, DPS_NORMAL, "  %s  left out: %s", name, reason[m].text);
            continue;
        }
        log_rung(c, &ladder->rung[tried[m]], name);
        if (tried[m] == chosen) {
            c->request->measure = measures[m].measure;
            c->request->p = measures[m].p;
        }
    }
    return DPS_OK;
}

static dps_status choose_features(const chooser *c, dps_ladder *ladder, dps_error *err)
{
    const double begin = dps_now();
    const char *end = "no gain from more features";
    dps_map_request asked = *c->request;
    int64_t work = 0;
    asked.features = FIRST_FEATURES;
    while (!dps_ladder_level(ladder, PATIENCE)) {
        work += c->rows * asked.features;
        if (ladder->count > 0 && (work > most_work || ladder->count == DPS_RUNGS)) {
            end = "the next step would exceed the work of 2^24 rows x features";
            break;
        }
        const dps_status status = try_map(c, &asked, ladder, err);
        /* every one of a few features may be 0: more of them need not be */
        const bool too_few = status == DPS_ERROR_CONFIG && ladder->count == 0 &&
                             work + 2 * c->rows * asked.features <= most_work;
        if (status != DPS_OK && !too_few) {
            return status;
        }
        asked.features *= 2;
    }
    c->request->features = ladder->rung[dps_ladder_choose(ladder)].features;
    ladder->seconds = dps_now() - begin;
    log_head(c, ladder, "features");
    for (int32_t j = 0; j < ladder->count; j++) {
        char name[64];
        snprintf(name, sizeof name, "D = %-6ld  D' = %-6ld", (long)ladder->rung[j].features,
                 (long)ladder->rung[j].width);
        log_rung(c, &ladder->rung[j], name);
    }
    dps_log_text(c->base->run, DPS_NORMAL, "  ended: %s", end);
    return DPS_OK;
}

static dps_status choose(chooser *c, dps_ladder *measure, dps_ladder *features, dps_error *err)
{
    const dps_settings *settings = c->base->settings;
    const dps_labelled_rows *rows = &c->sample.view[0].rows;
    c->rows = rows->x.rows;
    DPS_TRY(dps_selection_deal(settings, c->base->options, rows->label, c->rows,
                               dps_trial_classes(c->base), c->sample.fold, err));
    measure->rows = features->rows = c->rows;
    DPS_TRY(settings->choose_measure ? choose_measure(c, measure, err) : DPS_OK);
    return settings->choose_features ? choose_features(c, features, err) : DPS_OK;
}

dps_status dps_choose_map(const dps_trial_base *base, dps_map_request *request, dps_ladder *measure,
                          dps_ladder *features, dps_error *err)
{
    const dps_settings *settings = base->settings;
    if (!settings->choose_measure && !settings->choose_features) {
        return DPS_OK;
    }
    chooser c = {.base = base, .request = request, .silent = *base->run};
    dps_error local;
    dps_error *said = err == NULL ? &local : err;
    c.silent.log = NULL; /* what is said is said about the map that is chosen */
    measure->metric = features->metric = settings->validation.metric;
    measure->folds = features->folds = settings->validation.folds;
    dps_status status = dps_trial_rows_take(&c.sample, base, MOST_ROWS, false, said);
    DPS_THEN(status, choose(&c, measure, features, said));
    dps_trial_rows_release(&c.sample);
    if (status == DPS_OK) { /* whatever processors there are, all go on with the same */
        dps_comm_broadcast(base->run->comm, 0, &request->measure, sizeof request->measure);
        dps_comm_broadcast(base->run->comm, 0, &request->features, sizeof request->features);
    }
    return status;
}
