/* Task: names of features for people. Cost: one look through the columns. */
#include "feature_name.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 60, QUOTED = 4 * SHOWN + 4 };

void dps_feature_name(const dps_table *table, int32_t index, char name[DPS_FEATURE_NAME])
{
    char column_name[QUOTED], value[QUOTED];
    for (int32_t c = 0; c < table->count; c++) {
        const dps_column *column = &table->column[c];
        const bool onehot = column->role == DPS_COLUMN_ONEHOT;
        if (index < column->first || index >= column->first + dps_column_features(column)) {
            continue;
        }
        if (column->name != NULL) {
            dps_quote_token(column_name, sizeof column_name, column->name, strlen(column->name),
                            SHOWN);
        } else {
            snprintf(column_name, sizeof column_name, "column %ld", (long)c + 1);
        }
        if (onehot) {
            const int32_t k = index - column->first;
            const char *text = k < column->value.count ? column->value.text[k] : "(other)";
            dps_quote_token(value, sizeof value, text, strlen(text), SHOWN);
        }
        snprintf(name, DPS_FEATURE_NAME, "%s%s%s", column_name, onehot ? "=" : "",
                 onehot ? value : "");
        return;
    }
    snprintf(name, DPS_FEATURE_NAME, "feature %ld", (long)index + 1);
}
