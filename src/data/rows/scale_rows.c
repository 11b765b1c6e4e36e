/* Applying a scaler: dps_scaler_value of every column in double (mostly x' = (x - shift) * factor),
 * then the row factor in double, then one rounding to float.
 *
 *     max_norm, none   x'' = float(x' * row_factor)        unit   x'' = float(x' / |x'|_2)
 *
 * Norms are sums in column order (Kar and Karnick 2012 want rows in the unit ball, section 3). A
 * column that a row does not mention is x = 0: where zeros stay it adds exactly nothing
 * to a sum, so that dense and compressed rows have the same bits. */
#include "scale_rows_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "column_lookup.h"

/* Rows that may lie beyond the stored radius by rounding alone. */
#define RADIUS_SLACK 1e-6

bool dps_scaling_row_init(dps_scaling_row *row, const dps_scaler *scaler)
{
    memset(row, 0, sizeof *row);
    row->scaler = scaler;
    if (dps_scaler_moves_zeros(scaler)) {
        assert(scaler->dense);
        row->zero = dps_alloc((size_t)scaler->columns, sizeof *row->zero);
        if (row->zero == NULL) {
            return false;
        }
        for (int32_t j = 0; j < scaler->columns; j++) {
            row->zero[j] = dps_scaler_value(scaler, j, 0.0);
        }
    }
    if (scaler->dense) {
        row->finished = dps_alloc((size_t)scaler->columns, sizeof *row->finished);
    }
    return !scaler->dense || row->finished != NULL;
}

void dps_scaling_row_release(dps_scaling_row *row)
{
    dps_free(row->zero);
    dps_free(row->value);
    dps_free(row->finished);
    memset(row, 0, sizeof *row);
}

/* dps_scaler_value, without a call in the usual case. */
static inline double value_of(const dps_scaler *scaler, bool affine, int32_t j, double x)
{
    return affine ? (x - scaler->shift[j]) * scaler->factor[j] : dps_scaler_value(scaler, j, x);
}

bool dps_scaling_row_columns(dps_scaling_row *row, const int32_t *column, const double *value,
                             int32_t count)
{
    const dps_scaler *scaler = row->scaler;
    const bool all = row->zero != NULL, affine = dps_scaling_is_affine(scaler->scaling);
    if (!DPS_GROW(row->value, row->capacity, (size_t)(all ? scaler->columns : count))) {
        return false;
    }
    if (all) {
        memcpy(row->value, row->zero, (size_t)scaler->columns * sizeof *row->value);
        for (int32_t k = 0; k < count; k++) {
            row->value[column[k]] = value_of(scaler, affine, column[k], value[k]);
        }
    } else {
        for (int32_t k = 0; k < count; k++) {
            row->value[k] = value_of(scaler, affine, column[k], value[k]);
        }
    }
    row->column = all ? NULL : column;
    row->count = all ? scaler->columns : count;
    return true;
}

double dps_scaling_row_norm(const dps_scaling_row *row)
{
    double sum = 0.0;
    for (int32_t k = 0; k < row->count; k++) {
        sum += row->value[k] * row->value[k];
    }
    return sqrt(sum);
}

/* Rounds row->value to out[k], finished, and sets l1 and l2. False: some value is not finite. */
static bool finish_row(dps_scaling_row *row, float *out)
{
    const dps_scaler *scaler = row->scaler;
    const bool unit = scaler->normalize == DPS_NORMALIZE_UNIT;
    const double norm = unit ? dps_scaling_row_norm(row) : 1.0;
    const double divisor = norm > 0.0 ? norm : 1.0, factor = scaler->row_factor;
    double l1 = 0.0, sum = 0.0;
    for (int32_t k = 0; k < row->count; k++) {
        const double scaled = unit ? row->value[k] / divisor : row->value[k] * factor;
        const float x = (float)scaled;
        out[k] = x;
        l1 += fabs((double)x);
        sum += (double)x * (double)x;
    }
    row->l1 = l1;
    row->l2 = sqrt(sum);
    return isfinite(l1) && isfinite(norm);
}

dps_status dps_scaling_row_refuse(const dps_scaling_row *row, const char *file, int64_t line,
                                  int64_t number, dps_error *err)
{
    const dps_scaler *scaler = row->scaler;
    int32_t largest = 0;
    for (int32_t k = 1; k < row->count; k++) {
        if (fabs(row->value[k]) > fabs(row->value[largest])) {
            largest = k;
        }
    }
    const int32_t column = row->column != NULL ? row->column[largest] : largest;
    char which[40] = "";
    if (number > 0) {
        snprintf(which, sizeof which, "row %lld: ", (long long)number);
    }
    return dps_error_at(err, DPS_ERROR_DATA, file, line, 0,
                        "%sfeature %lld (counted from 1) is too large: %g after scaling (%s) does "
                        "not fit single precision; %s",
                        which, (long long)scaler->index[column] + 1, row->value[largest],
                        dps_name_of(dps_scaling_names, scaler->scaling),
                        scaler->scaling == DPS_SCALE_MAX_ABS
                            ? "it is far beyond the values of the training rows"
                            : "data.scaling = max_abs is the safe choice");
}

