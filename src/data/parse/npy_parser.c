/* npy matrices to rows by the layout of their columns. The source cuts chunks between rows; the
 * first chunk of a file starts with its header, which must have the first file's type and columns.
 * NaN is a missing value. In errors the line is the row and the column the matrix' column. */
#include "npy_parser.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "number.h"
#include "row_block.h"

typedef struct parser {
    const dps_read_options *options;
    const dps_layout *layout;
    const dps_chunk *chunk;
    dps_row_block *block;
    dps_error *err;
    int64_t entries;
    double last_label; /* of the row before, and its number; NAN: none yet */
    int32_t last_number;
} parser;

static dps_status refuse(const parser *ps, int32_t f, const char *why)
{
    return dps_error_at(ps->err, DPS_ERROR_DATA, ps->chunk->file, ps->block->rows + 1, f + 1, "%s",
                        why);
}

static dps_status no_memory(const parser *ps)
{
    return dps_out_of_memory(ps->err, 1, 1, "rows of the input");
}

static uint64_t bits_at(const char *bytes, int32_t count)
{
    uint64_t bits = 0;
    for (int32_t k = 0; k < count; k++) {
        bits |= (uint64_t)(unsigned char)bytes[k] << (8 * k);
    }
    return bits;
}

static double value_at(const char *bytes, const dps_npy *npy)
{
    const uint64_t bits = bits_at(bytes, npy->item_bytes);
    if (npy->kind == 'f' && npy->item_bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (npy->kind == 'f') {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (npy->kind == 'i') {
        const int unused = 64 - 8 * npy->item_bytes;
        const uint64_t up = bits << unused; /* two's complement: the sign on top */
        int64_t value;
        memcpy(&value, &up, sizeof value);
        return (double)(value / ((int64_t)1 << unused));
    }
    return (double)bits;
}

static dps_status take_number(parser *ps, int32_t f, double value)
{
    const dps_layout *layout = ps->layout;
    const dps_field *field = &layout->field[f];
    if (isnan(value)) {
        const bool fills = layout->training && layout->missing != DPS_MISSING_ERROR;
        if (fills) {
            value = layout->missing == DPS_MISSING_MEAN ? (double)NAN : 0.0;
        } else {
            value = layout->training ? (double)NAN : layout->table->column[field->column].fill;
            if (isnan(value)) {
                return refuse(ps, f,
                              layout->training
                                  ? "a value is missing (NaN); data.missing = mean or zero fills "
                                    "missing values"
                                  : "a value is missing (NaN), and the model was trained with "
                                    "data.missing = error");
            }
        }
    } else if (!isfinite(value)) {
        return refuse(ps, f, "the value is not finite");
    }
    ps->block->index[ps->entries] = field->slot;
    ps->block->value[ps->entries] = value;
    ps->entries += value != 0.0;
    return DPS_OK;
}

static dps_status take_label(parser *ps, int32_t f, double value, int32_t *label)
{
    char text[DPS_NUMBER_MAX];
    bool added;
    if (isnan(value) && ps->options->labels == DPS_LABELS_OPTIONAL) {
        return DPS_OK;
    }
    if (!isfinite(value)) {
        return refuse(ps, f, "the label is not a finite number");
    }
    if (value != ps->last_label) {
        const size_t length = dps_format_double(text, value + 0.0);
        ps->last_number = dps_row_block_label(ps->block, text, length, ps->block->rows + 1, &added);
        ps->last_label = value;
        if (ps->last_number < 0) {
            return no_memory(ps);
        }
    }
    *label = ps->last_number;
    return DPS_OK;
}

static dps_status take_other(parser *ps, int32_t f, double value, int32_t *label)
{
    char text[DPS_NUMBER_MAX];
    switch (ps->layout->field[f].role) {
    case DPS_COLUMN_LABEL:
        return take_label(ps, f, value, label);
    case DPS_COLUMN_WEIGHT:
        if (!isfinite(value) || !(value > 0.0)) {
            return refuse(ps, f, "a weight must be a number above 0");
        }
        ps->block->weight[ps->block->rows] = value;
        return DPS_OK;
    case DPS_COLUMN_ID:
        if (ps->layout->has_id &&
            !dps_row_block_id(ps->block, text, dps_format_double(text, value))) {
            return no_memory(ps);
        }
        return DPS_OK;
    case DPS_COLUMN_ONEHOT:
    case DPS_COLUMN_ORDINAL:
    case DPS_COLUMN_NUMBER:
    case DPS_COLUMN_IGNORED:
        break;
    }
    return DPS_OK;
}

static dps_status parse_row(parser *ps, const char *row)
{
    const dps_npy *npy = &ps->layout->npy;
    dps_row_block *block = ps->block;
    int32_t label = -1;
    for (int32_t f = 0; f < npy->columns; f++) {
        const double value = value_at(row + (size_t)f * (size_t)npy->item_bytes, npy);
        DPS_TRY(ps->layout->field[f].role == DPS_COLUMN_NUMBER ? take_number(ps, f, value)
                                                               : take_other(ps, f, value, &label));
    }
    block->label[block->rows] = label;
    block->rows++;
    block->start[block->rows] = ps->entries;
    return DPS_OK;
}

/* Bytes of the header; 0 with a status: it is not like the first file's. */
static dps_status skip_header(const parser *ps, size_t *bytes)
{
    const dps_npy *first = &ps->layout->npy;
    dps_npy own;
    const char *why;
    *bytes = 0;
    if (!ps->chunk->first_of_file) {
        return DPS_OK;
    }
    if (!dps_npy_read_header(ps->chunk->bytes, ps->chunk->length, &own, &why)) {
        return refuse(ps, 0, why);
    }
    if (own.columns != first->columns || own.kind != first->kind ||
        own.item_bytes != first->item_bytes) {
        return refuse(ps, 0, "every npy file must have the columns and type of the first");
    }
    *bytes = own.header_bytes;
    return DPS_OK;
}

dps_status dps_npy_parse(const dps_read_options *options, const dps_chunk *chunk,
                         dps_row_block *block, dps_error *err)
{
    const dps_layout *layout = options->layout;
    const size_t row_bytes = layout->npy.row_bytes;
    parser ps = {.options = options,
                 .layout = layout,
                 .chunk = chunk,
                 .block = block,
                 .err = err,
                 .last_label = NAN};
    size_t at;
    block->rows = 0;
    dps_status status = skip_header(&ps, &at);
    const size_t rows = status == DPS_OK ? (chunk->length - at) / row_bytes : 0;
    if (status == DPS_OK &&
        (!dps_row_block_begin(block, rows, rows * (size_t)layout->npy.columns) ||
         (layout->has_weight && !dps_row_block_grow_weights(block, rows)) ||
         (layout->has_id && !dps_row_block_grow_ids(block, rows)))) {
        status = no_memory(&ps);
    }
    for (size_t i = 0; i < rows && status == DPS_OK; i++) {
        status = parse_row(&ps, chunk->bytes + at + i * row_bytes);
    }
    if (status == DPS_OK && at + rows * row_bytes != chunk->length) {
        status = refuse(&ps, 0, "the npy file ends inside this row; copy or write it again");
    }
    block->lines = block->rows;
    return status;
}
