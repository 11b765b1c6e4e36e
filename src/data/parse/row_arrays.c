/* Task: pieces of rows in memory to blocks, with the entries, labels and missing values that the
 * parsers of files would have found (npy_parser.c, libsvm_parser.c). Cost: a copy. */
#include "row_arrays.h"

#include <math.h>
#include <string.h>

#include "input_private.h"
#include "number.h"
#include "row_block.h"

#define PIECE_NUMBERS ((int64_t)1 << 18)

static const dps_format dense_format = {DPS_ARRAYS_NAME, 0, true, dps_row_arrays_parse};
static const dps_format sparse_format = {"sparse " DPS_ARRAYS_NAME, 0, false, dps_row_arrays_parse};

dps_status dps_input_open_arrays(dps_input *input, const dps_read_options *options,
                                 const dps_table *known, dps_error *err)
{
    const dps_row_arrays *arrays = options->arrays;
    const dps_chunk first = {.file = DPS_ARRAYS_NAME, .rows = arrays->rows};
    dps_status status = dps_input_begin(input, options, err);
    if (status == DPS_OK) {
        input->format = arrays->start != NULL ? &sparse_format : &dense_format;
        status = dps_input_lay_out(input, &first, known, err);
    }
    if (status != DPS_OK) {
        dps_input_release(input);
    }
    return status;
}

int64_t dps_row_arrays_piece(const dps_row_arrays *arrays, int64_t first)
{
    const int64_t left = arrays->rows - first;
    int64_t rows = 0, numbers = 0;
    while (rows < left && numbers < PIECE_NUMBERS) {
        const int64_t row = first + rows;
        numbers += 1 + (arrays->start != NULL ? arrays->start[row + 1] - arrays->start[row]
                                              : (int64_t)arrays->columns);
        rows++;
    }
    return rows;
}

typedef struct filling {
    const dps_read_options *options;
    const dps_row_arrays *arrays;
    dps_row_block *block;
    dps_error *err;
    int64_t entries;
    double last_label; /* of the row before, and its number; NAN: none yet */
    int32_t last_number;
} filling;

/* column: from 1; 0: the row. */
static dps_status refuse(const filling *f, int64_t column, const char *why)
{
    return dps_error_at(f->err, DPS_ERROR_DATA, DPS_ARRAYS_NAME, f->block->rows + 1, column, "%s",
                        why);
}

static dps_status no_memory(const filling *f)
{
    return dps_out_of_memory(f->err, 1, 1, "rows of the input");
}

static void store(filling *f, int32_t index, double value)
{
    f->block->index[f->entries] = index;
    f->block->value[f->entries] = value;
    f->entries += value != 0.0;
}

/* ---- labels ---- */

static dps_status label_number(filling *f, double value, int32_t *label)
{
    char text[DPS_NUMBER_MAX];
    bool added;
    if (!isfinite(value)) {
        return refuse(f, 0, "the target is not a finite number");
    }
    if (value != f->last_label) {
        const size_t length = (size_t)dps_format_double(text, value + 0.0);
        f->last_number = dps_row_block_label(f->block, text, length, f->block->rows + 1, &added);
        f->last_label = value;
    }
    *label = f->last_number;
    return *label < 0 ? no_memory(f) : DPS_OK;
}

static dps_status label_text(filling *f, const char *label, int32_t *number)
{
    const char *text = label;
    double value;
    bool added;
    if (text == NULL) {
        return refuse(f, 0, "the label is missing");
    }
    const size_t length = dps_text_trim(&text, label + strlen(label));
    if (length == 0) {
        return refuse(f, 0, "the label is missing");
    }
    if (dps_text_to_double(text, length, &value) && !isfinite(value)) {
        return refuse(f, 0, "a label must be a finite number or text");
    }
    *number = dps_row_block_label(f->block, text, length, f->block->rows + 1, &added);
    return *number < 0 ? no_memory(f) : DPS_OK;
}

/* ---- values ---- */