/* ---- where scaled rows go ---- */

size_t dps_scaled_bytes(bool dense, int64_t rows, int32_t columns, int64_t entries)
{
    const size_t stride = dps_round_up((size_t)columns, DPS_PAD);
    size_t bytes, starts;
    if (dense) {
        const size_t height = (size_t)(dps_tile_count(rows) * DPS_TILE_ROWS);
        return dps_size_mul(height, stride * sizeof(float), &bytes) ? bytes : SIZE_MAX;
    }
    const bool ok = dps_size_mul((size_t)entries, sizeof(int32_t) + sizeof(float), &bytes) &&
                    dps_size_mul((size_t)rows + 1, sizeof(int64_t), &starts) &&
                    dps_size_add(bytes, starts, &bytes);
    return ok ? bytes : SIZE_MAX;
}

void dps_scaled_rows_shape(dps_scaled_rows *out, const dps_scaler *scaler, int64_t rows)
{
    out->rows = rows;
    out->columns = scaler->columns;
    out->stride = dps_round_up((size_t)scaler->columns, DPS_PAD);
    out->outside = 0;
    out->unknown = 0;
}

bool dps_scaled_rows_begin(dps_scaled_rows *out, const dps_scaler *scaler, int64_t rows,
                           int64_t entries)
{
    dps_scaled_rows_shape(out, scaler, rows);
    if (scaler->dense) {
        const size_t height = (size_t)(dps_tile_count(rows) * DPS_TILE_ROWS);
        size_t count;
        return dps_size_mul(height, out->stride, &count) &&
               DPS_GROW(out->dense, out->dense_capacity, count);
    }
    const bool ok = DPS_GROW(out->start, out->row_capacity, (size_t)rows + 1) &&
                    DPS_GROW_BOTH(out->column, out->value, out->entry_capacity, (size_t)entries);
    if (ok) {
        out->start[0] = 0;
    }
    return ok;
}

bool dps_scaling_row_write(dps_scaling_row *row, dps_scaled_rows *out, int64_t i, int64_t at)
{
    if (!row->scaler->dense) {
        if (row->count > 0) {
            memcpy(out->column + at, row->column, (size_t)row->count * sizeof *out->column);
        }
        out->start[i + 1] = at + row->count;
        return finish_row(row, out->value + at);
    }
    const bool ok = finish_row(row, row->finished);
    float *panel = out->dense + (size_t)i * out->stride;
    memset(panel, 0, out->stride * sizeof *panel);
    for (int32_t k = 0; k < row->count; k++) {
        panel[row->column != NULL ? row->column[k] : k] = row->finished[k];
    }
    return ok;
}

void dps_scaled_rows_end(dps_scaled_rows *out)
{
    const size_t end = (size_t)(dps_tile_count(out->rows) * DPS_TILE_ROWS);
    const size_t rows = (size_t)out->rows;
    if (out->dense != NULL && end > rows) {
        memset(out->dense + rows * out->stride, 0, (end - rows) * out->stride * sizeof(float));
    }
}

bool dps_scaling_row_outside(const dps_scaling_row *row)
{
    return row->l2 > row->scaler->radius2 * (1.0 + RADIUS_SLACK);
}

