/* NumPy's array files (numpy.lib.format, versions 1 to 3): the header. */
#ifndef DPS_NPY_H
#define DPS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dps_npy {
    char kind;           /* 'f' float, 'i' and 'u' integer, 'b' boolean */
    int32_t item_bytes;  /* of a value, little-endian */
    int64_t rows;        /* C order: row after row */
    int32_t columns;     /* 1 for an array of one dimension */
    size_t row_bytes;    /* > 0 */
    size_t header_bytes; /* before the first row */
} dps_npy;

bool dps_npy_is(const void *bytes, size_t length);
/* False: it cannot be used; *why says what was expected and found. */
bool dps_npy_read_header(const char *bytes, size_t length, dps_npy *npy, const char **why);

#endif