/* As take_number of npy_parser.c. */
static dps_status dense_value(filling *f, int32_t k, double value)
{
    const dps_layout *layout = f->options->layout;
    const dps_field *field = &layout->field[k];
    if (field->role != DPS_COLUMN_NUMBER) {
        return DPS_OK;
    }
    if (isnan(value)) {
        const bool fills = layout->training && layout->missing != DPS_MISSING_ERROR;
        value = !fills ? (double)NAN : layout->missing == DPS_MISSING_ZERO ? 0.0 : value;
        if (!layout->training) {
            value = layout->table->column[field->column].fill;
        }
        if (isnan(value) && !fills) {
            return refuse(f, k + 1,
                          "a value is missing (NaN); data.missing = mean or zero fills missing "
                          "values");
        }
    } else if (!isfinite(value)) {
        return refuse(f, k + 1, "the value is not finite");
    }
    store(f, field->slot, value);
    return DPS_OK;
}

static dps_status dense_row(filling *f, int64_t i)
{
    const dps_row_arrays *arrays = f->arrays;
    const dps_layout *layout = f->options->layout;
    const size_t begin = (size_t)i * (size_t)arrays->stride;
    for (int32_t k = 0; k < arrays->columns; k++) {
        const double value = arrays->dense != NULL ? arrays->dense[begin + (size_t)k]
                                                   : (double)arrays->dense_float[begin + (size_t)k];
        if (layout->field[k].role == DPS_COLUMN_WEIGHT) {
            if (!isfinite(value) || !(value > 0.0)) {
                return refuse(f, k + 1, "a weight must be a number above 0");
            }
            f->block->weight[f->block->rows] = value;
        }
        DPS_TRY(dense_value(f, k, value));
    }
    return DPS_OK;
}

static dps_status sparse_row(filling *f, int64_t i)
{
    const dps_row_arrays *arrays = f->arrays;
    int32_t before = -1;
    for (int64_t e = arrays->start[i]; e < arrays->start[i + 1]; e++) {
        const int32_t index = arrays->index[e];
        if (index <= before || index == INT32_MAX) {
            return refuse(f, 0, "features must be 0 or more and ascend within a row");
        }
        if (!isfinite(arrays->value[e])) {
            return refuse(f, 0, "a value is not finite: sparse rows have no missing ones");
        }
        before = index;
        store(f, index, arrays->value[e]);
    }
    return DPS_OK;
}

static dps_status one_row(filling *f, int64_t i)
{
    const dps_row_arrays *arrays = f->arrays;
    dps_row_block *block = f->block;
    int32_t label = -1;
    DPS_TRY(arrays->start != NULL ? sparse_row(f, i) : dense_row(f, i));
    DPS_TRY(arrays->label != NULL ? label_text(f, arrays->label[i], &label)
                                  : label_number(f, arrays->target[i], &label));
    if (arrays->weight != NULL && !(isfinite(arrays->weight[i]) && arrays->weight[i] > 0)) {
        return refuse(f, 0, "a weight must be a number above 0");
    }
    block->label[block->rows] = label;
    block->rows++;
    block->start[block->rows] = f->entries;
    return DPS_OK;
}

dps_status dps_row_arrays_parse(const dps_read_options *options, const dps_chunk *chunk,
                                dps_row_block *block, dps_error *err)
{
    const dps_row_arrays *arrays = options->arrays;
    const size_t rows = (size_t)chunk->rows;
    const int64_t first = chunk->first_row;
    const size_t entries = arrays->start != NULL
                               ? (size_t)(arrays->start[first + chunk->rows] - arrays->start[first])
                               : rows * (size_t)arrays->columns;
    filling f = {.options = options,
                 .arrays = arrays,
                 .block = block,
                 .err = err,
                 .last_label = NAN,
                 .last_number = -1};
    const bool weighs = arrays->start == NULL && options->layout->has_weight;
    /* an entry more than there are is written before it is known to be none */
    if (!dps_row_block_begin(block, rows, entries + 1) ||
        (weighs && !dps_row_block_grow_weights(block, rows))) {
        return no_memory(&f);
    }
    dps_status status = DPS_OK;
    for (int64_t i = 0; i < chunk->rows && status == DPS_OK; i++) {
        status = one_row(&f, first + i);
    }
    block->lines = block->rows;
    return status;
}
