/* The story of loading: read all files -> classes -> columns and scaler -> scaled rows. */
#include "dataset_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "class_builder.h"
#include "hold_out.h"
#include "limits.h"
#include "memory.h"
#include "number.h"
#include "raw_rows.h"
#include "scale_rows.h"
#include "scaled_store.h"
#include "scaler_fit.h"
#include "weights_file.h"

/* So many classes with so large a share of distinct labels are numbers to predict, not classes. */
#define MANY_CLASSES   100
#define DISTINCT_SHARE 0.05

static const char *shown_name(const dps_load_options *options)
{
    return strcmp(options->paths[0], "-") == 0 ? "standard input" : options->paths[0];
}

/* ---- classes ---- */

/* Number of a block's k-th spelling: a new or known class of the training, or one of the table. */
static int32_t class_of(const dps_raw_block *block, int32_t k, dps_class_builder *builder,
                        const dps_class_table *table)
{
    const char *text = block->label_bytes + block->label_begin[k];
    const size_t length = (size_t)(block->label_begin[k + 1] - block->label_begin[k]);
    return builder != NULL ? dps_class_builder_add(builder, text, length)
                           : dps_class_find(table, text, length);
}

/* Fills data->label in the order of the input: from `builder` (training) or from `table`. */
static dps_status collect_labels(const dps_raw_rows *raw, dps_class_builder *builder,
                                 const dps_class_table *table, dps_dataset *data, dps_error *err)
{
    data->label = dps_alloc((size_t)raw->rows, sizeof *data->label);
    void *class = NULL; /* of each spelling of a block */
    size_t capacity = 0;
    bool ok = data->label != NULL;
    for (int64_t b = 0; b < raw->blocks && ok; b++) {
        const dps_raw_block *block = &raw->block[b];
        ok = dps_grow(&class, &capacity, (size_t)block->label_count, sizeof(int32_t));
        int32_t *class_number = class;
        for (int32_t k = 0; k < block->label_count && ok; k++) {
            class_number[k] = class_of(block, k, builder, table);
            ok = builder == NULL || class_number[k] >= 0;
        }
        for (int64_t i = 0; i < block->rows && ok; i++) {
            const int32_t k = block->label[i];
            data->label[block->first_row + i] = k >= 0 ? class_number[k] : -1;
        }
        dps_raw_block_rest(block);
    }
    dps_free(class);
    return ok ? DPS_OK : dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->label, "labels");
}

/* Puts the classes in their order and counts their rows. */
static dps_status order_classes(dps_class_builder *builder, int64_t rows, dps_dataset *data,
                                dps_error *err)
{
    const size_t count = (size_t)builder->count;
    int32_t *place = dps_alloc(count, sizeof *place);
    if (place == NULL) {
        return dps_out_of_memory(err, count, sizeof *place, "classes");
    }
    dps_status status = dps_class_builder_finish(builder, &data->classes, place, err);
    for (int64_t i = 0; i < rows && status == DPS_OK; i++) {
        data->label[i] = place[data->label[i]];
        data->classes.rows[data->label[i]]++;
    }
    dps_free(place);
    return status;
}

static dps_status check_classes(const dps_class_table *classes, int64_t rows, const char *file,
                                dps_error *err)
{
    if (classes->count == 1) {
        char shown[4 * 40 + 4];
        dps_quote_token(shown, sizeof shown, classes->text[0], strlen(classes->text[0]), 40);
        return dps_error_at(err, DPS_ERROR_DATA, file, 0, 0,
                            "all %lld rows have the label %s; training needs at least two classes",
                            (long long)rows, shown);
    }
    if (classes->count > MANY_CLASSES && (double)classes->count > DISTINCT_SHARE * (double)rows) {
        return dps_error_at(
            err, DPS_ERROR_DATA, file, 0, 0,
            "%d different labels in %lld rows look like numbers to predict, not "
            "classes: check that the label's column is the class (data.label_column); "
            "regression is solver.task = regression",
            (int)classes->count, (long long)rows);
    }
    return DPS_OK;
}

