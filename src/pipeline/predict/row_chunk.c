/* Task: one chunk of text to scaled rows, and its labels to the model's classes, or to numbers. */
#include "row_chunk.h"

#include <math.h>
#include <stdlib.h>
#include "allocation.h"
#include "job_limits.h"
#include "number.h"

static dps_status find_classes(const dps_model *model, dps_row_chunk *slot, dps_error *err)
{
    const dps_row_block *block = &slot->block;
    size_t count = (size_t)block->label_count;
    DPS_NEED_MORE(slot->label_class, slot->label_capacity, count, "labels", err);
    for (size_t l = 0; l < count; l++) {
        int32_t begin = block->label_begin[l];
        slot->label_class[l] = dps_class_find(&model->classes, block->label_bytes + begin,
                                              (size_t)(block->label_begin[l + 1] - begin));
    }
    return DPS_OK;
}

static dps_status find_values(dps_row_chunk *slot, dps_error *err)
{
    const dps_row_block *block = &slot->block;
    size_t count = (size_t)block->label_count;
    DPS_NEED_MORE(slot->label_value, slot->value_capacity, count, "labels", err);
    for (size_t l = 0; l < count; l++) {
        const char *text = block->label_bytes + block->label_begin[l];
        const size_t length = (size_t)(block->label_begin[l + 1] - block->label_begin[l]);
        if (!dps_text_to_double(text, length, &slot->label_value[l]) ||
            !isfinite(slot->label_value[l])) {
            return dps_error_at(err, DPS_ERROR_DATA, NULL, block->label_line[l], 0,
                                "expected a finite number as label, found %s: the model predicts "
                                "numbers",
                                DPS_QUOTE(text, length, 40));
        }
    }
    return DPS_OK;
}

static int compare_index(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The error for data.unknown = error: row (in err->line, within the block) and feature. */
static dps_status unknown_feature(const dps_input *input, const dps_scaler *scaler,
                                  const dps_row_block *block, dps_error *err)
{
    for (int64_t i = 0; i < block->rows; i++) {
        for (int64_t e = block->start[i]; e < block->start[i + 1]; e++) {
            if (scaler->columns == 0 ||
                bsearch(&block->index[e], scaler->index, (size_t)scaler->columns,
                        sizeof *scaler->index, compare_index) == NULL) {
                return dps_error_at(err, DPS_ERROR_DATA, NULL, i + 1, 0,
                                    "feature %lld was not seen in training (data.unknown = ignore "
                                    "leaves such values out)",
                                    (long long)block->index[e] + (input->read.zero_based ? 0 : 1));
            }
        }
    }
    return DPS_OK;
}

dps_status dps_row_chunk_parse(dps_row_chunk *slot, const dps_input *input, const dps_model *model,
                               bool unknown_is_error, bool *in_rows, dps_error *err)
{
    double begin = dps_now();
    *in_rows = false;
    dps_status status = input->format->parse(&input->read, &slot->chunk, &slot->block, err);
    double parsed = dps_now();
    slot->parse_seconds = parsed - begin;
    if (status != DPS_OK) {
        return status;
    }
    DPS_TRY(model->task == DPS_TASK_REGRESSION ? find_values(slot, err)
                                               : find_classes(model, slot, err));
    *in_rows = true;
    status = dps_scale_block(&model->scaler, &slot->block, &slot->rows, err);
    slot->scale_seconds = dps_now() - parsed;
    if (status == DPS_OK && unknown_is_error && slot->rows.unknown > 0) {
        status = unknown_feature(input, &model->scaler, &slot->block, err);
    }
    return status;
}

void dps_row_chunk_release(dps_row_chunk *slot)
{
    dps_chunk_release(&slot->chunk);
    dps_row_block_release(&slot->block);
    dps_scaled_rows_release(&slot->rows);
    dps_free(slot->label_class);
    dps_free(slot->label_value);
}
