/* Task: a bounded, stratified sample of the training rows, copied, so that several maps can be
 * tried on it: MOST_ROWS rows, and a few more where classes are rare (folds.c). Over ranks every
 * one gets all of it, and works on it alone. */
#include "choose_map_sample.h"

#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "folds.h"
#include "row_exchange.h"
#include "scaled_store.h"

enum { MOST_ROWS = 4096 };

void dps_map_sample_release(dps_map_sample *s)
{
    dps_scaled_rows_release(&s->x);
    dps_free(s->label);
    dps_free(s->target);
    dps_free(s->row_weight);
    dps_free(s->fold);
}

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)err;
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

/* Out of core: the tile before row i is done with. */
static void rest_behind(const dps_scaled_rows *rows, int64_t i)
{
    if (i > 0 && i % DPS_TILE_ROWS == 0) {
        dps_scaled_rows_rest(rows, i / DPS_TILE_ROWS - 1);
    }
}

static dps_status allocate_sample(dps_map_sample *s, const dps_dataset *data, const int32_t *part,
                                  dps_error *err)
{
    const dps_scaled_rows *from = &data->x;
    dps_scaled_rows *to = &s->x;
    int64_t entries = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        rest_behind(from, i);
        if (part[i] == 0) {
            to->rows++;
            entries += from->dense == NULL ? from->start[i + 1] - from->start[i] : 0;
        }
    }
    const size_t rows = (size_t)to->rows;
    to->columns = from->columns;
    to->stride = from->stride;
    if (from->dense != NULL) {
        const size_t whole = (size_t)dps_tile_count(to->rows) * DPS_TILE_ROWS * to->stride;
        to->dense = dps_alloc(whole, sizeof *to->dense);
        s->bytes = whole * sizeof *to->dense;
    } else {
        to->start = dps_alloc(rows + 1, sizeof *to->start);
        to->column = dps_alloc((size_t)entries, sizeof *to->column);
        to->value = dps_alloc((size_t)entries, sizeof *to->value);
        s->bytes = (size_t)entries * (sizeof *to->column + sizeof *to->value);
    }
    s->label = dps_alloc(rows, sizeof *s->label);
    s->target = data->target == NULL ? NULL : dps_alloc(rows, sizeof *s->target);
    s->row_weight = data->row_weight == NULL ? NULL : dps_alloc(rows, sizeof *s->row_weight);
    const bool compressed = to->start != NULL && to->column != NULL && to->value != NULL;
    if ((to->dense == NULL && !compressed) || s->label == NULL ||
        (data->target != NULL && s->target == NULL) ||
        (data->row_weight != NULL && s->row_weight == NULL)) {
        return dps_out_of_memory(err, s->bytes, 1, "the rows that choose the map");
    }
    return DPS_OK;
}

static void fill_sample(dps_map_sample *s, const dps_dataset *data, const int32_t *part)
{
    const dps_scaled_rows *from = &data->x;
    dps_scaled_rows *to = &s->x;
    int64_t k = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        rest_behind(from, i);
        if (part[i] != 0) {
            continue;
        }
        if (from->dense != NULL) {
            memcpy(to->dense + (size_t)k * to->stride, from->dense + (size_t)i * from->stride,
                   to->stride * sizeof *to->dense);
        } else {
            const int64_t begin = from->start[i];
            const size_t count = (size_t)(from->start[i + 1] - begin);
            memcpy(to->column + to->start[k], from->column + begin, count * sizeof *to->column);
            memcpy(to->value + to->start[k], from->value + begin, count * sizeof *to->value);
            to->start[k + 1] = to->start[k] + (int64_t)count;
        }
        s->label[k] = data->label[i];
        if (s->target != NULL) {
            s->target[k] = data->target[i];
        }
        if (s->row_weight != NULL) {
            s->row_weight[k] = data->row_weight[i];
        }
        k++;
    }
}

/* ---- over ranks: the sample of all of them on each ---- */

/* *array of `rows` items becomes that of all ranks; NULL stays. */
static dps_status join_array(void **array, const dps_comm *comm, int64_t rows, size_t size,
                             dps_error *err)
{
    void *all = NULL;
    if (*array == NULL) {
        return DPS_OK;
    }
    const dps_status status = dps_gather_items(comm, *array, rows, size, &all, err);
    if (status == DPS_OK) {
        dps_free(*array);
        *array = all;
    }
    return status;
}