static dps_status find_classes(const dps_load_options *options, const dps_raw_rows *raw,
                               dps_dataset *data, dps_error *err)
{
    dps_class_builder builder = {0};
    dps_status status = collect_labels(raw, &builder, NULL, data, err);
    if (status == DPS_OK) {
        status = order_classes(&builder, raw->rows, data, err);
    }
    if (status == DPS_OK) {
        status = check_classes(&data->classes, raw->rows, shown_name(options), err);
    }
    dps_class_builder_release(&builder);
    return status;
}

/* ---- targets ---- */

static dps_status not_a_number(const dps_raw_rows *raw, const dps_raw_block *block, int32_t k,
                               dps_error *err)
{
    char shown[4 * 40 + 4];
    int64_t i = 0, line = 0;
    while (block->label[i] != k) {
        i++;
    }
    const char *file = dps_raw_rows_place(raw, block->first_row + i, &line);
    dps_quote_token(shown, sizeof shown, block->label_bytes + block->label_begin[k],
                    (size_t)(block->label_begin[k + 1] - block->label_begin[k]), 40);
    return dps_error_at(
        err, DPS_ERROR_DATA, file, line, 0,
        "expected a finite number as the label of row %lld, found %s: solver.task = "
        "regression predicts numbers (the label's column is data.label_column)",
        (long long)(block->first_row + i + 1), shown);
}

/* Fills data->target from the labels' texts, and data->label with 0. */
static dps_status collect_targets(const dps_raw_rows *raw, dps_dataset *data, dps_error *err)
{
    void *number = NULL; /* of each spelling of a block */
    size_t capacity = 0;
    dps_status status = DPS_OK;
    data->label = dps_alloc((size_t)raw->rows, sizeof *data->label);
    data->target = dps_alloc((size_t)raw->rows, sizeof *data->target);
    if (data->label == NULL || data->target == NULL) {
        return dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->target, "the targets");
    }
    for (int64_t b = 0; b < raw->blocks && status == DPS_OK; b++) {
        const dps_raw_block *block = &raw->block[b];
        if (!dps_grow(&number, &capacity, (size_t)block->label_count, sizeof(double))) {
            status = dps_out_of_memory(err, (size_t)block->label_count, sizeof(double), "labels");
            break;
        }
        double *value = number;
        for (int32_t k = 0; k < block->label_count && status == DPS_OK; k++) {
            const int32_t begin = block->label_begin[k];
            if (!dps_text_to_double(block->label_bytes + begin,
                                    (size_t)(block->label_begin[k + 1] - begin), &value[k]) ||
                !isfinite(value[k])) {
                status = not_a_number(raw, block, k, err);
            }
        }
        for (int64_t i = 0; i < block->rows && status == DPS_OK; i++) {
            data->target[block->first_row + i] = value[block->label[i]];
        }
        dps_raw_block_rest(block);
    }
    dps_free(number);
    return status;
}

static dps_status copy_classes(const dps_class_table *from, dps_class_table *to, dps_error *err)
{
    const size_t count = (size_t)from->count;
    to->text = dps_alloc(count, sizeof *to->text);
    to->number = dps_alloc(count, sizeof *to->number);
    to->rows = dps_alloc(count, sizeof *to->rows);
    bool ok = to->text != NULL && to->number != NULL && to->rows != NULL;
    for (size_t k = 0; k < count && ok; k++) {
        const size_t size = strlen(from->text[k]) + 1;
        to->text[k] = dps_alloc(size, 1);
        ok = to->text[k] != NULL;
        if (ok) {
            memcpy(to->text[k], from->text[k], size);
            to->number[k] = from->number[k];
            to->count = (int32_t)k + 1;
        }
    }
    return ok ? DPS_OK : dps_out_of_memory(err, count, sizeof *to->text, "classes");
}

