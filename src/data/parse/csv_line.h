/* Fields of one CSV line (RFC 4180), for the parser's slow path and for finding the layout. */
#ifndef DPS_CSV_LINE_H
#define DPS_CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct dps_csv_field {
    const char *text; /* without the quotes or the blanks around it */
    size_t length;
    bool quoted;
    bool doubled; /* holds doubled quotes, or backslashes: dps_csv_unescape */
    char quote;   /* the one it stands in, or 0 */
    bool escapes; /* by backslashes, as ARFF writes them */
} dps_csv_field;

/* The delimiter ' ' stands for blanks and tabs, any number of them, also around the line. */
#define DPS_BLANKS ' '

/* A byte that may stand around a field and is no part of it. */
static inline bool dps_csv_blank(char c, char delimiter)
{
    return (c == ' ' || (c == '\t' && delimiter != '\t')) && delimiter != DPS_BLANKS;
}

static inline bool dps_csv_delimits(char c, char delimiter)
{
    return c == delimiter || (delimiter == DPS_BLANKS && c == '\t');
}

/* '\n', or '\r' before one. */
static inline bool dps_csv_line_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Past blanks that delimit: from the line's start to its first field, from the last one's end to
 * the line's. */
static inline const char *dps_csv_past_blanks(const char *p, char delimiter)
{
    while (delimiter == DPS_BLANKS && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

/* Where the next field begins: behind the delimiter at p; at the end of the line NULL. */
static inline const char *dps_csv_next(const char *p, char delimiter)
{
    if (!dps_csv_delimits(*p, delimiter)) {
        return NULL;
    }
    p = dps_csv_past_blanks(p + 1, delimiter);
    return delimiter == DPS_BLANKS && dps_csv_line_end(p) ? NULL : p;
}

/* The line after the one at p, or `end`. */
static inline const char *dps_csv_after_line(const char *p, const char *end)
{
    const char *line_end = (const char *)memchr(p, '\n', (size_t)(end - p));
    return line_end == NULL ? end : line_end + 1;
}

/* ARFF: a comment between rows. */
static inline bool dps_arff_is_comment(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return *p == '%';
}

/* Whether the line at p has nothing but blanks; *next is the line after it then. */
static inline bool dps_csv_is_blank_line(const char *p, char delimiter, const char **next)
{
    while (*p == ' ' || (*p == '\t' && delimiter != '\t')) {
        p++;
    }
    if (!dps_csv_line_end(p)) {
        return false;
    }
    *next = p + (*p == '\r') + 1;
    return true;
}

/* The field that starts at p. The line must end in '\n'. Returns the place of the delimiter or the
 * line end behind it; NULL: a fault at field->text, *why says which. */
const char *dps_csv_read_field(const char *p, char delimiter, dps_csv_field *field,
                               const char **why);
/* The same in ARFF: quotes are of either kind, and a backslash inside them takes the next letter as
 * it is. */
const char *dps_arff_read_field(const char *p, char delimiter, dps_csv_field *field,
                                const char **why);
/* Text of a field, doubled quotes made one; `to` has room for length bytes. Returns its length. */
size_t dps_csv_unescape(const dps_csv_field *field, char *to);
/* Empty, ?, NA or NaN (any case of NaN), not in quotes except the empty one: in columns of text and
 * labels, where more words may be values (missing_word.h). */
bool dps_csv_is_missing(const dps_csv_field *field);

#endif
