/* Texts with a hash table (FNV-1a over column and bytes), open addressing, at most half full. */
#include "word_list.h"

#include <string.h>

#include "allocation.h"

void dps_word_list_clear(dps_word_list *list)
{
    list->count = 0;
    if (list->table_size > 0) {
        memset(list->table, 0, list->table_size * sizeof *list->table);
    }
}

static size_t hash_of(int32_t slot, const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)slot;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32));
}

static size_t find_place(const dps_word_list *list, int32_t slot, const char *text, size_t length)
{
    size_t at = hash_of(slot, text, length) & (list->table_size - 1);
    for (;; at = (at + 1) & (list->table_size - 1)) {
        const int32_t word = list->table[at] - 1;
        if (word < 0) {
            return at;
        }
        const int32_t begin = list->begin[word];
        if (list->slot[word] == slot && (size_t)(list->begin[word + 1] - begin) == length &&
            memcmp(list->bytes + begin, text, length) == 0) {
            return at;
        }
    }
}

static bool grow_table(dps_word_list *list)
{
    if (2 * ((size_t)list->count + 1) <= list->table_size) {
        return true;
    }
    const size_t size = list->table_size > 0 ? 4 * list->table_size : 64;
    int32_t *table = dps_alloc(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    dps_free(list->table);
    list->table = table;
    list->table_size = size;
    for (int32_t k = 0; k < list->count; k++) {
        const int32_t begin = list->begin[k];
        table[find_place(list, list->slot[k], list->bytes + begin,
                         (size_t)(list->begin[k + 1] - begin))] = k + 1;
    }
    return true;
}

static bool grow_words(dps_word_list *list, size_t words, size_t bytes)
{
    return bytes <= INT32_MAX && DPS_GROW(list->slot, list->slot_capacity, words) &&
           DPS_GROW(list->line, list->line_capacity, words) &&
           DPS_GROW(list->place, list->place_capacity, words) &&
           DPS_GROW(list->code, list->code_capacity, words) &&
           DPS_GROW(list->begin, list->begin_capacity, words + 1) &&
           DPS_GROW(list->bytes, list->byte_capacity, bytes);
}

int32_t dps_word_list_add(dps_word_list *list, int32_t slot, const char *text, size_t length,
                          bool *added)
{
    *added = false;
    if (!grow_table(list)) {
        return -1;
    }
    const size_t at = find_place(list, slot, text, length);
    if (list->table[at] > 0) {
        return list->table[at] - 1;
    }
    const int32_t word = list->count;
    const size_t begin = word > 0 ? (size_t)list->begin[word] : 0;
    if (!grow_words(list, (size_t)word + 1, begin + length)) {
        return -1;
    }
    memcpy(list->bytes + begin, text, length);
    list->begin[word] = (int32_t)begin;
    list->begin[word + 1] = (int32_t)(begin + length);
    list->slot[word] = slot;
    list->code[word] = -1;
    list->line[word] = 0;
    list->place[word] = 0;
    list->table[at] = word + 1;
    list->count = word + 1;
    *added = true;
    return word;
}

void dps_word_list_release(dps_word_list *list)
{
    dps_free(list->slot);
    dps_free(list->line);
    dps_free(list->place);
    dps_free(list->code);
    dps_free(list->begin);
    dps_free(list->bytes);
    dps_free(list->table);
    memset(list, 0, sizeof *list);
}
