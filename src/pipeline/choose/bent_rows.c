/* Task: rows of a search as data.scaling = log or rank would have them. Both take a positive factor
 * of a column without notice (log divides by the median of the column, ranks are those of its
 * multiple), so that rows which were scaled by max_abs serve as well as those of the file, but for
 * the rounding of floats. Cost: a sort of every column. */
#include "bent_rows.h"

#include <math.h>
#include "allocation.h"
#include "scaler_bend.h"

static const char *const what = "the rows that settings are tried on";

static dps_status gather(const dps_scaled_rows *from, const double *weight, dps_bend_sample *sample,
                         dps_error *err)
{
    const size_t most = (size_t)from->rows * (size_t)from->columns;
    DPS_NEED(sample->entry, most, what, err);
    for (int64_t i = 0; i < from->rows; i++) {
        const float *x = from->dense + (size_t)i * from->stride;
        const double own = weight == NULL ? 1.0 : weight[i];
        if (!(own > 0.0)) {
            continue;
        }
        sample->rows += 1.0;
        sample->weight += own;
        for (int32_t j = 0; j < from->columns; j++) {
            if (x[j] != 0.0f) {
                sample->entry[sample->entries++] = (dps_bend_entry){x[j], own, j};
            }
        }
    }
    return DPS_OK;
}

/* log wants the largest |x| of each column there; 1 for a column of zeros. */
static void largest_values(const dps_bend_sample *sample, dps_scaler *scaler)
{
    for (int32_t j = 0; j < scaler->columns; j++) {
        scaler->factor[j] = 0.0;
    }
    for (size_t k = 0; k < sample->entries; k++) {
        double *largest = &scaler->factor[sample->entry[k].column];
        *largest = fmax(*largest, fabs(sample->entry[k].value));
    }
    for (int32_t j = 0; j < scaler->columns; j++) {
        const bool any = scaler->scaling == DPS_SCALE_LOG && scaler->factor[j] > 0.0;
        scaler->factor[j] = any ? scaler->factor[j] : 1.0;
    }
}

static dps_status fit(const dps_scaled_rows *from, const double *weight, const dps_run *run,
                      dps_scaler *scaler, dps_error *err)
{
    dps_bend_sample sample = {.rows = 0.0};
    const size_t columns = (size_t)scaler->columns;
    DPS_NEED(scaler->shift, columns, what, err);
    DPS_NEED(scaler->factor, columns, what, err);
    dps_status status = gather(from, weight, &sample, err);
    if (status == DPS_OK) {
        largest_values(&sample, scaler);
        status = dps_scaler_bend(scaler, &sample, run, err);
    }
    dps_free(sample.entry);
    return status;
}

static dps_status apply(const dps_scaled_rows *from, const dps_scaler *scaler, dps_scaled_rows *to,
                        dps_error *err)
{
    *to = (dps_scaled_rows){.rows = from->rows, .columns = from->columns, .stride = from->stride};
    DPS_NEED(to->dense, (size_t)dps_tile_count(to->rows) * DPS_TILE_ROWS * to->stride, what, err);
    for (int64_t i = 0; i < from->rows; i++) {
        for (int32_t j = 0; j < from->columns; j++) {
            const size_t at = (size_t)i * from->stride + (size_t)j;
            to->dense[at] = (float)dps_scaler_value(scaler, j, from->dense[at]);
        }
    }
    return DPS_OK;
}

dps_status dps_bend_rows(const dps_scaled_rows *from, const double *weight, dps_scaling scaling,
                         const dps_run *run, dps_scaled_rows *to, dps_error *err)
{
    dps_scaler scaler = {.scaling = scaling, .columns = from->columns, .dense = true};
    dps_status status = fit(from, weight, run, &scaler, err);
    DPS_THEN(status, apply(from, &scaler, to, err));
    dps_scaler_release(&scaler);
    return status;
}
