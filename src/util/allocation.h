/* Checked allocation. Every size is a product that could overflow; every buffer may be read by
 * 64-byte vector loads, so that all blocks are aligned to 64 bytes and padded to a multiple of 64.
 */
#ifndef DPS_ALLOCATION_H
#define DPS_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

#define DPS_ALIGN 64

/* count * size bytes, zeroed, 64-byte aligned; NULL on overflow or lack of memory. count = 0 gives
 * a valid block. Free with dps_free. */
DPS_MUST_USE void *dps_alloc(size_t count, size_t size);
void dps_free(void *block);

/* Grows the block that *pointer, a pointer to items of any type, points at (capacity in items), so
 * that it holds `needed` items, at least doubling; the content is kept, the new part is not
 * initialised. False on overflow or lack of memory (block unchanged). */
DPS_MUST_USE bool dps_grow(void *pointer, size_t *capacity, size_t needed, size_t size);
#define DPS_GROW(pointer, capacity, needed)                                                        \
    dps_grow(&(pointer), &(capacity), (needed), sizeof *(pointer))

/* Two blocks of as many items. */
DPS_MUST_USE bool dps_grow_both(void *first, size_t first_size, void *second, size_t second_size,
                                size_t *capacity, size_t needed);
#define DPS_GROW_BOTH(first, second, capacity, needed)                                             \
    dps_grow_both(&(first), sizeof *(first), &(second), sizeof *(second), &(capacity), (needed))

/* Products and sums that say when they overflow (false, *out unchanged). */
DPS_MUST_USE bool dps_size_mul(size_t a, size_t b, size_t *out);
DPS_MUST_USE bool dps_size_add(size_t a, size_t b, size_t *out);

/* The error of a failed dps_alloc: names the purpose and the bytes asked for. */
DPS_MUST_USE dps_status dps_out_of_memory(dps_error *err, size_t count, size_t size,
                                          const char *purpose);

/* `pointer` (its owner frees it) gets `count` items; without memory the function returns the error.
 * For functions that have nothing else to release at this place. */
#define DPS_NEED(pointer, count, purpose, err)                                                     \
    do {                                                                                           \
        const size_t needed_ = (count);                                                            \
        (pointer) = dps_alloc(needed_, sizeof *(pointer));                                         \
        if ((pointer) == NULL) {                                                                   \
            return dps_out_of_memory((err), needed_, sizeof *(pointer), (purpose));                \
        }                                                                                          \
    } while (0)

/* The same for more items of a block that grows. */
#define DPS_NEED_MORE(pointer, capacity, needed, purpose, err)                                     \
    do {                                                                                           \
        if (!DPS_GROW(pointer, capacity, needed)) {                                                \
            return dps_out_of_memory((err), (needed), sizeof *(pointer), (purpose));               \
        }                                                                                          \
    } while (0)

/* Smallest multiple of `step` (a power of two) that is >= n. */
static inline size_t dps_round_up(size_t n, size_t step)
{
    return (n + step - 1) & ~(step - 1);
}

#endif
