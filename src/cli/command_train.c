/* `dpsvm train`: runs the pipeline and says, for people, how it went. */
#include <math.h>
#include <string.h>
#include "comm.h"
#include "curve_report.h"
#include "number.h"
#include "output_file.h"
#include "report.h"
#include "ranks.h"
#include "session.h"
#include "train.h"
#include "training_summary.h"

/* The options that were set, as "options: solver.C = 10, map.seed = 3". */
static void say_options(const dps_session *session)
{
    dps_text text = {0};
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (session->options.origin[id].set) {
            dps_text_add(&text, text.length == 0 ? "options: " : ", ");
            dps_options_value(&session->options, (dps_option_id)id, &text);
        }
    }
    if (!text.failed && text.length > 0) {
        dps_log_text(&session->run, DPS_NORMAL, "%s", text.data);
    }
    dps_text_release(&text);
    if (session->options.search.count > 0) {
        dps_log_text(&session->run, DPS_NORMAL,
                     "note: [tune] names options to search, which train does not do: dpsvm tune "
                     "does");
    }
}

/* What early stopping did. */
static void say_best(const dps_run *run, const dps_model *model, const dps_curve *curve)
{
    const dps_outcome outcome = model->outcome;
    const char *end = outcome == DPS_ITERATION_LIMIT ? "reached its limit of"
                      : outcome == DPS_SETTLED       ? "settled after"
                      : outcome == DPS_CONVERGED     ? "converged after"
                                                     : "was stopped after";
    dps_log_text(run, DPS_NORMAL,
                 "solver: %s %s %lld epochs; the model is that of epoch %lld, the best on "
                 "data.validation (%s %.6g)",
                 model->solver, end, (long long)model->iterations, (long long)curve->best_pass,
                 dps_name_of(dps_metric_names, curve->metric), curve->best_score);
}

static void say_outcome(const dps_session *session, const dps_train_result *result)
{
    const dps_run *run = &session->run;
    const dps_model *model = &result->model;
    const int64_t most = session->options.solver_max_iterations;
    const bool unscaled = result->data.unscaled;
    const char *passes = result->ending.passes;
    char objective[DPS_NUMBER_MAX];
    dps_format_double(objective, model->objective);
    if (result->curve.best_pass > 0) {
        say_best(run, model, &result->curve);
    } else if (model->outcome == DPS_CONVERGED) {
        dps_log_text(run, DPS_NORMAL, "solver: %s %s after %lld %s%s", model->solver,
                     unscaled ? "reached its target" : "converged", (long long)model->iterations,
                     passes, unscaled ? ", on unscaled columns: see the warning" : "");
    } else if (model->outcome == DPS_ITERATION_LIMIT) {
        dps_log_text(run, DPS_WARNING,
                     "%s reached its limit, solver.max_iterations = %lld, after %lld %s%s with a "
                     "gap of %.2e, above the target %.2e; raise solver.max_iterations or "
                     "solver.tolerance, or lower solver.C",
                     model->solver, (long long)most, (long long)model->iterations, passes,
                     model->iterations > most ? " (those on samples of the rows included)" : "",
                     model->gap, model->tolerance);
    } else if (model->outcome == DPS_SETTLED) {
        dps_log_text(run, DPS_WARNING,
                     "%s settled after %lld %s (the objective changes by less than %.2e in one) "
                     "with a gap of %.2e, above the target: solver.type = auto goes to the optimum",
                     model->solver, (long long)model->iterations, passes, model->tolerance,
                     model->gap);
    } else {
        dps_log_text(run, DPS_WARNING,
                     "%s ended without reaching the target %.2e (%s, gap %.2e after %lld %s)",
                     model->solver, model->tolerance, dps_outcome_text(model->outcome), model->gap,
                     (long long)model->iterations, passes);
    }
    dps_log_text(run, DPS_NORMAL, "objective: %s, relative duality gap %.2e (target %.2e)",
                 objective, model->gap, model->tolerance);
}

static void say_time(const dps_run *run, const dps_train_cost *cost)
{
    char peak[DPS_NUMBER_MAX];
    const dps_stage_cost *stage = cost->stage;
    dps_format_bytes(peak, (double)dps_peak_memory());
    dps_log_text(
        run, DPS_NORMAL,
        "seconds: parse %.2f (%.0f MB/s), scale %.2f, map %.2f, solve %.2f, write %.2f, all %.2f; "
        "peak memory %s",
        stage[DPS_STAGE_PARSE].seconds,
        stage[DPS_STAGE_PARSE].bytes / fmax(stage[DPS_STAGE_PARSE].seconds, 1e-9) / 1e6,
        stage[DPS_STAGE_SCALE].seconds, stage[DPS_STAGE_MAP].seconds,
        stage[DPS_STAGE_SOLVE].seconds, stage[DPS_STAGE_WRITE].seconds, cost->seconds, peak);
}

/* How evenly the ranks were at work. */
static void say_balance(const dps_run *run, const dps_train_cost *cost)
{
    const dps_balance *b = &cost->balance;
    if (b->ranks < 2) {
        return;
    }
    const double *least = b->least, *most = b->most;
    dps_log_text(run, DPS_NORMAL,
                 "ranks: %d, of %lld to %lld rows; seconds of the quickest to the slowest: parse "
                 "%.2f to %.2f, scale %.2f to %.2f, map %.2f to %.2f; at work in the solver's sums "
                 "%.2f to %.2f of %.2f",
                 b->ranks, (long long)least[DPS_BALANCE_ROWS], (long long)most[DPS_BALANCE_ROWS],
                 least[DPS_STAGE_PARSE], most[DPS_STAGE_PARSE], least[DPS_STAGE_SCALE],
                 most[DPS_STAGE_SCALE], least[DPS_STAGE_MAP], most[DPS_STAGE_MAP],
                 least[DPS_BALANCE_SUMS], most[DPS_BALANCE_SUMS],
                 cost->stage[DPS_STAGE_SOLVE].seconds);
}

dps_status dps_command_train(dps_session *session, dps_error *err)
{
    dps_options *options = &session->options;
    const dps_run *run = &session->run;
    dps_train_result result;
    /* the pipeline tries them too; here it comes before anything is said */
    const bool writes = !dps_ranks_silent(session);
    dps_status status =
        writes ? dps_output_probe(options->output_model, "output.model", err) : DPS_OK;
    if (status == DPS_OK && writes && options->output_report[0] != '\0') {
        status = dps_output_probe(options->output_report, "output.report", err);
    }
    DPS_TRY(dps_comm_agree(run->comm, status, err));
    dps_session_announce(session);
    say_options(session);
    DPS_TRY(dps_train(options, false, dps_curve_write, run, &result, err));
    say_outcome(session, &result);
    dps_say_accuracy(run, &result);
    dps_say_classes(run, &result.model.classes, &result.fit);
    dps_say_seeds(run, &result.seeds, result.model.task == DPS_TASK_REGRESSION);
    dps_say_advice(run, &result.advice);
    say_time(run, &result.cost);
    say_balance(run, &result.cost);
    dps_log_text(run, DPS_NORMAL, "model: %s", options->output_model);
    if (writes && options->output_report[0] != '\0') {
        status = dps_report_train(&result, options, run, options->output_report, err);
    }
    if (session->arguments.flag[DPS_FLAG_STRICT] != NULL && result.model.outcome != DPS_CONVERGED &&
        result.curve.best_pass == 0) {
        session->exit_code = 1;
    }
    dps_train_result_release(&result);
    return status;
}
