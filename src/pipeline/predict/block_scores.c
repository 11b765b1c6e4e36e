/* Task: a block of raw rows through scaler, map and weights, as many at a time as a panel has room
 * for. */
#include "block_scores.h"

#include "allocation.h"

dps_status dps_block_work_init(dps_block_work *work, const dps_predictor *predictor, dps_error *err)
{
    const size_t panel = dps_z_panel_bytes(&predictor->builder);
    *work = (dps_block_work){.panel = dps_alloc(panel, 1),
                             .scratch = dps_alloc(predictor->builder.scratch_bytes, 1)};
    return work->panel != NULL && work->scratch != NULL
               ? DPS_OK
               : dps_out_of_memory(err, panel, 1, "prediction");
}

void dps_block_work_release(dps_block_work *work)
{
    dps_scaled_rows_release(&work->rows);
    dps_free(work->panel);
    dps_free(work->scratch);
    *work = (dps_block_work){0};
}

dps_status dps_block_scores(const dps_predictor *predictor, dps_block_work *work,
                            const dps_row_block *block, int64_t first, double *scores,
                            dps_error *err)
{
    dps_row_tile tile;
    dps_z_tile z;
    dps_status status = dps_scale_block(&predictor->model->scaler, block, &work->rows, err);
    if (status != DPS_OK && status != DPS_ERROR_MEMORY) {
        return dps_error_set(err, status, "row %lld: a value is too large after scaling",
                             (long long)(first + (err->line > 0 ? err->line - 1 : 0)));
    }
    DPS_TRY(status);
    dps_scaled_rows_tile(&work->rows, 0, &tile);
    for (int32_t begin = 0; begin < tile.rows; begin += z.rows) {
        const dps_row_tile batch = dps_z_batch(&predictor->builder, &tile, begin);
        status = dps_z_build(&predictor->builder, &batch, work->panel, work->scratch, &z, err);
        if (status != DPS_OK) {
            dps_z_error_row(err, first + begin - 1);
            return status;
        }
        dps_predictor_block_scores(predictor, &z, block, begin, scores + begin);
    }
    return DPS_OK;
}
