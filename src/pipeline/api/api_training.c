/* Task: training of the public interface (dpsvm/dpsvm.h): its settings, rows and calls back, on the
 * functions that `dpsvm train` calls. */
#include <dpsvm/dpsvm.h>

#include <string.h>
#include "allocation.h"
#include "cpu.h"
#include "curve_report.h"
#include "job_limits.h"
#include "report.h"
#include "serve.h"
#include "train.h"

_Static_assert(DPSVM_WARNING == (int)DPS_WARNING && DPSVM_NOTE == (int)DPS_NORMAL,
               "levels of messages are public");

/* ---- calls back ---- */

typedef struct listener {
    const dpsvm_training *training;
    sig_atomic_t stop;
} listener;

static void hear_text(void *context, dps_level level, const char *text)
{
    const listener *to = context;
    if (to->training->message != NULL) {
        to->training->message(to->training->context, (int)level, text);
    }
}

static void hear_progress(void *context, const dps_progress *progress)
{
    listener *to = context;
    const dpsvm_progress shown = {.stage = progress->stage,
                                  .fraction = progress->fraction,
                                  .iteration = progress->iteration,
                                  .objective = progress->objective,
                                  .gap = progress->gap,
                                  .target = progress->target};
    if (to->training->progress(to->training->context, &shown) != 0) {
        __atomic_store_n(&to->stop, 1, __ATOMIC_RELAXED);
    }
}

/* ---- settings ---- */

/* The run that [run] asks for; a SIMD path that the CPU lacks is an error. */
static dps_status make_run(const dps_options *options, dps_run *run, dps_error *err)
{
    const dps_choice_int *threads = &options->run_threads;
    run->threads =
        (int)dps_limit_threads(threads->choice == NULL ? (long)threads->number : 0).value;
    run->memory = dps_limit_memory((size_t)options->run_memory).value;
    run->scratch = options->run_scratch;
    const bool automatic = strcmp(options->run_simd, "auto") == 0;
    run->simd = automatic ? dps_cpu_best() : dps_name_value(dps_simd_names, options->run_simd);
    if (!dps_cpu_has(run->simd)) {
        return dps_options_error(options, DPS_OPT_run_simd, err, "this CPU has no %s",
                                 options->run_simd);
    }
    return DPS_OK;
}

static dps_status read_settings(const dpsvm_training *training, dps_options *options,
                                dps_error *err)
{
    if (training->config != NULL) {
        DPS_TRY(dps_options_read(options, training->config, err));
    }
    for (size_t k = 0; k < training->setting_count; k++) {
        DPS_TRY(dps_options_set_text(options, training->settings[k], err));
    }
    if (!options->origin[DPS_OPT_output_model].set) {
        DPS_TRY(dps_option_set(options, DPS_OPT_output_model, "", "", NULL, 0, err));
    }
    return DPS_OK;
}

/* ---- rows ---- */

/* What is about the text of files says nothing about rows in memory. */
static dps_status check_settings(const dpsvm_training *training, dps_options *options,
                                 dps_error *err)
{
    static const dps_option_id of_files[] = {DPS_OPT_data_train,      DPS_OPT_data_cache,
                                             DPS_OPT_data_format,     DPS_OPT_data_header,
                                             DPS_OPT_data_delimiter,  DPS_OPT_data_decimal,
                                             DPS_OPT_data_zero_based, DPS_OPT_data_label_column};
    for (size_t k = 0; k < sizeof of_files / sizeof of_files[0]; k++) {
        if (options->origin[of_files[k]].set) {
            return dps_options_error(options, of_files[k], err,
                                     "it is for files, and the rows are in memory: leave it out");
        }
    }
    if (training->weight != NULL && options->data_weights[0] != '\0') {
        return dps_options_error(options, DPS_OPT_data_weights, err,
                                 "the weights are in memory: leave it out");
    }
    options->origin[DPS_OPT_data_train].set = true; /* to no file */
    return DPS_OK;
}

