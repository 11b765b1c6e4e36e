/* A growing byte buffer, and small helpers for names. */
#ifndef DPS_TEXT_H
#define DPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

typedef struct dps_text {
    char *data; /* always terminated once anything was appended; NULL before */
    size_t length;
    size_t capacity;
    bool failed; /* an allocation failed: later appends do nothing; check once at the end */
} dps_text;

void dps_text_append(dps_text *text, const char *bytes, size_t length);
void dps_text_add(dps_text *text, const char *string);
void dps_text_format(dps_text *text, const char *format, ...) DPS_PRINTF(2, 3);
/* A field of csv: quoted where it holds a comma, a quote or a line end (RFC 4180). */
void dps_text_csv(dps_text *text, const char *bytes, size_t length);
void dps_text_release(dps_text *text); /* accepts a zeroed struct */

static inline bool dps_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}
/* *text .. end without blanks at both ends: *text moves on; the length that is left. */
size_t dps_text_trim(const char **text, const char *end);

/* An item of a list of names. Items are separated by commas or line ends and keep the blanks inside
 * them. One that begins with a quoted piece ("grey, very damp":9) keeps everything in it: text is
 * the piece without its quotes, rest what follows up to the next comma, without blanks around. */
typedef struct dps_list_item {
    const char *text, *rest;
    size_t length, rest_length;
    bool quoted;
} dps_list_item;

/* Next item that is not empty at *at, which moves on; false: there is none. */
bool dps_list_next(const char **at, dps_list_item *item);

/* Whether the text is the word, which ends in a zero, in letters of any case. */
bool dps_text_is_word(const char *word, const char *text, size_t length);

/* The candidate nearest to `name` (edit distance with transposition, case-insensitive) if it is
 * near enough to be a plausible slip (distance <= 1 + length/3), else NULL. */
const char *dps_nearest_name(const char *name, const char *const *candidates, size_t count);

#endif
