/* Task: models of the public interface: from a file or bytes, and what can be asked about them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "allocation.h"
#include "cpu.h"
#include "feature_name.h"
#include "model_fields.h"
#include "serve.h"

_Static_assert(DPSVM_IO == (int)DPS_ERROR_IO && DPSVM_MEMORY == (int)DPS_ERROR_MEMORY &&
                   DPSVM_CONFIG == (int)DPS_ERROR_CONFIG && DPSVM_DATA == (int)DPS_ERROR_DATA &&
                   DPSVM_NUMERIC == (int)DPS_ERROR_NUMERIC &&
                   DPSVM_STOPPED == (int)DPS_ERROR_STOPPED,
               "numbers of errors are public");
_Static_assert(DPSVM_CLASSES == (int)DPS_TASK_CLASSIFICATION &&
                   DPSVM_NUMBERS == (int)DPS_TASK_REGRESSION &&
                   DPSVM_NUMBER == (int)DPS_COLUMN_NUMBER &&
                   DPSVM_ONEHOT == (int)DPS_COLUMN_ONEHOT &&
                   DPSVM_ORDINAL == (int)DPS_COLUMN_ORDINAL,
               "tasks and kinds of columns are public");

int dps_serve_told(dps_status status, const dps_error *err, int64_t row, dpsvm_error *error)
{
    const int code = status == DPS_ERROR_PAUSED   ? DPSVM_STOPPED
                     : status == DPS_ERROR_CLOSED ? DPSVM_IO
                                                  : (int)status;
    if (error != NULL) {
        error->code = code;
        error->row = status == DPS_OK ? -1 : row;
        error->text[0] = '\0';
        if (status != DPS_OK) {
            dps_error_format(err, error->text, sizeof error->text);
        }
    }
    return code;
}

const char *dpsvm_version(void)
{
    return DPSVM_VERSION;
}

/* ---- opening ---- */

/* What a map may take: all memory that the machine has. */
static size_t machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    size_t memory;
    return pages > 0 && bytes > 0 && dps_size_mul((size_t)pages, (size_t)bytes, &memory)
               ? memory
               : SIZE_MAX / 2;
}

dps_status dps_serve_ready(dpsvm_model *model, dps_error *err)
{
    const dps_run run = {.threads = 1, .simd = dps_cpu_best(), .memory = machine_memory()};
    return dps_predictor_init(&model->predictor, &model->model, &run, err);
}

static int opened(dpsvm_model **out, dpsvm_model *model, dps_status status, const char *name,
                  dps_error *err, dpsvm_error *error)
{
    dps_error reason;
    if (status == DPS_OK) {
        status = dps_serve_ready(model, &reason);
        if (status != DPS_OK) {
            dps_model_release(&model->model);
            status = dps_error_at(err, status, name, 0, 0, "%s", reason.text);
        }
    }
    if (status == DPS_OK) {
        *out = model;
    } else {
        dps_free(model);
    }
    return dps_serve_told(status, err, -1, error);
}

int dpsvm_model_open(dpsvm_model **out, const char *path, dpsvm_error *error)
{
    dps_error err;
    dpsvm_model *model = dps_alloc(1, sizeof *model);
    *out = NULL;
    const dps_status status = model == NULL ? dps_out_of_memory(&err, 1, sizeof *model, "the model")
                                            : dps_model_load(&model->model, path, &err);
    return opened(out, model, status, path, &err, error);
}

int dpsvm_model_read(dpsvm_model **out, const void *bytes, size_t size, dpsvm_error *error)
{
    static const char name[] = "model in memory";
    dps_error err;
    dpsvm_model *model = dps_alloc(1, sizeof *model);
    *out = NULL;
    const dps_status status = model == NULL
                                  ? dps_out_of_memory(&err, 1, sizeof *model, "the model")
                                  : dps_model_load_bytes(&model->model, bytes, size, name, &err);
    return opened(out, model, status, name, &err, error);
}

void dpsvm_model_close(dpsvm_model *model)
{
    if (model != NULL) {
        dps_predictor_release(&model->predictor);
        dps_model_release(&model->model);
        dps_free(model);
    }
}

