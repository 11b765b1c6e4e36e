/* Filling a dps_row_block: what every parser of the table of formats shares. */
#ifndef DPS_ROW_BLOCK_H
#define DPS_ROW_BLOCK_H

#include "hash_index.h"
#include "row_parser.h"

/* One entry of a row while it is sorted. */
typedef struct dps_entry {
    double value;
    int32_t index;
} dps_entry;

/* Behind block->scratch. */
typedef struct dps_row_scratch {
    dps_hash_index spellings;
    dps_entry *entry;
    size_t entry_capacity;
    char *tail; /* copy of a last line without a line end */
    size_t tail_capacity;
    char *text; /* of a field without its doubled quotes */
    size_t text_capacity;
} dps_row_scratch;

/* Empties the block and makes room for so many rows and entries. False: no memory. */
DPS_MUST_USE bool dps_row_block_begin(dps_row_block *block, size_t rows, size_t entries);

/* Number of a spelling, added if it is new (*added). -1: no memory. line: where it stands. */
int32_t dps_row_block_label(dps_row_block *block, const char *text, size_t length, int64_t line,
                            bool *added);

/* Room for the weights or ids of so many rows. False: no memory. */
DPS_MUST_USE bool dps_row_block_grow_weights(dps_row_block *block, size_t rows);
DPS_MUST_USE bool dps_row_block_grow_ids(dps_row_block *block, size_t rows);
/* Id of the next row (row number block->rows). False: no memory. */
DPS_MUST_USE bool dps_row_block_id(dps_row_block *block, const char *text, size_t length);

/* Room for a text, until the next call. NULL: no memory. */
char *dps_row_block_text(dps_row_block *block, size_t length);

/* Parsers whose loops end at line ends by themselves need one behind the last line: bytes up to and
 * with the last line end as they are, then the rest from a copy with a line end. */
typedef struct dps_line_parts {
    const char *part[2];
    size_t length[2]; /* 0: there is no such part */
} dps_line_parts;
/* False: no memory. */
DPS_MUST_USE bool dps_row_block_lines(dps_row_block *block, const dps_chunk *chunk,
                                      dps_line_parts *lines);

/* How often a byte occurs. */
size_t dps_count_byte(char c, const char *bytes, size_t length);

/* Sorts entries begin..end by index. Returns the smallest index that occurs twice, or -1. -2: no
 * memory. */
int32_t dps_row_block_sort(dps_row_block *block, int64_t begin, int64_t end);

#endif
