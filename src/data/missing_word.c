/* The lists of missing values of pandas (read_csv), R (NA), SQL (NULL, \N), Julia (missing), weka
 * (?), SAS and Stata (. and .a to .z), C libraries (nan, 1.#QNAN), spreadsheets (#N/A and their
 * errors) and what people write by hand, together. They count in columns of numbers only, where
 * nothing else than a missing value can be meant; in a column of text "none" may be a value. */
#include "missing_word.h"

#include <string.h>

#include "text.h"

static const char *const words[] = {
    "na",
    "n/a",
    "n.a.",
    "nan",
    "-nan",
    "+nan",
    "nat",
    "null",
    "nil",
    "none",
    "none?",
    "missing",
    "undefined",
    "void",
    "<na>",
    "<null>",
    "(null)",
    "[null]",
    "#n/a",
    "#n/a n/a",
    "#na",
    "-1.#ind",
    "1.#ind",
    "-1.#qnan",
    "1.#qnan",
    "1.#snan",
    "?",
    "??",
    "???",
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "*",
    "\\n",
    "#value!",
    "#ref!",
    "#div/0!",
    "#num!",
    "#name?",
    "#null!",
    "#error!",
    "#spill!",
    "#calc!",
    "#field!",
    "#blocked!",
    "#unknown!",
    "#getting_data",
    "\xe2\x80\x93" /* en dash */,
    "\xe2\x80\x94" /* em dash */,
};

static bool is_word(const char *word, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (word[i] == '\0' || word[i] != (c >= 'A' && c <= 'Z' ? (char)(c | 32) : c)) {
            return false;
        }
    }
    return word[length] == '\0';
}

bool dps_is_missing_word(const char *text, size_t length)
{
    if (length == 0) {
        return true;
    }
    if (length == 2 && text[0] == '.' && (text[1] | 32) >= 'a' && (text[1] | 32) <= 'z') {
        return true;
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (is_word(words[k], text, length)) {
            return true;
        }
    }
    return false;
}

bool dps_is_listed_word(const char *list, const char *text, size_t length)
{
    const char *at = list == NULL ? "" : list;
    for (dps_list_item item; dps_list_next(&at, &item);) {
        if (item.length == length && memcmp(item.text, text, length) == 0) {
            return true;
        }
    }
    return false;
}
