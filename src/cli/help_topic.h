/* `dpsvm help solver.C`, `help data`, `help tol`: from the tables of options and of words. */
#ifndef DPS_HELP_TOPIC_H
#define DPS_HELP_TOPIC_H

#include "session.h"
#include "status.h"
#include "text.h"

/* An option by its name or its key alone, a section (also in brackets), or a word of another
 * program. DPS_ERROR_CONFIG, with the nearest name: none of these. */
DPS_MUST_USE dps_status dps_help_topic(const char *topic, dps_text *out, dps_error *err);

/* `first`, then the words of the text from column `indent` on, in lines that fit 80 columns. */
void dps_help_wrapped(dps_text *out, const char *first, int indent, const char *text);
/* A script for bash that completes commands, flags and options. */
void dps_help_completion(const dps_command *commands, dps_text *out);

#endif
