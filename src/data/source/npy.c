/* The header of an npy file:
 *
 *     "\x93NUMPY" major minor  length (2 bytes, from version 2 on 4, little-endian)
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (rows, columns), }  blanks  line end
 *
 * (numpy.lib.format; the dictionary is a Python literal whose keys may come in any order.) */
#include "npy.h"

#include <string.h>

#define START 10 /* bytes before the dictionary in version 1 */

bool dps_npy_is(const void *bytes, size_t length)
{
    return length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

/* The text behind 'key': in the dictionary p..end, without blanks; NULL: there is no such key. */
static const char *value_of(const char *p, const char *end, const char *key)
{
    const size_t length = strlen(key);
    for (; p + length + 2 < end; p++) {
        if ((*p == '\'' || *p == '"') && memcmp(p + 1, key, length) == 0 && p[length + 1] == *p) {
            p += length + 2;
            while (p < end && (*p == ' ' || *p == ':')) {
                p++;
            }
            return p;
        }
    }
    return NULL;
}

static bool read_type(const char *p, const char *end, dps_npy *npy, const char **why)
{
    if (p == NULL || end - p < 5 || (*p != '\'' && *p != '"')) {
        *why = "the type of the npy values is not that of a plain matrix of numbers; save one as "
               "in numpy.save(FILE, x.astype('float32'))";
        return false;
    }
    const char order = p[1];
    npy->kind = p[2];
    npy->item_bytes = p[3] - '0';
    const int size = npy->item_bytes;
    if (order == '>' && size > 1) {
        *why = "the npy values are big-endian; save them as in "
               "numpy.save(FILE, x.astype('<f4'))";
        return false;
    }
    const bool real = npy->kind == 'f' && (size == 4 || size == 8);
    const bool whole = (npy->kind == 'i' || npy->kind == 'u') &&
                       (size == 1 || size == 2 || size == 4 || size == 8);
    if (p[4] != *p || !(real || whole || (npy->kind == 'b' && size == 1))) {
        *why = "the npy values must be float32, float64, integers or booleans; save them as in "
               "numpy.save(FILE, x.astype('float32'))";
        return false;
    }
    return true;
}

/* "(rows, columns)" or "(rows,)". */
static bool read_shape(const char *p, const char *end, dps_npy *npy)
{
    int64_t size[2] = {0, 1};
    int count = 0;
    if (p == NULL || p == end || *p != '(') {
        return false;
    }
    for (p++; p < end && *p != ')'; p++) {
        if (*p == ' ' || *p == ',' || *p == 'L') {
            continue;
        }
        if (*p < '0' || *p > '9' || count == 2) {
            return false;
        }
        size[count] = 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++) {
            if (size[count] > INT64_MAX / 16 - 1) {
                return false;
            }
            size[count] = 10 * size[count] + (*p - '0');
        }
        p--;
        count++;
    }
    npy->rows = size[0];
    npy->columns = (int32_t)size[1];
    return p < end && count > 0 && size[1] > 0 && size[1] < INT32_MAX;
}

bool dps_npy_read_header(const char *bytes, size_t length, dps_npy *npy, const char **why)
{
    *npy = (dps_npy){0};
    *why = "the npy header is damaged or cut short; copy or write the file again";
    if (!dps_npy_is(bytes, length) || length < START + 2) {
        return false;
    }
    const unsigned char *u = (const unsigned char *)bytes;
    const size_t start = u[6] == 1 ? START : START + 2;
    size_t size = (size_t)u[8] | (size_t)u[9] << 8;
    if (u[6] > 1) {
        size |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
    }
    if (u[6] < 1 || u[6] > 3) {
        *why = "the npy file is of a version that is not known; versions 1 to 3 are";
        return false;
    }
    if (length < start + size) {
        return false;
    }
    const char *dictionary = bytes + start, *end = dictionary + size;
    const char *order = value_of(dictionary, end, "fortran_order");
    if (order != NULL && end - order > 4 && memcmp(order, "True", 4) == 0) {
        *why = "the npy matrix is in Fortran order; save it as in "
               "numpy.save(FILE, numpy.ascontiguousarray(x))";
        return false;
    }
    if (!read_type(value_of(dictionary, end, "descr"), end, npy, why)) {
        return false;
    }
    if (!read_shape(value_of(dictionary, end, "shape"), end, npy)) {
        *why = "the npy array must be a matrix, rows by columns";
        return false;
    }
    npy->row_bytes = (size_t)npy->columns * (size_t)npy->item_bytes;
    npy->header_bytes = start + size;
    return true;
}
