/* The story of loading: read all files -> classes -> columns and scaler -> scaled rows. Over ranks:
 * a part of the files each -> classes of all -> rows to their owners -> columns and scaler of all
 * -> scaled rows. Whatever can fail on one rank is agreed on before the next step. */
#include "dataset_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "allocation.h"
#include "cache.h"
#include "comm.h"
#include "dataset_labels.h"
#include "hold_out.h"
#include "job_limits.h"
#include "ordered_sum.h"
#include "raw_ranks.h"
#include "row_exchange.h"
#include "scale_rows.h"
#include "scaled_store.h"
#include "scaler_fit.h"
#include "weights_file.h"

static const char *shown_name(const dps_load_options *options)
{
    return strcmp(options->paths[0], "-") == 0 ? "standard input" : options->paths[0];
}

/* ---- copies ---- */

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

/* What the rows of a cache are made of: means of columns follow a file of weights. From
 * dps_alloc; NULL: no memory. */
static const char **cached_files(const dps_load_options *options, const dps_read_options *read,
                                 size_t *count)
{
    const bool weighted = read->table.missing == DPS_MISSING_MEAN && read->weights_file[0] != '\0';
    *count = options->path_count + weighted;
    const char **files = dps_alloc(*count, sizeof *files);
    if (files != NULL) {
        memcpy(files, options->paths, options->path_count * sizeof *files);
        if (weighted) {
            files[options->path_count] = read->weights_file;
        }
    }
    return files;
}

