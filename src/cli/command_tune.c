/* `dpsvm tune`: compares settings, keeps one, trains its model. */
#include <stdlib.h>
#include <string.h>
#include "auto_search.h"
#include "curve_report.h"
#include "number.h"
#include "ranks.h"
#include "session.h"
#include "train.h"
#include "training_summary.h"
#include "tune.h"
#include "tune_plot.h"
#include "tune_report.h"

/* A whole number of the environment, or `fallback`. */
static int64_t environment(const char *name, int64_t fallback)
{
    const char *text = getenv(name);
    int64_t value;
    return text != NULL && dps_text_to_int64(text, strlen(text), &value) ? value : fallback;
}

/* --shard i/n; else the place in a Slurm job array of more than one task. */
static dps_status read_shard(const dps_session *session, dps_tune_request *request, dps_error *err)
{
    const char *text = session->arguments.flag[DPS_FLAG_SHARD];
    int64_t shard = 0, shards = 0;
    request->collect = session->arguments.flag[DPS_FLAG_COLLECT] != NULL;
    if (text != NULL) {
        const char *slash = strchr(text, '/');
        if (slash == NULL || !dps_text_to_int64(text, (size_t)(slash - text), &shard) ||
            !dps_text_to_int64(slash + 1, strlen(slash + 1), &shards) || shard < 1 ||
            shards < shard || shards > 1000000) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "--shard: expected i/n with 1 <= i <= n, as 2/8");
        }
        if (request->collect) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "--shard computes a part, --collect puts the parts together: give "
                                 "one of them");
        }
    } else if (!request->collect && environment("SLURM_ARRAY_TASK_COUNT", 0) > 1) {
        const int64_t step = environment("SLURM_ARRAY_TASK_STEP", 1);
        const int64_t first = environment("SLURM_ARRAY_TASK_MIN", 0);
        shards = environment("SLURM_ARRAY_TASK_COUNT", 0);
        shard = (environment("SLURM_ARRAY_TASK_ID", -1) - first) / (step > 0 ? step : 1) + 1;
        if (shard < 1 || shard > shards) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "SLURM_ARRAY_TASK_ID is not one of the array's tasks: give "
                                 "--shard i/n");
        }
    }
    request->shard = (int32_t)shard;
    request->shards = (int32_t)shards;
    return DPS_OK;
}

/* A picture needs values to draw over. */
static dps_status check_plot(const dps_session *session, dps_error *err)
{
    const dps_options *options = &session->options;
    bool several = false;
    if (options->output_plot[0] == '\0') {
        return DPS_OK;
    }
    for (size_t i = 0; i < options->search.count; i++) {
        several = several || options->search.item[i].value.count > 1;
    }
    if (!several) {
        return dps_options_error(options, DPS_OPT_output_plot, err,
                                 "tune draws the metric over what is searched: give an option of "
                                 "[tune] two values or more");
    }
    return DPS_OK;
}

/* train would search for a kernel where tune takes one. */
static void say_kernel(const dps_run *run, const dps_tune_result *result)
{
    const dps_tune_space *space = &result->space;
    dps_options alone = *space->base; /* as train has them, borrowed */
    alone.search.count = 0;
    bool is_auto = dps_auto_search_wanted(&alone);
    for (size_t i = 0; i < space->items; i++) {
        if (space->item[i]->id == DPS_OPT_kernel_type) {
            is_auto = false;
            for (int64_t p = 0; p < space->count && !is_auto; p++) {
                is_auto = strcmp(dps_tune_value(space, &space->point[p], i), "auto") == 0;
            }
        }
    }
    if (is_auto) {
        dps_log_text(run, DPS_NORMAL,
                     "note: kernel.type = auto is polynomial in tune, where train would search: "
                     "name kernels, as kernel.type = rbf");
    }
}

