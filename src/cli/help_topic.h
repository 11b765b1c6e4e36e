/* `dpsvm help solver.C`, `help data`, `help tol`: from the tables of options and of words. */
#ifndef DPS_HELP_TOPIC_H
#define DPS_HELP_TOPIC_H

#include "status.h"
#include "text.h"

/* An option by its name or its key alone, a section (also in brackets), or a word of another
 * program. DPS_ERROR_CONFIG, with the nearest name: none of these. */
DPS_MUST_USE dps_status dps_help_topic(const char *topic, dps_text *out, dps_error *err);

#endif
