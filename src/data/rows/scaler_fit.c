/* Fitting the scaler. Per column j over n rows, zeros that are not written included:
 *
 *     max_abs    shift 0      factor 1 / max_i |x_ij|
 *     min_max    shift min_j  factor 1 / (max_j - min_j)
 *     standard   shift m_j    factor 1 / s_j,  m_j = sum_i x_ij / n
 *                                              s_j^2 = sum_i (x_ij - m_j)^2 / n
 *
 * (a row of weight w counts as w rows) and factor 1 where the column is constant (min_max,
 * standard); log and rank: scaler_bend.c. The variance takes a second pass (Chan, Golub and
 * LeVeque, Algorithms for Computing the Sample Variance, 1983): one pass would cancel. Smallest,
 * largest and counts do not depend on the order; the sums go through dps_ordered_sum over tiles of
 * rows, so that neither threads and ranks nor the cut of the input into chunks and files can change
 * a bit. Cost: one pass over the entries, three for standard (four where rows have weights), one
 * more for max_norm. */
#include "scaler_fit.h"

#include <float.h>
#include <math.h>

#include "allocation.h"
#include "comm.h"
#include "number.h"
#include "ordered_sum.h"
#include "rank_sums.h"
#include "scale_rows.h"
#include "scaler_bend.h"

/* Rows are dense from this share of non-zero values on, and always with so few columns. */
#define DENSE_SHARE   0.125
#define DENSE_COLUMNS 16
/* Entries a column should have for each thread that collects statistics: keeps the threads' own
 * tables small against the entries. */
#define ENTRIES_PER_COLUMN 16

/* ---- statistics of columns ---- */

typedef struct column_range {
    double low, high;
    int64_t count; /* entries */
} column_range;

static void merge_range(column_range *into, const column_range *from)
{
    into->low = from->low < into->low ? from->low : into->low;
    into->high = from->high > into->high ? from->high : into->high;
    into->count += from->count;
}

/* Ranges of all ranks. False: no memory. */
static bool share_ranges(int32_t columns, const dps_comm *comm, column_range *range)
{
    const size_t count = (size_t)columns;
    if (comm == NULL) {
        return true;
    }
    double *end = dps_alloc(2 * count, sizeof *end);
    int64_t *entries = dps_alloc(2 * count, sizeof *entries);
    const bool failed = dps_comm_any(comm, end == NULL || entries == NULL);
    for (size_t j = 0; j < count && !failed; j++) {
        end[j] = range[j].high;
        end[count + j] = -range[j].low;
        entries[j] = range[j].count;
    }
    if (!failed) {
        dps_comm_max_all(comm, end, 2 * count);
        dps_sum_counts(comm, entries, entries + count, count);
    }
    for (size_t j = 0; j < count && !failed; j++) {
        range[j] = (column_range){-end[count + j], end[j], entries[j]};
    }
    dps_free(end);
    dps_free(entries);
    return !failed;
}

/* Ranges of the written values, then of all n. False: no memory. */
static bool find_ranges(const dps_raw_rows *raw, int32_t columns, const dps_run *run,
                        column_range *range)
{
    const column_range nothing = {.low = INFINITY, .high = -INFINITY};
    const int64_t useful = 1 + raw->entries / ((int64_t)ENTRIES_PER_COLUMN * columns);
    const int threads = dps_run_threads_for(run, useful, 8.0 * (double)raw->entries);
    for (int32_t j = 0; j < columns; j++) {
        range[j] = nothing;
    }
    bool failed = false;
#pragma omp parallel num_threads(threads) reduction(|| : failed)
    {
        column_range *own = dps_alloc((size_t)columns, sizeof *own);
        failed = own == NULL;
        for (int32_t j = 0; j < columns && own != NULL; j++) {
            own[j] = nothing;
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t b = 0; b < raw->blocks; b++) {
            const dps_raw_block *block = &raw->block[b];
            for (uint32_t k = 0; k < block->start[block->rows] && own != NULL; k++) {
                const column_range one = {block->value[k], block->value[k], 1};
                merge_range(&own[block->index[k]], &one);
            }
            dps_raw_block_rest(block);
        }
#pragma omp critical(dps_scaler)
        for (int32_t j = 0; j < columns && own != NULL; j++) {
            merge_range(&range[j], &own[j]);
        }
        dps_free(own);
    }
    if (dps_comm_any(run->comm, failed) || !share_ranges(columns, run->comm, range)) {
        return false;
    }
    const column_range zeros = {.low = 0.0, .high = 0.0};
    for (int32_t j = 0; j < columns; j++) {
        if (range[j].count < raw->total_rows) {
            merge_range(&range[j], &zeros);
        }
    }
    return true;
}

