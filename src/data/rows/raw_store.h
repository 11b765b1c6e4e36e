/* Where the arrays of parsed blocks lie: slabs of memory and, once the budget is spent, slabs in
 * scratch files. */
#ifndef DPS_RAW_STORE_H
#define DPS_RAW_STORE_H

#include "raw_rows.h"

/* Lengths of a block's arrays. */
typedef struct dps_raw_shape {
    int64_t rows;
    size_t entries;
    int32_t labels; /* distinct spellings */
    size_t label_bytes;
    bool weights;
    int32_t words; /* of text columns */
    size_t word_bytes;
} dps_raw_shape;

dps_raw_shape dps_raw_shape_of(const dps_row_block *block, bool weights);

/* Points the arrays of a block into bytes from `at` on (NULL: nowhere) and sets its counts; returns
 * the bytes they take. They lie one behind the other, each padded to 8 bytes, in the order value,
 * index, label, start, label_begin, label_bytes, then weight, word_slot, word_begin, word_bytes,
 * word_line, word_place where there are any. */
size_t dps_raw_lay_out(const dps_raw_shape *shape, char *at, dps_raw_block *block);

/* Room for block `number`, in memory or, where raw->out_of_core, in a scratch file. Blocks may come
 * in any order. Sets counts and arrays (not filled) and
 * leaves the rest of *block as it is, then stores it. Serial. */
DPS_MUST_USE dps_status dps_raw_store_block(dps_raw_rows *raw, int64_t number,
                                            const dps_raw_shape *shape, dps_raw_block *block,
                                            const dps_run *run, dps_error *err);
/* Bytes of memory that a slab for `needed` bytes would take, or 0: the last slab has room. */
size_t dps_raw_store_more(const dps_raw_rows *raw, size_t needed);

/* From now on slabs lie in scratch files; says so. needed: bytes of all rows, as far as known. */
void dps_raw_go_out_of_core(dps_raw_rows *raw, double needed, const dps_run *run);

#endif
