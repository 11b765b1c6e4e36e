/* Slabs: few large pieces instead of an allocation an array, so that they can be given back while
 * the rows are scaled. Out of core a slab is a scratch block (scratch.h): whoever has used a
 * block's arrays gives their pages back with dps_raw_block_rest, so that only the blocks at work
 * are resident. Blocks in memory and in files mix freely. */
#include "raw_store.h"

#include <assert.h>
#include <string.h>

#include "allocation.h"
#include "number.h"
#include "scratch.h"

#define SLAB_LEAST ((size_t)1 << 20)
#define SLAB_MOST  ((size_t)64 << 20)

dps_raw_shape dps_raw_shape_of(const dps_row_block *block, bool weights)
{
    const int32_t words = block->words.count;
    return (dps_raw_shape){.rows = block->rows,
                           .entries = (size_t)block->start[block->rows],
                           .labels = block->label_count,
                           .label_bytes = (size_t)block->label_begin[block->label_count],
                           .weights = weights,
                           .words = words,
                           .word_bytes = words > 0 ? (size_t)block->words.begin[words] : 0};
}

size_t dps_raw_lay_out(const dps_raw_shape *shape, char *at, dps_raw_block *block)
{
    const size_t rows = (size_t)shape->rows, labels = (size_t)shape->labels;
    const size_t words = (size_t)shape->words;
    size_t used = 0;
    block->rows = shape->rows;
    block->label_count = shape->labels;
    block->word_count = shape->words;
#define PLACE(field, type, count)                                                                  \
    do {                                                                                           \
        block->field = at == NULL ? NULL : (type *)(void *)(at + used);                            \
        used += dps_round_up((count) * sizeof(type), 8);                                           \
    } while (0)
    PLACE(value, double, shape->entries);
    PLACE(index, int32_t, shape->entries);
    PLACE(label, int32_t, rows);
    PLACE(start, uint32_t, rows + 1);
    PLACE(label_begin, int32_t, labels + 1);
    PLACE(label_bytes, char, shape->label_bytes);
    if (shape->weights) {
        PLACE(weight, double, rows);
    }
    if (words > 0) {
        PLACE(word_slot, int32_t, words);
        PLACE(word_begin, int32_t, words + 1);
        PLACE(word_bytes, char, shape->word_bytes);
        PLACE(word_line, int64_t, words);
        PLACE(word_place, int32_t, words);
    }
#undef PLACE
    return dps_round_up(used, DPS_ALIGN);
}

/* Bytes of the slab to open for `needed` bytes, or 0: the last one has room and is of the right
 * kind. */
static size_t slab_size(const dps_raw_rows *raw, size_t needed)
{
    const dps_raw_slab *last = raw->slabs > 0 ? &raw->slab[raw->slabs - 1] : NULL;
    if (last != NULL && last->scratch == raw->out_of_core && last->size - last->used >= needed) {
        return 0;
    }
    size_t size = raw->out_of_core ? SLAB_MOST : raw->slab_bytes;
    size = size < SLAB_LEAST ? SLAB_LEAST : size > SLAB_MOST ? SLAB_MOST : size;
    return size < needed ? needed : size;
}

size_t dps_raw_store_more(const dps_raw_rows *raw, size_t needed)
{
    return slab_size(raw, needed) > 0 ? needed : 0;
}

static dps_status new_slab(dps_raw_rows *raw, size_t size, const dps_run *run, dps_error *err)
{
    void *bytes = NULL;
    dps_status status = DPS_OK;
    DPS_NEED_MORE(raw->slab, raw->slab_capacity, raw->slabs + 1, "rows of the input", err);
    if (raw->out_of_core) {
        status = dps_scratch_new(&bytes, size, run, err);
    } else {
        bytes = dps_alloc(size, 1);
        status = bytes != NULL ? DPS_OK : dps_out_of_memory(err, size, 1, "rows of the input");
    }
    if (status == DPS_OK) {
        raw->slab[raw->slabs++] =
            (dps_raw_slab){.bytes = bytes, .size = size, .scratch = raw->out_of_core};
        *(raw->out_of_core ? &raw->scratch_bytes : &raw->slab_bytes) += size;
    }
    return status;
}

