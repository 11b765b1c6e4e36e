/* Task: the public C API (include/dpsvm/dpsvm.h) on top of the same functions that the commands
 * use. Rows in memory go through the scaler as a parsed block, a tile at a time. */
#include <dpsvm/dpsvm.h>

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "block_scores.h"
#include "cpu.h"
#include "curve_report.h"
#include "job_limits.h"
#include "prediction_steps.h"
#include "report.h"
#include "train.h"

_Static_assert(DPSVM_IO == (int)DPS_ERROR_IO && DPSVM_MEMORY == (int)DPS_ERROR_MEMORY &&
                   DPSVM_CONFIG == (int)DPS_ERROR_CONFIG && DPSVM_DATA == (int)DPS_ERROR_DATA &&
                   DPSVM_NUMERIC == (int)DPS_ERROR_NUMERIC &&
                   DPSVM_STOPPED == (int)DPS_ERROR_STOPPED,
               "numbers of errors are public");

struct dpsvm_model {
    dps_model model;
    dps_predictor predictor;
};

/* Passes the status on, with its text. */
static int told(dps_status status, const dps_error *err, char *error, size_t error_size)
{
    if (error != NULL && error_size > 0) {
        error[0] = '\0';
        if (status != DPS_OK) {
            dps_error_format(err, error, error_size);
        }
    }
    return (int)status;
}

const char *dpsvm_version(void)
{
    return DPSVM_VERSION;
}

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

int dpsvm_train(const char *config, const char *const *settings, size_t count, char *error,
                size_t error_size)
{
    dps_options options;
    dps_run run = {0};
    dps_error err;
    dps_status status = dps_options_init(&options, &err);
    if (status != DPS_OK) {
        return told(status, &err, error, error_size);
    }
    if (config != NULL) {
        status = dps_options_read(&options, config, &err);
    }
    for (size_t k = 0; k < count && status == DPS_OK; k++) {
        status = dps_options_set_text(&options, settings[k], &err);
    }
    DPS_THEN(status, make_run(&options, &run, &err));
    dps_train_result *result = dps_alloc(1, sizeof *result);
    if (status == DPS_OK && result == NULL) {
        status = dps_out_of_memory(&err, 1, sizeof *result, "the result");
    }
    DPS_THEN(status, dps_train(&options, false, dps_curve_write, &run, result, &err));
    if (status == DPS_OK && options.output_report[0] != '\0') {
        status = dps_report_train(result, &options, &run, options.output_report, &err);
    }
    dps_train_result_release(result);
    dps_free(result);
    dps_options_release(&options);
    return told(status, &err, error, error_size);
}

int dpsvm_open(dpsvm_model **out, const char *path, char *error, size_t error_size)
{
    const dps_run run = {.threads = 1, .simd = dps_cpu_best(), .memory = dps_limit_memory(0).value};
    dps_error err;
    dpsvm_model *model = dps_alloc(1, sizeof *model);
    *out = NULL;
    if (model == NULL) {
        return told(dps_out_of_memory(&err, 1, sizeof *model, "the model"), &err, error,
                    error_size);
    }
    dps_status status = dps_prediction_load(path, &run, &model->model, &model->predictor, &err);
    if (status == DPS_OK) {
        *out = model;
    } else {
        dps_free(model);
    }
    return told(status, &err, error, error_size);
}

void dpsvm_close(dpsvm_model *model)
{
    if (model != NULL) {
        dps_predictor_release(&model->predictor);
        dps_model_release(&model->model);
        dps_free(model);
    }
}

int32_t dpsvm_class_count(const dpsvm_model *model)
{
    return model->model.classes.count;
}

const char *dpsvm_class_label(const dpsvm_model *model, int32_t k)
{
    return k < 0 || k >= model->model.classes.count ? NULL : model->model.classes.text[k];
}

int32_t dpsvm_score_count(const dpsvm_model *model)
{
    return model->model.models;
}

/* Copies rows first .. first + count - 1 into the block, without zeros. */
static dps_status copy_rows(dps_row_block *block, int64_t first, int64_t count,
                            const int64_t *start, const int32_t *index, const double *value,
                            dps_error *err)
{
    int64_t entries = start[first + count] - start[first], used = 0;

    if (entries < 0) {
        return dps_error_set(err, DPS_ERROR_DATA, "row %lld: bad start", (long long)first);
    }
    if (!DPS_GROW_BOTH(block->index, block->value, block->entry_capacity, (size_t)entries)) {
        return dps_out_of_memory(err, (size_t)entries, sizeof(double), "rows");
    }
    block->rows = count;
    for (int64_t i = 0; i < count; i++) {
        block->start[i] = used;
        int64_t before = -1;
        for (int64_t e = start[first + i]; e < start[first + i + 1]; e++) {
            if (index[e] <= before || !isfinite(value[e])) {
                return dps_error_set(err, DPS_ERROR_DATA,
                                     "row %lld: features must ascend from 0 and values be finite "
                                     "(feature %ld)",
                                     (long long)(first + i), (long)index[e]);
            }
            before = index[e];
            if (value[e] != 0) {
                block->index[used] = index[e];
                block->value[used++] = value[e];
            }
        }
    }
    block->start[count] = used;
    return DPS_OK;
}

/* Classes and scores of rows that begin with `first`. */
static void hand_out(const dpsvm_model *model, const double *found, int64_t first, int64_t rows,
                     int32_t *predicted, double *scores)
{
    const int32_t models = model->model.models;
    for (int32_t i = 0; i < rows; i++) {
        if (predicted != NULL && model->model.classes.count > 0) {
            predicted[first + i] = dps_predicted_class(model->model.classes.count, 0, found, i);
        }
        for (int32_t k = 0; scores != NULL && k < models; k++) {
            scores[(first + i) * models + k] = found[(size_t)k * DPS_TILE_ROWS + (size_t)i];
        }
    }
}

int dpsvm_predict(const dpsvm_model *model, int64_t rows, const int64_t *start,
                  const int32_t *index, const double *value, int32_t *predicted, double *scores,
                  char *error, size_t error_size)
{
    const size_t score_count = (size_t)model->model.models * DPS_TILE_ROWS;
    dps_error err = {0};
    dps_block_work work;
    dps_row_block block = {.start = dps_alloc(DPS_TILE_ROWS + 1, sizeof *block.start)};
    double *found = dps_alloc(score_count, sizeof *found);
    dps_status status = dps_block_work_init(&work, &model->predictor, &err);

    if (status == DPS_OK && (block.start == NULL || found == NULL)) {
        status = dps_out_of_memory(&err, score_count, sizeof(double), "prediction");
    }
    for (int64_t first = 0; first < rows && status == DPS_OK; first += DPS_TILE_ROWS) {
        int64_t count = rows - first < DPS_TILE_ROWS ? rows - first : DPS_TILE_ROWS;
        status = copy_rows(&block, first, count, start, index, value, &err);
        DPS_THEN(status, dps_block_scores(&model->predictor, &work, &block, first, found, &err));
        if (status == DPS_OK) {
            hand_out(model, found, first, count, predicted, scores);
        }
    }
    dps_free(block.start);
    dps_free(block.index);
    dps_free(block.value);
    dps_free(found);
    dps_block_work_release(&work);
    return told(status, &err, error, error_size);
}
