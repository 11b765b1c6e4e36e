/* The arithmetic of scaling one row, shared by training and prediction. */
#ifndef DPS_SCALE_ROWS_H
#define DPS_SCALE_ROWS_H

#include "raw_rows.h"
#include "scaler.h"

/* One row at work, and a thread's buffers for it. */
typedef struct dps_scaling_row {
    const dps_scaler *scaler;
    bool shifted; /* some shift is not 0: every column gets a value */
    int32_t count;
    const int32_t *column; /* of value[k]; NULL: column k */
    double *value;         /* scaled by columns */
    float *finished;       /* scaled by rows too; dense only */
    double l1, l2;         /* of the finished row, from its float values */
    size_t capacity;
} dps_scaling_row;

/* False: no memory (release it all the same). */
DPS_MUST_USE bool dps_scaling_row_init(dps_scaling_row *row, const dps_scaler *scaler);
void dps_scaling_row_release(dps_scaling_row *row);
/* Scales the columns: row->value. column[count] ascending. False: no memory. */
DPS_MUST_USE bool dps_scaling_row_columns(dps_scaling_row *row, const int32_t *column,
                                          const double *value, int32_t count);
/* L2 norm of row->value, summed in column order. */
double dps_scaling_row_norm(const dps_scaling_row *row);

/* Scales all rows with all threads and releases `raw` on the way. taken: bytes of run->memory that
 * are in use for other things; beyond the rest scaled rows lie in a scratch file. *radius1,
 * *radius2: largest norms of the scaled rows. scaler->radius2 decides which rows count as outside.
 */
DPS_MUST_USE dps_status dps_scale_raw_rows(const dps_scaler *scaler, dps_raw_rows *raw,
                                           size_t taken, const dps_run *run, dps_scaled_rows *out,
                                           double *radius1, double *radius2, dps_error *err);
/* Bytes of scaled rows; SIZE_MAX: beyond the address space. */
size_t dps_scaled_bytes(bool dense, int64_t rows, int32_t columns, int64_t entries);

#endif
