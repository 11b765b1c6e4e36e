/* Scores of rows in memory: for the library, and for a model's self-test. */
#ifndef DPS_BLOCK_SCORES_H
#define DPS_BLOCK_SCORES_H

#include "predictor.h"
#include "scale_rows.h"

/* A caller's own buffers. */
typedef struct dps_block_work {
    dps_block_scaler scaler;
    dps_scaled_rows rows;
    int64_t failed; /* after an error: the row of the block at fault, or -1 */
    float *panel;
    void *scratch;
} dps_block_work;

/* On errors, too, the work must be released. */
DPS_MUST_USE dps_status dps_block_work_init(dps_block_work *work, const dps_predictor *predictor,
                                            dps_error *err);
void dps_block_work_release(dps_block_work *work);

/* Row i of the block, of at most DPS_TILE_ROWS: scores[k DPS_TILE_ROWS + i] under model k. first:
 * the number of the first row, from 0, for errors. */
DPS_MUST_USE dps_status dps_block_scores(const dps_predictor *predictor, dps_block_work *work,
                                         const dps_row_block *block, int64_t first, double *scores,
                                         dps_error *err);

#endif