static dps_status copy_scaler(const dps_scaler *from, dps_scaler *to, dps_error *err)
{
    const size_t columns = (size_t)from->columns;
    *to = *from;
    to->index = dps_alloc(columns, sizeof *to->index);
    to->shift = dps_alloc(columns, sizeof *to->shift);
    to->factor = dps_alloc(columns, sizeof *to->factor);
    if (to->index == NULL || to->shift == NULL || to->factor == NULL) {
        return dps_out_of_memory(err, columns, sizeof *to->shift, "the scaler");
    }
    memcpy(to->index, from->index, columns * sizeof *to->index);
    memcpy(to->shift, from->shift, columns * sizeof *to->shift);
    memcpy(to->factor, from->factor, columns * sizeof *to->factor);
    return DPS_OK;
}

/* ---- loading ---- */

static dps_status read_rows(const dps_load_options *options, const dps_read_options *read,
                            const dps_table *known, size_t chunk_bytes, const dps_run *run,
                            dps_raw_rows *raw, dps_dataset *data, dps_error *err)
{
    const double begin = dps_now();
    dps_status status = dps_raw_rows_read(raw, options->paths, options->path_count, read, known,
                                          chunk_bytes, run, err);
    data->parse_seconds = dps_now() - begin;
    if (status == DPS_OK) {
        snprintf(data->note, sizeof data->note, "%s", raw->input.note);
    }
    data->bytes = raw->bytes;
    data->nonzeros = raw->entries;
    if (status == DPS_OK && raw->rows == 0) {
        status = dps_error_at(err, DPS_ERROR_DATA, shown_name(options), 0, 0,
                              "%s; expected rows like: 1 3:0.5 7:1",
                              raw->bytes == 0 ? "the input is empty"
                                              : "the input has no rows, only blank lines and "
                                                "comments");
    }
    if (status == DPS_OK && raw->qid_seen > 0) {
        dps_log_text(run, DPS_NORMAL, "note: %lld qid: entries were passed over",
                     (long long)raw->qid_seen);
    }
    return status;
}

/* Path of the file of weights into path[size]; false: there is no such file. */
static bool find_weights_file(const dps_load_options *options, char *path, size_t size)
{
    const char *weights = options->weights == NULL ? "" : options->weights;
    const char *slash = options->base == NULL ? NULL : strrchr(options->base, '/');
    const int folder = slash == NULL || *weights == '/' ? 0 : (int)(slash - options->base) + 1;
    struct stat info;
    const int length =
        snprintf(path, size, "%.*s%s", folder, folder > 0 ? options->base : "", weights);
    return *weights != '\0' && length >= 0 && (size_t)length < size && stat(path, &info) == 0 &&
           !S_ISDIR(info.st_mode);
}

/* Weights of the rows, from their file ("": none) or from the blocks. */
static dps_status collect_weights(const dps_raw_rows *raw, const char *file, const dps_run *run,
                                  dps_dataset *data, dps_error *err)
{
    if (!raw->input.layout.has_weight && *file == '\0') {
        return DPS_OK;
    }
    data->row_weight = dps_alloc((size_t)raw->rows, sizeof *data->row_weight);
    if (data->row_weight == NULL) {
        return dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->row_weight, "weights");
    }
    if (*file != '\0') {
        const size_t said = strlen(data->note);
        snprintf(data->note + said, sizeof data->note - said, ", weights in %s", file);
        return dps_weights_file_read(file, raw->rows, run, data->row_weight, err);
    }
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        memcpy(data->row_weight + block->first_row, block->weight,
               (size_t)block->rows * sizeof *data->row_weight);
        dps_raw_block_rest(block);
    }
    return DPS_OK;
}

