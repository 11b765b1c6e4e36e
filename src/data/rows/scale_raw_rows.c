/* Task: all parsed rows to scaled rows, by all threads. Raw rows are given back while scaled ones
 * grow. Cost: one pass over the entries. */
#include "scale_raw_rows.h"

#include "allocation.h"
#include "scale_rows_private.h"
#include "scaled_store.h"

/* Tiles a thread scales before memory of the raw rows is given back. */
#define TILES_PER_ROUND 32
#define TILES_PER_PIECE 4 /* taken by a thread at a time */

typedef struct scaling_job {
    const dps_scaler *scaler;
    dps_raw_rows *raw;
    dps_scaled_rows *out;
    dps_status status; /* of the first tile that failed; inside critical(dps_scale_rows) */
    int64_t failed;
    dps_error error;
} scaling_job;

static dps_status scale_tile(const scaling_job *job, int64_t t, dps_scaling_row *row,
                             double *radius1, double *radius2, int64_t *outside, dps_error *err)
{
    const int64_t first = t * DPS_TILE_ROWS;
    const int64_t end =
        first + DPS_TILE_ROWS < job->raw->rows ? first + DPS_TILE_ROWS : job->raw->rows;
    const dps_raw_block *block = &job->raw->block[dps_raw_rows_block_of(job->raw, first)];
    const int64_t at = block->first_entry + block->start[first - block->first_row];
    int64_t at_end = at;
    for (int64_t i = first; i < end; i++) {
        while (i >= block->first_row + block->rows) {
            block++;
        }
        const uint32_t *start = block->start + (i - block->first_row);
        const int32_t count = (int32_t)(start[1] - start[0]);
        if (!dps_scaling_row_columns(row, block->index + start[0], block->value + start[0],
                                     count)) {
            return dps_out_of_memory(err, (size_t)count, sizeof(double), "scaled rows");
        }
        if (!dps_scaling_row_write(row, job->out, i, block->first_entry + start[0])) {
            int64_t line;
            const char *file = dps_raw_rows_place(job->raw, i, &line);
            return dps_scaling_row_refuse(row, file, line, job->raw->first_row + i + 1, err);
        }
        *radius1 = row->l1 > *radius1 ? row->l1 : *radius1;
        *radius2 = row->l2 > *radius2 ? row->l2 : *radius2;
        *outside += dps_scaling_row_outside(row);
        at_end = block->first_entry + start[1];
    }
    dps_scaled_rows_rest_part(job->out, first, end - first, at, at_end);
    dps_raw_rows_rest(job->raw, first, end);
    return DPS_OK;
}

static void note_failure(scaling_job *job, int64_t tile, dps_status status, const dps_error *error)
{
#pragma omp critical(dps_scale_rows)
    if (job->status == DPS_OK || tile < job->failed) {
        job->status = status;
        job->failed = tile;
        job->error = *error;
    }
}

/* One thread's part of all rounds. Rounds exist to give raw rows back while scaled ones grow. */
static void scale_rounds(scaling_job *job, const dps_run *run, double *radius1, double *radius2,
                         int64_t *outside)
{
    const int64_t tiles = dps_tile_count(job->raw->rows);
    const int64_t round = (int64_t)run->threads * TILES_PER_ROUND;
    dps_scaling_row row;
    const bool ok = dps_scaling_row_init(&row, job->scaler);
    bool go = true;
    for (int64_t begin = 0; begin < tiles && go; begin += round) {
        const int64_t end = begin + round < tiles ? begin + round : tiles;
#pragma omp for schedule(dynamic, TILES_PER_PIECE)
        for (int64_t t = begin; t < end; t++) {
            dps_error error;
            dps_status status = ok ? scale_tile(job, t, &row, radius1, radius2, outside, &error)
                                   : dps_out_of_memory(&error, (size_t)job->scaler->columns,
                                                       sizeof(double), "scaled rows");
            if (status != DPS_OK) {
                note_failure(job, t, status, &error);
            }
        }
#pragma omp single copyprivate(go)
        {
            if (job->status == DPS_OK && dps_run_stopped(run)) {
                job->status = dps_error_set(&job->error, DPS_ERROR_STOPPED,
                                            "stopped by a signal while scaling");
            }
            go = job->status == DPS_OK;
            if (go) {
                dps_raw_rows_forget(job->raw, end * DPS_TILE_ROWS);
            }
        }
    }
    dps_scaling_row_release(&row);
}

/* Empty rows in memory, or out of core if that exceeds the budget: raw rows are given back while
 * scaled ones grow, so that the larger of both counts. */
static dps_status begin_all(dps_scaled_rows *out, const dps_scaler *scaler, const dps_raw_rows *raw,
                            size_t taken, const dps_run *run, dps_error *err)
{
    const size_t scaled = dps_scaled_bytes(scaler->dense, raw->rows, scaler->columns, raw->entries);
    const size_t needed = scaled > raw->slab_bytes ? scaled : raw->slab_bytes;
    if (taken <= run->memory && needed <= run->memory - taken) {
        return dps_scaled_rows_begin(out, scaler, raw->rows, raw->entries)
                   ? DPS_OK
                   : dps_out_of_memory(err, scaled, 1, "scaled rows");
    }
    dps_scaled_rows_shape(out, scaler, raw->rows);
    DPS_TRY(dps_scaled_rows_in_scratch(out, scaler->dense, raw->entries, run, err));
    dps_scaled_rows_say(out, run);
    return DPS_OK;
}

dps_status dps_scale_raw_rows(const dps_scaler *scaler, dps_raw_rows *raw, size_t taken,
                              const dps_run *run, dps_scaled_rows *out, double *radius1,
                              double *radius2, dps_error *err)
{
    const dps_status begun = begin_all(out, scaler, raw, taken, run, err);
    if (begun != DPS_OK) {
        return begun;
    }
    scaling_job job = {.scaler = scaler, .raw = raw, .out = out};
    const int64_t pieces = dps_tile_count(raw->rows) / TILES_PER_PIECE;
    double r1 = 0.0, r2 = 0.0;
    int64_t outside = 0;
#pragma omp parallel num_threads(dps_run_threads(run, pieces)) reduction(max : r1, r2)             \
    reduction(+ : outside)
    scale_rounds(&job, run, &r1, &r2, &outside);
    if (job.status != DPS_OK) {
        if (err != NULL) {
            *err = job.error;
        }
        return job.status;
    }
    dps_scaled_rows_end(out);
    out->outside = outside;
    out->unknown = raw->unknown;
    *radius1 = r1;
    *radius2 = r2;
    return DPS_OK;
}
