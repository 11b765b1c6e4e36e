/* Distinct texts, a kind a column (hash_index.h). */
#include "word_list.h"

#include <string.h>

#include "allocation.h"

void dps_word_list_clear(dps_word_list *list)
{
    list->count = 0;
    dps_hash_clear(&list->index);
}

static dps_hash_key key_of(const void *context, int32_t word)
{
    const dps_word_list *list = context;
    const int32_t begin = list->begin[word];
    return (dps_hash_key){list->slot[word], list->bytes + begin,
                          (size_t)(list->begin[word + 1] - begin)};
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
    if (!dps_hash_grow(&list->index, list->count, key_of, list)) {
        return -1;
    }
    int32_t *at = dps_hash_slot(&list->index, (dps_hash_key){slot, text, length}, key_of, list);
    if (*at > 0) {
        return *at - 1;
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
    *at = word + 1;
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
    dps_free(list->index.slot);
    memset(list, 0, sizeof *list);
}
