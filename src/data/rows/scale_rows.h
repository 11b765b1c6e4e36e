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

/* A thread's buffers for scaling parsed blocks, one after the other. */
typedef struct dps_block_scaler {
    dps_scaling_row row;
    int32_t *column;
    double *value;
    size_t capacity;
} dps_block_scaler;

/* False: no memory (release it all the same). */
DPS_MUST_USE bool dps_block_scaler_init(dps_block_scaler *work, const dps_scaler *scaler);
void dps_block_scaler_release(dps_block_scaler *work);
/* dps_scale_block (scaler.h) by the scaler of the buffers; rows of `out` behind the block's are not
 * cleared. */
DPS_MUST_USE dps_status dps_block_scaler_scale(dps_block_scaler *work, const dps_row_block *block,
                                               dps_scaled_rows *out, dps_error *err);

/* Bytes of scaled rows; SIZE_MAX: beyond the address space. */
size_t dps_scaled_bytes(bool dense, int64_t rows, int32_t columns, int64_t entries);

#endif
