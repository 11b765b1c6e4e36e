/* Tables and layouts as data: names, numbers of features, release. */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"

const char *const dps_column_role_names[] = {"number", "onehot", "ordinal", "label",
                                             "id",     "weight", "ignored", NULL};
const char *const dps_missing_names[] = {"error", "mean", "zero", NULL};
const char *const dps_categorical_names[] = {"onehot", "ordinal", "error", NULL};

void dps_table_release(dps_table *table)
{
    for (int32_t c = 0; table->column != NULL && c < table->count; c++) {
        dps_free(table->column[c].name);
        dps_class_table_release(&table->column[c].value);
    }
    dps_free(table->column);
    dps_free(table->missing_words);
    memset(table, 0, sizeof *table);
}

void dps_layout_release(dps_layout *layout)
{
    for (int32_t f = 0; layout->name != NULL && f < layout->fields; f++) {
        dps_free(layout->name[f]);
    }
    dps_free(layout->name);
    if (layout->arff != NULL) {
        dps_arff_header_release(layout->arff);
        dps_free(layout->arff);
    }
    dps_free(layout->header_line);
    dps_free(layout->units_line);
    dps_free(layout->field);
    dps_free(layout->slot_column);
    dps_missing_words_release(&layout->missing_words);
    memset(layout, 0, sizeof *layout);
}

int64_t dps_table_number(dps_table *table)
{
    int64_t next = 0;
    for (int32_t c = 0; c < table->count; c++) {
        dps_column *column = &table->column[c];
        column->first = (int32_t)next;
        next += dps_column_features(column);
        if (next >= INT32_MAX) {
            return -1;
        }
    }
    return next;
}

void dps_layout_field_name(const dps_layout *layout, int32_t field, char *buffer, size_t size)
{
    char shown[4 * 30 + 4];
    const char *name = layout->name == NULL ? "" : layout->name[field];
    if (*name == '\0') {
        snprintf(buffer, size, "column %ld", (long)field + 1);
        return;
    }
    dps_quote_token(shown, sizeof shown, name, strlen(name), 30);
    snprintf(buffer, size, "column %ld (%s)", (long)field + 1, shown);
}
