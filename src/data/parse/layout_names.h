/* Layouts of rows that are no file: without a look at their content. */
#ifndef DPS_LAYOUT_NAMES_H
#define DPS_LAYOUT_NAMES_H

#include "table.h"

/* Lines of so many fields against the columns of a model's table, which outlives the layout: by
 * name, which the table must have, or by place where names is NULL. */
DPS_MUST_USE dps_status dps_layout_of_names(dps_layout *layout, const dps_table *known,
                                            char delimiter, int32_t fields,
                                            const char *const *names, dps_error *err);
/* Lines of the columns that predict, in the table's order. */
DPS_MUST_USE dps_status dps_layout_of_features(dps_layout *layout, const dps_table *known,
                                               char delimiter, dps_error *err);

#endif
