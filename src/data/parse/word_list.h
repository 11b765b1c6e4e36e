/* Distinct texts of the text columns of one chunk. */
#ifndef DPS_WORD_LIST_H
#define DPS_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash_index.h"
#include "status.h"

typedef struct dps_word_list {
    int32_t count;
    int32_t *slot;  /* feature column of each word */
    int64_t *line;  /* within the chunk, and */
    int32_t *place; /* byte from 1 within the line, where each word stands first: the parser's to
                       set */
    int32_t *code;  /* place in the column's code book, -1: not in it; the parser's */
    int32_t *begin; /* count + 1 offsets into bytes */
    char *bytes;
    size_t slot_capacity, line_capacity, place_capacity, code_capacity, begin_capacity,
        byte_capacity;
    dps_hash_index index;
} dps_word_list;

void dps_word_list_clear(dps_word_list *list);
/* Number of a word, added if it is new (*added). -1: no memory. */
DPS_MUST_USE int32_t dps_word_list_add(dps_word_list *list, int32_t slot, const char *text,
                                       size_t length, bool *added);
void dps_word_list_release(dps_word_list *list);

#endif
