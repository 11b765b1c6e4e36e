/* The header of an ARFF file (Weka): what its columns are called and hold, and where its rows
 * begin. */
#ifndef DPS_ARFF_HEADER_H
#define DPS_ARFF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "status.h"

/* TEXT: strings and dates, whose values say what they are. */
typedef enum dps_arff_kind { DPS_ARFF_NUMBER, DPS_ARFF_NOMINAL, DPS_ARFF_TEXT } dps_arff_kind;

typedef struct dps_arff_attribute {
    char *name;
    dps_arff_kind kind;
    char *levels; /* of a nominal one, in the declared order, each ended by '\0' */
    size_t levels_length;
    int64_t line; /* of the file, from 1 */
} dps_arff_attribute;

typedef struct dps_arff_header {
    int32_t count;
    dps_arff_attribute *attribute;
    size_t capacity;
    size_t bytes;  /* up to and with the line of @data */
    int64_t lines; /* in them */
} dps_arff_header;

/* Whether "@relation" or "@attribute" comes first, behind comments and blank lines. */
bool dps_arff_is(const char *bytes, size_t length);
/* Bytes up to and with the line of @data; 0: it is not among these. */
size_t dps_arff_header_bytes(const char *bytes, size_t length);
/* Reads the header at the start of `bytes`. Release it also after an error. */
DPS_MUST_USE dps_status dps_arff_header_read(dps_arff_header *header, const char *bytes,
                                             size_t length, const char *file, dps_error *err);
/* The first attribute that is not the same in both: name, kind and levels; -1: there is none. */
int32_t dps_arff_header_compare(const dps_arff_header *a, const dps_arff_header *b);
/* Whether the text is one of a nominal attribute's levels. */
bool dps_arff_has_level(const dps_arff_attribute *attribute, const char *text, size_t length);
void dps_arff_header_release(dps_arff_header *header);

/* What a backslash and the letter stand for; values are one line, so that a line end is a blank. */
static inline char dps_arff_escaped(char letter)
{
    return letter == 'n' || letter == 'r' || letter == 't' ? ' ' : letter;
}

#endif
