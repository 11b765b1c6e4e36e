/* Words that programs write where a value is missing. */
#ifndef DPS_MISSING_WORD_H
#define DPS_MISSING_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "status.h"
#include "text.h"

/* In a column of numbers: what pandas, R, SQL, Julia, weka, SAS, Stata, SPSS, C libraries and
 * spreadsheets write, in any case. The empty text is one. */
bool dps_is_missing_word(const char *text, size_t length);

/* Words that a user or a model names. The texts are those of the lists. */
typedef struct dps_missing_words {
    dps_list_item *word;
    size_t count, capacity;
} dps_missing_words;

/* Adds the words of a list with commas between them (NULL: none), blanks around them left out.
 * False: no memory. */
DPS_MUST_USE bool dps_missing_words_add(dps_missing_words *words, const char *list);
/* One of them, letter for letter. */
static inline bool dps_is_listed_word(const dps_missing_words *words, const char *text,
                                      size_t length)
{
    for (size_t k = 0; k < words->count; k++) {
        if (words->word[k].length == length && memcmp(words->word[k].text, text, length) == 0) {
            return true;
        }
    }
    return false;
}
/* Whether one of them reads as a number, -999 say. */
bool dps_missing_words_hold_number(const dps_missing_words *words);
void dps_missing_words_release(dps_missing_words *words);

#endif
