/* Place of a raw index in an ascending list of raw indices. */
#ifndef DPS_COLUMN_LOOKUP_H
#define DPS_COLUMN_LOOKUP_H

#include <stdint.h>

/* First place p >= from with index[p] >= raw (count if there is none). The list lacks `gaps` of the
 * indices up to its last, so that raw - gaps <= p <= raw: at once in a list without gaps, near in
 * one of few. Within these bounds doubling steps, then bisection: cheap when the answer is near the
 * lower one, as it is for rows in ascending order. */
static inline int32_t dps_column_seek(const int32_t *index, int32_t count, int32_t from,
                                      int32_t raw)
{
    if (from >= count || index[from] >= raw) {
        return from;
    }
    const int32_t gaps = index[count - 1] - (count - 1);
    int32_t low = raw - gaps > from ? raw - gaps : from, high = raw < count ? raw : count;
    for (int32_t step = 1; step < high - low; step *= 2) {
        if (index[low + step - 1] >= raw) {
            high = low + step - 1;
            break;
        }
        low += step;
    }
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (index[middle] < raw) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return high;
}

#endif
