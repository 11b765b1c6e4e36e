/* Options that `dpsvm tune` varies: `tune.section.key = values`. */
#ifndef DPS_SEARCH_VALUES_H
#define DPS_SEARCH_VALUES_H

#include "options.h"

/* Values a list or range stands for, as texts that the option takes:
 *   a, b, "c d"        each item; an item in quotes is one value
 *   2^-5..2^15[:2]     powers, exponents in steps of 1 or as given
 *   100..500:100       numbers in steps; whole numbers in steps of 1 if no step is given
 * A value twice counts once. Refused: a value that the option does not take, more than
 * DPS_SEARCH_MOST values.
 * DPS_ERROR_CONFIG: `problem` says why. */
#define DPS_SEARCH_MOST 1000
DPS_MUST_USE dps_status dps_search_values(dps_option_id id, const char *text, dps_list *values,
                                          dps_text *problem);

/* Whether `key` of section `section` names an option to search ("tune", "solver.C"). */
bool dps_is_search_key(const char *section, const char *key);
/* Whether tune may vary it. */
bool dps_option_is_searchable(dps_option_id id);
/* Adds `tune.key = value`, or replaces it if it was given elsewhere. As dps_options_set. */
DPS_MUST_USE dps_status dps_search_set(dps_options *options, const char *key, const char *value,
                                       const char *file, int64_t line, dps_error *err);

#endif