/* Labels and weights of the rows that stay; labels of those held out. */
static dps_status split_labels(const int32_t *fold, int64_t rows, dps_dataset *data, dps_error *err)
{
    int64_t kept = 0, held = 0;
    data->held_label = dps_alloc((size_t)rows, sizeof *data->held_label);
    if (data->target != NULL) {
        data->held_target = dps_alloc((size_t)rows, sizeof *data->held_target);
    }
    if (data->held_label == NULL || (data->target != NULL && data->held_target == NULL)) {
        return dps_out_of_memory(err, (size_t)rows, sizeof *data->held_label, "labels");
    }
    for (int64_t i = 0; i < rows; i++) {
        const int32_t label = data->label[i];
        if (fold[i] == 0 && data->target != NULL) {
            data->held_target[held++] = data->target[i];
            continue;
        }
        if (fold[i] == 0) {
            data->held_label[held++] = label;
            data->classes.rows[label]--;
            continue;
        }
        if (data->target != NULL) {
            data->target[kept] = data->target[i];
        }
        data->label[kept] = label;
        if (data->row_weight != NULL) {
            data->row_weight[kept] = data->row_weight[i];
        }
        kept++;
    }
    return DPS_OK;
}

/* Sets the rows aside that options->hold_out chooses. */
static dps_status hold_out(const dps_load_options *options, const dps_run *run, dps_raw_rows *raw,
                           dps_raw_rows *held, dps_dataset *data, dps_error *err)
{
    if (options->hold_out == NULL) {
        return DPS_OK;
    }
    const int64_t rows = raw->rows;
    const int32_t classes = options->regression ? 1 : data->classes.count;
    int32_t *fold = dps_alloc((size_t)rows, sizeof *fold);
    dps_status status = fold != NULL ? options->hold_out(options->hold_out_context, data->label,
                                                         rows, classes, fold, err)
                                     : dps_out_of_memory(err, (size_t)rows, sizeof *fold, "folds");
    if (status == DPS_OK) {
        status = split_labels(fold, rows, data, err);
    }
    if (status == DPS_OK) {
        status = dps_raw_rows_split(raw, fold, run, held, err);
    }
    dps_free(fold);
    return status;
}

/* Bytes of what is kept of a row besides its values. */
static size_t row_bytes(const dps_dataset *data, int64_t rows)
{
    return (size_t)rows * (sizeof *data->label + (data->target != NULL ? sizeof(double) : 0) +
                           (data->row_weight != NULL ? sizeof(double) : 0));
}

/* Rows held out, as at prediction. */
static dps_status scale_held(dps_raw_rows *held, const dps_run *run, dps_dataset *data,
                             dps_error *err)
{
    double radius1, radius2;
    if (held->rows == 0) {
        return DPS_OK;
    }
    dps_raw_rows_number(held, data->scaler.index, data->scaler.columns, run);
    return dps_scale_raw_rows(&data->scaler, held, dps_dataset_memory(data), run, &data->held,
                              &radius1, &radius2, err);
}

dps_status dps_dataset_load_chunked(const dps_load_options *options, size_t chunk_bytes,
                                    const dps_run *run, dps_dataset *data, dps_error *err)
{
    memset(data, 0, sizeof *data);
    dps_raw_rows raw = {0}, held = {0};
    dps_read_options read = options->read;
    read.labels = DPS_LABELS_REQUIRED;
    char weights[4096];
    if (!find_weights_file(options, weights, sizeof weights)) {
        weights[0] = '\0';
        read.table.weight_column = options->weights;
    }
    dps_status status = read_rows(options, &read, NULL, chunk_bytes, run, &raw, data, err);
    const double begin = dps_now();
    if (status == DPS_OK) {
        data->table = *raw.input.made;
        memset(raw.input.made, 0, sizeof *raw.input.made);
        status = collect_weights(&raw, weights, run, data, err);
    }
    if (status == DPS_OK) {
        status = options->regression ? collect_targets(&raw, data, err)
                                     : find_classes(options, &raw, data, err);
    }
    if (status == DPS_OK) {
        status = hold_out(options, run, &raw, &held, data, err);
    }
    if (status == DPS_OK) {
        status =
            dps_scaler_fit(&data->scaler, options->scaling, options->normalize, &raw, run, err);
    }
    if (status == DPS_OK) {
        data->scaler.radius2 = INFINITY; /* no training row is outside */
        status = dps_scale_raw_rows(&data->scaler, &raw, row_bytes(data, raw.rows), run, &data->x,
                                    &data->scaler.radius1, &data->scaler.radius2, err);
    }
    if (status == DPS_OK) {
        status = scale_held(&held, run, data, err);
    }
    data->scale_seconds = dps_now() - begin;
    dps_raw_rows_release(&held);
    dps_raw_rows_release(&raw);
    if (status != DPS_OK) {
        dps_dataset_release(data);
    }
    return status;
}

