/* What must hold whatever bytes a parser is given: shared by the mutation test that runs with every
 * test suite and by the libFuzzer program of this folder. */
#ifndef DPS_PARSE_TARGET_H
#define DPS_PARSE_TARGET_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "row_parser.h"

/* NULL, or what is wrong with a parsed block. */
static inline const char *block_fault(const dps_row_block *block)
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
            if (!isfinite(block->value[k]) || block->value[k] == 0.0) {
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

static inline const char *error_fault(const dps_error *err, const char *bytes, size_t length)
{
    int64_t lines = 1;
    for (size_t i = 0; i + 1 < length; i++) {
        lines += bytes[i] == '\n';
    }
    if (err->status != DPS_ERROR_DATA || err->line < 1 || err->line > lines || err->column < 1 ||
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
        const dps_read_options options = {format->name, k % 2 == 1,
                                          k < 2 ? DPS_LABELS_REQUIRED : DPS_LABELS_OPTIONAL};
        dps_error err;
        const dps_status status = format->parse(&options, &chunk, block, &err);
        fault = status == DPS_OK ? block_fault(block) : error_fault(&err, bytes, length);
    }
    free(exact);
    return fault;
}

#endif
