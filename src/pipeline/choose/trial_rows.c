/* Task: a bounded, stratified sample of the training rows, copied, so that several maps can be
 * tried on it. Over ranks every one gets all of it, and works on it alone. Standardised: column by
 * column with the sample's own mean and deviation, then all divided by the largest norm; what the
 * rows were scaled by before cancels. Cost: one pass over all rows, five over the sample. */
#include "trial_rows.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "bent_rows.h"
#include "folds.h"

int32_t dps_trial_classes(const dps_trial_base *base)
{
    return base->settings->loss->regression ? 1 : base->data->classes.count;
}

dps_problem dps_trial_problem(const dps_trial_base *base, const dps_labelled_rows *rows)
{
    return (dps_problem){.target = rows->target,
                         .label = rows->label,
                         .classes = dps_trial_classes(base),
                         .class_weight = base->class_weight,
                         .row_weight = rows->weight,
                         .loss = base->settings->loss,
                         .epsilon = base->settings->epsilon,
                         .C = base->settings->C};
}

typedef struct sample_size {
    int64_t most_rows;
    uint64_t seed;
} sample_size;

static dps_status choose_sample(const void *context, const int32_t *label, int64_t rows,
                                int32_t classes, int32_t *part, dps_error *err)
{
    const sample_size *size = context;
    return dps_sample_make(label, rows, classes, size->most_rows, size->seed, part, err);
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

static void divide_by_largest_norm(dps_scaled_rows *x, dps_row_view *view)
{
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

static dps_status add_standard(const dps_scaled_rows *own, dps_scaled_rows *x, dps_error *err)
{
    *x = (dps_scaled_rows){.rows = own->rows, .columns = own->columns, .stride = own->stride};
    DPS_NEED(x->dense, (size_t)dps_tile_count(x->rows) * DPS_TILE_ROWS * x->stride,
             "the rows that settings are tried on", err);
    for (int32_t j = 0; j < x->columns; j++) {
        standardise(own, x, j);
    }
    return DPS_OK;
}

/* Compressed rows are scaled by factors alone, which are taken back. */
static dps_status add_unit(const dps_scaled_rows *own, const dps_scaler *scaler, dps_scaled_rows *x,
                           dps_row_view *view, dps_error *err)
{
    *x = *own;
    x->value = NULL;
    DPS_NEED(x->value, (size_t)own->start[own->rows], "the rows that settings are tried on", err);
    for (int64_t i = 0; i < own->rows; i++) {
        double square = 0, sum = 0;
        for (int64_t e = own->start[i]; e < own->start[i + 1]; e++) {
            const double value = own->value[e] / scaler->factor[own->column[e]];
            x->value[e] = (float)value;
            square += value * value;
        }
        const double factor = square > 0 ? 1 / sqrt(square) : 1;
        for (int64_t e = own->start[i]; e < own->start[i + 1]; e++) {
            x->value[e] = (float)(x->value[e] * factor);
            sum += fabs((double)x->value[e]);
        }
        view->radius1 = fmax(view->radius1, sum);
        view->radius2 = square > 0 ? 1 : view->radius2;
    }
    return DPS_OK;
}

/* Another view; what it must say of its radii. */
static dps_status add_view(dps_trial_rows *s, dps_view kind, const dps_trial_base *base,
                           dps_error *err)
{
    dps_scaled_rows *x = &s->other[s->views - 1];
    dps_row_view *view = &s->view[s->views];
    const dps_scaler *scaler = &base->data->scaler;
    *view = (dps_row_view){.kind = kind, .rows = s->view[0].rows};
    view->rows.x.context = x;
    s->views++; /* to be released */
    if (kind == DPS_VIEW_UNIT) {
        DPS_TRY(add_unit(&s->own.x, scaler, x, view, err));
    } else {
        const dps_scaling bent = kind == DPS_VIEW_LOG ? DPS_SCALE_LOG : DPS_SCALE_RANK;
        DPS_TRY(kind == DPS_VIEW_STANDARD
                    ? add_standard(&s->own.x, x, err)
                    : dps_bend_rows(&s->own.x, s->own.row_weight, bent, base->run, x, err));
        divide_by_largest_norm(x, view);
    }
    s->bytes += s->own.bytes;
    return DPS_OK;
}

static dps_status add_views(dps_trial_rows *s, const dps_trial_base *base, dps_error *err)
{
    if (!base->data->scaler.dense) {
        return add_view(s, DPS_VIEW_UNIT, base, err);
    }
    DPS_TRY(add_view(s, DPS_VIEW_STANDARD, base, err));
    if (s->own.x.columns <= DPS_BENT_COLUMNS && s->own.x.rows >= DPS_BENT_ROWS) {
        DPS_TRY(add_view(s, DPS_VIEW_LOG, base, err));
        DPS_TRY(add_view(s, DPS_VIEW_RANK, base, err));
    }
    return DPS_OK;
}

dps_status dps_trial_rows_take(dps_trial_rows *s, const dps_trial_base *base, int64_t most_rows,
                               bool rescale, dps_error *err)
{
    const dps_scaler *scaler = &base->data->scaler;
    const dps_comm *comm = base->data->total_rows > 0 ? base->run->comm : NULL;
    const dps_labelled_rows all = dps_labelled_rows_of(base->data);
    int32_t *part;
    memset(s, 0, sizeof *s);
    const sample_size size = {most_rows, base->settings->validation.seed};
    dps_status status = dps_choose_rows(comm, all.label, all.x.rows, dps_trial_classes(base),
                                        choose_sample, &size, &part, err);
    DPS_THEN(status, dps_row_subset_take(&s->own, &all, part, comm, err));
    dps_free(part);
    if (status == DPS_OK) {
        s->view[0] = (dps_row_view){DPS_VIEW_LOADED, dps_row_subset_rows(&s->own), scaler->radius1,
                                    scaler->radius2};
        s->views = 1;
        s->bytes = s->own.bytes;
        s->fold = dps_alloc((size_t)s->own.x.rows, sizeof *s->fold);
        status = s->fold == NULL
                     ? dps_out_of_memory(err, (size_t)s->own.x.rows, sizeof *s->fold, "the folds")
                 : rescale ? add_views(s, base, err)
                           : DPS_OK;
    }
    if (status != DPS_OK) {
        dps_trial_rows_release(s);
    }
    return status;
}

void dps_trial_rows_release(dps_trial_rows *s)
{
    for (int32_t v = 1; v < s->views; v++) {
        dps_scaled_rows *x = &s->other[v - 1];
        if (s->view[v].kind == DPS_VIEW_UNIT) { /* the rest is the own's */
            dps_free(x->value);
        } else {
            dps_scaled_rows_release(x);
        }
    }
    dps_row_subset_release(&s->own);
    dps_free(s->fold);
    memset(s, 0, sizeof *s);
}
