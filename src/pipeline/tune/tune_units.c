/* Task: the units of work of `dpsvm tune`: a chain (settings that differ in C only) on one fold.
 * Its values of C are solved in ascending order, each from the weights of the last where the solver
 * takes them. Results are filed in the journal under a key made of the options' text, the values of
 * C, the fold and the data's fingerprint; a unit whose results are there is not computed. Shards
 * and ranks share units: with ranks a round computes each rank's own, exchanges the results, and
 * then finds them all. */
#include "tune_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "checksum.h"
#include "class_weights.h"
#include "comm.h"
#include "cross_validation.h"
#include "job_limits.h"

/* A chain's points that take part, in the order of C. */
typedef struct c_path {
    dps_tune_point **point;
    int32_t count;
} c_path;

static void chain_of(const dps_tune_space *space, int64_t first, int64_t end, c_path *out)
{
    out->count = 0;
    for (int64_t p = first; p < end; p++) {
        if (!dps_tune_takes_part(&space->point[p])) {
            continue;
        }
        int32_t at = out->count++;
        for (; at > 0 && out->point[at - 1]->C > space->point[p].C; at--) {
            out->point[at] = out->point[at - 1];
        }
        out->point[at] = &space->point[p];
    }
}

/* Numbers of a point in a unit: the score, and with one held-out part those of its error. */
static int32_t numbers_of_point(const dps_tune_state *t)
{
    return t->result->folds == 1 ? 1 + DPS_SCORE_PARTS : 1;
}

/* Of a unit: those of its points, then the held-out rows; 0: the setting does not work. */
static int32_t numbers_of_unit(const dps_tune_state *t, const c_path *chain)
{
    return chain->count * numbers_of_point(t) + 1;
}

/* What decides a unit's result: the options that change a model, but for C, whose values are
 * listed, and what is fitted to the finished model only. */
static dps_status unit_key(const dps_tune_state *t, const c_path *chain, int32_t fold,
                           int64_t every, uint64_t *key, dps_error *err)
{
    dps_options options;
    dps_text text = {0};
    DPS_TRY(dps_tune_point_options(t->space, chain->point[0], &options, err));
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const bool apart = id == DPS_OPT_solver_C || id == DPS_OPT_solver_probability ||
                           id == DPS_OPT_solver_calibration;
        if (dps_option_table()[id].effect == DPS_EFFECT_MODEL && !apart) {
            /* set or not matters to some options (kernel.type) */
            dps_options_value(&options, (dps_option_id)id, &text);
            dps_text_add(&text, options.origin[id].set ? "\n" : " (default)\n");
        }
    }
    for (int32_t j = 0; j < chain->count; j++) {
        dps_text_format(&text, "C = %.17g\n", chain->point[j]->C);
    }
    dps_text_format(&text, "scores 2, fold %ld, every %lld, data %016" PRIx64 "\n", (long)fold,
                    (long long)every, t->fingerprint);
    dps_options_release(&options);
    *key = text.failed ? 0 : dps_checksum_of(text.data, text.length);
    const dps_status status =
        text.failed ? dps_out_of_memory(err, text.length, 1, "a setting's text") : DPS_OK;
    dps_text_release(&text);
    return status;
}

/* Every value of the chain's C in turn. */
static dps_status walk_chain(dps_tune_state *t, const c_path *chain, const dps_cross_validation *cv,
                             int32_t fold, int64_t every, double *value, double *held,
                             double *record, dps_error *err)
{
    dps_solution solution;
    dps_status status = dps_solution_init(&solution, cv->problem, err);
    for (int32_t j = 0; j < chain->count && status == DPS_OK; j++) {
        int64_t rows = 0;
        status = dps_cross_validate_fold(cv, fold, chain->point[j]->C * (double)every,
                                         t->training.run, &solution, held, record, &rows, err);
        memcpy(value + (size_t)j * (size_t)numbers_of_point(t), record + fold,
               (size_t)numbers_of_point(t) * sizeof *value);
        value[numbers_of_unit(t, chain) - 1] = (double)rows;
    }
    dps_solution_release(&solution);
    return status;
}