/* ---- what it is ---- */

int32_t dpsvm_model_task(const dpsvm_model *model)
{
    return (int32_t)model->model.task;
}

int32_t dpsvm_class_count(const dpsvm_model *model)
{
    return model->model.classes.count;
}

const char *dpsvm_class_label(const dpsvm_model *model, int32_t k)
{
    return k < 0 || k >= model->model.classes.count ? NULL : model->model.classes.text[k];
}

int32_t dpsvm_class_of(const dpsvm_model *model, const char *label)
{
    return dps_class_find(&model->model.classes, label, strlen(label));
}

int32_t dpsvm_score_count(const dpsvm_model *model)
{
    return model->model.models;
}

int32_t dpsvm_has_probabilities(const dpsvm_model *model)
{
    return model->model.probability != DPS_PROBABILITY_NONE;
}

/* Features of rows without columns: up to the last one that training saw. */
static int32_t plain_features(const dps_scaler *scaler)
{
    return scaler->columns > 0 ? scaler->index[scaler->columns - 1] + 1 : 0;
}

int32_t dpsvm_column_count(const dpsvm_model *model)
{
    const dps_table *table = &model->model.table;
    int32_t count = 0;
    if (table->count == 0) {
        return plain_features(&model->model.scaler);
    }
    for (int32_t c = 0; c < table->count; c++) {
        count += table->column[c].role <= DPS_COLUMN_ORDINAL;
    }
    return count;
}

static void describe(const dps_table *table, const dps_column *from, dpsvm_column *to)
{
    const bool number = from->role == DPS_COLUMN_NUMBER;
    *to = (dpsvm_column){.name = from->name,
                         .kind = (int32_t)from->role,
                         .feature = from->first,
                         .features = dps_column_features(from),
                         .value_count = from->value.count,
                         .values = (const char *const *)from->value.text,
                         .rest = from->rest,
                         .missing = number ? !isnan(from->fill) : table->missing_allowed,
                         .fill = number ? from->fill : (double)NAN};
}

int dpsvm_column_get(const dpsvm_model *model, int32_t j, dpsvm_column *column)
{
    const dps_table *table = &model->model.table;
    *column = (dpsvm_column){.feature = j, .features = 1, .fill = NAN};
    if (table->count == 0) {
        return j >= 0 && j < dpsvm_column_count(model) ? DPSVM_OK : DPSVM_CONFIG;
    }
    for (int32_t c = 0; c < table->count; c++) {
        if (table->column[c].role <= DPS_COLUMN_ORDINAL && j-- == 0) {
            describe(table, &table->column[c], column);
            return DPSVM_OK;
        }
    }
    return DPSVM_CONFIG;
}

int32_t dpsvm_feature_count(const dpsvm_model *model)
{
    const dps_table *table = &model->model.table;
    if (table->count == 0) {
        return plain_features(&model->model.scaler);
    }
    const dps_column *last = &table->column[table->count - 1];
    return last->first + dps_column_features(last);
}

/* What snprintf would have written of a text into so many bytes. */
static int32_t hand_out(const char *text, char *buffer, size_t size)
{
    if (size > 0) {
        snprintf(buffer, size, "%s", text);
    }
    return (int32_t)strlen(text);
}

int32_t dpsvm_feature_name(const dpsvm_model *model, int32_t f, char *buffer, size_t size)
{
    char name[DPS_FEATURE_NAME];
    if (f < 0 || f >= dpsvm_feature_count(model)) {
        return -1;
    }
    dps_feature_name(&model->model.table, f, name);
    return hand_out(name, buffer, size);
}

int32_t dpsvm_model_fact(const dpsvm_model *model, const char *key, char *buffer, size_t size)
{
    int32_t length = -1;
    for (size_t k = 0; k < dps_model_field_count && length < 0; k++) {
        if (strcmp(dps_model_fields[k].key, key) == 0) {
            dps_text text = {0};
            dps_model_field_write(&dps_model_fields[k], &model->model, &text);
            length = text.failed ? -1 : hand_out(text.data == NULL ? "" : text.data, buffer, size);
            dps_text_release(&text);
        }
    }
    return length;
}
