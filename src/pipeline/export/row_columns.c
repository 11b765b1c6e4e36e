/* Task: from features back to the columns of the training file (table.h numbers them). Cost: a look
 * at every column and feature. */
#include "row_columns.h"

#include <math.h>
#include "allocation.h"

static bool is_text(const dps_column *column)
{
    return column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL;
}

static int32_t codes_of(const dps_column *column)
{
    return is_text(column) ? column->value.count + (column->rest ? 1 : 0) : 0;
}

static dps_status add_table(dps_row_columns *rows, const dps_table *table, dps_error *err)
{
    DPS_NEED(rows->column, (size_t)table->count, "columns", err);
    DPS_NEED(rows->codes, (size_t)table->count, "columns", err);
    for (int32_t c = 0; c < table->count; c++) {
        const dps_column *column = &table->column[c];
        if (is_text(column) || column->role == DPS_COLUMN_NUMBER) {
            rows->codes[rows->count] = codes_of(column);
            rows->texts |= is_text(column);
            rows->fills |= column->role == DPS_COLUMN_NUMBER && !isnan(column->fill);
            rows->column[rows->count++] = column;
        }
    }
    return DPS_OK;
}

dps_status dps_row_columns_init(dps_row_columns *rows, const dps_model *model, dps_error *err)
{
    const dps_scaler *scaler = &model->scaler;
    const size_t features = (size_t)scaler->columns;
    *rows = (dps_row_columns){0};
    DPS_NEED(rows->column_of, features, "columns", err);
    DPS_NEED(rows->code_of, features, "columns", err);
    if (model->table.count > 0) {
        DPS_TRY(add_table(rows, &model->table, err));
    } else {
        rows->count = scaler->index[features - 1] + 1;
    }
    int32_t c = 0;
    for (size_t j = 0; j < features; j++) {
        const int32_t raw = scaler->index[j];
        rows->column_of[j] = raw;
        rows->code_of[j] = DPS_CODE_NUMBER;
        if (rows->column != NULL) {
            while (c + 1 < rows->count && rows->column[c + 1]->first <= raw) {
                c++;
            }
            rows->column_of[j] = c;
            rows->code_of[j] = rows->codes[c] == 0 ? DPS_CODE_NUMBER
                               : rows->column[c]->role == DPS_COLUMN_ORDINAL
                                   ? DPS_CODE_ORDINAL
                                   : raw - rows->column[c]->first;
        }
    }
    return DPS_OK;
}

void dps_row_columns_release(dps_row_columns *rows)
{
    dps_free(rows->column);
    dps_free(rows->codes);
    dps_free(rows->column_of);
    dps_free(rows->code_of);
    *rows = (dps_row_columns){0};
}
