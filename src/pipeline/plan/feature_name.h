/* What a feature is called: its column's name, name=value of a text column, else "feature N". */
#ifndef DPS_FEATURE_NAME_H
#define DPS_FEATURE_NAME_H

#include "table.h"

#define DPS_FEATURE_NAME 600

/* index: raw feature from 0 (dps_scaler.index). Always printable. */
void dps_feature_name(const dps_table *table, int32_t index, char name[DPS_FEATURE_NAME]);

#endif
