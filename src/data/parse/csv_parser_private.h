/* The parser of CSV (csv_parser.c) and its fields (csv_fields.c). What every number goes through is
 * inline here: it is the fast path. */
#ifndef DPS_CSV_PARSER_PRIVATE_H
#define DPS_CSV_PARSER_PRIVATE_H

#include <math.h>

#include "csv_line.h"
#include "csv_parser.h"
#include "number.h"
#include "row_block.h"

typedef struct dps_csv_parser {
    const dps_read_options *options;
    const dps_layout *layout;
    const char *file;
    dps_row_block *block;
    dps_error *err;
    dps_status status;
    const char *end; /* end[-1] is a line end */
    const char *line_begin;
    int64_t line;
    int64_t entries; /* stored so far */
    int32_t label;   /* of the row */
    char delimiter;
    bool in_head; /* no row of the file yet */
    dps_head_state head;
} dps_csv_parser;

/* Errors: each returns NULL, so that the caller can return it. */
const char *dps_csv_no_memory(dps_csv_parser *ps);
/* A field: TOKEN: why. f < 0: the line. */
const char *dps_csv_refuse(dps_csv_parser *ps, int32_t f, const char *at, size_t length,
                           const char *why);
const char *dps_csv_refuse_count(dps_csv_parser *ps, int32_t found, const char *at);

/* Field f, which begins at p. All return the place behind the field; NULL: refused. */
const char *dps_csv_take_field(dps_csv_parser *ps, int32_t f, const char *p, dps_csv_field *field);
/* A number that the fast path does not know; NAN: a missing value, which has been stored. */
const char *dps_csv_slow_number(dps_csv_parser *ps, int32_t f, const char *p, double *number);
/* Whatever is no number of the fast path. */
const char *dps_csv_parse_other(dps_csv_parser *ps, int32_t f, const char *p);
/* The field's text, unescaped; NULL: refused. */
const char *dps_csv_plain_text(dps_csv_parser *ps, int32_t f, const dps_csv_field *field,
                               size_t *length);

static inline bool dps_csv_ends_field(const dps_csv_parser *ps, const char *p)
{
    return dps_csv_delimits(*p, ps->delimiter) || dps_csv_line_end(p);
}

static inline void dps_csv_store(dps_csv_parser *ps, int32_t slot, double value)
{
    ps->block->index[ps->entries] = slot;
    ps->block->value[ps->entries] = value;
    ps->entries += value != 0.0;
}

static inline const char *dps_csv_parse_number(dps_csv_parser *ps, int32_t f, int32_t slot,
                                               const char *p)
{
    double value;
    while (dps_csv_blank(*p, ps->delimiter)) {
        p++;
    }
    const char *after = dps_parse_short(p, ps->end, &value);
    if (after != NULL && !dps_csv_ends_field(ps, after)) {
        while (dps_csv_blank(*after, ps->delimiter)) {
            after++;
        }
        after = dps_csv_ends_field(ps, after) ? after : NULL;
    }
    if (after == NULL) {
        after = dps_csv_slow_number(ps, f, p, &value);
        if (after == NULL || isnan(value)) {
            return after;
        }
    }
    dps_csv_store(ps, slot, value);
    return after;
}

#endif
