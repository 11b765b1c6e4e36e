/* Rademacher vectors as bits: coordinate j of vector (feature, factor) is minus one where bit j %
 * 32 of word j / 32 is set. */
#ifndef DPS_SIGNS_H
#define DPS_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include "random.h"

/* The words of coordinates 0 .. columns-1, word b at word[b * step]; bits beyond are 0. */
static inline void dps_draw_signs(uint64_t seed, uint32_t feature, uint32_t factor, int32_t columns,
                                  uint32_t *word, size_t step)
{
    const int32_t blocks = (int32_t)(((int64_t)columns + 31) / 32);
    for (int32_t b = 0; b < blocks; b += 4) {
        uint32_t bits[4];
        dps_random_block(seed, DPS_STREAM_SIGN, feature, factor, (uint32_t)(b / 4), bits);
        for (int32_t k = 0; k < 4 && b + k < blocks; k++) {
            word[(size_t)(b + k) * step] = bits[k];
        }
    }
    if (columns % 32 != 0) {
        word[(size_t)(blocks - 1) * step] &= (1u << (columns % 32)) - 1u;
    }
}

/* Coordinate j of a vector alone. */
static inline bool dps_sign_is_minus(uint64_t seed, uint32_t feature, uint32_t factor, uint32_t j)
{
    uint32_t bits[4];
    dps_random_block(seed, DPS_STREAM_SIGN, feature, factor, j / 128, bits);
    return (bits[j / 32 % 4] >> (j % 32) & 1) != 0;
}

#endif
