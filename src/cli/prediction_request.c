/* Task: from the words of `predict` and `transform` to a request of the pipeline, and from its
 * result to a line for people and the JSON report. */
#include "prediction_request.h"

#include <math.h>
#include <string.h>
#include "number.h"
#include "output_file.h"
#include "ranks.h"
#include "report.h"
#include "table_settings.h"
#include "threshold.h"

/* No output may replace the model, the rows or another output. */
static dps_status keep_files_apart(const dps_predict_request *request, const char *report,
                                   const char *plot, dps_error *err)
{
    const char *output = request->output_path;
    dps_status status = dps_output_apart(report, "--report", output, "--output", err);
    DPS_THEN(status, dps_output_apart(plot, "--plot", output, "--output", err));
    DPS_THEN(status, dps_output_apart(plot, "--plot", report, "--report", err));
    for (size_t k = 0; k <= request->path_count && status == DPS_OK; k++) {
        const char *input = k == 0 ? request->model_path : request->paths[k - 1];
        if (strcmp(input, "-") != 0) {
            status = dps_output_apart(output, "--output", input, "the input", err);
        }
        if (strcmp(input, "-") != 0 && status == DPS_OK) {
            status = dps_output_apart(report, "--report", input, "the input", err);
            DPS_THEN(status, dps_output_apart(plot, "--plot", input, "the input", err));
        }
    }
    return status;
}

/* Adds a flag that was given and what the others make of it. */
static void add_unused(dps_text *list, const char *flag, const char *why, const char *rest)
{
    dps_text_format(list, "%s%s (%s%s)", list->length > 0 ? ", " : "", flag, why, rest);
}

/* Flags that move nothing of what is written, as the others stand: one warning, before any row. */
static void warn_of_unused(const dps_session *session, const dps_predict_request *request,
                           bool evaluates)
{
    const char *const *flag = session->arguments.flag;
    const char *format = flag[DPS_FLAG_FORMAT];
    const bool csv = format != NULL && strcmp(format, "csv") == 0; /* labels and figures */
    const bool labels = evaluates || csv || request->output == DPS_PREDICT_LABELS;
    const bool figures = !evaluates && (csv || request->output != DPS_PREDICT_LABELS);
    const bool cut = request->has_threshold || request->chooses_threshold;
    dps_text list = {0};
    if (cut && !labels) {
        add_unused(&list, "--threshold", request->by_probability ? "--proba" : "--scores",
                   " writes no labels, so that only the accuracy goes by it; --format csv writes "
                   "both");
    }
    if (request->positive != NULL && !cut && !figures) {
        add_unused(&list, "--positive", "it names the class of --threshold",
                   evaluates ? ", which is not given"
                             : " or the column of --scores or --proba, and none is given");
    }
    if (evaluates && request->by_probability && !request->has_threshold) {
        add_unused(&list, "--proba", "it makes the number after --threshold a probability, ",
                   "and none is given");
    }
    if (request->flush && !dps_output_is_direct(request->output_path)) {
        add_unused(&list, "--flush", request->output_path,
                   " appears when it is whole; leave --output out, or name a pipe");
    }
    if (list.length > 0 && !list.failed) {
        dps_log_text(&session->run, DPS_WARNING, "set without effect: %s", list.data);
    }
    dps_text_release(&list);
}

dps_predict_request dps_prediction_input(const dps_session *session)
{
    const dps_arguments *arguments = &session->arguments;
    const dps_options *options = &session->options;
    dps_predict_request request = {.model_path = arguments->operand[0],
                                   .paths = arguments->operand + 1,
                                   .path_count = arguments->operand_count - 1,
                                   .format = options->data_format,
                                   .zero_based = options->data_zero_based,
                                   .table = dps_settings_table(options)};
    request.table.weight_column = options->data_weights;
    request.table.of_input = true;
    return request;
}

