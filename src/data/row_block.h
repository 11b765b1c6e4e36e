/* Filling a dps_row_block: what every parser of the table of formats shares. */
#ifndef DPS_ROW_BLOCK_H
#define DPS_ROW_BLOCK_H

#include "row_parser.h"

/* One entry of a row while it is sorted. */
typedef struct dps_entry {
    double value;
    int32_t index;
} dps_entry;

/* Behind block->scratch. */
typedef struct dps_row_scratch {
    int32_t *slot; /* open hash table of spellings: number + 1, 0 = free; slots: a power of two */
    size_t slots;
    dps_entry *entry;
    size_t entry_capacity;
    char *tail; /* copy of a last line without a line end */
    size_t tail_capacity;
} dps_row_scratch;

/* Empties the block and makes room for so many rows and entries. False: no memory. */
DPS_MUST_USE bool dps_row_block_begin(dps_row_block *block, size_t rows, size_t entries);
static inline dps_row_scratch *dps_row_block_scratch(dps_row_block *block)
{
    return block->scratch;
}

/* Number of a spelling, added if it is new (*added). -1: no memory. line: where it stands. */
int32_t dps_row_block_label(dps_row_block *block, const char *text, size_t length, int64_t line,
                            bool *added);

/* Sorts entries begin..end by index. Returns the smallest index that occurs twice, or -1. -2: no
 * memory. */
int32_t dps_row_block_sort(dps_row_block *block, int64_t begin, int64_t end);

#endif