/* The numbers of the chain on one fold. */
static dps_status solve_unit(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                             double *value, dps_error *err)
{
    dps_options options;
    dps_settings settings;
    dps_training *training = &t->training;
    DPS_TRY(dps_tune_enter_group(t, chain->point[0], every, err));
    DPS_TRY(dps_tune_point_options(t->space, chain->point[0], &options, err));
    dps_status status = dps_settings_read(&options, &settings, err);
    DPS_THEN(status,
             dps_class_weights_read(&options, &training->data.classes, training->data.class_rows,
                                    training->class_weight, err));
    training->problem.loss = settings.loss;
    training->problem.epsilon = settings.epsilon;
    const dps_cross_validation cv = {.problem = &training->problem,
                                     .solver = settings.solver,
                                     .settings = &settings.solver_settings,
                                     .fold = t->fold,
                                     .folds = t->result->folds,
                                     .metric = t->result->metric};
    const size_t models = (size_t)dps_problem_models(cv.problem);
    const size_t rows = (size_t)training->rows.rows;
    double *held = dps_alloc(models * rows, sizeof *held);
    double *record = dps_alloc(dps_score_length(cv.folds), sizeof *record);
    if (status == DPS_OK && (held == NULL || record == NULL)) {
        status = dps_out_of_memory(err, models * rows, sizeof *held, "the held-out scores");
    }
    DPS_THEN(status, walk_chain(t, chain, &cv, fold, every, value, held, record, err));
    dps_free(held);
    dps_free(record);
    dps_options_release(&options);
    return status;
}

/* The same; a setting that does not work is left out, what concerns the whole run ends it. */
static dps_status try_unit(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                           double *value, dps_error *err)
{
    dps_error reason;
    const dps_status status = solve_unit(t, chain, fold, every, value, &reason);
    if (status == DPS_ERROR_CONFIG || status == DPS_ERROR_NUMERIC) {
        const int32_t last = numbers_of_unit(t, chain) - 1;
        dps_text text = {0};
        dps_tune_point_text(t->space, chain->point[0], &text);
        if (t->comm != NULL) {
            dps_text_format(&t->warnings, "left out: %s: %s\n", text.failed ? "" : text.data,
                            reason.text);
        } else {
            dps_log_text(t->run, DPS_WARNING, "left out: %s: %s", text.failed ? "" : text.data,
                         reason.text);
        }
        dps_text_release(&text);
        for (int32_t j = 0; j <= last; j++) {
            value[j] = j < last ? NAN : 0;
        }
        return DPS_OK;
    }
    if (status != DPS_OK && err != NULL) {
        *err = reason;
    }
    return status;
}

/* Into the journal. */
static dps_status compute_unit(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                               uint64_t key, dps_error *err)
{
    const int32_t numbers = numbers_of_unit(t, chain);
    double *value;
    DPS_NEED(value, (size_t)numbers, "the scores", err);
    dps_status status = try_unit(t, chain, fold, every, value, err);
    t->result->computed += status == DPS_OK;
    DPS_THEN(status, dps_journal_add(&t->journal, key, value, numbers, err));
    dps_free(value);
    return status;
}

/* Shards and, within them, ranks have stretches of the units: neighbours share mapped rows. */
int64_t dps_tune_part(const dps_tune_state *t, int64_t *parts)
{
    const dps_tune_request *r = t->request;
    const int64_t ranks = dps_comm_size(t->comm);
    *parts = (r->shards > 0 ? r->shards : 1) * ranks;
    return (r->shards > 0 ? r->shard - 1 : 0) * ranks + dps_comm_rank(t->comm);
}

static bool is_mine(const dps_tune_state *t, int64_t unit, int64_t units)
{
    int64_t parts;
    const int64_t part = dps_tune_part(t, &parts);
    return unit * parts / units == part;
}

/* A setting at least is measured in any case. */
static bool time_is_up(const dps_tune_state *t)
{
    return t->deadline > 0 && t->result->computed >= t->result->folds && dps_now() >= t->deadline;
}

/* The unit's results in the journal, computed first where it is this process's; NULL: they are not
 * there. */
static dps_status find_unit(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                            bool mine, const dps_journal_entry **entry, dps_error *err)
{
    const int32_t numbers = numbers_of_unit(t, chain);
    uint64_t key;
    DPS_TRY(unit_key(t, chain, fold, every, &key, err));
    *entry = dps_journal_find(&t->journal, key, numbers);
    if (*entry == NULL && mine && !t->request->collect && !time_is_up(t)) {
        DPS_TRY(compute_unit(t, chain, fold, every, key, err));
        *entry = dps_journal_find(&t->journal, key, numbers);
    }
    return DPS_OK;
}

