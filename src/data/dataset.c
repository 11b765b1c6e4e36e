/* The story of loading: read all files -> classes -> columns and scaler -> scaled rows. Over ranks:
 * a part of the files each -> classes of all -> rows to their owners -> columns and scaler of all
 * -> scaled rows. Whatever can fail on one rank is agreed on before the next step. */
#include "dataset_private.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "comm.h"
#include "dataset_labels.h"
#include "dataset_read.h"
#include "dataset_split.h"
#include "job_limits.h"
#include "rank_sums.h"
#include "scale_raw_rows.h"
#include "scaled_store.h"
#include "scaler_fit.h"

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
    DPS_TRY(dps_scaler_copy(scaler, &data->scaler, err));
    dps_raw_rows_number(raw, scaler->index, scaler->columns, run);
    return DPS_OK;
}

/* Rows of each class, a row of weight w being w rows; where rows have weights. */
static dps_status count_weighted(dps_dataset *data, int64_t rows, const dps_comm *comm,
                                 dps_error *err)
{
    const size_t classes = (size_t)data->classes.count;
    if (data->row_weight == NULL || classes == 0) {
        return DPS_OK;
    }
    DPS_NEED_ON_ALL(comm, data->class_rows, classes, "class weights", err);
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
    if (!dps_dataset_find_weights_file(options, weights, sizeof weights)) {
        weights[0] = '\0';
        read.table.weight_column = options->weights;
    }
    read.weights_file = weights;
    dps_status status =
        dps_dataset_read_rows(options, &read, options->table_as, chunk_bytes, run, &raw, data, err);
    const double begin = dps_now();
    const dps_comm *comm = run->comm;
    if (status == DPS_OK) {
        data->table = *raw.input.made;
        memset(raw.input.made, 0, sizeof *raw.input.made);
        status = dps_dataset_collect_weights(&raw, weights, run, data, err);
    }
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status,
             options->regression
                 ? dps_dataset_find_targets(data, &raw, err)
                 : dps_dataset_find_classes(data, &raw, dps_dataset_shown_name(options), run, err));
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, dps_dataset_hold_out(options, run, &raw, &held, data, err));
    DPS_THEN(status, dps_dataset_deal_rows(options, run, &raw, &held, data, err));
    DPS_THEN(status, count_weighted(data, raw.rows, comm, err));
    DPS_THEN(status, options->scaler_as != NULL
                         ? take_scaler(options->scaler_as, &raw, run, data, err)
                         : dps_scaler_fit(&data->scaler, options->scaling, options->normalize, &raw,
                                          data->row_weight, run, err));
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

dps_status dps_dataset_load_as(const dps_load_options *options, const dps_dataset *like,
                               const dps_run *ranks, dps_dataset *data, dps_error *err)
{
    dps_run alone = *ranks;
    alone.comm = NULL;
    const dps_run *run = &alone;
    memset(data, 0, sizeof *data);
    dps_raw_rows raw = {0};
    dps_status status =
        dps_dataset_read_rows(options, &options->read, &like->table, 0, run, &raw, data, err);
    const double begin = dps_now();
    DPS_THEN(status, dps_dataset_collect_weights(&raw, "", run, data, err));
    DPS_THEN(status, dps_class_table_copy(&like->classes, &data->classes, err));
    DPS_THEN(status, options->regression ? dps_dataset_find_targets(data, &raw, err)
                                         : dps_dataset_label_as(data, &raw, &data->classes, err));
    for (int64_t i = 0; i < raw.rows && status == DPS_OK && !options->regression; i++) {
        if (data->label[i] >= 0) {
            data->classes.rows[data->label[i]]++;
        }
    }
    DPS_THEN(status, take_scaler(&like->scaler, &raw, run, data, err));
    if (status == DPS_OK) {
        double radius1, radius2;
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

dps_row_source dps_dataset_rows(const dps_dataset *data)
{
    dps_row_source rows = dps_scaled_rows_source(&data->x);
    rows.first_row = data->first_row;
    rows.total_rows = data->total_rows;
    rows.weight = data->row_weight;
    return rows;
}

dps_row_source dps_dataset_held_rows(const dps_dataset *data)
{
    dps_row_source rows = dps_scaled_rows_source(&data->held);
    rows.first_row = data->held_first_row;
    rows.total_rows = data->held_total_rows;
    return rows;
}

/* Bytes besides scaled rows. */
static size_t beside(const dps_dataset *data)
{
    return row_bytes(data, data->x.rows + data->held.rows) + dps_scaler_bytes(&data->scaler);
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
    DPS_TRY(dps_scaled_rows_spill(&data->x, run, err));
    return dps_scaled_rows_spill(&data->held, run, err);
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
