/* Task: a block of raw rows through scaler, map and weights, as many at a time as a panel has room
 * for. */
#include "block_scores.h"

#include "allocation.h"

dps_status dps_block_work_init(dps_block_work *work, const dps_predictor *predictor, dps_error *err)
{
    const size_t panel = dps_z_panel_bytes(&predictor->builder);
    *work = (dps_block_work){.panel = dps_alloc(panel, 1),
                             .scratch = dps_alloc(predictor->builder.scratch_bytes, 1)};
    const bool ready = dps_block_scaler_init(&work->scaler, &predictor->model->scaler);
    return ready && work->panel != NULL && work->scratch != NULL
               ? DPS_OK
               : dps_out_of_memory(err, panel, 1, "prediction");
}

void dps_block_work_release(dps_block_work *work)
{
    dps_block_scaler_release(&work->scaler);
    dps_scaled_rows_release(&work->rows);
    dps_free(work->panel);
    dps_free(work->scratch);
    *work = (dps_block_work){0};
}

/* Through the map and the weights, rows `begin` on of the scaled ones. */
static dps_status score_batch(const dps_predictor *predictor, dps_block_work *work,
                              const dps_row_block *block, const dps_row_tile *tile, int32_t begin,
                              int64_t first, int32_t *rows, double *scores, dps_error *err)
{
    dps_z_tile z;
    dps_z_builder builder = predictor->builder;
    builder.rows = tile->rows < builder.rows ? tile->rows : builder.rows; /* no padding */
    const dps_row_tile batch = dps_z_batch(&builder, tile, begin);
    const dps_status status = dps_z_build(&builder, &batch, work->panel, work->scratch, &z, err);
    if (status != DPS_OK) {
        work->failed = err != NULL && err->line > 0 ? begin + err->line - 1 : -1;
        dps_z_error_row(err, first + begin - 1);
        return status;
    }
    dps_predictor_block_scores(predictor, &z, block, begin, scores + begin);
    *rows = batch.rows;
    return DPS_OK;
}

dps_status dps_block_scores(const dps_predictor *predictor, dps_block_work *work,
                            const dps_row_block *block, int64_t first, double *scores,
                            dps_error *err)
{
    dps_row_tile tile;
    work->failed = -1;
    dps_status status = dps_block_scaler_scale(&work->scaler, block, &work->rows, err);
    if (status != DPS_OK && status != DPS_ERROR_MEMORY) {
        work->failed = err != NULL && err->line > 0 ? err->line - 1 : 0;
        return dps_error_set(err, status, "row %lld: a value is too large after scaling",
                             (long long)(first + work->failed));
    }
    DPS_TRY(status);
    dps_scaled_rows_tile(&work->rows, 0, &tile);
    for (int32_t begin = 0, rows = 0; begin < tile.rows; begin += rows) {
        DPS_TRY(score_batch(predictor, work, block, &tile, begin, first, &rows, scores, err));
    }
    return DPS_OK;
}