static dps_status read_rows(const dps_load_options *options, const dps_read_options *read,
                            const dps_table *known, size_t chunk_bytes, const dps_run *run,
                            dps_raw_rows *raw, dps_dataset *data, dps_error *err)
{
    const double begin = dps_now();
    dps_cache *cache = NULL;
    const char **files = NULL;
    size_t count;
    bool found = false;
    dps_status status = DPS_OK;
    if (known == NULL && options->cache != NULL && options->cache[0] != '\0') {
        files = cached_files(options, read, &count);
        status = files == NULL ? dps_out_of_memory(err, count, sizeof *files, "names of files")
                               : dps_cache_open(&cache, options->cache, files, count, read, run,
                                                raw, &found, err);
    }
    dps_free(files);
    if (status == DPS_OK && !found) {
        status = dps_raw_rows_read(raw, options->paths, options->path_count, read, known,
                                   chunk_bytes, run, err);
        if (status == DPS_OK && cache != NULL) {
            status = dps_cache_write(cache, raw, run, err);
        }
    }
    dps_cache_close(cache);
    data->parse_seconds = dps_now() - begin;
    if (status == DPS_OK) {
        snprintf(data->note, sizeof data->note, "%s", raw->input.note);
    }
    if (status != DPS_OK) {
        return status;
    }
    data->bytes = dps_comm_sum(run->comm, raw->bytes);
    data->nonzeros = raw->total_entries;
    data->label_guessed = raw->input.layout.label_guessed;
    if (raw->total_rows == 0) {
        status = dps_error_at(err, DPS_ERROR_DATA, shown_name(options), 0, 0,
                              "%s; expected rows like: 1 3:0.5 7:1",
                              data->bytes == 0 ? "the input is empty"
                                               : "the input has no rows, only blank lines and "
                                                 "comments");
    }
    const int64_t qid_seen = dps_comm_sum(run->comm, raw->qid_seen);
    if (status == DPS_OK && qid_seen > 0) {
        dps_log_text(run, DPS_NORMAL, "note: %lld qid: entries were passed over",
                     (long long)qid_seen);
    }
    const int64_t repeats = dps_comm_sum(run->comm, raw->repeats);
    if (status == DPS_OK && repeats > 0) {
        dps_log_text(run, DPS_NORMAL,
                     "note: %lld lines that repeat the names of the columns were passed over",
                     (long long)repeats);
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
static dps_status collect_weights(dps_raw_rows *raw, const char *file, const dps_run *run,
                                  dps_dataset *data, dps_error *err)
{
    if (!raw->input.layout.has_weight && *file == '\0') {
        return DPS_OK;
    }
    const bool read = raw->file_weight != NULL;
    data->row_weight =
        read ? raw->file_weight : dps_alloc((size_t)raw->rows, sizeof *data->row_weight);
    raw->file_weight = NULL; /* the data's now */
    if (data->row_weight == NULL) {
        return dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->row_weight, "weights");
    }
    if (*file != '\0') {
        const size_t said = strlen(data->note);
        snprintf(data->note + said, sizeof data->note - said, ", weights in %s", file);
        return read ? DPS_OK
                    : dps_weights_file_read(file, raw->first_row, raw->rows, raw->total_rows, run,
                                            data->row_weight, err);
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
    if (data->row_weight != NULL) {
        data->held_weight = dps_alloc((size_t)rows, sizeof *data->held_weight);
    }
    if (data->held_label == NULL || (data->target != NULL && data->held_target == NULL) ||
        (data->row_weight != NULL && data->held_weight == NULL)) {
        return dps_out_of_memory(err, (size_t)rows, sizeof *data->held_label, "labels");
    }
    for (int64_t i = 0; i < rows; i++) {
        const int32_t label = data->label[i];
        if (fold[i] == 0 && data->row_weight != NULL) {
            data->held_weight[held] = data->row_weight[i];
        }
        if (fold[i] == 0 && data->target != NULL) {
            data->held_target[held++] = data->target[i];
            continue;
        }
        if (fold[i] == 0) {
            data->held_label[held++] = label;
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

/* Takes the rows held out, on all ranks, off the counts of the classes. */
static dps_status count_held(const dps_raw_rows *held, const dps_run *run, dps_dataset *data,
                             dps_error *err)
{
    const size_t classes = data->target != NULL ? 0 : (size_t)data->classes.count;
    int64_t *count = dps_alloc(2 * classes, sizeof *count);
    if (dps_comm_any(run->comm, count == NULL)) {
        dps_free(count);
        return dps_out_of_memory(err, 2 * classes, sizeof *count, "classes");
    }
    for (int64_t i = 0; i < held->rows && classes > 0; i++) {
        count[data->held_label[i]]++;
    }
    dps_sum_counts(run->comm, count, count + classes, classes);
    for (size_t k = 0; k < classes; k++) {
        data->classes.rows[k] -= count[k];
    }
    dps_free(count);
    return DPS_OK;
}

/* fold[i] of this rank's rows. The choice looks at all labels, in their order. */
static dps_status choose_held(const dps_load_options *options, const dps_raw_rows *raw,
                              const dps_run *run, dps_dataset *data, int32_t **fold, dps_error *err)
{
    const size_t rows = (size_t)raw->rows, total = (size_t)raw->total_rows;
    const int32_t classes = options->regression ? 1 : data->classes.count;
    void *all = NULL;
    int32_t *label = data->label;
    dps_status status = DPS_OK;
    *fold = NULL;
    if (run->comm != NULL) {
        status = dps_gather_items(run->comm, data->label, raw->rows, sizeof *label, &all, err);
        label = all;
    }
    if (status == DPS_OK) {
        *fold = dps_alloc(total, sizeof **fold);
        status = *fold != NULL ? options->hold_out(options->hold_out_context, label,
                                                   raw->total_rows, classes, *fold, err)
                               : dps_out_of_memory(err, total, sizeof **fold, "folds");
    }
    if (status == DPS_OK && raw->first_row > 0) {
        memmove(*fold, *fold + raw->first_row, rows * sizeof **fold);
    }
    dps_free(all);
    return dps_comm_agree(run->comm, status, err);
}

/* Sets the rows aside that options->hold_out chooses. */
static dps_status hold_out(const dps_load_options *options, const dps_run *run, dps_raw_rows *raw,
                           dps_raw_rows *held, dps_dataset *data, dps_error *err)
{
    if (options->hold_out == NULL) {
        return DPS_OK;
    }
    int32_t *fold;
    dps_status status = choose_held(options, raw, run, data, &fold, err);
    if (status == DPS_OK) {
        status = split_labels(fold, raw->rows, data, err);
    }
    if (status == DPS_OK) {
        status = dps_raw_rows_split(raw, fold, run, held, err);
    }
    dps_free(fold);
    status = dps_comm_agree(run->comm, status, err);
    return status == DPS_OK ? count_held(held, run, data, err) : status;
}

/* ---- ranks ---- */

/* Rows, labels, targets and weights to their owners; any of the arrays may be NULL. */
static dps_status exchange(dps_raw_rows *raw, const dps_source *source, int64_t units,
                           int32_t **label, double **target, double **weight, const dps_run *run,
                           dps_error *err)
{
    void *labels = *label, *targets = *target, *weights = *weight;
    dps_row_exchange x;
    dps_status status = dps_row_exchange_init(&x, run->comm, raw->rows, units, err);
    if (status != DPS_OK) {
        return status;
    }
    status = dps_row_exchange_items(&x, &labels, sizeof **label, err);
    *label = labels;
    if (status == DPS_OK && targets != NULL) {
        status = dps_row_exchange_items(&x, &targets, sizeof **target, err);
        *target = targets;
    }
    if (status == DPS_OK && weights != NULL) {
        status = dps_row_exchange_items(&x, &weights, sizeof **weight, err);
        *weight = weights;
    }
    if (status == DPS_OK) {
        status = dps_row_exchange_raw(&x, raw, source, run, err);
    }
    dps_row_exchange_release(&x);
    return status;
}

/* From the ranks that have read rows to those that own them. */
static dps_status deal_rows(const dps_load_options *options, const dps_run *run, dps_raw_rows *raw,
                            dps_raw_rows *held, dps_dataset *data, dps_error *err)
{
    dps_status status = DPS_OK;
    if (run->comm != NULL) {
        const int64_t rows = dps_comm_sum(run->comm, raw->rows);
        const int64_t units = options->units_of != NULL ? options->units_of(rows) : options->units;
        status = exchange(raw, raw->input.source, units, &data->label, &data->target,
                          &data->row_weight, run, err);
        if (status == DPS_OK && options->hold_out != NULL) {
            status = exchange(held, raw->input.source, units, &data->held_label, &data->held_target,
                              &data->held_weight, run, err);
        }
    }
    if (status != DPS_OK) {
        return status;
    }
    dps_raw_rows_count_all(raw, run);
    dps_raw_rows_count_all(held, run);
    if (run->comm != NULL) {
        data->first_row = raw->first_row;
        data->total_rows = raw->total_rows;
        data->held_first_row = held->first_row;
        data->held_total_rows = held->total_rows;
        const int64_t without = dps_comm_sum(run->comm, raw->rows == 0);
        if (without > 0) {
            dps_log_text(run, DPS_NORMAL,
                         "note: %lld of %d ranks have no rows: %lld rows are dealt in whole tiles "
                         "of %d, several at a time",
                         (long long)without, dps_comm_size(run->comm), (long long)raw->total_rows,
                         DPS_TILE_ROWS);
        }
    }
    return DPS_OK;
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

/* Rows in the columns of a scaler that is there already. */
static dps_status take_scaler(const dps_scaler *scaler, dps_raw_rows *raw, const dps_run *run,
                              dps_dataset *data, dps_error *err)
{
    const dps_status status = copy_scaler(scaler, &data->scaler, err);
    if (status == DPS_OK) {
        dps_raw_rows_number(raw, scaler->index, scaler->columns, run);
    }
    return status;
}

/* Rows of each class, a row of weight w being w rows; where rows have weights. */
static dps_status count_weighted(dps_dataset *data, int64_t rows, const dps_comm *comm,
                                 dps_error *err)
{
    const size_t classes = (size_t)data->classes.count;
    if (data->row_weight == NULL || classes == 0) {
        return DPS_OK;
    }
    data->class_rows = dps_alloc(classes, sizeof *data->class_rows);
    if (dps_comm_any(comm, data->class_rows == NULL)) {
        return dps_out_of_memory(err, classes, sizeof *data->class_rows, "class weights");
    }
    dps_in_turn_begin(comm, data->class_rows, classes * sizeof *data->class_rows);
    for (int64_t i = 0; i < rows; i++) {
        data->class_rows[data->label[i]] += data->row_weight[i];
    }
    dps_in_turn_end(comm, data->class_rows, classes * sizeof *data->class_rows);
    return DPS_OK;
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
    read.weights_file = weights;
    dps_status status =
        read_rows(options, &read, options->table_as, chunk_bytes, run, &raw, data, err);
    const double begin = dps_now();
    const dps_comm *comm = run->comm;
    if (status == DPS_OK) {
        data->table = *raw.input.made;
        memset(raw.input.made, 0, sizeof *raw.input.made);
        status = collect_weights(&raw, weights, run, data, err);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        status = options->regression
                     ? dps_dataset_find_targets(data, &raw, err)
                     : dps_dataset_find_classes(data, &raw, shown_name(options), run, err);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        status = hold_out(options, run, &raw, &held, data, err);
    }
    if (status == DPS_OK) {
        status = deal_rows(options, run, &raw, &held, data, err);
    }
    if (status == DPS_OK) {
        status = count_weighted(data, raw.rows, comm, err);
    }
    if (status == DPS_OK) {
        status = options->scaler_as != NULL
                     ? take_scaler(options->scaler_as, &raw, run, data, err)
                     : dps_scaler_fit(&data->scaler, options->scaling, options->normalize, &raw,
                                      data->row_weight, run, err);
    }
    if (status == DPS_OK) {
        data->scaler.radius2 = INFINITY; /* no training row is outside */
        status = dps_scale_raw_rows(&data->scaler, &raw, row_bytes(data, raw.rows), run, &data->x,
                                    &data->scaler.radius1, &data->scaler.radius2, err);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        data->scaler.radius1 = dps_comm_max(comm, data->scaler.radius1);
        data->scaler.radius2 = dps_comm_max(comm, data->scaler.radius2);
        status = dps_comm_agree(comm, scale_held(&held, run, data, err), err);
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
                               const dps_run *ranks, dps_dataset *data, dps_error *err)
{
    dps_run alone = *ranks; /* every rank has all rows of a second file */
    alone.comm = NULL;
    const dps_run *run = &alone;
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
        status = dps_dataset_label_as(data, &raw, &data->classes, err);
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
    return (dps_row_source){.rows = data->x.rows,
                            .first_row = data->first_row,
                            .total_rows = data->total_rows,
                            .columns = data->x.columns,
                            .weight = data->row_weight,
                            .context = &data->x,
                            .get = get_tile};
}

dps_row_source dps_dataset_held_rows(const dps_dataset *data)
{
    return (dps_row_source){.rows = data->held.rows,
                            .first_row = data->held_first_row,
                            .total_rows = data->held_total_rows,
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
    dps_free(data->held_weight);
    dps_free(data->label);
    dps_free(data->target);
    dps_free(data->row_weight);
    dps_free(data->class_rows);
    dps_table_release(&data->table);
    dps_class_table_release(&data->classes);
    dps_scaler_release(&data->scaler);
    memset(data, 0, sizeof *data);
}
