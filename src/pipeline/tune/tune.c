/* Task: `dpsvm tune`:
 *   [tune] -> settings -> (mapped rows once a group) -> (a path over C a chain and fold) -> journal
 *   -> table, choice, INI.
 * The unit of work is a chain on one fold: its values of C are solved in ascending order, each from
 * the weights of the last where the solver takes them. A unit is a function of data and options
 * alone, whoever computes it, and its results are filed in the journal (tune_units.c). So a search
 * that was killed goes on, shards share a search, and a repeated search costs one reading of the
 * data. tune.method = halving (Jamieson & Talwalkar 2016): all settings on every 3^k-th tile of
 * rows, the best third of them on three times the rows, and so on; C is multiplied by 3^k, so that
 * the losses stand for all rows. k ends where a rare class would be lost. */
#include "tune_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "fingerprint.h"
#include "job_limits.h"
#include "model_selection.h"
#include "output_file.h"
#include "output_places.h"
#include "tune_sift.h"
#include "tune_table.h"

enum { KEEP = 3, LEAST_TILES = 6 }; /* halving: share kept, tiles of the first round */

/* ---- halving --------------------------------------------------------------------------------- */

static int by_mean(const void *a, const void *b)
{
    const dps_tune_point *x = *(dps_tune_point *const *)a, *y = *(dps_tune_point *const *)b;
    const double d = y->spread.mean - x->spread.mean;
    return d > 0 ? 1 : d < 0 ? -1 : (x->index > y->index) - (x->index < y->index);
}

/* Keeps the best third of the points still there. */
static dps_status drop_losers(dps_tune_state *t, dps_error *err)
{
    dps_tune_space *space = t->space;
    dps_tune_point **alive;
    int64_t count = 0;
    DPS_NEED(alive, (size_t)space->count, "the settings", err);
    for (int64_t p = 0; p < space->count; p++) {
        dps_tune_point *point = &space->point[p];
        if (dps_tune_takes_part(point)) {
            point->spread = dps_tune_spread(point, t->result->folds);
            point->spread.mean *= dps_metric_sign(t->result->metric);
            if (isnan(point->spread.mean)) {
                point->spread.mean = -INFINITY;
            }
            alive[count++] = point;
        }
    }
    qsort(alive, (size_t)count, sizeof *alive, by_mean);
    for (int64_t k = (count + KEEP - 1) / KEEP; k < count; k++) {
        alive[k]->dropped = true;
    }
    dps_free(alive);
    return DPS_OK;
}

/* Rows of class k, of all or of every `every`-th tile. */
static int64_t rows_of_class(const dps_tune_state *t, int32_t k, int64_t every)
{
    int64_t count = 0;
    for (int64_t i = 0; i < t->all_rows.rows; i++) {
        count += i / DPS_TILE_ROWS % every == 0 && t->training.data.label[i] == k;
    }
    return count;
}

/* A round on few rows is worth something where every class keeps its share of them, or enough to be
 * in every fold. */
static bool keeps_classes(const dps_tune_state *t, int64_t every)
{
    const dps_dataset *data = &t->training.data;
    const int64_t enough = 2 * (int64_t)t->result->folds;
    for (int32_t k = 0; k < data->classes.count && data->target == NULL; k++) {
        const int64_t all = rows_of_class(t, k, 1);
        if (rows_of_class(t, k, every) < (all < enough ? all : enough)) {
            return false;
        }
    }
    return true;
}

static bool halves(const dps_options *options)
{
    return dps_name_value(dps_tune_method_names, options->tune_method) == DPS_TUNE_HALVING;
}

static dps_status do_rounds(dps_tune_state *t, dps_error *err)
{
    const int64_t tiles = dps_tile_count(t->all_rows.rows);
    int64_t every = 1, left = t->space->count - t->space->left_out - t->space->repeats;
    if (halves(t->space->base)) {
        for (; left > 1 && tiles / (every * KEEP) >= LEAST_TILES && keeps_classes(t, every * KEEP);
             left = (left + KEEP - 1) / KEEP) {
            every *= KEEP;
        }
    }
    for (; every > 1; every /= KEEP) {
        DPS_TRY(dps_tune_round(t, every, err));
        DPS_TRY(drop_losers(t, err));
    }
    return dps_tune_round(t, 1, err);
}

/* ---- the story ------------------------------------------------------------------------------- */

static dps_status check_request(const dps_options *options, const dps_tune_request *request,
                                const dps_comm *comm, dps_error *err)
{
    for (size_t i = 0; i < options->data_train.count; i++) {
        if (strcmp(options->data_train.item[i], "-") == 0) {
            return dps_options_error(options, DPS_OPT_data_train, err,
                                     "tune reads its rows more than once: name a file");
        }
    }
    if (options->map_seed.count > 1) {
        return dps_options_error(options, DPS_OPT_map_seed, err,
                                 "tune takes seeds to compare from tune.map.seed");
    }
    if (options->solver_warm_start[0] != '\0') {
        return dps_options_error(options, DPS_OPT_solver_warm_start, err,
                                 "settings that are compared begin with nothing: tune without it, "
                                 "then train with it");
    }
    if (request->shards > 0 && halves(options)) {
        return dps_options_error(options, DPS_OPT_tune_method, err,
                                 "a round of halving needs the results of the one before, so it "
                                 "cannot be split into shards: use grid or random");
    }
    if (dps_comm_rank(comm) > 0) {
        return DPS_OK;
    }
    DPS_TRY(dps_output_probe(options->tune_table, "tune.table", err));
    DPS_TRY(dps_output_probe(options->tune_ini, "tune.ini", err));
    const dps_place outputs[] = {
        {options->run_log, "run.log"},         {options->data_cache, "data.cache"},
        {options->tune_table, "tune.table"},   {options->tune_journal, "tune.journal"},
        {options->tune_ini, "tune.ini"},       {options->output_model, "output.model"},
        {options->output_plot, "output.plot"}, {options->output_report, "output.report"}};
    return dps_output_places_apart(options, outputs, sizeof outputs / sizeof outputs[0], err);
}

