/* From what a table's parser leaves to features. */
#ifndef DPS_LAYOUT_RESOLVE_H
#define DPS_LAYOUT_RESOLVE_H

#include <math.h>
#include "table.h"

/* Turns slot and value (number, NAN for a missing one, or number of a word) of an entry into its
 * feature and value; code[word]: place in the code book, or -1. False: it is no feature after all.
 */
static inline bool dps_layout_resolve(const dps_layout *layout, const int32_t *code, int32_t *index,
                                      double *value)
{
    const dps_column *column = &layout->table->column[layout->slot_column[*index]];
    *index = column->first;
    if (column->role == DPS_COLUMN_IGNORED) {
        return false; /* left out when all rows had been read */
    }
    if (column->role == DPS_COLUMN_NUMBER) {
        *value = isnan(*value) ? column->fill : *value;
        return *value != 0.0;
    }
    const int32_t k = code[(int32_t)*value];
    if (k < 0) {
        return false;
    }
    if (column->role == DPS_COLUMN_ONEHOT) {
        *index += k;
        *value = 1.0;
    } else {
        *value = (double)k + 1.0;
    }
    return true;
}

#endif