static dps_status check_rows(const dpsvm_training *training, dps_error *err)
{
    const dpsvm_rows *rows = &training->rows;
    const int given = (rows->dense != NULL) + (rows->dense_float != NULL) + (rows->start != NULL);
    if (given != 1 || rows->rows < 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "expected rows as one of dense, dense_float and start");
    }
    if ((training->target != NULL) == (training->label != NULL)) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "expected one of target and label");
    }
    if (rows->start == NULL && (rows->columns < 1 || rows->columns == INT32_MAX ||
                                (rows->stride != 0 && rows->stride < rows->columns))) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%ld columns in rows of %lld numbers: there must be one, and stride "
                             "no less than they are",
                             (long)rows->columns, (long long)rows->stride);
    }
    if (rows->start != NULL && training->name != NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "names of columns are for dense rows");
    }
    for (int64_t i = 0; rows->start != NULL && i < rows->rows; i++) {
        if (rows->start[i + 1] < rows->start[i]) {
            return dps_error_at(err, DPS_ERROR_DATA, DPS_ARRAYS_NAME, i + 1, 0,
                                "start must not descend");
        }
    }
    return DPS_OK;
}

static dps_row_arrays arrays_of(const dpsvm_training *training)
{
    const dpsvm_rows *rows = &training->rows;
    return (dps_row_arrays){.rows = rows->rows,
                            .columns = rows->columns,
                            .stride = rows->stride != 0 ? rows->stride : rows->columns,
                            .dense = rows->dense,
                            .dense_float = rows->dense_float,
                            .start = rows->start,
                            .index = rows->index,
                            .value = rows->value,
                            .target = training->target,
                            .label = training->label,
                            .weight = training->weight,
                            .name = training->name,
                            .label_name =
                                training->label_name != NULL ? training->label_name : "label"};
}

/* ---- training ---- */

/* Result and options are released by the caller. */
static dps_status train(const dpsvm_training *training, dps_options *options,
                        dps_train_result *result, dps_error *err)
{
    const bool in_memory = training->rows.rows != 0;
    listener to = {.training = training};
    const dps_log log = {.level = DPS_NORMAL,
                         .write = hear_text,
                         .progress = training->progress != NULL ? hear_progress : NULL,
                         .context = &to};
    dps_run run = {.log = &log, .stop = &to.stop};
    DPS_TRY(read_settings(training, options, err));
    if (in_memory) {
        DPS_TRY(check_settings(training, options, err));
        DPS_TRY(check_rows(training, err));
    }
    DPS_TRY(make_run(options, &run, err));
    const dps_row_arrays arrays = arrays_of(training);
    DPS_TRY(
        dps_train_arrays(options, in_memory ? &arrays : NULL, dps_curve_write, &run, result, err));
    return options->output_report[0] != '\0'
               ? dps_report_train(result, options, &run, options->output_report, err)
               : DPS_OK;
}

/* The trained model as an open one. */
static dps_status take_model(dps_train_result *result, dpsvm_model **out, dps_error *err)
{
    dpsvm_model *model;
    DPS_NEED(model, 1, "the model", err);
    model->model = result->model;
    memset(&result->model, 0, sizeof result->model);
    const dps_status status = dps_serve_ready(model, err);
    if (status == DPS_OK) {
        *out = model;
    } else {
        dps_model_release(&model->model);
        dps_free(model);
    }
    return status;
}

/* The row that an error is about, from 0; -1: none. */
static int64_t row_of(const dps_error *err)
{
    return strcmp(err->file, DPS_ARRAYS_NAME) == 0 && err->line > 0 ? err->line - 1 : -1;
}

int dpsvm_train(dpsvm_model **model, const dpsvm_training *training, dpsvm_error *error)
{
    dps_options options;
    dps_error err;
    *model = NULL;
    err.status = DPS_OK;
    err.file[0] = '\0';
    dps_status status = dps_options_init(&options, &err);
    if (status != DPS_OK) {
        return dps_serve_told(status, &err, -1, error);
    }
    dps_train_result *result = dps_alloc(1, sizeof *result);
    status = result == NULL ? dps_out_of_memory(&err, 1, sizeof *result, "the result")
                            : train(training, &options, result, &err);
    DPS_THEN(status, take_model(result, model, &err));
    dps_train_result_release(result);
    dps_free(result);
    dps_options_release(&options);
    return dps_serve_told(status, &err, status == DPS_OK ? -1 : row_of(&err), error);
}
