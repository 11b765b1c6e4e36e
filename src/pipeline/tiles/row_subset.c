/* Task: copy rows from tiles that may lie in memory or in scratch files. Two passes, counting and
 * copying, over the tiles that have rows to copy. Over ranks the parts are then gathered. */
#include "row_subset.h"

#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "row_exchange.h"

static const char *const what = "a subset of the rows";

/* ---- sources --------------------------------------------------------------------------------- */

dps_labelled_rows dps_row_subset_rows(const dps_row_subset *subset)
{
    dps_labelled_rows rows = {.x = dps_scaled_rows_source(&subset->x),
                              .dense = subset->x.dense != NULL,
                              .label = subset->label,
                              .target = subset->target,
                              .weight = subset->row_weight};
    rows.x.weight = subset->row_weight;
    return rows;
}

dps_labelled_rows dps_labelled_rows_of(const dps_dataset *data)
{
    return (dps_labelled_rows){.x = dps_dataset_rows(data),
                               .dense = data->x.dense != NULL || data->scaler.dense,
                               .label = data->label,
                               .target = data->target,
                               .weight = data->row_weight};
}

dps_labelled_rows dps_held_rows_of(const dps_dataset *data)
{
    return (dps_labelled_rows){.x = dps_dataset_held_rows(data),
                               .dense = data->held.dense != NULL || data->scaler.dense,
                               .label = data->held_label,
                               .target = data->held_target,
                               .weight = data->held_weight};
}

/* ---- copying --------------------------------------------------------------------------------- */

static bool is_taken(const int32_t *part, int64_t i)
{
    return part == NULL || part[i] == 0;
}

/* Calls for every tile with rows that are taken: counts their entries, or copies them. */
typedef void (*use_row)(dps_row_subset *subset, const dps_labelled_rows *from,
                        const dps_row_tile *tile, int32_t i, int64_t row);

static dps_status each_row(dps_row_subset *subset, const dps_labelled_rows *from,
                           const int32_t *part, use_row use, dps_error *err)
{
    for (int64_t t = 0; t < dps_tile_count(from->x.rows); t++) {
        dps_row_tile tile = {0};
        for (int64_t i = t * DPS_TILE_ROWS; i < from->x.rows && i < (t + 1) * DPS_TILE_ROWS; i++) {
            if (!is_taken(part, i)) {
                continue;
            }
            if (tile.rows == 0) {
                DPS_TRY(from->x.get(from->x.context, t, &tile, err));
            }
            use(subset, from, &tile, (int32_t)(i - t * DPS_TILE_ROWS), i);
        }
    }
    return DPS_OK;
}

/* entry_capacity: the entries so far. */
static void count_row(dps_row_subset *subset, const dps_labelled_rows *from,
                      const dps_row_tile *tile, int32_t i, int64_t row)
{
    (void)from;
    (void)row;
    subset->x.rows++;
    subset->x.entry_capacity +=
        tile->dense != NULL ? 0 : (size_t)(tile->start[i + 1] - tile->start[i]);
}

static void copy_row(dps_row_subset *subset, const dps_labelled_rows *from,
                     const dps_row_tile *tile, int32_t i, int64_t row)
{
    dps_scaled_rows *x = &subset->x;
    const int64_t k = x->rows++;
    if (x->dense != NULL) {
        memcpy(x->dense + (size_t)k * x->stride, tile->dense + (size_t)i * tile->stride,
               (size_t)x->columns * sizeof *x->dense);
    } else {
        const int64_t begin = tile->start[i], at = x->start[k];
        const size_t count = (size_t)(tile->start[i + 1] - begin);
        memcpy(x->column + at, tile->column + begin, count * sizeof *x->column);
        memcpy(x->value + at, tile->value + begin, count * sizeof *x->value);
        x->start[k + 1] = at + (int64_t)count;
    }
    subset->label[k] = from->label[row];
    if (subset->target != NULL) {
        subset->target[k] = from->target[row];
    }
    if (subset->row_weight != NULL) {
        subset->row_weight[k] = from->weight[row];
    }
}

static size_t dense_values(const dps_scaled_rows *x, int64_t rows)
{
    return (size_t)dps_tile_count(rows) * DPS_TILE_ROWS * x->stride;
}

