/* Where texts stand in a list, by their bytes: an open hash table (FNV-1a), at most half full, of
 * the list's numbers. Inline, as it is asked for every text of every row. */
#ifndef DPS_HASH_INDEX_H
#define DPS_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "allocation.h"

typedef struct dps_hash_index {
    int32_t *slot; /* number in the list + 1, 0 = free */
    size_t slots;  /* a power of two, or 0 */
} dps_hash_index;

/* Texts are the same where kind and bytes are. */
typedef struct dps_hash_key {
    int32_t kind;
    const char *bytes;
    size_t length;
} dps_hash_key;

typedef dps_hash_key (*dps_hash_keys)(const void *list, int32_t number);

static inline size_t dps_hash_start(dps_hash_key key, size_t slots)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)key.kind;
    for (size_t i = 0; i < key.length; i++) {
        hash = (hash ^ (unsigned char)key.bytes[i]) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32)) & (slots - 1);
}

/* Slot of the text, or the free slot where it belongs. */
static inline int32_t *dps_hash_slot(const dps_hash_index *index, dps_hash_key key,
                                     dps_hash_keys key_of, const void *list)
{
    for (size_t at = dps_hash_start(key, index->slots);; at = (at + 1) & (index->slots - 1)) {
        if (index->slot[at] == 0) {
            return &index->slot[at];
        }
        const dps_hash_key other = key_of(list, index->slot[at] - 1);
        if (other.kind == key.kind && other.length == key.length &&
            memcmp(other.bytes, key.bytes, key.length) == 0) {
            return &index->slot[at];
        }
    }
}

/* Room for one text more than `count`. False: no memory. */
static inline bool dps_hash_grow(dps_hash_index *index, int32_t count, dps_hash_keys key_of,
                                 const void *list)
{
    if (2 * ((size_t)count + 1) <= index->slots) {
        return true;
    }
    const size_t slots = index->slots > 0 ? 4 * index->slots : 64;
    int32_t *slot = dps_alloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    dps_free(index->slot);
    *index = (dps_hash_index){slot, slots};
    for (int32_t k = 0; k < count; k++) {
        *dps_hash_slot(index, key_of(list, k), key_of, list) = k + 1;
    }
    return true;
}

static inline void dps_hash_clear(dps_hash_index *index)
{
    if (index->slots > 0) {
        memset(index->slot, 0, index->slots * sizeof *index->slot);
    }
}

#endif
