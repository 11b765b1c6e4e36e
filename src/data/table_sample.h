/* The first lines of a table: how many fields, their names, and what kind of values they hold. */
#ifndef DPS_TABLE_SAMPLE_H
#define DPS_TABLE_SAMPLE_H

#include "source.h"
#include "table.h"

typedef struct dps_sample_field {
    char *first;        /* text of the first line's field, unescaped */
    bool first_number;  /* it is a number, or missing */
    int64_t numbers;    /* in the lines after the first */
    int64_t texts;      /* likewise */
    bool first_returns; /* the first line's text stands in a later line too */
} dps_sample_field;

typedef struct dps_table_sample {
    int32_t fields; /* of line 1; 0: there is no line, or only blank ones */
    dps_sample_field *field;
    bool blank_start; /* line 1 is blank: the first line is not line 1 */
} dps_table_sample;

/* Samples the whole lines of `start` (all of it if there is none). Faults of lines after the first
 * end the sample: the parser finds them again. Refused: tables separated by semicolons. */
DPS_MUST_USE dps_status dps_table_sample_take(dps_table_sample *sample, const dps_chunk *start,
                                              char delimiter, dps_error *err);
void dps_table_sample_release(dps_table_sample *sample);
/* Whether the first line is a line of names. options: columns named there are names. known: a
 * model's table or NULL. */
bool dps_table_sample_has_header(const dps_table_sample *sample, const dps_table_options *options,
                                 const dps_table *known);
/* Names that mean the label: label, target, class, y. */
bool dps_is_label_name(const char *name);

#endif
