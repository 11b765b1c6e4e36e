/* The lists of missing values of pandas (read_csv), R (NA), SQL (NULL, \N), Julia (missing), weka
 * (?), SAS and Stata (. and .a to .z), C libraries (nan, 1.#QNAN), spreadsheets (#N/A and their
 * errors) and what people write by hand, together. They count in columns of numbers only, where
 * nothing else than a missing value can be meant; in a column of text "none" may be a value. */
#include "missing_word.h"

#include "allocation.h"
#include "number_form.h"
#include "text.h"

static const char *const common[] = {
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

bool dps_is_missing_word(const char *text, size_t length)
{
    if (length == 0) {
        return true;
    }
    if (length == 2 && text[0] == '.' && (text[1] | 32) >= 'a' && (text[1] | 32) <= 'z') {
        return true;
    }
    for (size_t k = 0; k < sizeof common / sizeof common[0]; k++) {
        if (dps_text_is_word(common[k], text, length)) {
            return true;
        }
    }
    return false;
}

bool dps_missing_words_add(dps_missing_words *words, const char *list)
{
    const char *at = list == NULL ? "" : list;
    for (dps_list_item item; dps_list_next(&at, &item);) {
        if (!DPS_GROW(words->word, words->capacity, words->count + 1)) {
            return false;
        }
        words->word[words->count++] = item;
    }
    return true;
}

bool dps_missing_words_hold_number(const dps_missing_words *words)
{
    for (size_t k = 0; k < words->count; k++) {
        dps_number_signs signs = {0};
        if (dps_number_look(words->word[k].text, words->word[k].length, &signs)) {
            return true;
        }
    }
    return false;
}

void dps_missing_words_release(dps_missing_words *words)
{
    dps_free(words->word);
    *words = (dps_missing_words){0};
}