/* The unit's results into its points; entry NULL: they are missing. */
static void take_results(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                         const dps_journal_entry *entry)
{
    const int32_t numbers = numbers_of_point(t);
    const bool failed = entry == NULL || entry->value[entry->count - 1] == 0;
    t->missing += entry == NULL;
    for (int32_t j = 0; j < chain->count; j++) {
        dps_tune_point *point = chain->point[j];
        for (int32_t n = 0; n < numbers; n++) {
            point->score[fold + n] = entry == NULL ? NAN : entry->value[j * numbers + n];
        }
        point->failed = failed || (fold > 0 && point->failed);
        point->every = every;
    }
}

/* sharing: the pass before, in which each rank computes what is its own. */
static dps_status do_unit(dps_tune_state *t, const c_path *chain, int32_t fold, int64_t every,
                          bool mine, bool sharing, dps_error *err)
{
    const dps_journal_entry *entry = NULL;
    if (mine || !sharing) {
        DPS_TRY(find_unit(t, chain, fold, every, mine, &entry, err));
    }
    if (!sharing) {
        take_results(t, chain, fold, every, entry);
    } else if (entry != NULL) {
        dps_tune_ranks_share(t, entry);
    }
    return dps_run_stopped(t->run)
               ? dps_error_set(err, DPS_ERROR_STOPPED,
                               "stopped while tuning; the same command goes on from the journal")
               : DPS_OK;
}

/* A fold of the settings up to `end` is done. */
static void log_fold(const dps_tune_state *t, int64_t end, int32_t fold, double share)
{
    char detail[96];
    snprintf(detail, sizeof detail, "setting %lld of %lld, fold %ld of %ld", (long long)end,
             (long long)t->space->count, (long)fold + 1, (long)t->result->folds);
    dps_log_progress(t->run, &(dps_progress){.stage = "tune",
                                             .fraction = share,
                                             .iteration = -1,
                                             .objective = NAN,
                                             .gap = NAN,
                                             .target = NAN,
                                             .detail = detail});
}

/* Once the first settings have shown how long one takes; those from a journal take no time. */
static void say_plan(dps_tune_state *t, int64_t unit, int64_t units)
{
    char time[40];
    if (dps_pace_due(&t->pace, (double)unit / (double)units, time, sizeof time)) {
        dps_log_text(t->run, DPS_NORMAL, "plan: %s for %lld settings in %ld folds", time,
                     (long long)t->space->count, (long)t->result->folds);
    }
}

/* All units once. */
static dps_status do_units(dps_tune_state *t, int64_t every, bool sharing, dps_error *err)
{
    dps_tune_space *space = t->space;
    const int32_t folds = t->result->folds;
    int64_t unit = 0, units = 0;
    dps_status status = DPS_OK;
    c_path chain;
    DPS_NEED(chain.point, (size_t)space->count, "a chain", err);
    for (int64_t p = 0; p < space->count; p = dps_tune_chain_end(space, p)) {
        units += folds;
    }
    t->pace.began = dps_now();
    for (int64_t p = 0; p < space->count && status == DPS_OK;) {
        const int64_t end = dps_tune_chain_end(space, p);
        chain_of(space, p, end, &chain);
        for (int32_t f = 0; f < folds && chain.count > 0 && status == DPS_OK; f++) {
            status = do_unit(t, &chain, f, every, is_mine(t, unit + f, units), sharing, err);
            if (sharing || t->comm == NULL) {
                log_fold(t, end, f, (double)(unit + f + 1) / (double)units);
            }
            t->result->units += !sharing;
        }
        unit += folds;
        p = end;
        if (sharing || t->comm == NULL) {
            say_plan(t, unit, units);
        }
    }
    dps_free(chain.point);
    return status;
}

dps_status dps_tune_round(dps_tune_state *t, int64_t every, dps_error *err)
{
    dps_status status = DPS_OK;
    if (t->comm != NULL) {
        status = do_units(t, every, true, err);
        status = dps_comm_agree(t->comm, status, err);
        DPS_THEN(status, dps_tune_ranks_exchange(t, err));
    }
    if (status == DPS_OK) {
        status = do_units(t, every, false, err);
        status = dps_comm_agree(t->comm, status, err);
    }
    return status;
}