static dps_status join_dense(dps_scaled_rows *x, int64_t rows, int64_t total, const dps_comm *comm,
                             dps_error *err)
{
    const size_t row = x->stride * sizeof *x->dense;
    void *all = x->dense;
    dps_status status = join_array(&all, comm, rows, row, err);
    x->dense = all;
    float *whole = dps_alloc((size_t)dps_tile_count(total) * DPS_TILE_ROWS, row);
    if (status == DPS_OK && dps_comm_any(comm, whole == NULL)) {
        status = dps_out_of_memory(err, (size_t)total, row, "the rows that choose the map");
    }
    if (status != DPS_OK) {
        dps_free(whole);
        return status;
    }
    memcpy(whole, x->dense, (size_t)total * row);
    dps_free(x->dense);
    x->dense = whole;
    return DPS_OK;
}

static dps_status join_compressed(dps_scaled_rows *x, int64_t rows, int64_t total,
                                  const dps_comm *comm, dps_error *err)
{
    const int64_t entries = x->start[rows];
    void *start = x->start, *column = x->column, *value = x->value;
    for (int64_t i = 0; i < rows; i++) { /* from offsets to lengths */
        x->start[i] = x->start[i + 1] - x->start[i];
    }
    dps_status status = join_array(&start, comm, rows, sizeof *x->start, err);
    if (status == DPS_OK) {
        status = join_array(&column, comm, entries, sizeof *x->column, err);
    }
    if (status == DPS_OK) {
        status = join_array(&value, comm, entries, sizeof *x->value, err);
    }
    x->column = column;
    x->value = value;
    x->start = dps_alloc((size_t)total + 1, sizeof *x->start);
    if (status == DPS_OK && dps_comm_any(comm, x->start == NULL)) {
        status =
            dps_out_of_memory(err, (size_t)total, sizeof *x->start, "the rows that choose the map");
    }
    for (int64_t i = 0; i < total && status == DPS_OK; i++) {
        x->start[i + 1] = x->start[i] + ((const int64_t *)start)[i];
    }
    dps_free(start);
    return status;
}

static dps_status join_sample(dps_map_sample *s, const dps_comm *comm, dps_error *err)
{
    const int64_t rows = s->x.rows, total = dps_comm_sum(comm, rows);
    void *label = s->label, *target = s->target, *weight = s->row_weight;
    dps_status status = join_array(&label, comm, rows, sizeof *s->label, err);
    if (status == DPS_OK) {
        status = join_array(&target, comm, rows, sizeof *s->target, err);
    }
    if (status == DPS_OK) {
        status = join_array(&weight, comm, rows, sizeof *s->row_weight, err);
    }
    s->label = label;
    s->target = target;
    s->row_weight = weight;
    if (status == DPS_OK) {
        status = s->x.dense != NULL ? join_dense(&s->x, rows, total, comm, err)
                                    : join_compressed(&s->x, rows, total, comm, err);
    }
    s->x.rows = total;
    return status;
}

/* part[i] = 0: this rank's row i is of the sample. */
static dps_status choose_rows(const dps_training *t, int32_t classes, int32_t **part,
                              dps_error *err)
{
    const dps_comm *comm = t->data.total_rows > 0 ? t->run->comm : NULL;
    const int64_t rows = dps_dataset_count(&t->data), first = t->data.first_row;
    const int32_t *label = t->data.label;
    void *all = NULL;
    dps_status status = DPS_OK;
    *part = NULL;
    if (comm != NULL) {
        status = dps_gather_items(comm, label, t->data.x.rows, sizeof *label, &all, err);
        label = all;
    }
    if (status == DPS_OK) {
        *part = dps_alloc((size_t)rows, sizeof **part);
        status = *part == NULL
                     ? dps_out_of_memory(err, (size_t)rows, sizeof **part, "the choice of rows")
                     : dps_sample_make(label, rows, classes, MOST_ROWS, t->settings.validation.seed,
                                       *part, err);
    }
    if (status == DPS_OK && first > 0) {
        memmove(*part, *part + first, (size_t)t->data.x.rows * sizeof **part);
    }
    dps_free(all);
    return dps_comm_agree(comm, status, err);
}

dps_status dps_map_sample_take(dps_map_sample *s, const dps_training *t, int32_t classes,
                               dps_error *err)
{
    const dps_comm *comm = t->data.total_rows > 0 ? t->run->comm : NULL;
    int32_t *part;
    dps_status status = choose_rows(t, classes, &part, err);
    if (status == DPS_OK) {
        status = dps_comm_agree(comm, allocate_sample(s, &t->data, part, err), err);
    }
    if (status == DPS_OK) {
        fill_sample(s, &t->data, part);
        status = comm == NULL ? DPS_OK : join_sample(s, comm, err);
    }
    if (status == DPS_OK) {
        s->rows = (dps_row_source){.rows = s->x.rows,
                                   .columns = s->x.columns,
                                   .weight = s->row_weight,
                                   .context = &s->x,
                                   .get = get_tile};
    }
    dps_free(part);
    return status;
}