static dps_status check_same_data(const dps_tune_state *t, dps_error *err)
{
    uint64_t first = t->fingerprint;
    dps_status status = DPS_OK;
    dps_comm_broadcast(t->comm, 0, &first, sizeof first);
    if (first != t->fingerprint) {
        status = dps_error_set(err, DPS_ERROR_DATA,
                               "rank %d reads other rows than rank 0: expected the same files on "
                               "every machine",
                               dps_comm_rank(t->comm));
    }
    return dps_comm_agree(t->comm, status, err);
}

static dps_status open_journal(dps_tune_state *t, const dps_options *options, dps_error *err)
{
    const dps_tune_request *r = t->request;
    dps_text path = {0};
    dps_status status = dps_journal_read(&t->journal, options->tune_journal, err);
    if (status != DPS_OK || r->collect) {
        return status;
    }
    dps_text_add(&path, options->tune_journal);
    int64_t parts;
    const int64_t part = dps_tune_part(t, &parts);
    if (r->shards > 0 || parts > 1) {
        dps_text_format(&path, ".%lld-of-%lld", (long long)part + 1, (long long)parts);
    }
    status = path.failed ? dps_out_of_memory(err, path.length, 1, "the journal's name")
                         : dps_journal_append_to(&t->journal, path.data, err);
    t->journal.path = options->tune_journal;
    dps_text_release(&path);
    return status;
}

static dps_status finish(dps_tune_state *t, const dps_options *options, dps_error *err)
{
    dps_tune_result *result = t->result;
    if (t->missing > 0 && t->request->collect) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%lld of %lld results are not in %s or %s.*: run the shards that did "
                             "not end again, or tune without --collect to compute the rest",
                             (long long)t->missing, (long long)result->units, options->tune_journal,
                             options->tune_journal);
    }
    result->untried = t->deadline > 0 ? t->missing : 0;
    if (t->request->shards > 0 && !t->request->collect) {
        return DPS_OK;
    }
    result->chosen = dps_tune_choose(&result->space, result->metric, result->folds,
                                     dps_name_value(dps_tune_choice_names, options->tune_choice) ==
                                         DPS_TUNE_ONE_ERROR);
    if (result->chosen == NULL) {
        return dps_error_set(
            err, DPS_ERROR_CONFIG,
            result->untried > 0
                ? "run.time_limit ended the search before a setting was measured "
                  "on all folds: the same command goes on from the journal"
                : "no setting of [tune] works on the rows of data.train; the warnings say why");
    }
    dps_status status = dps_tune_point_options(&result->space, result->chosen, &result->best, err);
    if (dps_comm_rank(t->comm) > 0 || result->space.items == 0) {
        return status;
    }
    DPS_THEN(status, dps_tune_write_table(result, options->tune_table, err));
    DPS_THEN(status, dps_tune_write_ini(result, options->tune_ini, err));
    return status;
}

dps_status dps_tune(const dps_options *options, const dps_tune_request *request, const dps_run *run,
                    dps_tune_result *result, dps_error *err)
{
    const double begin = dps_now();
    dps_run alone = *run;
    alone.comm = NULL;
    dps_tune_state t = {
        .request = request, .run = &alone, .comm = run->comm, .silent = alone, .result = result};
    memset(result, 0, sizeof *result);
    t.silent.log = NULL;
    t.deadline = options->run_time_limit > 0 ? begin + options->run_time_limit : 0;
    t.space = &result->space;
    result->folds = options->tune_holdout > 0 ? 1 : (int32_t)options->tune_folds;
    const dps_tune_point *first = NULL;
    dps_status status = check_request(options, request, t.comm, err);
    DPS_THEN(status, dps_tune_space_init(&result->space, options, result->folds, err));
    DPS_THEN(status, dps_tune_sift(&result->space, run, &first, err));
    DPS_THEN(status, dps_tune_load_group(&t, first, err));
    if (status == DPS_OK) {
        dps_log_text(run, DPS_NORMAL, "input: %s", t.training.data.note);
    }
    result->metric = t.training.settings.validation.metric;
    DPS_THEN(status, dps_selection_check(&t.training.settings, options,
                                         t.training.data.classes.count, t.all_rows.rows, err));
    DPS_THEN(status,
             dps_fingerprint_data(&t.training.data, &t.all_rows, &alone, &t.fingerprint, err));
    status = dps_comm_agree(t.comm, status, err); /* else no journal */
    DPS_THEN(status, open_journal(&t, options, err));
    status = dps_comm_agree(t.comm, status, err);
    DPS_THEN(status, check_same_data(&t, err));
    DPS_THEN(status, do_rounds(&t, err));
    if (status == DPS_OK) {
        result->computed = dps_comm_sum(t.comm, result->computed);
        result->found = result->units - result->computed - t.missing;
        status = finish(&t, options, err);
        status = dps_comm_agree(t.comm, status, err);
    }
    dps_journal_close(&t.journal);
    dps_text_release(&t.shared);
    dps_text_release(&t.warnings);
    dps_tune_drop_data(&t);
    result->seconds = dps_now() - begin;
    if (status != DPS_OK) {
        dps_tune_result_release(result);
    }
    return status;
}

void dps_tune_result_release(dps_tune_result *result)
{
    dps_tune_space_release(&result->space);
    dps_options_release(&result->best);
    memset(result, 0, sizeof *result);
}