typedef struct moment_job {
    const dps_raw_rows *raw;
    const double *weight; /* of each row here; NULL: 1 */
    const double *mean;   /* NULL: sum the values; else sum the squares around it */
    bool count;           /* sum the weights of the entries instead */
} moment_job;

static dps_status add_moments(void *context, int64_t t, double *sum, DPS_UNUSED void *scratch,
                              DPS_UNUSED dps_error *err)
{
    const moment_job *job = context;
    const dps_raw_rows *raw = job->raw;
    const int64_t first = t * DPS_TILE_ROWS;
    const int64_t end = first + DPS_TILE_ROWS < raw->rows ? first + DPS_TILE_ROWS : raw->rows;
    const dps_raw_block *block = &raw->block[dps_raw_rows_block_of(raw, first)];
    for (int64_t i = first; i < end; i++) {
        while (i >= block->first_row + block->rows) {
            block++;
        }
        const uint32_t *start = block->start + (i - block->first_row);
        const double weight = dps_weight_of(job->weight, i);
        for (uint32_t k = start[0]; k < start[1]; k++) {
            const int32_t j = block->index[k];
            const double from_mean = block->value[k] - (job->mean != NULL ? job->mean[j] : 0.0);
            sum[j] += weight * (job->count          ? 1.0
                                : job->mean != NULL ? from_mean * from_mean
                                                    : from_mean);
        }
    }
    dps_raw_rows_rest(raw, first, end);
    return DPS_OK;
}

static dps_status sum_moments(const moment_job *job, int32_t columns, const dps_run *run,
                              double *total, dps_error *err)
{
    const dps_raw_rows *raw = job->raw;
    moment_job own = *job;
    const int64_t tiles = dps_tile_count(raw->total_rows);
    const double tile_flops = 4.0 * (double)raw->total_entries / (double)tiles;
    const dps_ordered_sum sum = {.tiles = dps_tile_count(raw->rows),
                                 .first_tile = dps_tile_count(raw->first_row),
                                 .total_tiles = run->comm != NULL ? tiles : 0,
                                 .slots = dps_slot_count(tiles, (size_t)columns, tile_flops),
                                 .elements = (size_t)columns,
                                 .add = add_moments,
                                 .context = &own};
    return dps_ordered_sum_run(&sum, run, total, err);
}

/* What all rows weigh. All. */
static double total_weight(const dps_raw_rows *raw, const double *weight, const dps_run *run)
{
    double total = 0.0;
    if (weight == NULL) {
        return (double)raw->total_rows;
    }
    dps_in_turn_begin(run->comm, &total, sizeof total);
    for (int64_t i = 0; i < raw->rows; i++) {
        total += weight[i];
    }
    dps_in_turn_end(run->comm, &total, sizeof total);
    return total;
}

static dps_status too_wide(const dps_scaler *scaler, int32_t j, dps_error *err)
{
    return dps_error_set(err, DPS_ERROR_DATA,
                         "feature %lld (counted from 1) has values too large for data.scaling = "
                         "%s; use data.scaling = max_abs",
                         (long long)scaler->index[j] + 1,
                         dps_name_of(dps_scaling_names, scaler->scaling));
}

/* 1 / x, at most the largest number. */
static double inverse(double x)
{
    const double y = 1.0 / x;
    return y <= DBL_MAX ? y : DBL_MAX;
}

static dps_status fit_ranges(dps_scaler *scaler, const column_range *range, dps_error *err)
{
    for (int32_t j = 0; j < scaler->columns; j++) {
        const double low = range[j].low, high = range[j].high;
        if (scaler->scaling == DPS_SCALE_MAX_ABS) {
            scaler->factor[j] = inverse(fmax(-low, high));
            continue;
        }
        if (high - low > DBL_MAX) {
            return too_wide(scaler, j, err);
        }
        scaler->shift[j] = low;
        scaler->factor[j] = high > low ? inverse(high - low) : 1.0;
    }
    return DPS_OK;
}

