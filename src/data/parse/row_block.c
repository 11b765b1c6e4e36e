/* Rows of one chunk: growing buffers, the chunk's own numbering of label spellings
 * (hash_index.h), and the sorting of a row whose indices do not ascend. */
#include "row_block.h"

#include <stdlib.h>
#include <string.h>

#include "allocation.h"

static bool grow_labels(dps_row_block *block, size_t needed)
{
    return DPS_GROW_BOTH(block->label_begin, block->label_line, block->label_capacity, needed);
}

bool dps_row_block_begin(dps_row_block *block, size_t rows, size_t entries)
{
    if (block->scratch == NULL) {
        block->scratch = dps_alloc(1, sizeof(dps_row_scratch));
    }
    dps_row_scratch *scratch = block->scratch;
    if (scratch == NULL ||
        !DPS_GROW_BOTH(block->start, block->label, block->row_capacity, rows + 1) ||
        !DPS_GROW_BOTH(block->index, block->value, block->entry_capacity, entries) ||
        !grow_labels(block, 16)) {
        return false;
    }
    dps_hash_clear(&scratch->spellings);
    block->rows = 0;
    block->lines = 0;
    block->start[0] = 0;
    block->label_count = 0;
    block->label_begin[0] = 0;
    block->qid_seen = 0;
    block->repeats = 0;
    block->unknown = 0;
    dps_word_list_clear(&block->words);
    return true;
}

bool dps_row_block_grow_weights(dps_row_block *block, size_t rows)
{
    return DPS_GROW(block->weight, block->weight_capacity, rows);
}

bool dps_row_block_grow_ids(dps_row_block *block, size_t rows)
{
    const bool ok = DPS_GROW(block->id_begin, block->id_capacity, rows + 1);
    if (ok) {
        block->id_begin[0] = 0;
    }
    return ok;
}

bool dps_row_block_id(dps_row_block *block, const char *text, size_t length)
{
    const size_t begin = (size_t)block->id_begin[block->rows];
    const bool ok = DPS_GROW(block->id_bytes, block->id_byte_capacity, begin + length);
    if (ok && length > 0) {
        memcpy(block->id_bytes + begin, text, length);
    }
    block->id_begin[block->rows + 1] = (int64_t)(begin + length);
    return ok;
}

char *dps_row_block_text(dps_row_block *block, size_t length)
{
    dps_row_scratch *scratch = block->scratch;
    return DPS_GROW(scratch->text, scratch->text_capacity, length + 1) ? scratch->text : NULL;
}

bool dps_row_block_lines(dps_row_block *block, const dps_chunk *chunk, dps_line_parts *lines)
{
    size_t whole = chunk->length;
    while (whole > 0 && chunk->bytes[whole - 1] != '\n') {
        whole--;
    }
    const size_t rest = chunk->length - whole;
    *lines = (dps_line_parts){{chunk->bytes, ""}, {whole, 0}}; /* no NULL: 0 is added to it */
    if (rest == 0) {
        return true;
    }
    dps_row_scratch *scratch = block->scratch;
    if (!DPS_GROW(scratch->tail, scratch->tail_capacity, rest + 1)) {
        return false;
    }
    memcpy(scratch->tail, chunk->bytes + whole, rest);
    scratch->tail[rest] = '\n';
    lines->part[1] = scratch->tail;
    lines->length[1] = rest + 1;
    return true;
}

/* In groups whose count fits a byte, so that the compiler uses vectors. */
size_t dps_count_byte(char c, const char *bytes, size_t length)
{
    size_t total = 0;
    while (length > 0) {
        const size_t group = length < 240 ? length : 240;
        unsigned char sum = 0;
        for (size_t i = 0; i < group; i++) {
            sum = (unsigned char)(sum + (bytes[i] == c));
        }
        total += sum;
        bytes += group;
        length -= group;
    }
    return total;
}

static dps_hash_key key_of(const void *context, int32_t number)
{
    const dps_row_block *block = context;
    const int32_t begin = block->label_begin[number];
    return (dps_hash_key){0, block->label_bytes + begin,
                          (size_t)(block->label_begin[number + 1] - begin)};
}

int32_t dps_row_block_label(dps_row_block *block, const char *text, size_t length, int64_t line,
                            bool *added)
{
    dps_row_scratch *scratch = block->scratch;
    if (!dps_hash_grow(&scratch->spellings, block->label_count, key_of, block)) {
        return -1;
    }
    int32_t *at =
        dps_hash_slot(&scratch->spellings, (dps_hash_key){0, text, length}, key_of, block);
    *added = *at == 0;
    if (!*added) {
        return *at - 1;
    }
    const int32_t number = block->label_count;
    const size_t begin = (size_t)block->label_begin[number];
    if (begin + length > INT32_MAX || !grow_labels(block, (size_t)number + 2) ||
        !DPS_GROW(block->label_bytes, block->byte_capacity, begin + length)) {
        return -1;
    }
    memcpy(block->label_bytes + begin, text, length);
    block->label_begin[number + 1] = (int32_t)(begin + length);
    block->label_line[number] = line;
    block->label_count = number + 1;
    *at = number + 1;
    return number;
}

static int by_index(const void *a, const void *b)
{
    const dps_entry *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

int32_t dps_row_block_sort(dps_row_block *block, int64_t begin, int64_t end)
{
    dps_row_scratch *scratch = block->scratch;
    const size_t count = (size_t)(end - begin);
    if (!DPS_GROW(scratch->entry, scratch->entry_capacity, count)) {
        return -2;
    }
    for (size_t k = 0; k < count; k++) {
        scratch->entry[k] =
            (dps_entry){block->value[(size_t)begin + k], block->index[(size_t)begin + k]};
    }
    qsort(scratch->entry, count, sizeof *scratch->entry, by_index);
    int32_t twice = -1;
    for (size_t k = 0; k < count; k++) {
        block->index[(size_t)begin + k] = scratch->entry[k].index;
        block->value[(size_t)begin + k] = scratch->entry[k].value;
        if (twice < 0 && k > 0 && scratch->entry[k].index == scratch->entry[k - 1].index) {
            twice = scratch->entry[k].index;
        }
    }
    return twice;
}

void dps_row_block_release(dps_row_block *block)
{
    dps_row_scratch *scratch = block->scratch;
    if (scratch != NULL) {
        dps_free(scratch->spellings.slot);
        dps_free(scratch->entry);
        dps_free(scratch->tail);
        dps_free(scratch->text);
        dps_free(scratch);
    }
    dps_free(block->start);
    dps_free(block->index);
    dps_free(block->value);
    dps_free(block->label);
    dps_free(block->label_begin);
    dps_free(block->label_bytes);
    dps_free(block->label_line);
    dps_free(block->weight);
    dps_free(block->id_begin);
    dps_free(block->id_bytes);
    dps_word_list_release(&block->words);
    memset(block, 0, sizeof *block);
}