void dps_scaled_rows_tile(const dps_scaled_rows *rows, int64_t t, dps_row_tile *tile)
{
    const int64_t first = t * DPS_TILE_ROWS, left = rows->rows - first;
    if (rows->store != NULL) {
        rows->store->want(rows, t);
    }
    *tile = (dps_row_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                           .columns = rows->columns};
    if (rows->dense != NULL) {
        tile->dense = rows->dense + (size_t)first * rows->stride;
        tile->stride = rows->stride;
    } else {
        tile->start = rows->start + first;
        tile->column = rows->column;
        tile->value = rows->value;
    }
}

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile,
                           DPS_UNUSED dps_error *err)
{
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

dps_row_source dps_scaled_rows_source(const dps_scaled_rows *rows)
{
    return (dps_row_source){
        .rows = rows->rows, .columns = rows->columns, .context = rows, .get = get_tile};
}

void dps_scaled_rows_release(dps_scaled_rows *rows)
{
    if (rows->store != NULL) {
        rows->store->release(rows);
    } else {
        dps_free(rows->dense);
        dps_free(rows->start);
        dps_free(rows->column);
        dps_free(rows->value);
    }
    memset(rows, 0, sizeof *rows);
}

/* ---- one block of a prediction ---- */

/* Entries of a parsed row whose features the scaler knows, by column; returns how many. */
static int32_t known_entries(const dps_scaler *scaler, const dps_row_block *block, int64_t i,
                             int32_t *column, double *value)
{
    int32_t from = 0, count = 0;
    for (int64_t k = block->start[i]; k < block->start[i + 1]; k++) {
        from = dps_column_seek(scaler->index, scaler->columns, from, block->index[k]);
        if (from < scaler->columns && scaler->index[from] == block->index[k]) {
            column[count] = from;
            value[count] = block->value[k];
            count++;
        }
    }
    return count;
}

/* Whether a row can go from its entries into the panel in one pass: no value is added or bent, no
 * norm is needed first. The usual case, and twice as fast. */
static bool goes_directly(const dps_scaling_row *row)
{
    return row->scaler->dense && row->zero == NULL && dps_scaling_is_affine(row->scaler->scaling) &&
           row->scaler->normalize != DPS_NORMALIZE_UNIT;
}

/* known_entries, scaling and writing in one pass, with the same bits; returns the number of known
 * entries. *ok: all values fit. */
static int32_t scale_directly(dps_scaling_row *row, const dps_row_block *block, int64_t i,
                              float *panel, size_t stride, bool *ok)
{
    const dps_scaler *scaler = row->scaler;
    const double *factor = scaler->factor, row_factor = scaler->row_factor;
    const int32_t columns = scaler->columns;
    int32_t from = 0, count = 0;
    double sum = 0.0;
    memset(panel, 0, stride * sizeof *panel);
    for (int64_t k = block->start[i]; k < block->start[i + 1]; k++) {
        const int32_t index = block->index[k];
        if (from >= columns || scaler->index[from] != index) {
            from = dps_column_seek(scaler->index, columns, from, index);
            if (from >= columns || scaler->index[from] != index) {
                continue;
            }
        }
        const float x = (float)(block->value[k] * factor[from] * row_factor);
        panel[from++] = x;
        sum += (double)x * (double)x;
        count++;
    }
    row->l2 = sqrt(sum);
    *ok = isfinite(sum);
    return count;
}

static int64_t longest_row(const dps_row_block *block)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t length = block->start[i + 1] - block->start[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

bool dps_block_scaler_init(dps_block_scaler *work, const dps_scaler *scaler)
{
    *work = (dps_block_scaler){0};
    return dps_scaling_row_init(&work->row, scaler);
}

void dps_block_scaler_release(dps_block_scaler *work)
{
    dps_scaling_row_release(&work->row);
    dps_free(work->column);
    dps_free(work->value);
    *work = (dps_block_scaler){0};
}

dps_status dps_block_scaler_scale(dps_block_scaler *work, const dps_row_block *block,
                                  dps_scaled_rows *out, dps_error *err)
{
    dps_scaling_row *row = &work->row;
    const dps_scaler *scaler = row->scaler;
    const size_t longest = (size_t)longest_row(block);
    if (!DPS_GROW_BOTH(work->column, work->value, work->capacity, longest) ||
        !dps_scaled_rows_begin(out, scaler, block->rows, block->start[block->rows])) {
        return dps_out_of_memory(err, longest, sizeof *work->value, "scaled rows");
    }
    const bool direct = goes_directly(row);
    int64_t at = 0;
    for (int64_t i = 0; i < block->rows; i++) {
        if (direct) {
            bool ok;
            const int32_t known = scale_directly(
                row, block, i, out->dense + (size_t)i * out->stride, out->stride, &ok);
            if (ok) {
                out->unknown += block->start[i + 1] - block->start[i] - known;
                out->outside += dps_scaling_row_outside(row);
                continue;
            }
        }
        const int32_t count = known_entries(scaler, block, i, work->column, work->value);
        out->unknown += block->start[i + 1] - block->start[i] - count;
        if (!dps_scaling_row_columns(row, work->column, work->value, count)) {
            return dps_out_of_memory(err, longest, sizeof *work->value, "scaled rows");
        }
        if (!dps_scaling_row_write(row, out, i, at)) {
            return dps_scaling_row_refuse(row, NULL, i + 1, 0, err);
        }
        out->outside += dps_scaling_row_outside(row);
        at += count;
    }
    return DPS_OK;
}

dps_status dps_scale_block(const dps_scaler *scaler, const dps_row_block *block,
                           dps_scaled_rows *out, dps_error *err)
{
    dps_block_scaler work;
    dps_status status = dps_block_scaler_init(&work, scaler)
                            ? dps_block_scaler_scale(&work, block, out, err)
                            : dps_out_of_memory(err, 1, 1, "scaled rows");
    if (status == DPS_OK) {
        dps_scaled_rows_end(out);
    }
    dps_block_scaler_release(&work);
    return status;
}
