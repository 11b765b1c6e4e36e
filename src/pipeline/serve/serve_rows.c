/* Task: rows of numbers in the caller's memory to blocks of raw rows, as a parser would have made
 * them of the same numbers, and on to the scores. */
#include <math.h>
#include "allocation.h"
#include "number.h"
#include "row_block.h"
#include "serve.h"

static dps_status refuse(dps_error *err, int64_t row, int64_t column, const char *why)
{
    return dps_error_set(err, DPS_ERROR_DATA, "row %lld, column %lld (both from 0): %s",
                         (long long)row, (long long)column, why);
}

/* ---- dense ---- */

/* A value of a column of a table: its feature and value there; *index -1: nothing is stored. */
static dps_status resolve(dpsvm_scorer *scorer, const dps_column *column, double x, int64_t row,
                          int64_t j, int32_t *index, double *value, dps_error *err)
{
    const dps_table *table = &scorer->model->model.table;
    *index = -1;
    if (column->role == DPS_COLUMN_NUMBER) {
        *value = isnan(x) ? column->fill : x;
        *index = *value != 0 ? column->first : -1;
        return isnan(*value) ? refuse(err, row, j,
                                      "a value is missing, and the model was trained with "
                                      "data.missing = error")
                             : DPS_OK;
    }
    if (isnan(x)) {
        return table->missing_allowed ? DPS_OK
                                      : refuse(err, row, j,
                                               "a value is missing, and the model was trained "
                                               "with data.missing = error");
    }
    const int32_t k = dps_column_code(column, dps_class_find_number(&column->value, x));
    if (k < 0) {
        scorer->unknown++;
        return DPS_OK;
    }
    const bool onehot = column->role == DPS_COLUMN_ONEHOT;
    *index = column->first + (onehot ? k : 0);
    *value = onehot ? 1.0 : (double)k + 1.0;
    return DPS_OK;
}

static double value_at(const dpsvm_rows *rows, size_t at)
{
    return rows->dense != NULL ? rows->dense[at] : (double)rows->dense_float[at];
}

/* Row i of a model without columns, behind `used` entries of the block. */
static dps_status copy_plain(dps_row_block *block, const dpsvm_rows *rows, int64_t i, int64_t *used,
                             dps_error *err)
{
    const int64_t stride = rows->stride != 0 ? rows->stride : rows->columns;
    const size_t begin = (size_t)i * (size_t)stride;
    for (int32_t j = 0; j < rows->columns; j++) {
        const double x = value_at(rows, begin + (size_t)j);
        if (!isfinite(x)) {
            return refuse(err, i, j,
                          isnan(x) ? "a value is missing, and the model was trained on rows "
                                     "without columns, where none can be"
                                   : "the value is not finite");
        }
        block->index[*used] = j;
        block->value[*used] = x;
        *used += x != 0;
    }
    return DPS_OK;
}

static dps_status copy_table(dpsvm_scorer *scorer, const dpsvm_rows *rows, int64_t i, int64_t *used,
                             dps_error *err)
{
    const dps_table *table = &scorer->model->model.table;
    const int64_t stride = rows->stride != 0 ? rows->stride : rows->columns;
    const size_t begin = (size_t)i * (size_t)stride;
    dps_row_block *block = &scorer->block;
    for (int32_t c = 0, j = 0; c < table->count; c++) {
        const dps_column *column = &table->column[c];
        if (column->role > DPS_COLUMN_ORDINAL) {
            continue;
        }
        const double x = value_at(rows, begin + (size_t)j);
        if (isinf(x)) {
            return refuse(err, i, j, "the value is not finite");
        }
        int32_t *index = &block->index[*used];
        DPS_TRY(resolve(scorer, column, x, i, j, index, &block->value[*used], err));
        *used += *index >= 0;
        j++;
    }
    return DPS_OK;
}

/* ---- sparse ---- */

/* The fill of the column of numbers that a feature is; NAN: none. *c: the first column to look at;
 * a row's features ascend, as those of the columns do. */
static double fill_of(const dps_table *table, int32_t feature, int32_t *c)
{
    for (; *c < table->count && table->column[*c].first <= feature; (*c)++) {
        const dps_column *column = &table->column[*c];
        if (column->role == DPS_COLUMN_NUMBER && column->first == feature) {
            return column->fill;
        }
    }
    return (double)NAN;
}

