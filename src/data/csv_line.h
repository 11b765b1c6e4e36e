/* Fields of one CSV line (RFC 4180), for the parser's slow path and for finding the layout. */
#ifndef DPS_CSV_LINE_H
#define DPS_CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dps_csv_field {
    const char *text; /* without the quotes or the blanks around it */
    size_t length;
    bool quoted;
    bool doubled; /* holds doubled quotes: dps_csv_unescape */
} dps_csv_field;

static inline bool dps_csv_blank(char c, char delimiter)
{
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

/* '\n', or '\r' before one. */
static inline bool dps_csv_line_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* The field that starts at p. The line must end in '\n'. Returns the place of the delimiter or the
 * line end behind it; NULL: a fault at field->text, *why says which. */
const char *dps_csv_read_field(const char *p, char delimiter, dps_csv_field *field,
                               const char **why);
/* Text of a field, doubled quotes made one; `to` has room for length bytes. Returns its length. */
size_t dps_csv_unescape(const dps_csv_field *field, char *to);
/* Empty, ?, NA or NaN (any case of NaN), not in quotes except the empty one. */
bool dps_csv_is_missing(const dps_csv_field *field);

#endif
