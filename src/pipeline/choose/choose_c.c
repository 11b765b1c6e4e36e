/* Task: C of `solver.C = auto`.
 * Every fold is solved along C = 2^-6, 2^-4, ..., 2^12, each solve starting at the last one's
 * weights where the solver takes them (the path of Hastie, Rosset, Tibshirani & Zhu 2004, on a
 * grid); the path ends early when three values in a row are worse than the best by more than one
 * standard error. Then the two values beside the best one, a factor of two apart. Chosen: the
 * smallest C that is as good as the best up to one standard error of the mean difference, fold by
 * fold (the rule of Breiman, Friedman, Olshen & Stone 1984, section 3.4.3, with paired folds).
 * Cost: at most 12 x folds solves; the features are the training's own. */
#include "choose_c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "job_limits.h"
#include "number.h"

enum { FIRST = -6, LAST = 12, STEP = 2, PATIENCE = 3 };

/* The first of the best. */
static int32_t best_of(const dps_c_search *search)
{
    int32_t best = 0;
    for (int32_t j = 1; j < search->count; j++) {
        if (dps_metric_better(search->metric, search->candidate[j].spread.mean,
                              search->candidate[best].spread.mean)) {
            best = j;
        }
    }
    return best;
}

static void log_try(const dps_run *run, double tried)
{
    const double most = (LAST - FIRST) / STEP + 3;
    dps_log_progress(run, &(dps_progress){.stage = "choose C",
                                          .fraction = tried / most,
                                          .iteration = -1,
                                          .objective = NAN,
                                          .gap = NAN,
                                          .target = NAN});
}

/* Adds C to the table, in its place. */
static dps_status try_value(const dps_cross_validation *cv, double C, dps_solution *solution,
                            const dps_run *run, dps_c_search *search, dps_error *err)
{
    dps_c_candidate candidate = {.C = C};
    const size_t length = dps_score_length(cv->folds);
    candidate.score = dps_alloc(length, sizeof *candidate.score);
    if (candidate.score == NULL) {
        return dps_out_of_memory(err, length, sizeof *candidate.score, "the scores of folds");
    }
    for (int32_t f = 0; f < cv->folds; f++) {
        dps_fold_result result;
        dps_status status =
            dps_cross_validate_fold(cv, f, C, run, &solution[f], NULL, &result, err);
        if (status != DPS_OK) {
            dps_free(candidate.score);
            return status;
        }
        dps_score_keep(candidate.score, cv->folds, f, &result);
        log_try(run, search->count + (f + 1.0) / cv->folds);
    }
    candidate.spread = dps_spread_of(candidate.score, cv->folds);
    int32_t at = search->count++;
    for (; at > 0 && search->candidate[at - 1].C > C; at--) {
        search->candidate[at] = search->candidate[at - 1];
    }
    search->candidate[at] = candidate;
    return DPS_OK;
}

/* The last PATIENCE values are clearly worse than the best. */
static bool past_the_best(const dps_c_search *search)
{
    const int32_t best = best_of(search);
    if (search->count < PATIENCE + 1) {
        return false;
    }
    for (int32_t j = search->count - PATIENCE; j < search->count; j++) {
        if (dps_within_one_error(search->metric, search->candidate[j].score,
                                 search->candidate[best].score, search->folds)) {
            return false;
        }
    }
    return true;
}

static dps_status walk(const dps_cross_validation *cv, dps_solution *solution, const dps_run *run,
                       dps_c_search *search, dps_error *err)
{
    dps_status status = DPS_OK;
    for (int e = FIRST; e <= LAST && status == DPS_OK && !past_the_best(search); e += STEP) {
        status = try_value(cv, ldexp(1, e), solution, run, search, err);
    }
    if (status != DPS_OK) {
        return status;
    }
    const double C = search->candidate[best_of(search)].C;
    status = try_value(cv, 2 * C, solution, run, search, err);
    if (status == DPS_OK) {
        status = try_value(cv, C / 2, solution, run, search, err);
    }
    return status;
}

static void choose(dps_c_search *search)
{
    const int32_t best = best_of(search);
    int32_t chosen = 0;
    while (chosen < best && !dps_within_one_error(search->metric, search->candidate[chosen].score,
                                                  search->candidate[best].score, search->folds)) {
        chosen++;
    }
    search->candidate[best].best = true;
    search->candidate[chosen].chosen = true;
    search->C = search->candidate[chosen].C;
}

static void log_table(const dps_c_search *search, const dps_run *run)
{
    char how[64] = "held-out rows";
    if (search->folds > 1) {
        snprintf(how, sizeof how, "%ld-fold cross-validation", (long)search->folds);
    }
    dps_log_text(run, DPS_NORMAL, "C by %s in %.2f s: %s%s:", how, search->seconds,
                 dps_metric_name(search->metric),
                 search->folds > 1 ? ", mean and standard deviation over folds" : "");
    for (int32_t j = 0; j < search->count; j++) {
        const dps_c_candidate *c = &search->candidate[j];
        char number[DPS_NUMBER_MAX], deviation[32] = "";
        dps_format_double(number, c->C);
        if (!isnan(c->spread.deviation)) {
            snprintf(deviation, sizeof deviation, " +- %.4f", c->spread.deviation);
        }
        dps_log_text(run, DPS_NORMAL, "  C = %-10s  %.4f%s%s%s", number, c->spread.mean, deviation,
                     c->best ? "  best" : "",
                     c->chosen ? "  chosen (smallest C within one standard error)" : "");
    }
    const double edge = search->candidate[search->count - 1].C;
    if (search->C >= ldexp(1, LAST) && search->C <= edge) {
        dps_log_text(run, DPS_WARNING,
                     "the best C is at the end of what solver.C = auto tries: more map.features or "
                     "another kernel may do better than a larger solver.C");
    }
}

dps_status dps_choose_c(const dps_cross_validation *cv, const dps_run *run, dps_c_search *search,
                        dps_error *err)
{
    const double begin = dps_now();
    dps_solution *solution = dps_alloc((size_t)cv->folds, sizeof *solution);
    dps_status status = DPS_OK;
    *search = (dps_c_search){.metric = cv->metric, .folds = cv->folds};
    if (solution == NULL) {
        return dps_out_of_memory(err, (size_t)cv->folds, sizeof *solution, "the folds");
    }
    for (int32_t f = 0; f < cv->folds && status == DPS_OK; f++) {
        status = dps_solution_init(&solution[f], cv->problem, err);
    }
    if (status == DPS_OK) {
        status = walk(cv, solution, run, search, err);
    }
    for (int32_t f = 0; f < cv->folds; f++) {
        dps_solution_release(&solution[f]);
    }
    dps_free(solution);
    if (status == DPS_OK && isnan(search->candidate[best_of(search)].spread.mean)) {
        status = dps_error_set(err, DPS_ERROR_NUMERIC,
                               "solver.C = auto: no value of C has a score: name one");
    }
    if (status != DPS_OK) {
        dps_c_search_release(search);
        return status;
    }
    choose(search);
    search->seconds = dps_now() - begin;
    log_table(search, run);
    return DPS_OK;
}

void dps_c_search_release(dps_c_search *search)
{
    for (int32_t j = 0; j < search->count; j++) {
        dps_free(search->candidate[j].score);
    }
    memset(search, 0, sizeof *search);
}
