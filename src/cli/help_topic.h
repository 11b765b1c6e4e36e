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

/* A script that completes commands, flags, options, their values and files; shell: bash (also NULL)
 * or zsh. DPS_ERROR_CONFIG: another. */
DPS_MUST_USE dps_status dps_help_completion(const dps_command *commands, const char *shell,
                                            dps_text *out, dps_error *err);
/* A manual page in the man macros of roff: of the program (NULL or dpsvm), a command, or the
 * config. DPS_ERROR_CONFIG: of something else. */
DPS_MUST_USE dps_status dps_help_man(const dps_command *commands, const char *page, dps_text *out,
                                     dps_error *err);

typedef struct dps_exit_code {
    const char *code, *meaning;
} dps_exit_code;
const dps_exit_code *dps_help_exit_codes(void); /* a row without a code ends them */

#endif
