/* The first lines of a table: how they are cut, which of them are no rows, the names of the
 * columns, and what kind of values they hold. */
#ifndef DPS_TABLE_SAMPLE_H
#define DPS_TABLE_SAMPLE_H

#include "class_builder.h"
#include "number_form.h"
#include "source.h"
#include "table.h"
#include "table_head.h"

typedef struct dps_sample_field {
    char *first;       /* text of the first line's field, unescaped */
    bool first_number; /* it is a number, or missing */
    bool first_quoted;
    bool first_whole; /* a whole number: first_value */
    int64_t first_value;
    char *second;       /* the same of the line after it; NULL: there is none */
    bool second_number; /* likewise */
    bool second_missing;
    /* Of the rows: the lines after the first, without the second where it holds units. */
    int64_t numbers, texts, missing;
    int64_t words;      /* missing values that are missing in a column of numbers only */
    int64_t quoted;     /* numbers in quotes */
    int64_t whole;      /* numbers that are whole */
    double low, high;   /* of the numbers */
    bool first_returns; /* the first line's text stands in a row too */
    dps_number_signs signs;
    /* In training, with the first line where it is no line of names. */
    dps_class_builder values; /* distinct ones, at most DPS_SAMPLE_VALUES */
    bool counts;              /* whole numbers from 0 or 1 up by one */
    bool all_different;
    int64_t last_value;
} dps_sample_field;

#define DPS_SAMPLE_VALUES 1000

/* Any two numbers: whether b = a + 1. */
static inline bool dps_follows(int64_t a, int64_t b)
{
    return a < b && (uint64_t)b - (uint64_t)a == 1;
}

typedef struct dps_table_sample {
    int32_t fields; /* 0: there is no line, or only blank ones */
    dps_sample_field *field;
    dps_table_head head;
    const dps_missing_words *words;
    const dps_arff_header *arff; /* NULL: not ARFF */
    char title[60], units[60];   /* how the head's title, and the second line, begin */
    int64_t second_line;         /* number of the line after the first; 0: there is none */
    bool header;                 /* the first line is one of names */
    bool has_units;              /* the second one holds units, and is no row */
    bool may_repeat;             /* lines like the first are counted apart */
    int64_t rows;                /* lines counted in the fields */
    int64_t repeats;             /* lines that are the first one again, which were not */
} dps_table_sample;

/* Samples the whole lines of `start` (all of it if there is none) and decides whether the first
 * line is one of names. Lines that are not like the others end the sample: the parser finds them
 * again. delimiter: 0 = told from the content. words: missing ones, which must outlive the sample.
 * known: a model's table or NULL. arff: the header behind which the rows
 * begin, NULL for other tables; it must outlive the sample. */
DPS_MUST_USE dps_status dps_table_sample_take(dps_table_sample *sample, const dps_chunk *start,
                                              char delimiter, const dps_table_options *options,
                                              const dps_missing_words *words,
                                              const dps_table *known, const dps_arff_header *arff,
                                              dps_error *err);
void dps_table_sample_release(dps_table_sample *sample);
/* Whether the first line is one of names, by what was counted below it. */
bool dps_table_sample_is_header(const dps_table_sample *sample, const dps_table_options *options,
                                const dps_table *known);
/* Whether the second line holds units: texts in most columns that hold but numbers below. */
bool dps_table_sample_is_units(const dps_table_sample *sample);
/* How much a name means the label: label 1, target 2, class 3, y 4; 0: not at all. */
int dps_label_name_rank(const char *name);

#endif