dps_status dps_raw_store_block(dps_raw_rows *raw, int64_t number, const dps_raw_shape *shape,
                               dps_raw_block *block, const dps_run *run, dps_error *err)
{
    const size_t needed = dps_raw_lay_out(shape, NULL, block);
    DPS_NEED_MORE(raw->block, raw->block_capacity, (size_t)number + 1, "rows of the input", err);
    const size_t size = slab_size(raw, needed);
    DPS_TRY(size > 0 ? new_slab(raw, size, run, err) : DPS_OK);
    dps_raw_slab *slab = &raw->slab[raw->slabs - 1];
    (void)dps_raw_lay_out(shape, slab->bytes + slab->used, block);
    block->scratch_bytes = slab->scratch ? needed : 0;
    slab->used += needed;
    slab->last_block = number > slab->last_block ? number : slab->last_block;
    raw->block[number] = *block;
    raw->blocks = number + 1 > raw->blocks ? number + 1 : raw->blocks;
    return DPS_OK;
}

void dps_raw_go_out_of_core(dps_raw_rows *raw, double needed, const dps_run *run)
{
    char need[DPS_NUMBER_MAX], have[DPS_NUMBER_MAX];
    if (raw->out_of_core) {
        return;
    }
    raw->out_of_core = true;
    dps_format_bytes(need, needed);
    dps_format_bytes(have, (double)run->memory);
    dps_log_text(
        run, DPS_NORMAL,
        "out of core: the rows as read take about %s, run.memory is %s: they lie in scratch "
        "files in %s (run.scratch)",
        need, have, dps_scratch_folder(run));
}

void dps_raw_block_rest(const dps_raw_block *block)
{
    if (block->scratch_bytes > 0) {
        dps_scratch_rest(block->value, block->scratch_bytes);
    }
}

void dps_raw_rows_rest(const dps_raw_rows *raw, int64_t first, int64_t end)
{
    if (!raw->out_of_core || end <= first) {
        return;
    }
    for (int64_t b = dps_raw_rows_block_of(raw, first);
         b < raw->blocks && raw->block[b].first_row + raw->block[b].rows <= end; b++) {
        dps_raw_block_rest(&raw->block[b]);
    }
}

static void free_slab(dps_raw_slab *slab)
{
    if (slab->scratch) {
        dps_scratch_free(slab->bytes, slab->size);
    } else {
        dps_free(slab->bytes);
    }
    slab->bytes = NULL;
}

void dps_raw_rows_forget(dps_raw_rows *raw, int64_t row)
{
    for (size_t s = 0; s < raw->slabs; s++) {
        const dps_raw_block *last = &raw->block[raw->slab[s].last_block];
        if (raw->slab[s].bytes != NULL && last->first_row + last->rows <= row) {
            free_slab(&raw->slab[s]);
        }
    }
}

void dps_raw_rows_release(dps_raw_rows *raw)
{
    for (size_t s = 0; s < raw->slabs; s++) {
        free_slab(&raw->slab[s]);
    }
    dps_free(raw->slab);
    dps_free(raw->block);
    dps_free(raw->file_weight);
    dps_input_close(&raw->input);
    memset(raw, 0, sizeof *raw);
}

void dps_raw_rows_count(dps_raw_rows *raw)
{
    raw->rows = 0;
    raw->entries = 0;
    for (int64_t b = 0; b < raw->blocks; b++) {
        raw->block[b].first_row = raw->rows;
        raw->block[b].first_entry = raw->entries;
        raw->rows += raw->block[b].rows;
        raw->entries += raw->block[b].start[raw->block[b].rows];
        dps_raw_block_rest(&raw->block[b]);
    }
}

int64_t dps_raw_rows_block_of(const dps_raw_rows *raw, int64_t row)
{
    assert(row >= 0 && row < raw->rows);
    int64_t low = 0, high = raw->blocks - 1; /* the last block whose first row is <= row */
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (raw->block[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