dps_status dps_dataset_load(const dps_load_options *options, const dps_run *run, dps_dataset *data,
                            dps_error *err)
{
    return dps_dataset_load_chunked(options, 0, run, data, err);
}

dps_status dps_dataset_load_as(const dps_load_options *options, const dps_table *table,
                               const dps_scaler *scaler, const dps_class_table *classes,
                               const dps_run *run, dps_dataset *data, dps_error *err)
{
    memset(data, 0, sizeof *data);
    dps_raw_rows raw = {0};
    dps_status status = read_rows(options, &options->read, table, 0, run, &raw, data, err);
    const double begin = dps_now();
    if (status == DPS_OK) {
        status = copy_classes(classes, &data->classes, err);
    }
    if (status == DPS_OK) {
        status = copy_scaler(scaler, &data->scaler, err);
    }
    if (status == DPS_OK) {
        status = collect_labels(&raw, NULL, &data->classes, data, err);
    }
    for (int64_t i = 0; i < raw.rows && status == DPS_OK; i++) {
        if (data->label[i] >= 0) {
            data->classes.rows[data->label[i]]++;
        }
    }
    if (status == DPS_OK) {
        double radius1, radius2;
        dps_raw_rows_number(&raw, scaler->index, scaler->columns, run);
        status = dps_scale_raw_rows(&data->scaler, &raw, row_bytes(data, raw.rows), run, &data->x,
                                    &radius1, &radius2, err);
    }
    data->scale_seconds = dps_now() - begin;
    dps_raw_rows_release(&raw);
    if (status != DPS_OK) {
        dps_dataset_release(data);
    }
    return status;
}

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)err;
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

dps_row_source dps_dataset_rows(const dps_dataset *data)
{
    return (dps_row_source){
        .rows = data->x.rows, .columns = data->x.columns, .context = &data->x, .get = get_tile};
}

dps_row_source dps_dataset_held_rows(const dps_dataset *data)
{
    return (dps_row_source){.rows = data->held.rows,
                            .columns = data->held.columns,
                            .context = &data->held,
                            .get = get_tile};
}

/* Bytes besides scaled rows. */
static size_t beside(const dps_dataset *data)
{
    return row_bytes(data, data->x.rows + data->held.rows) +
           (size_t)data->scaler.columns * (2 * sizeof(double) + sizeof(int32_t));
}

size_t dps_dataset_memory(const dps_dataset *data)
{
    return dps_scaled_rows_memory(&data->x) + dps_scaled_rows_memory(&data->held) + beside(data);
}

size_t dps_dataset_memory_spilled(const dps_dataset *data, const dps_run *run)
{
    return dps_scaled_rows_memory_spilled(&data->x, run) +
           dps_scaled_rows_memory_spilled(&data->held, run) + beside(data);
}

dps_status dps_dataset_spill(dps_dataset *data, const dps_run *run, dps_error *err)
{
    const dps_status status = dps_scaled_rows_spill(&data->x, run, err);
    return status == DPS_OK ? dps_scaled_rows_spill(&data->held, run, err) : status;
}

void dps_dataset_release(dps_dataset *data)
{
    dps_scaled_rows_release(&data->x);
    dps_scaled_rows_release(&data->held);
    dps_free(data->held_label);
    dps_free(data->held_target);
    dps_free(data->label);
    dps_free(data->target);
    dps_free(data->row_weight);
    dps_table_release(&data->table);
    dps_class_table_release(&data->classes);
    dps_scaler_release(&data->scaler);
    memset(data, 0, sizeof *data);
}
