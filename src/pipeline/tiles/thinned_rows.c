/* Task: copy about n / every of the training rows, from tiles that may lie in memory or in scratch
 * files. Two passes: counting, copying. */
#include "thinned_rows.h"

#include <math.h>
#include <string.h>
#include "allocation.h"

/* Of a class, whatever `every`, where it has them. */
enum { LEAST_OF_CLASS = 20 };

static bool is_taken(const dps_training *t, int64_t i, int64_t every)
{
    const double at = (double)i * 0.6180339887498949;
    if (t->data.target == NULL) {
        const int64_t most = t->result->model.classes.rows[t->data.label[i]] / LEAST_OF_CLASS;
        every = most < every ? most : every;
    }
    return every <= 1 || (at - floor(at)) * (double)every < 1;
}

static bool allocate(dps_thinned_rows *rows, const dps_training *t, int64_t entries)
{
    dps_scaled_rows *x = &rows->x;
    const size_t count = (size_t)x->rows;
    bool ok = true;
    if (t->result->model.scaler.dense) { /* which has taken the scaler over */
        x->stride = dps_round_up((size_t)x->columns, DPS_PAD);
        x->dense = dps_alloc((size_t)dps_tile_count(x->rows) * DPS_TILE_ROWS * x->stride,
                             sizeof *x->dense);
        ok = x->dense != NULL;
    } else {
        x->start = dps_alloc(count + 1, sizeof *x->start);
        x->column = dps_alloc((size_t)entries, sizeof *x->column);
        x->value = dps_alloc((size_t)entries, sizeof *x->value);
        ok = x->start != NULL && x->column != NULL && x->value != NULL;
    }
    rows->label = dps_alloc(count, sizeof *rows->label);
    ok = ok && rows->label != NULL;
    if (t->data.target != NULL) {
        rows->target = dps_alloc(count, sizeof *rows->target);
        ok = ok && rows->target != NULL;
    }
    if (t->data.row_weight != NULL) {
        rows->row_weight = dps_alloc(count, sizeof *rows->row_weight);
        ok = ok && rows->row_weight != NULL;
    }
    return ok;
}

/* Row r of the tile becomes row k. */
static void copy_row(dps_scaled_rows *x, int64_t k, const dps_row_tile *tile, int32_t r)
{
    if (x->dense != NULL) {
        memcpy(x->dense + (size_t)k * x->stride, tile->dense + (size_t)r * tile->stride,
               (size_t)x->columns * sizeof *x->dense);
        return;
    }
    const int64_t begin = tile->start[r];
    const size_t count = (size_t)(tile->start[r + 1] - begin);
    memcpy(x->column + x->start[k], tile->column + begin, count * sizeof *x->column);
    memcpy(x->value + x->start[k], tile->value + begin, count * sizeof *x->value);
    x->start[k + 1] = x->start[k] + (int64_t)count;
}

static dps_status copy_rows(dps_thinned_rows *rows, const dps_training *t, int64_t every,
                            dps_error *err)
{
    const dps_dataset *data = &t->data;
    int64_t k = 0;
    for (int64_t n = 0; n < dps_tile_count(t->rows.rows); n++) {
        dps_row_tile tile;
        const dps_status status = t->rows.get(t->rows.context, n, &tile, err);
        if (status != DPS_OK) {
            return status;
        }
        for (int32_t r = 0; r < tile.rows; r++) {
            const int64_t i = n * DPS_TILE_ROWS + r;
            if (!is_taken(t, i, every)) {
                continue;
            }
            copy_row(&rows->x, k, &tile, r);
            rows->label[k] = data->label[i];
            if (rows->target != NULL) {
                rows->target[k] = data->target[i];
            }
            if (rows->row_weight != NULL) {
                rows->row_weight[k] = data->row_weight[i];
            }
            k++;
        }
    }
    return DPS_OK;
}

dps_status dps_thinned_rows_init(dps_thinned_rows *rows, const dps_training *t, int64_t every,
                                 dps_error *err)
{
    int64_t entries = 0;
    *rows = (dps_thinned_rows){.x = {.columns = t->rows.columns}};
    for (int64_t n = 0; n < dps_tile_count(t->rows.rows); n++) {
        dps_row_tile tile;
        const dps_status status = t->rows.get(t->rows.context, n, &tile, err);
        if (status != DPS_OK) {
            return status;
        }
        for (int32_t r = 0; r < tile.rows; r++) {
            if (is_taken(t, n * DPS_TILE_ROWS + r, every)) {
                rows->x.rows++;
                entries += tile.dense != NULL ? 0 : tile.start[r + 1] - tile.start[r];
            }
        }
    }
    dps_status status = DPS_OK;
    if (!allocate(rows, t, entries)) {
        status =
            dps_out_of_memory(err, (size_t)rows->x.rows, sizeof(double), "a share of the rows");
    } else {
        status = copy_rows(rows, t, every, err);
    }
    if (status != DPS_OK) {
        dps_thinned_rows_release(rows);
    }
    return status;
}

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)err;
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

dps_row_source dps_thinned_rows_source(const dps_thinned_rows *rows)
{
    return (dps_row_source){.rows = rows->x.rows,
                            .columns = rows->x.columns,
                            .weight = rows->row_weight,
                            .context = &rows->x,
                            .get = get_tile};
}

void dps_thinned_rows_release(dps_thinned_rows *rows)
{
    dps_scaled_rows_release(&rows->x);
    dps_free(rows->label);
    dps_free(rows->target);
    dps_free(rows->row_weight);
    *rows = (dps_thinned_rows){0};
}