static dps_status fit_moments(dps_scaler *scaler, const dps_raw_rows *raw, const double *weight,
                              const column_range *range, const dps_run *run, dps_error *err)
{
    const double n = total_weight(raw, weight, run);
    const size_t columns = (size_t)scaler->columns;
    double *mean = scaler->shift, *square = scaler->factor;
    double *present = weight == NULL ? NULL : dps_alloc(columns, sizeof *present);
    if (weight != NULL && dps_comm_any(run->comm, present == NULL)) {
        dps_free(present);
        return dps_out_of_memory(err, columns, sizeof *present, "statistics of columns");
    }
    moment_job job = {.raw = raw, .weight = weight, .count = true};
    dps_status status =
        weight == NULL ? DPS_OK : sum_moments(&job, scaler->columns, run, present, err);
    job.count = false;
    DPS_THEN(status, sum_moments(&job, scaler->columns, run, mean, err));
    for (int32_t j = 0; j < scaler->columns && status == DPS_OK; j++) {
        mean[j] = range[j].low < range[j].high ? mean[j] / n : range[j].low;
    }
    if (status == DPS_OK) {
        job.mean = mean;
        status = sum_moments(&job, scaler->columns, run, square, err);
    }
    for (int32_t j = 0; j < scaler->columns && status == DPS_OK; j++) {
        const double absent = present == NULL ? (double)(raw->total_rows - range[j].count)
                                              : fmax(n - present[j], 0.0);
        const double deviation = sqrt((square[j] + absent * mean[j] * mean[j]) / n);
        if (!(deviation <= DBL_MAX)) {
            status = too_wide(scaler, j, err);
            break;
        }
        scaler->factor[j] =
            range[j].low < range[j].high && deviation > 0.0 ? inverse(deviation) : 1.0;
    }
    dps_free(present);
    return status;
}

static dps_status fit_log(dps_scaler *scaler, const dps_raw_rows *raw, const double *weight,
                          const column_range *range, const dps_run *run, dps_error *err)
{
    for (int32_t j = 0; j < scaler->columns; j++) {
        scaler->factor[j] = fmax(-range[j].low, range[j].high);
    }
    return dps_scaler_fit_bend(scaler, raw, weight, run, err);
}

static dps_status fit_columns(dps_scaler *scaler, const dps_raw_rows *raw, const double *weight,
                              const dps_run *run, dps_error *err)
{
    for (int32_t j = 0; j < scaler->columns; j++) {
        scaler->factor[j] = 1.0;
    }
    if (scaler->scaling == DPS_SCALE_NONE) {
        return DPS_OK;
    }
    if (scaler->scaling == DPS_SCALE_RANK) {
        return dps_scaler_fit_bend(scaler, raw, weight, run, err);
    }
    const size_t columns = (size_t)scaler->columns;
    column_range *range = dps_alloc(columns, sizeof *range);
    dps_status status = DPS_OK;
    if (dps_comm_any(run->comm, range == NULL) || !find_ranges(raw, scaler->columns, run, range)) {
        status = dps_out_of_memory(err, columns, sizeof *range, "statistics of columns");
    } else if (scaler->scaling == DPS_SCALE_LOG) {
        status = fit_log(scaler, raw, weight, range, run, err);
    } else if (scaler->scaling == DPS_SCALE_STANDARD) {
        status = fit_moments(scaler, raw, weight, range, run, err);
    } else {
        status = fit_ranges(scaler, range, err);
    }
    dps_free(range);
    return status;
}

/* ---- shape and rows ---- */

/* Dense or compressed. Rows that do not fit go out of core, but not those that scaling alone has
 * blown up. */
