/* The words of other programs, and what they are called here (peer_words.def). */
#ifndef DPS_PEER_WORDS_H
#define DPS_PEER_WORDS_H

#include "options.h"

/* "; did you mean solver.tolerance (scikit-learn's tol: a relative duality gap)?" for a word that
 * is in the list, with or without dashes before it and with - for _; of several meanings all are
 * said. Adds nothing, and returns false, where it is not. */
bool dps_peer_word_hint(const char *word, size_t length, dps_text *out);
/* A line for every row with this word: program, option, difference. */
bool dps_peer_word_help(const char *word, dps_text *out);
/* "LIBSVM -c, scikit-learn C" of an option, or nothing. */
void dps_peer_words_of(dps_option_id id, dps_text *out);
/* docs/words.md */
void dps_peer_words_markdown(dps_text *out);

/* A word for a value that is no choice of its option: the choice it means; else NULL, and where it
 * is known, why there is none of it in *reason. */
const char *dps_peer_value(const char *option, const char *text, size_t length,
                           const char **reason);

#endif
