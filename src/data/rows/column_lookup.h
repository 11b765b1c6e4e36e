/* Place of a raw index in an ascending list of raw indices. */
#ifndef DPS_COLUMN_LOOKUP_H
#define DPS_COLUMN_LOOKUP_H

#include <stdint.h>

/* First place p >= from with index[p] >= raw (count if there is none). Doubling steps, then
 * bisection: cheap when the answer is near `from`, as it is for rows in ascending order. Lists
 * without gaps up to raw answer at once. */
static inline int32_t dps_column_seek(const int32_t *index, int32_t count, int32_t from,
                                      int32_t raw)
{
    if (from < count && index[from] >= raw) {
        return from;
    }
    if (raw < count && index[raw] == raw) {
        return raw;
    }
    int32_t low = from, step = 1; /* index[low] < raw, or low = count */
    while (low < count && step < count - low && index[low + step] < raw) {
        low += step;
        step *= 2;
    }
    int32_t high = step < count - low ? low + step : count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (index[middle] < raw) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
