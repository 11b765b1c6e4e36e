/* The arithmetic of scaling one row, shared by training and prediction. */
#ifndef DPS_SCALE_ROWS_H
#define DPS_SCALE_ROWS_H

#include "scaler.h"

/* One row at work, and a thread's buffers for it. */
typedef struct dps_scaling_row {
    const dps_scaler *scaler;
    double *zero; /* what 0 becomes in every column; NULL: 0 everywhere */
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

/* Bytes of scaled rows; SIZE_MAX: beyond the address space. */
size_t dps_scaled_bytes(bool dense, int64_t rows, int32_t columns, int64_t entries);

#endif
