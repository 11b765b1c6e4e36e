/* How tables are read. */
#ifndef DPS_TABLE_SETTINGS_H
#define DPS_TABLE_SETTINGS_H

#include "options.h"
#include "table.h"

/* data.header ... data.unknown: how tables are read. Borrows the options' strings. */
dps_table_options dps_settings_table(const dps_options *options);

#endif
