/* Words that programs write where a value is missing. */
#ifndef DPS_MISSING_WORD_H
#define DPS_MISSING_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* In a column of numbers: what pandas, R, SQL, Julia, weka, SAS, Stata, SPSS, C libraries and
 * spreadsheets write, in any case. The empty text is one. */
bool dps_is_missing_word(const char *text, size_t length);
/* One of the words of a list with commas between them (NULL: none), blanks around them left out. */
bool dps_is_listed_word(const char *list, const char *text, size_t length);

#endif
