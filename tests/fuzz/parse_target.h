/* What must hold whatever bytes a parser is given: shared by the mutation test that runs with every
 * test suite and by the libFuzzer program of this folder. */
#ifndef DPS_PARSE_TARGET_H
#define DPS_PARSE_TARGET_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"

/* NULL, or what is wrong with a parsed block. columns: of a table while training, where a value may
 * be the number of a word, or NAN for a missing one. */
static inline const char *block_fault(const dps_row_block *block, bool columns)
{
    if (block->rows < 0 || block->lines < block->rows || block->start[0] != 0) {
        return "rows, lines or the first offset";
    }
    for (int64_t i = 0; i < block->rows; i++) {
        if (block->start[i + 1] < block->start[i]) {
            return "offsets that fall";
        }
        if (block->label[i] < -1 || block->label[i] >= block->label_count) {
            return "a label that does not exist";
        }
        for (int64_t k = block->start[i]; k < block->start[i + 1]; k++) {
            const int64_t before = k > block->start[i] ? block->index[k - 1] : -1;
            if (block->index[k] <= before) {
                return "indices that do not ascend";
            }
            if (isinf(block->value[k]) ||
                (!columns && (isnan(block->value[k]) || block->value[k] == 0.0))) {
                return "a value that is zero or not finite";
            }
        }
    }
    for (int32_t k = 0; k < block->label_count; k++) {
        if (block->label_begin[k + 1] <= block->label_begin[k] || block->label_line[k] < 1 ||
            block->label_line[k] > block->lines) {
            return "an empty label or its line";
        }
    }
    return NULL;
}

/* text: lines end with line ends; else they are rows of at least a byte. */
static inline const char *error_fault(const dps_error *err, bool text, const char *bytes,
                                      size_t length)
{
    int64_t lines = 1;
    for (size_t i = 0; i + 1 < length; i++) {
        lines += !text || bytes[i] == '\n';
    }
    const bool data = err->status == DPS_ERROR_DATA || err->status == DPS_ERROR_CONFIG;
    if (!data || err->line < 1 || err->line > lines || err->column < 0 ||
        strcmp(err->file, "fuzz") != 0) {
        return "status or place of the error";
    }
    const size_t said = strlen(err->text);
    for (size_t i = 0; i < said; i++) {
        if ((unsigned char)err->text[i] < 32) {
            return "a control byte in the message";
        }
    }
    return said == 0 ? "an empty message" : NULL;
}

/* Parses a chunk that is a whole input; tables by the layout that is found in it, as while training
 * or, again = true, as at prediction by the table that training would find. */
static inline dps_status parse_whole(const dps_format *format, const dps_read_options *options,
                                     const dps_chunk *chunk, bool again, dps_row_block *block,
                                     dps_error *err)
{
    if (!format->columns) {
        return format->parse(options, chunk, block, err);
    }
    dps_table table, none;
    dps_layout layout, second;
    dps_read_options read = *options;
    char note[512];
    dps_text notes = {0};
    dps_status status = dps_layout_find(format, chunk, options, NULL, &table, &layout, note,
                                        sizeof note, &notes, err);
    if (status != DPS_OK) {
        dps_text_release(&notes);
        return status;
    }
    read.layout = &layout;
    if (again && table.count > 0) {
        status = dps_layout_find(format, chunk, options, &table, &none, &second, note, sizeof note,
                                 &notes, err);
        read.layout = &second;
    }
    if (status == DPS_OK) {
        status = format->parse(&read, chunk, block, err);
    }
    if (read.layout == &second) {
        dps_layout_release(&second);
    }
    dps_text_release(&notes);
    dps_table_release(&table);
    dps_layout_release(&layout);
    return status;
}

/* Parses the bytes as they are, with labels required and optional; NULL, or what is wrong. The
 * block is kept between calls, as the program does. */
static inline const char *parse_fault(const dps_format *format, dps_row_block *block,
                                      const char *bytes, size_t length)
{
    char *exact = malloc(length > 0 ? length : 1);
    if (exact == NULL) {
        return NULL;
    }
    memcpy(exact, bytes, length);
    const dps_chunk chunk = {
        .bytes = exact, .length = length, .file = "fuzz", .first_of_file = true};
    const char *fault = NULL;
    for (int k = 0; k < 4 && fault == NULL; k++) {
        const dps_read_options options = {.format = format->name,
                                          .zero_based = k % 2 == 1,
                                          .labels =
                                              k < 2 ? DPS_LABELS_REQUIRED : DPS_LABELS_OPTIONAL,
                                          .table = {.missing = (dps_missing)(k % 3)}};
        dps_error err;
        const dps_status status = parse_whole(format, &options, &chunk, k >= 2, block, &err);
        fault = status == DPS_OK
                    ? block_fault(block, format->columns)
                    : error_fault(&err, strcmp(format->name, "npy") != 0, bytes, length);
    }
    free(exact);
    return fault;
}

#endif
