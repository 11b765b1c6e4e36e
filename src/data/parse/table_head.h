/* How the lines of a table are cut into fields, and where its rows begin: told from the first lines
 * together. */
#ifndef DPS_TABLE_HEAD_H
#define DPS_TABLE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The column that has no field in the line of names: as R writes row names, or where the rows end
 * in a delimiter. */
typedef enum dps_unnamed { DPS_ALL_NAMED, DPS_FIRST_UNNAMED, DPS_LAST_UNNAMED } dps_unnamed;

typedef struct dps_table_head {
    char delimiter;
    int32_t fields;    /* of most lines */
    const char *first; /* the first line that may be names or a row; NULL: there is none */
    int64_t line;      /* its number in the text, from 1 */
    int32_t lead;      /* lines before it that are not blank: titles, comments, counts, sep= */
    const char *title; /* the first of those that is not sep= */
    int64_t title_line;
    dps_unnamed unnamed; /* it has one field less than the rows, all of them names */
} dps_table_head;

/* Of whole lines text..end, the last byte of which is a line end. delimiter: the one that is known,
 * or 0. */
void dps_table_head_find(const char *text, const char *end, char delimiter, dps_table_head *head);
/* Whether a line of a table of `width` columns is a title, a comment or a line of counts. */
bool dps_table_is_lead(const char *p, char delimiter, int32_t width);
/* "sep=;" of spreadsheets: the delimiter it names; else 0. */
char dps_table_sep_line(const char *p);
/* "comma", "semicolon", "tab", "bar", "blank", or the character itself: 0: none of them. */
char dps_delimiter_of(const char *name);
const char *dps_delimiter_plural(char delimiter);

#endif
