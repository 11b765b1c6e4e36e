/* Options that were set and have no effect. */
#ifndef DPS_UNUSED_OPTIONS_H
#define DPS_UNUSED_OPTIONS_H

#include "run.h"
#include "settings.h"

/* Says in one warning which options were set to another value than their default and do nothing
 * with this kernel, map, loss and solver, each with the reason. searched: the search of kernel.type
 * = auto chooses kernel and map, of which nothing is said then. */
void dps_warn_unused(const dps_options *options, const dps_settings *settings, bool searched,
                     const dps_run *run);

/* Of the options of kernel, map, loss and solver: which do nothing with these settings, whatever
 * their value. */
void dps_find_unused(const dps_options *options, const dps_settings *settings,
                     bool unused[DPS_OPTION_COUNT]);

#endif