static void say_work(const dps_run *run, const dps_tune_result *result, const char *ini,
                     const dps_tune_request *request)
{
    dps_log_text(run, DPS_NORMAL,
                 "tune: %lld settings, %lld paths over C and folds: %lld read from journals, %lld "
                 "computed, in %.2f s",
                 (long long)result->space.count, (long long)result->units, (long long)result->found,
                 (long long)result->computed, result->seconds);
    if (result->untried > 0) {
        dps_log_text(run, DPS_WARNING,
                     "run.time_limit ended the search: %lld of %lld paths were not tried; the same "
                     "command goes on from the journal, and the best so far is below and in "
                     "%s",
                     (long long)result->untried, (long long)result->units, ini);
    }
    if (request->shards > 0) {
        dps_log_text(run, DPS_NORMAL,
                     "shard %ld of %ld is done; when all are, dpsvm tune --collect makes the table "
                     "and the model",
                     (long)request->shard, (long)request->shards);
    }
}

/* What was not tried and may be better. */
static void say_edges(const dps_run *run, const dps_tune_result *result)
{
    dps_text edges = {0};
    dps_tune_edges(result, &edges);
    char *rest = edges.data;
    for (char *line = edges.data == NULL ? NULL : strtok_r(edges.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        dps_log_text(run, DPS_NORMAL, "%s", line);
    }
    dps_text_release(&edges);
}

/* The model of the setting that was kept. With ranks the first trains it: each has all rows, and
 * what one process could compare one process can train. */
static dps_status train_best(const dps_session *session, dps_tune_result *result, dps_error *err)
{
    const dps_run *run = &session->run;
    dps_run alone = *run;
    dps_train_result trained;
    if (dps_ranks_silent(session)) {
        return DPS_OK;
    }
    alone.comm = NULL;
    result->best.output_plot[0] = '\0'; /* the search's picture is there, not the training's */
    if (result->best.run_checkpoint[0] == '\0') {
        result->best.run_time_limit = 0; /* without a place to save a state it was the search's */
    }
    DPS_TRY(dps_train(&result->best, false, dps_curve_write, &alone, &trained, err));
    dps_say_accuracy(run, &trained);
    dps_log_text(run, DPS_NORMAL, "table: %s, config: %s, model: %s", session->options.tune_table,
                 session->options.tune_ini, result->best.output_model);
    dps_train_result_release(&trained);
    return DPS_OK;
}

dps_status dps_command_tune(dps_session *session, dps_error *err)
{
    const char *report = session->options.output_report;
    dps_tune_request request = {0};
    dps_tune_result result;
    dps_text table = {0};
    dps_status status = read_shard(session, &request, err);
    DPS_THEN(status, check_plot(session, err));
    DPS_TRY(dps_comm_agree(session->comm, status, err));
    dps_session_announce(session);
    DPS_TRY(dps_tune(&session->options, &request, &session->run, &result, err));
    say_kernel(&session->run, &result);
    say_work(&session->run, &result, session->options.tune_ini, &request);
    if (result.chosen != NULL) {
        if (!dps_ranks_silent(session)) {
            dps_tune_text(&result, &table);
            status = dps_print_result(&table, err);
        }
        say_edges(&session->run, &result);
        status = dps_comm_agree(session->comm, status, err);
        const bool trains = result.space.items > 0 && result.untried == 0;
        if (result.untried > 0 && result.space.items > 0) {
            dps_log_text(&session->run, DPS_NORMAL,
                         "no model is trained: dpsvm train %s makes that of the best so far",
                         session->options.tune_ini);
        } else if (!trains) {
            dps_log_text(&session->run, DPS_NORMAL,
                         "tune: nothing to search was named, no model is written; [tune] lines as "
                         "solver.C = 2^-5..2^15 search");
        }
        const char *plot = session->options.output_plot;
        if (status == DPS_OK && plot[0] != '\0' && !dps_ranks_silent(session)) {
            status = dps_tune_plot(&result, plot, err);
        }
        DPS_THEN(status, trains ? train_best(session, &result, err) : DPS_OK);
    }
    if (status == DPS_OK && report[0] != '\0' && !dps_ranks_silent(session)) {
        status = dps_report_tune(&result, &session->run, report, err);
    }
    dps_tune_result_release(&result);
    return status;
}