static bool allocate(dps_row_subset *subset, const dps_labelled_rows *from)
{
    dps_scaled_rows *x = &subset->x;
    const size_t rows = (size_t)x->rows, entries = x->entry_capacity;
    if (from->dense) {
        x->dense = dps_alloc(dense_values(x, x->rows), sizeof *x->dense);
        subset->bytes = dense_values(x, x->rows) * sizeof *x->dense;
    } else {
        x->start = dps_alloc(rows + 1, sizeof *x->start);
        x->column = dps_alloc(entries, sizeof *x->column);
        x->value = dps_alloc(entries, sizeof *x->value);
        subset->bytes = entries * (sizeof *x->column + sizeof *x->value);
    }
    subset->label = dps_alloc(rows, sizeof *subset->label);
    subset->target = from->target == NULL ? NULL : dps_alloc(rows, sizeof *subset->target);
    subset->row_weight = from->weight == NULL ? NULL : dps_alloc(rows, sizeof *subset->row_weight);
    const bool compressed = x->start != NULL && x->column != NULL && x->value != NULL;
    return (from->dense ? x->dense != NULL : compressed) && subset->label != NULL &&
           (from->target == NULL || subset->target != NULL) &&
           (from->weight == NULL || subset->row_weight != NULL);
}

static dps_status copy(dps_row_subset *subset, const dps_labelled_rows *from, const int32_t *part,
                       dps_error *err)
{
    subset->x.columns = from->x.columns;
    subset->x.stride = dps_round_up((size_t)from->x.columns, DPS_PAD);
    DPS_TRY(each_row(subset, from, part, count_row, err));
    if (!allocate(subset, from)) {
        return dps_out_of_memory(err, (size_t)subset->x.rows, sizeof(double), what);
    }
    subset->x.rows = 0;
    return each_row(subset, from, part, copy_row, err);
}

/* ---- over ranks: the rows of all on each ----------------------------------------------------- */

static dps_status join_dense(dps_scaled_rows *x, int64_t rows, int64_t total, const dps_comm *comm,
                             dps_error *err)
{
    const size_t row = x->stride * sizeof *x->dense;
    DPS_TRY(dps_join_items(comm, &x->dense, rows, row, err));
    float *whole;
    DPS_NEED_ON_ALL(comm, whole, dense_values(x, total), what, err);
    memcpy(whole, x->dense, (size_t)total * row);
    dps_free(x->dense);
    x->dense = whole;
    return DPS_OK;
}

static dps_status join_compressed(dps_scaled_rows *x, int64_t rows, int64_t total,
                                  const dps_comm *comm, dps_error *err)
{
    const int64_t entries = x->start[rows];
    for (int64_t i = 0; i < rows; i++) { /* from offsets to lengths */
        x->start[i] = x->start[i + 1] - x->start[i];
    }
    DPS_TRY(dps_join_items(comm, &x->start, rows, sizeof *x->start, err));
    DPS_TRY(dps_join_items(comm, &x->column, entries, sizeof *x->column, err));
    DPS_TRY(dps_join_items(comm, &x->value, entries, sizeof *x->value, err));
    int64_t *start;
    DPS_NEED_ON_ALL(comm, start, (size_t)total + 1, what, err);
    for (int64_t i = 0; i < total; i++) {
        start[i + 1] = start[i] + x->start[i];
    }
    dps_free(x->start);
    x->start = start;
    return DPS_OK;
}

static dps_status join(dps_row_subset *subset, const dps_comm *comm, dps_error *err)
{
    const int64_t rows = subset->x.rows, total = dps_comm_sum(comm, rows);
    DPS_TRY(dps_join_items(comm, &subset->label, rows, sizeof *subset->label, err));
    DPS_TRY(dps_join_items(comm, &subset->target, rows, sizeof *subset->target, err));
    DPS_TRY(dps_join_items(comm, &subset->row_weight, rows, sizeof *subset->row_weight, err));
    DPS_TRY(subset->x.dense != NULL ? join_dense(&subset->x, rows, total, comm, err)
                                    : join_compressed(&subset->x, rows, total, comm, err));
    subset->x.rows = total;
    return DPS_OK;
}

/* ---------------------------------------------------------------------------------------------- */

dps_status dps_row_subset_take(dps_row_subset *subset, const dps_labelled_rows *from,
                               const int32_t *part, const dps_comm *comm, dps_error *err)
{
    memset(subset, 0, sizeof *subset);
    dps_status status = dps_comm_agree(comm, copy(subset, from, part, err), err);
    if (status == DPS_OK && comm != NULL) {
        status = join(subset, comm, err);
    }
    if (status != DPS_OK) {
        dps_row_subset_release(subset);
    }
    return status;
}

void dps_row_subset_release(dps_row_subset *subset)
{
    dps_scaled_rows_release(&subset->x);
    dps_free(subset->label);
    dps_free(subset->target);
    dps_free(subset->row_weight);
    memset(subset, 0, sizeof *subset);
}
