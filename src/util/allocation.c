/* Aligned blocks on top of calloc: the pages of a large block stay untouched until they are used,
 * so that the threads that fill it pay for (and place) them. The address calloc gave is kept just
 * below the block. */
#include "allocation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define GUARDED /* clang */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GUARDED)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) ((void)(begin), (void)(bytes))
#endif

void *dps_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!dps_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX - 3 * DPS_ALIGN) {
        return NULL;
    }
    const size_t whole = dps_round_up(bytes + 1, DPS_ALIGN) + DPS_ALIGN + sizeof(void *);
    char *base = calloc(1, whole);
    if (base == NULL) {
        return NULL;
    }
    const size_t step = sizeof(void *);
    char *block = base + step + (DPS_ALIGN - ((uintptr_t)base + step) % DPS_ALIGN) % DPS_ALIGN;
    memcpy(block - step, &base, step);
    char *end = block + dps_round_up(bytes, DPS_ALIGN); /* what is behind is for nobody to touch */
    ASAN_POISON_MEMORY_REGION(end, (size_t)(base + whole - end));
    return block;
}

void dps_free(void *block)
{
    if (block != NULL) {
        void *base;
        memcpy(&base, (char *)block - sizeof base, sizeof base);
        free(base);
    }
}

/* Pointers to all objects are represented alike (POSIX), but may not be read as one another. */
bool dps_grow(void *pointer, size_t *capacity, size_t needed, size_t size)
{
    void *block;
    memcpy(&block, pointer, sizeof block);
    if (needed <= *capacity && block != NULL) {
        return true;
    }
    size_t count = needed;
    if (*capacity <= SIZE_MAX / 2 && 2 * *capacity > count) {
        count = 2 * *capacity;
    }
    void *grown = dps_alloc(count, size);
    if (grown == NULL) {
        return false;
    }
    if (block != NULL) {
        memcpy(grown, block, *capacity * size);
        dps_free(block);
    }
    memcpy(pointer, &grown, sizeof grown);
    *capacity = count;
    return true;
}

bool dps_grow_both(void *first, size_t first_size, void *second, size_t second_size,
                   size_t *capacity, size_t needed)
{
    size_t firsts = *capacity, seconds = *capacity;
    if (!dps_grow(first, &firsts, needed, first_size) ||
        !dps_grow(second, &seconds, needed, second_size)) {
        return false;
    }
    *capacity = firsts < seconds ? firsts : seconds;
    return true;
}

bool dps_size_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *out = a * b;
    return true;
}

bool dps_size_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b) {
        return false;
    }
    *out = a + b;
    return true;
}

dps_status dps_out_of_memory(dps_error *err, size_t count, size_t size, const char *purpose)
{
    size_t bytes;
    if (!dps_size_mul(count, size, &bytes)) {
        return dps_error_set(
            err, DPS_ERROR_MEMORY,
            "no memory for %s: %zu items of %zu bytes are beyond the address space", purpose, count,
            size);
    }
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "no memory for %s: %zu bytes were asked for; use fewer features "
                         "(map.features), fewer rows, or a machine with more memory",
                         purpose, bytes);
}