static dps_status copy_sparse(dpsvm_scorer *scorer, const dpsvm_rows *rows, int64_t i,
                              int64_t *used, dps_error *err)
{
    dps_row_block *block = &scorer->block;
    int32_t before = -1, column = 0;
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
        const int32_t index = rows->index[e];
        double x = rows->value[e];
        if (index <= before) {
            return refuse(err, i, index, "features must be 0 or more and ascend within a row");
        }
        if (isnan(x)) {
            x = fill_of(&scorer->model->model.table, index, &column);
        }
        if (!isfinite(x)) {
            return refuse(err, i, index,
                          isnan(x) ? "a value is missing, and the model has nothing to stand for it"
                                   : "the value is not finite");
        }
        before = index;
        block->index[*used] = index;
        block->value[*used] = x;
        *used += x != 0;
    }
    return DPS_OK;
}

/* ---- both ---- */

/* Rows first .. first + count - 1 into the scorer's block. */
static dps_status fill_block(dpsvm_scorer *scorer, const dpsvm_rows *rows, int64_t first,
                             int64_t count, int64_t *row, dps_error *err)
{
    dps_row_block *block = &scorer->block;
    const int64_t entries = rows->start != NULL ? rows->start[first + count] - rows->start[first]
                                                : count * (int64_t)rows->columns;
    const bool table = scorer->model->model.table.count > 0;
    int64_t used = 0;
    *row = first;
    if (entries < 0) {
        return dps_error_set(err, DPS_ERROR_DATA, "row %lld: start must not descend",
                             (long long)first);
    }
    /* room for one entry more, which is written before it is known to be one */
    if (!DPS_GROW(block->start, block->row_capacity, (size_t)count + 1) ||
        !DPS_GROW_BOTH(block->index, block->value, block->entry_capacity, (size_t)entries + 1)) {
        return dps_out_of_memory(err, (size_t)entries, sizeof(double), "rows");
    }
    for (int64_t i = 0; i < count; i++) {
        *row = first + i;
        block->start[i] = used;
        if (rows->start != NULL && (rows->start[*row + 1] < rows->start[*row] ||
                                    rows->start[*row + 1] > rows->start[first] + entries)) {
            return dps_error_set(err, DPS_ERROR_DATA, "row %lld: start must not descend",
                                 (long long)*row);
        }
        DPS_TRY(rows->start != NULL ? copy_sparse(scorer, rows, *row, &used, err)
                : table             ? copy_table(scorer, rows, *row, &used, err)
                                    : copy_plain(block, rows, *row, &used, err));
    }
    block->start[count] = used;
    block->rows = count;
    return DPS_OK;
}

static dps_status check_rows(const dpsvm_scorer *scorer, const dpsvm_rows *rows, dps_error *err)
{
    const int given = (rows->dense != NULL) + (rows->dense_float != NULL) + (rows->start != NULL);
    if (rows->rows < 0 || given != 1) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "expected rows as one of dense, dense_float and start");
    }
    if (rows->start != NULL) {
        return rows->rows == 0 || rows->start[0] >= 0
                   ? DPS_OK
                   : dps_error_set(err, DPS_ERROR_DATA, "row 0: start must not be below 0");
    }
    if (rows->columns < 0 || (rows->stride != 0 && rows->stride < rows->columns)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%ld columns in rows of %lld numbers: stride must not be less",
                             (long)rows->columns, (long long)rows->stride);
    }
    const int32_t columns = dpsvm_column_count(scorer->model);
    if (scorer->model->model.table.count > 0 && rows->columns != columns) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "the rows have %ld columns, the model was trained on %ld that predict",
                             (long)rows->columns, (long)columns);
    }
    return DPS_OK;
}

dps_status dps_serve_rows(dpsvm_scorer *scorer, const dpsvm_rows *rows,
                          const dpsvm_answers *answers, int64_t first, int64_t count, int64_t *row,
                          dps_error *err)
{
    const int64_t end = first + count;
    scorer->unknown = 0;
    *row = -1;
    DPS_TRY(check_rows(scorer, rows, err));
    DPS_TRY(dps_serve_check(scorer, answers, err));
    for (int64_t at = first; at < end; at += DPS_TILE_ROWS) {
        const int64_t left = end - at;
        DPS_TRY(
            fill_block(scorer, rows, at, left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS, row, err));
        DPS_TRY(dps_serve_block(scorer, &scorer->block, at, answers, row, err));
    }
    return DPS_OK;
}

int dpsvm_score(dpsvm_scorer *scorer, const dpsvm_rows *rows, const dpsvm_answers *answers,
                dpsvm_error *error)
{
    dps_error err;
    int64_t row;
    const dps_status status = dps_serve_rows(scorer, rows, answers, 0, rows->rows, &row, &err);
    return dps_serve_told(status, &err, row, error);
}