static dps_status choose_shape(dps_scaler *scaler, const dps_raw_rows *raw, const dps_run *run,
                               dps_error *err)
{
    const bool shifted = dps_scaler_moves_zeros(scaler);
    const double share =
        (double)raw->total_entries / ((double)raw->total_rows * (double)scaler->columns);
    const bool filled = share >= DENSE_SHARE || scaler->columns <= DENSE_COLUMNS;
    scaler->dense = shifted || filled;
    const size_t scaled = dps_scaled_bytes(scaler->dense, raw->rows, scaler->columns, raw->entries);
    const size_t needed = scaled > raw->slab_bytes ? scaled : raw->slab_bytes;
    if (needed <= run->memory || !shifted || filled) {
        return DPS_OK;
    }
    char need[DPS_NUMBER_MAX], have[DPS_NUMBER_MAX];
    dps_format_bytes(need, (double)needed);
    dps_format_bytes(have, (double)run->memory);
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "data.scaling = %s moves zeros, which makes these sparse rows dense: "
                         "%s of memory are needed, %s are available; use data.scaling = "
                         "max_abs, or raise run.memory",
                         dps_name_of(dps_scaling_names, scaler->scaling), need, have);
}

/* Largest norm of a column-scaled row among rows of a block. False: no memory. */
static bool block_norm(const dps_raw_block *block, dps_scaling_row *row, double *largest)
{
    for (int64_t i = 0; i < block->rows; i++) {
        const uint32_t begin = block->start[i];
        if (!dps_scaling_row_columns(row, block->index + begin, block->value + begin,
                                     (int32_t)(block->start[i + 1] - begin))) {
            return false;
        }
        const double norm = dps_scaling_row_norm(row);
        *largest = norm > *largest ? norm : *largest;
    }
    dps_raw_block_rest(block);
    return true;
}

static dps_status fit_rows(dps_scaler *scaler, const dps_raw_rows *raw, const dps_run *run,
                           dps_error *err)
{
    scaler->row_factor = 1.0;
    if (scaler->normalize != DPS_NORMALIZE_MAX_NORM) {
        return DPS_OK;
    }
    double largest = 0.0;
    bool failed = false;
    const int threads = dps_run_threads_for(run, raw->blocks, 16.0 * (double)raw->entries);
#pragma omp parallel num_threads(threads) reduction(max : largest) reduction(|| : failed)
    {
        dps_scaling_row row;
        failed = !dps_scaling_row_init(&row, scaler);
#pragma omp for schedule(dynamic, 1)
        for (int64_t b = 0; b < raw->blocks; b++) {
            failed = failed || !block_norm(&raw->block[b], &row, &largest);
        }
        dps_scaling_row_release(&row);
    }
    if (dps_comm_any(run->comm, failed)) {
        return dps_out_of_memory(err, (size_t)scaler->columns, sizeof(double), "scaled rows");
    }
    largest = dps_comm_max(run->comm, largest);
    if (!(largest <= DBL_MAX)) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "a row is too long for double precision (data.scaling = %s); use "
                             "data.scaling = max_abs",
                             dps_name_of(dps_scaling_names, scaler->scaling));
    }
    scaler->row_factor = largest > 0.0 ? inverse(largest) : 1.0;
    return DPS_OK;
}

dps_status dps_scaler_fit(dps_scaler *scaler, dps_scaling scaling, dps_normalize normalize,
                          dps_raw_rows *raw, const double *weight, const dps_run *run,
                          dps_error *err)
{
    *scaler = (dps_scaler){.scaling = scaling, .normalize = normalize};
    dps_status status = dps_raw_rows_distinct(raw, run, &scaler->index, &scaler->columns, err);
    if (status == DPS_OK && scaler->columns == 0) {
        status =
            dps_error_at(err, DPS_ERROR_DATA, raw->blocks > 0 ? raw->block[0].file : NULL, 0, 0,
                         "no row has a feature with a value other than 0: there is nothing "
                         "to learn from; expected rows like: 1 3:0.5 7:1");
    }
    if (status == DPS_OK) {
        const size_t columns = (size_t)scaler->columns;
        dps_raw_rows_number(raw, scaler->index, scaler->columns, run);
        scaler->shift = dps_alloc(columns, sizeof *scaler->shift);
        scaler->factor = dps_alloc(columns, sizeof *scaler->factor);
        status = dps_comm_any(run->comm, scaler->shift == NULL || scaler->factor == NULL)
                     ? dps_out_of_memory(err, columns, sizeof *scaler->shift, "the scaler")
                     : fit_columns(scaler, raw, weight, run, err);
    }
    DPS_THEN(status, dps_comm_agree(run->comm, choose_shape(scaler, raw, run, err), err));
    DPS_THEN(status, fit_rows(scaler, raw, run, err));
    if (status != DPS_OK) {
        dps_scaler_release(scaler);
    }
    return status;
}
