/* Task: a sample of the training rows for the search of kernel.type = auto.
 * Rows: all, or a stratified sample that keeps rare classes (folds.c; seed solver.seed). The second
 * view holds (x - m_j) / s_j, m_j and s_j the mean and deviation of column j over the sample, all
 * divided by the largest norm: what data.scaling = standard with data.normalize = max_norm will
 * make of all rows, up to the sampling of m and s. Doubles, row by row in order, so that no thread
 * count enters. Cost: one pass over all rows, five over the sample. */
#include "auto_sample.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "folds.h"

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)err;
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

dps_row_source dps_auto_sample_rows(const dps_auto_sample *sample, int32_t view)
{
    return (dps_row_source){.rows = sample->rows,
                            .columns = sample->columns,
                            .weight = sample->row_weight,
                            .context = &sample->view[view].x,
                            .get = get_tile};
}

static float *new_panel(dps_auto_sample *s)
{
    const size_t stride = dps_round_up((size_t)s->columns, DPS_PAD);
    const size_t count = (size_t)dps_tile_count(s->rows) * DPS_TILE_ROWS * stride;
    s->bytes += count * sizeof(float);
    return dps_alloc(count, sizeof(float));
}

static dps_status allocate(dps_auto_sample *s, const dps_training *t, const int32_t *part,
                           dps_error *err)
{
    const dps_dataset *data = &t->data;
    dps_scaled_rows *x = &s->view[0].x;
    for (int64_t i = 0; i < t->rows.rows; i++) {
        s->rows += part[i] == 0;
    }
    const size_t rows = (size_t)s->rows;
    s->columns = t->rows.columns;
    x->rows = s->rows;
    x->columns = s->columns;
    x->stride = dps_round_up((size_t)s->columns, DPS_PAD);
    s->label = dps_alloc(rows, sizeof *s->label);
    s->fold = dps_alloc(rows, sizeof *s->fold);
    s->target = data->target == NULL ? NULL : dps_alloc(rows, sizeof *s->target);
    s->row_weight = data->row_weight == NULL ? NULL : dps_alloc(rows, sizeof *s->row_weight);
    bool ok = s->label != NULL && s->fold != NULL && (data->target == NULL || s->target != NULL) &&
              (data->row_weight == NULL || s->row_weight != NULL);
    if (data->scaler.dense) {
        x->dense = new_panel(s);
        ok = ok && x->dense != NULL;
    } else {
        x->start = dps_alloc(rows + 1, sizeof *x->start);
        ok = ok && x->start != NULL;
    }
    return ok ? DPS_OK
              : dps_out_of_memory(err, rows, (size_t)s->columns * sizeof(float),
                                  "the rows that choose the kernel");
}

/* Row i of the tile becomes row k. */
static bool add_row(dps_scaled_rows *to, const dps_row_tile *tile, int32_t i, int64_t k)
{
    if (to->dense != NULL) {
        memcpy(to->dense + (size_t)k * to->stride, tile->dense + (size_t)i * tile->stride,
               (size_t)tile->columns * sizeof *to->dense);
        return true;
    }
    const int64_t begin = tile->start[i], at = to->start[k];
    const size_t count = (size_t)(tile->start[i + 1] - begin);
    void *column = to->column, *value = to->value;
    size_t columns = to->entry_capacity, values = to->entry_capacity;
    const bool ok = dps_grow(&column, &columns, (size_t)at + count, sizeof *to->column) &&
                    dps_grow(&value, &values, (size_t)at + count, sizeof *to->value);
    to->column = column;
    to->value = value;
    to->entry_capacity = columns < values ? columns : values;
    if (ok && count > 0) {
        memcpy(to->column + at, tile->column + begin, count * sizeof *to->column);
        memcpy(to->value + at, tile->value + begin, count * sizeof *to->value);
    }
    to->start[k + 1] = at + (int64_t)count;
    return ok;
}

static dps_status fill(dps_auto_sample *s, const dps_training *t, const int32_t *part,
                       dps_error *err)
{
    const dps_dataset *data = &t->data;
    dps_scaled_rows *x = &s->view[0].x;
    int64_t k = 0;
    for (int64_t tile = 0; tile < dps_tile_count(t->rows.rows); tile++) {
        dps_row_tile rows;
        const dps_status status = t->rows.get(t->rows.context, tile, &rows, err);
        if (status != DPS_OK) {
            return status;
        }
        for (int32_t i = 0; i < rows.rows; i++) {
            const int64_t from = tile * DPS_TILE_ROWS + i;
            if (part[from] != 0) {
                continue;
            }
            if (!add_row(x, &rows, i, k)) {
                return dps_out_of_memory(err, (size_t)s->rows, sizeof(float),
                                         "the rows that choose the kernel");
            }
            s->label[k] = data->label[from];
            if (s->target != NULL) {
                s->target[k] = data->target[from];
            }
            if (s->row_weight != NULL) {
                s->row_weight[k] = data->row_weight[from];
            }
            k++;
        }
    }
    if (x->dense == NULL) {
        s->bytes += (size_t)x->start[s->rows] * (sizeof *x->column + sizeof *x->value);
    }
    return DPS_OK;
}