dps_status dps_prediction_request(const dps_session *session, dps_predict_request *request,
                                  dps_error *err)
{
    const dps_arguments *arguments = &session->arguments;
    const dps_options *options = &session->options;
    const char *output = arguments->flag[DPS_FLAG_OUTPUT];
    const bool evaluates = strcmp(session->command->name, "evaluate") == 0;
    if (arguments->flag[DPS_FLAG_PROBA] != NULL && arguments->flag[DPS_FLAG_SCORES] != NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--scores and --proba ask for different columns: give one of them");
    }
    *request = dps_prediction_input(session);
    request->output_path = output == NULL ? "-" : output;
    request->output = arguments->flag[DPS_FLAG_PROBA] != NULL    ? DPS_PREDICT_PROBABILITIES
                      : arguments->flag[DPS_FLAG_SCORES] != NULL ? DPS_PREDICT_SCORES
                                                                 : DPS_PREDICT_LABELS;
    request->says_input = true;
    const char *threshold = arguments->flag[DPS_FLAG_THRESHOLD];
    request->has_threshold = threshold != NULL;
    request->by_probability = arguments->flag[DPS_FLAG_PROBA] != NULL;
    request->positive = arguments->flag[DPS_FLAG_POSITIVE];
    request->flush = arguments->flag[DPS_FLAG_FLUSH] != NULL;
    unsigned metric;
    if (threshold != NULL && evaluates &&
        dps_name_find(dps_cut_metric_names, threshold, strlen(threshold), &metric)) {
        request->threshold_by = metric;
        request->chooses_threshold = true;
        request->has_threshold = false;
        threshold = NULL;
    }
    if (threshold != NULL &&
        (!dps_text_to_double(threshold, strlen(threshold), &request->threshold) ||
         !isfinite(request->threshold))) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "--threshold %s: expected a number%s",
                             DPS_QUOTE(threshold, strlen(threshold), 40),
                             evaluates ? ", or accuracy, f1 or balanced, by which one is chosen"
                                       : "");
    }
    if (request->has_threshold && request->by_probability &&
        !(request->threshold >= 0 && request->threshold <= 1)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--threshold %s: with --proba it is a probability: expected 0 to 1",
                             threshold);
    }
    if (options->output_plot[0] != '\0' && !evaluates) {
        return dps_options_error(options, DPS_OPT_output_plot, err,
                                 "%s draws nothing: evaluate does", session->command->name);
    }
    dps_status status = DPS_OK;
    if (!dps_ranks_silent(session)) {
        status = options->output_plot[0] == '\0'
                     ? DPS_OK
                     : dps_output_probe(options->output_plot, "output.plot", err);
        DPS_THEN(status, dps_output_probe(request->output_path, "--output", err));
        if (status == DPS_OK && options->output_report[0] != '\0') {
            status = dps_output_probe(options->output_report, "output.report", err);
        }
        DPS_THEN(status,
                 keep_files_apart(request, options->output_report, options->output_plot, err));
        if (status == DPS_OK) {
            warn_of_unused(session, request, evaluates);
        }
    }
    return dps_comm_agree(session->comm, status, err);
}

dps_status dps_prediction_finish(const dps_session *session, const dps_predict_result *result,
                                 bool scored, dps_error *err)
{
    const char *report = session->options.output_report;
    if (scored && result->labelled > 0 && result->classes == 0) {
        dps_log_text(&session->run, DPS_NORMAL,
                     "%lld rows in %.2f s; RMSE %.6g, MAE %.6g, R2 %.4f (%lld labelled rows)",
                     (long long)result->rows, result->seconds,
                     dps_residuals_rmse(&result->residuals), dps_residuals_mae(&result->residuals),
                     dps_residuals_r2(&result->residuals), (long long)result->labelled);
    } else if (scored && result->labelled > 0) {
        const bool weighted = result->weight != (double)result->labelled;
        dps_log_text(&session->run, DPS_NORMAL,
                     "%lld rows in %.2f s; accuracy %.2f %% (%.12g of %.12g %s)",
                     (long long)result->rows, result->seconds,
                     100.0 * result->correct / result->weight, result->correct, result->weight,
                     weighted ? "by the weights of the labelled rows" : "labelled rows");
    } else {
        dps_log_text(&session->run, DPS_NORMAL, "%lld rows in %.2f s", (long long)result->rows,
                     result->seconds);
    }
    return report[0] == '\0' || dps_ranks_silent(session)
               ? DPS_OK
               : dps_report_predict(result, &session->run, report, err);
}
