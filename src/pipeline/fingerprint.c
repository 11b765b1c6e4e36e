/* Task: one number for training data, so that work saved for other data is not gone on with: tile
 * after tile of scaled rows, as they lie in memory without their padding, then labels, targets and
 * weights. Cost: one read of the rows in memory. */
#include "fingerprint.h"

#include "checksum.h"

static void add_tile(dps_checksum *sum, const dps_row_tile *tile)
{
    for (int32_t i = 0; i < tile->rows; i++) {
        if (tile->dense != NULL) {
            dps_checksum_add(sum, tile->dense + (size_t)i * tile->stride,
                             (size_t)tile->columns * sizeof(float));
        } else {
            const int64_t begin = tile->start[i], length = tile->start[i + 1] - begin;
            dps_checksum_add(sum, &length, sizeof length);
            dps_checksum_add(sum, tile->column + begin, (size_t)length * sizeof *tile->column);
            dps_checksum_add(sum, tile->value + begin, (size_t)length * sizeof *tile->value);
        }
    }
}

static void add_column(dps_checksum *sum, const void *values, int64_t rows, size_t size)
{
    if (values != NULL) {
        dps_checksum_add(sum, values, (size_t)rows * size);
    }
}

dps_status dps_fingerprint_data(const dps_dataset *data, const dps_row_source *rows,
                                uint64_t *fingerprint, dps_error *err)
{
    dps_checksum *sum = dps_checksum_new();
    dps_status status = DPS_OK;
    if (sum == NULL) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the data's fingerprint");
    }
    dps_checksum_add(sum, &rows->rows, sizeof rows->rows);
    for (int64_t t = 0; t < dps_tile_count(rows->rows) && status == DPS_OK; t++) {
        dps_row_tile tile;
        status = rows->get(rows->context, t, &tile, err);
        if (status == DPS_OK) {
            add_tile(sum, &tile);
        }
    }
    add_column(sum, data->label, rows->rows, sizeof *data->label);
    add_column(sum, data->target, rows->rows, sizeof *data->target);
    add_column(sum, data->row_weight, rows->rows, sizeof *data->row_weight);
    *fingerprint = dps_checksum_value(sum);
    dps_checksum_free(sum);
    return status;
}
