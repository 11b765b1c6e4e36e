/* Task: one number for training data, so that work saved for other data is not gone on with.
 *     sum over tiles t of hash(t, rows, labels, targets, weights of tile t)
 * in halves of 32 bits, each of which adds up in whole numbers: whichever rank has a tile, and in
 * whatever order. Rows count as they lie in memory, without padding. Cost: one read of the rows. */
#include "fingerprint.h"

#include "checksum.h"
#include "comm.h"

static void add_rows(dps_checksum *sum, const dps_row_tile *tile)
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

/* Rows first .. first + count - 1 of an array of this rank. */
static void add_items(dps_checksum *sum, const void *items, int64_t first, int32_t count,
                      size_t size)
{
    if (items != NULL) {
        dps_checksum_add(sum, (const char *)items + (size_t)first * size, (size_t)count * size);
    }
}

static dps_status hash_tile(const dps_dataset *data, const dps_row_source *rows, int64_t t,
                            uint64_t *hash, dps_error *err)
{
    const int64_t first = t * DPS_TILE_ROWS, number = dps_tile_count(rows->first_row) + t;
    dps_row_tile tile;
    dps_checksum *sum = dps_checksum_new();
    if (sum == NULL) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the data's fingerprint");
    }
    const dps_status status = rows->get(rows->context, t, &tile, err);
    if (status == DPS_OK) {
        dps_checksum_add(sum, &number, sizeof number);
        add_rows(sum, &tile);
        add_items(sum, data->label, first, tile.rows, sizeof *data->label);
        add_items(sum, data->target, first, tile.rows, sizeof *data->target);
        add_items(sum, data->row_weight, first, tile.rows, sizeof *data->row_weight);
        *hash = dps_checksum_value(sum);
    }
    dps_checksum_free(sum);
    return status;
}

dps_status dps_fingerprint_data(const dps_dataset *data, const dps_row_source *rows,
                                const dps_run *run, uint64_t *fingerprint, dps_error *err)
{
    const dps_comm *comm = rows->total_rows > 0 ? run->comm : NULL;
    int64_t low = 0, high = 0;
    dps_status status = DPS_OK;
    for (int64_t t = 0; t < dps_tile_count(rows->rows) && status == DPS_OK; t++) {
        uint64_t hash = 0;
        status = hash_tile(data, rows, t, &hash, err);
        low += (int64_t)(hash & UINT32_MAX);
        high += (int64_t)(hash >> 32);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        const int64_t total[] = {dps_comm_sum(comm, low), dps_comm_sum(comm, high),
                                 dps_rows_of_all(rows)};
        *fingerprint = dps_checksum_of(total, sizeof total);
    }
    return status;
}
