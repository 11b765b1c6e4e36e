/* `dpsvm kernel`: the map's error on the user's rows, and what theory says of it; of a
 * configuration or of a model. */
#include <math.h>
#include <string.h>
#include "kernel_study.h"
#include "kernel_study_plot.h"
#include "kernel_study_report.h"
#include "model_study.h"
#include "number.h"
#include "output_file.h"
#include "output_places.h"
#include "prediction_request.h"
#include "session.h"

/* MODEL FILE ... instead of a CONFIG. */
static bool of_model(const dps_session *session)
{
    return session->arguments.operand_count > 1;
}

/* --- flags --------------------------------------------------------------------------------- */

static dps_status refuse(const char *flag, const char *expected, dps_error *err)
{
    return dps_error_set(err, DPS_ERROR_CONFIG, "%s: expected %s", flag, expected);
}

static dps_status read_sizes(const char *text, dps_study_request *request, dps_error *err)
{
    static const char expected[] =
        "up to 64 ascending numbers of 1 to 1000000 features, as 100,1000";
    while (text != NULL) {
        const char *comma = strchr(text, ',');
        const size_t length = comma == NULL ? strlen(text) : (size_t)(comma - text);
        int64_t value;
        if (!dps_text_to_int64(text, length, &value) || value < 1 || value > 1000000 ||
            request->sizes == DPS_STUDY_MOST_SIZES ||
            (request->sizes > 0 && value <= request->size[request->sizes - 1])) {
            return refuse("--sizes", expected, err);
        }
        request->size[request->sizes++] = (int32_t)value;
        text = comma == NULL ? NULL : comma + 1;
    }
    return DPS_OK;
}

static dps_status read_count(const char *text, const char *flag, int32_t least, int32_t most,
                             int32_t *count, dps_error *err)
{
    int64_t value = *count;
    if (text != NULL &&
        (!dps_text_to_int64(text, strlen(text), &value) || value < least || value > most)) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "%s: expected %ld to %ld", flag, (long)least,
                             (long)most);
    }
    *count = (int32_t)value;
    return DPS_OK;
}

static dps_status read_request(const dps_session *session, dps_study_request *request,
                               dps_error *err)
{
    const char *const *flag = session->arguments.flag;
    const char *error = flag[DPS_FLAG_ERROR], *risk = flag[DPS_FLAG_RISK];
    *request = (dps_study_request){.runs = 5, .rows = 200, .epsilon = NAN, .delta = 0.05};
    request->compare = flag[DPS_FLAG_COMPARE] != NULL;
    DPS_TRY(read_sizes(flag[DPS_FLAG_SIZES], request, err));
    DPS_TRY(read_count(flag[DPS_FLAG_RUNS], "--runs", 1, DPS_STUDY_MOST_RUNS, &request->runs, err));
    DPS_TRY(read_count(flag[DPS_FLAG_ROWS], "--rows", 1, DPS_STUDY_MOST_ROWS, &request->rows, err));
    if (error != NULL && !(dps_text_to_double(error, strlen(error), &request->epsilon) &&
                           request->epsilon > 0 && isfinite(request->epsilon))) {
        return refuse("--error", "a number above 0", err);
    }
    if (risk != NULL && !(dps_text_to_double(risk, strlen(risk), &request->delta) &&
                          request->delta > 0 && request->delta < 1)) {
        return refuse("--risk", "a probability between 0 and 1", err);
    }
    return DPS_OK;
}

/* --- output -------------------------------------------------------------------------------- */

enum { TABLE, CSV, JSON };
static const char *const format_names[] = {"table", "csv", "json", NULL};

static dps_status print_study(const dps_session *session, unsigned format, const dps_study *study,
                              dps_error *err)
{
    dps_text text = {0};
    if (format == CSV) {
        dps_study_csv(study, &text);
    } else if (format == JSON) {
        dps_study_json(study, &session->run, &text);
    } else {
        dps_study_table(study, &text);
    }
    return dps_print_result(&text, err);
}

static dps_status write_files(const dps_session *session, const dps_study *study, dps_error *err)
{
    const char *plot = session->arguments.flag[DPS_FLAG_PLOT];
    const char *report = session->options.output_report;
    dps_text text = {0};
    if (plot != NULL) {
        dps_study_svg(study, &text);
        DPS_TRY(dps_output_text(&text, plot, "the output", err));
    }
    if (report[0] == '\0') {
        return DPS_OK;
    }
    dps_study_json(study, &session->run, &text);
    return dps_output_text(&text, report, "the output", err);
}

/* Files are tried before the work. */
static dps_status probe_places(const dps_session *session, dps_error *err)
{
    const char *plot = session->arguments.flag[DPS_FLAG_PLOT];
    const char *report = session->options.output_report;
    DPS_TRY(plot != NULL ? dps_output_probe(plot, "--plot", err) : DPS_OK);
    if (report[0] != '\0') {
        DPS_TRY(dps_output_probe(report, "output.report", err));
    }
    const dps_place outputs[] = {{plot == NULL ? "" : plot, "--plot"}, {report, "output.report"}};
    for (size_t k = 0; of_model(session) && k < session->arguments.operand_count; k++) {
        const char *input = session->arguments.operand[k];
        for (size_t o = 0; o < sizeof outputs / sizeof outputs[0]; o++) {
            DPS_TRY(dps_output_apart(outputs[o].path, outputs[o].option, input, "the input", err));
        }
    }
    return dps_output_places_apart(&session->options, outputs, sizeof outputs / sizeof outputs[0],
                                   err);
}

/* What has no meaning for a model, which has one map of one seed already. */
static dps_status check_model_flags(const dps_session *session, dps_error *err)
{
    if (session->arguments.flag[DPS_FLAG_COMPARE] != NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--compare draws other maps of a configured kernel, and a model has "
                             "its own: leave it out, or give a CONFIG");
    }
    if (session->options.origin[DPS_OPT_data_unknown].set) {
        return dps_options_error(&session->options, DPS_OPT_data_unknown, err,
                                 "dpsvm predict looks for values that the model does not know; "
                                 "dpsvm kernel leaves them out: leave the option out");
    }
    return DPS_OK;
}

static dps_status run_study(const dps_session *session, const dps_study_request *request,
                            dps_study *study, dps_error *err)
{
    if (!of_model(session)) {
        return dps_kernel_study(&session->options, request, &session->run, study, err);
    }
    const dps_predict_request input = dps_prediction_input(session);
    return dps_model_study(&input, request, &session->run, study, err);
}

dps_status dps_command_kernel(dps_session *session, dps_error *err)
{
    const char *name = session->arguments.flag[DPS_FLAG_FORMAT];
    unsigned format = TABLE;
    dps_study_request request;
    dps_study study;
    if (name != NULL && !dps_name_find(format_names, name, strlen(name), &format)) {
        return refuse("--format", "table, csv or json", err);
    }
    DPS_TRY(read_request(session, &request, err));
    DPS_TRY(of_model(session) ? check_model_flags(session, err) : DPS_OK);
    DPS_TRY(probe_places(session, err));
    dps_session_announce(session);
    DPS_TRY(run_study(session, &request, &study, err));
    dps_status status = print_study(session, format, &study, err);
    DPS_THEN(status, write_files(session, &study, err));
    dps_study_release(&study);
    return status;
}
