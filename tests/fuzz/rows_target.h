/* The target of one format of rows: rows or an error with its place, whatever the bytes
 * (parse_target.h). */
#ifndef DPS_ROWS_TARGET_H
#define DPS_ROWS_TARGET_H

#include "fuzz_target.h"
#include "parse_target.h"

static inline int rows_target(const char *format, const uint8_t *bytes, size_t length)
{
    static dps_row_block block; /* kept, as the program keeps it */
    const char *fault = parse_fault(dps_format_find(format), &block, (const char *)bytes, length);
    FUZZ_HOLDS(fault == NULL, "%s: %s", format, fault);
    return 0;
}

#endif
