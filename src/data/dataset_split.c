/* Which rows train and where: those held out go aside, and over ranks all rows go to their owners,
 * each with its label, target and weight. */
#include "dataset_split.h"

#include <string.h>

#include "allocation.h"
#include "comm.h"
#include "hold_out.h"
#include "rank_sums.h"
#include "raw_ranks.h"
#include "row_exchange.h"

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
    int64_t *count;
    DPS_NEED_ON_ALL(run->comm, count, 2 * classes, "classes", err);
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

dps_status dps_dataset_hold_out(const dps_load_options *options, const dps_run *run,
                                dps_raw_rows *raw, dps_raw_rows *held, dps_dataset *data,
                                dps_error *err)
{
    if (options->hold_out == NULL) {
        return DPS_OK;
    }
    int32_t *fold;
    const int32_t classes = options->regression ? 1 : data->classes.count;
    dps_status status = dps_choose_rows(run->comm, data->label, raw->rows, classes,
                                        options->hold_out, options->hold_out_context, &fold, err);
    DPS_THEN(status, split_labels(fold, raw->rows, data, err));
    DPS_THEN(status, dps_raw_rows_split(raw, fold, run, held, err));
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
    dps_row_exchange x;
    DPS_TRY(dps_row_exchange_init(&x, run->comm, raw->rows, units, err));
    dps_status status = dps_row_exchange_items(&x, label, sizeof **label, err);
    if (status == DPS_OK && *target != NULL) {
        status = dps_row_exchange_items(&x, target, sizeof **target, err);
    }
    if (status == DPS_OK && *weight != NULL) {
        status = dps_row_exchange_items(&x, weight, sizeof **weight, err);
    }
    DPS_THEN(status, dps_row_exchange_raw(&x, raw, source, run, err));
    dps_row_exchange_release(&x);
    return status;
}

dps_status dps_dataset_deal_rows(const dps_load_options *options, const dps_run *run,
                                 dps_raw_rows *raw, dps_raw_rows *held, dps_dataset *data,
                                 dps_error *err)
{
    dps_status status = DPS_OK;
    if (run->comm != NULL) {
        const int64_t units = options->units;
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
