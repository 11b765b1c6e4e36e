/* Fields by name or number, and the slots that a table's features take: for training and prediction
 * alike. */
#include "layout_private.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "number.h"
#include "text.h"

bool dps_layout_is_given(const char *text)
{
    return text != NULL && *text != '\0';
}

char *dps_layout_copy_text(const char *text, size_t length)
{
    char *copy = dps_alloc(length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

dps_status dps_layout_no_memory(const dps_layout_finder *f)
{
    return dps_out_of_memory(f->err, (size_t)f->layout->fields, sizeof(dps_field), "columns");
}

int32_t dps_layout_find_field(const dps_layout_finder *f, const char *text, size_t length)
{
    const dps_layout *layout = f->layout;
    int64_t number;
    for (int32_t k = 0; layout->header && k < layout->fields; k++) {
        if (strlen(layout->name[k]) == length && memcmp(layout->name[k], text, length) == 0) {
            return k;
        }
    }
    if (length == 4 && memcmp(text, "last", 4) == 0) {
        return layout->fields - 1;
    }
    if (!dps_text_to_int64(text, length, &number)) {
        return -1;
    }
    number += number < 0 ? layout->fields + 1 : 0; /* -1: the last one */
    return number >= 1 && number <= layout->fields ? (int32_t)(number - 1) : -1;
}

dps_status dps_layout_no_such_column(const dps_layout_finder *f, const char *option,
                                     const char *text, size_t length)
{
    const dps_layout *layout = f->layout;
    char shown[4 * 40 + 4], near[4 * 40 + 32] = "", word[256];
    snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), text);
    const char *name = layout->header ? dps_nearest_name(word, (const char *const *)layout->name,
                                                         (size_t)layout->fields)
                                      : NULL;
    dps_quote_token(shown, sizeof shown, text, length, 40);
    if (name != NULL) {
        snprintf(near, sizeof near, "; did you mean %s?", DPS_QUOTE(name, strlen(name), 40));
    }
    return dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                        "data.%s = %s: there is no such column; expected %sa number from 1 to "
                        "%ld%s%s",
                        option, shown, layout->header ? "a name of the header or " : "",
                        (long)layout->fields,
                        layout->header ? ""
                                       : " (the file has no header; data.header = on says it "
                                         "has one)",
                        near);
}

dps_status dps_layout_find_given(const dps_layout_finder *f, const char *option, const char *text,
                                 int32_t *field)
{
    if (!dps_layout_is_given(text)) {
        return DPS_OK;
    }
    *field = dps_layout_find_field(f, text, strlen(text));
    return *field >= 0 ? DPS_OK : dps_layout_no_such_column(f, option, text, strlen(text));
}

dps_status dps_layout_finish(dps_layout_finder *f, const dps_table *table)
{
    dps_layout *layout = f->layout;
    int32_t *slot = dps_alloc((size_t)table->count, sizeof *slot);
    layout->slot_column = dps_alloc((size_t)table->count, sizeof *layout->slot_column);
    if (slot == NULL || layout->slot_column == NULL) {
        dps_free(slot);
        return dps_layout_no_memory(f);
    }
    layout->table = table;
    for (int32_t c = 0; c < table->count; c++) {
        const dps_column_role role = table->column[c].role;
        if (role <= DPS_COLUMN_ORDINAL) {
            layout->slot_column[layout->slots] = c;
            slot[c] = layout->slots++;
            layout->has_text |= role != DPS_COLUMN_NUMBER;
        }
    }
    int32_t last = -1;
    layout->ascending = true;
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_field *field = &layout->field[k];
        layout->has_weight |= field->role == DPS_COLUMN_WEIGHT;
        layout->has_id |= field->role == DPS_COLUMN_ID && !layout->training;
        layout->label_field = field->role == DPS_COLUMN_LABEL ? k : layout->label_field;
        if (field->role <= DPS_COLUMN_ORDINAL) {
            field->slot = slot[field->column];
            layout->ascending &= field->slot > last;
            last = field->slot;
        }
    }
    dps_free(slot);
    return DPS_OK;
}