/* Column j of `from`, standardised. */
static void standardise(const dps_scaled_rows *from, dps_scaled_rows *to, int32_t j)
{
    const double n = (double)from->rows;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        mean += from->dense[(size_t)i * from->stride + (size_t)j];
    }
    mean /= n;
    for (int64_t i = 0; i < from->rows; i++) {
        const double x = from->dense[(size_t)i * from->stride + (size_t)j] - mean;
        square += x * x;
    }
    const double deviation = sqrt(square / n);
    const double factor = deviation > 0 ? 1 / deviation : 1;
    for (int64_t i = 0; i < from->rows; i++) {
        const size_t at = (size_t)i * from->stride + (size_t)j;
        to->dense[at] = (float)((from->dense[at] - mean) * factor);
    }
}

static void divide_by_largest_norm(dps_auto_view *view)
{
    dps_scaled_rows *x = &view->x;
    double largest = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        double square = 0;
        for (size_t j = 0; j < (size_t)x->columns; j++) {
            const double value = x->dense[(size_t)i * x->stride + j];
            square += value * value;
        }
        largest = fmax(largest, sqrt(square));
    }
    const double factor = largest > 0 ? 1 / largest : 1;
    view->radius2 = largest > 0 ? 1 : 0;
    for (int64_t i = 0; i < x->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < (size_t)x->columns; j++) {
            float *value = &x->dense[(size_t)i * x->stride + j];
            *value = (float)(*value * factor);
            sum += fabs((double)*value);
        }
        view->radius1 = fmax(view->radius1, sum);
    }
}

static dps_status add_standard(dps_auto_sample *s, dps_error *err)
{
    dps_auto_view *view = &s->view[1];
    view->x =
        (dps_scaled_rows){.rows = s->rows, .columns = s->columns, .stride = s->view[0].x.stride};
    view->dense = true;
    view->x.dense = new_panel(s);
    if (view->x.dense == NULL) {
        return dps_out_of_memory(err, s->bytes, 1, "the rows that choose the kernel");
    }
    for (int32_t j = 0; j < s->columns; j++) {
        standardise(&s->view[0].x, &view->x, j);
    }
    divide_by_largest_norm(view);
    s->views = 2;
    return DPS_OK;
}

dps_status dps_auto_sample_take(dps_auto_sample *sample, const dps_training *t, int64_t most_rows,
                                bool standard, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    const int64_t rows = t->rows.rows;
    const int32_t classes = t->settings.loss->regression ? 1 : t->data.classes.count;
    int32_t *part = dps_alloc((size_t)rows, sizeof *part);
    memset(sample, 0, sizeof *sample);
    if (part == NULL) {
        return dps_out_of_memory(err, (size_t)rows, sizeof *part, "the choice of rows");
    }
    dps_status status = DPS_OK;
    if (rows > most_rows) {
        status = dps_sample_make(t->data.label, rows, classes, most_rows,
                                 t->settings.validation.seed, part, err);
    }
    if (status == DPS_OK) {
        status = allocate(sample, t, part, err);
    }
    if (status == DPS_OK) {
        status = fill(sample, t, part, err);
    }
    sample->views = 1;
    sample->view[0].radius1 = scaler->radius1;
    sample->view[0].radius2 = scaler->radius2;
    sample->view[0].dense = scaler->dense;
    if (status == DPS_OK && standard && scaler->dense) {
        status = add_standard(sample, err);
    }
    dps_free(part);
    if (status != DPS_OK) {
        dps_auto_sample_release(sample);
    }
    return status;
}

void dps_auto_sample_release(dps_auto_sample *sample)
{
    for (int32_t v = 0; v < 2; v++) {
        dps_scaled_rows_release(&sample->view[v].x);
    }
    dps_free(sample->label);
    dps_free(sample->target);
    dps_free(sample->row_weight);
    dps_free(sample->fold);
    memset(sample, 0, sizeof *sample);
}
