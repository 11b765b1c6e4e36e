/* What a column is, from counts of its values: one place for the evidence that a guess follows. */
#ifndef DPS_COLUMN_KIND_H
#define DPS_COLUMN_KIND_H

#include <stdbool.h>
#include <stdint.h>

/* A column of numbers, whatever few words stand among them: no text, or at most one text to nine
 * numbers, or not more texts than numbers, few different ones, among ever different numbers. 0 for
 * the distinct: not known. */
static inline bool dps_column_is_numbers(int64_t numbers, int64_t texts, int64_t distinct_numbers,
                                         int64_t distinct_texts)
{
    return texts == 0 || numbers >= 9 * texts ||
           (numbers >= texts && distinct_texts <= 5 && distinct_numbers >= 10 &&
            4 * distinct_numbers >= numbers);
}

/* So many rows with so many different texts: names, numbers of records, comments. */
static inline bool dps_column_is_all_different(int64_t distinct, int64_t rows)
{
    return distinct >= 10 && 10 * distinct >= 8 * rows;
}

/* More values than this are hundreds; a value with fewer rows than that is rare among them. */
#define DPS_MANY_VALUES 100
#define DPS_RARE_ROWS   5

/* Few values, each of which comes again: what classes look like. The first rows of a file that is
 * sorted by class have one. */
static inline bool dps_column_is_few(int64_t distinct, int64_t rows, bool text)
{
    return distinct >= 1 && (text ? distinct <= 100 && 2 * distinct <= rows
                                  : distinct <= 10 && 10 * distinct <= rows);
}

#endif
