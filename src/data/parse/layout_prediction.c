/* The fields of a file against the columns of the model's table: by name where both have names, by
 * place where one has none; then a file of one column less is one without the label. */
#include "layout_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "text.h"

/* The table's column of a role, or -1. */
static int32_t column_of(const dps_table *table, dps_column_role role)
{
    for (int32_t c = 0; c < table->count; c++) {
        if (table->column[c].role == role) {
            return c;
        }
    }
    return -1;
}

static void take_column(const dps_layout_finder *f, int32_t k, int32_t c)
{
    dps_layout *layout = f->layout;
    const dps_column_role role = f->known->column[c].role;
    const bool useless = role == DPS_COLUMN_WEIGHT && !f->asked->model_weights;
    layout->field[k].column = c;
    layout->field[k].role = useless ? DPS_COLUMN_IGNORED : role;
}

static dps_status missing_column(const dps_layout_finder *f, const char *name)
{
    const char *near =
        dps_nearest_name(name, (const char *const *)f->layout->name, (size_t)f->layout->fields);
    char hint[4 * 40 + 40] = "";
    if (near != NULL && strcmp(near, name) != 0) {
        snprintf(hint, sizeof hint, " (it has one called \"%s\")",
                 DPS_QUOTE(near, strlen(near), 40));
    }
    return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                        "the model needs a column \"%s\", which the file does not have%s",
                        DPS_QUOTE(name, strlen(name), 40), hint);
}

typedef struct named_field {
    const char *name;
    int32_t field;
} named_field;

static int compare_named(const void *a, const void *b)
{
    const named_field *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->field > right->field) - (left->field < right->field);
}

/* Fields by name; the first of several alike. */
static dps_status match_names(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    const dps_table *table = f->known;
    named_field *sorted = dps_alloc((size_t)layout->fields, sizeof *sorted);
    if (sorted == NULL) {
        return dps_layout_no_memory(f);
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        sorted[k] = (named_field){layout->name[k], k};
    }
    qsort(sorted, (size_t)layout->fields, sizeof *sorted, compare_named);
    dps_status status = DPS_OK;
    for (int32_t c = 0; c < table->count && status == DPS_OK; c++) {
        const dps_column *column = &table->column[c];
        int32_t low = 0, high = layout->fields;
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (strcmp(sorted[middle].name, column->name) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < layout->fields && strcmp(sorted[low].name, column->name) == 0) {
            take_column(f, sorted[low].field, c);
        } else if (column->role <= DPS_COLUMN_ORDINAL) {
            status = missing_column(f, column->name);
        }
    }
    dps_free(sorted);
    return status;
}

/* Fields by place: the table's columns in order, without the label where there is one column less,
 * or with the label where the user says. */
static dps_status match_places(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    const dps_table *table = f->known;
    const int32_t trained = column_of(table, DPS_COLUMN_LABEL);
    int32_t label = layout->fields == table->count ? trained : -1;
    dps_status status = DPS_OK;
    if (dps_layout_is_given(f->asked->label_column)) {
        label = -1;
        if (strcmp(f->asked->label_column, "none") != 0) {
            status = dps_layout_find_given(f, "label_column", f->asked->label_column, &label);
        }
    }
    if (status != DPS_OK) {
        return status;
    }
    const int32_t others = table->count - (trained >= 0);
    if (layout->fields - (label >= 0) != others) {
        return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                            "found %ld columns; the model was trained on %ld with the label (%ld "
                            "without), and without names in %s they are matched by place",
                            (long)layout->fields, (long)table->count, (long)others,
                            layout->header ? "the training file" : "this file");
    }
    int32_t c = 0;
    for (int32_t k = 0; k < layout->fields; k++) {
        if (k == label) {
            take_column(f, k, trained);
            continue;
        }
        c += c == trained;
        take_column(f, k, c++);
    }
    return DPS_OK;
}

/* Label and id that the user names for this file; the field's own use is given up. */
static dps_status use_given(dps_layout_finder *f, const char *option, const char *text,
                            dps_column_role role)
{
    dps_layout *layout = f->layout;
    int32_t given = -1;
    if (!dps_layout_is_given(text)) {
        return DPS_OK;
    }
    const bool none = role == DPS_COLUMN_LABEL && strcmp(text, "none") == 0;
    DPS_TRY(none ? DPS_OK : dps_layout_find_given(f, option, text, &given));
    for (int32_t k = 0; k < layout->fields; k++) {
        if (k == given && layout->field[k].role <= DPS_COLUMN_ORDINAL &&
            layout->field[k].column >= 0) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            return dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                                "data.%s: %s is a feature of the model", option, name);
        } else if (k == given) {
            layout->field[k].role = role;
        } else if (layout->field[k].role == role) {
            layout->field[k].role = DPS_COLUMN_IGNORED;
        }
    }
    return DPS_OK;
}

/* Weights count where there are labels to compare with: whoever has none need not have weights. */
static void drop_unused_weights(dps_layout *layout)
{
    bool labelled = false;
    for (int32_t k = 0; k < layout->fields; k++) {
        labelled |= layout->field[k].role == DPS_COLUMN_LABEL;
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_field *field = &layout->field[k];
        field->role =
            field->role == DPS_COLUMN_WEIGHT && !labelled ? DPS_COLUMN_IGNORED : field->role;
    }
}

dps_status dps_layout_for_model(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    const bool names = layout->header && f->known->header;
    for (int32_t k = 0; k < layout->fields; k++) {
        layout->field[k].role = DPS_COLUMN_IGNORED; /* unless it is matched */
    }
    DPS_TRY(names ? match_names(f) : match_places(f));
    if (names) {
        DPS_TRY(use_given(f, "label_column", f->asked->label_column, DPS_COLUMN_LABEL));
    }
    DPS_TRY(use_given(f, "id_column", f->asked->id_column, DPS_COLUMN_ID));
    DPS_TRY(use_given(f, "weights", f->asked->weight_column, DPS_COLUMN_WEIGHT));
    drop_unused_weights(layout);
    for (int32_t k = 0; k < layout->fields; k++) {
        const dps_field *field = &layout->field[k];
        if (field->column >= 0 || field->role != DPS_COLUMN_IGNORED) {
            continue;
        }
        layout->extra_columns++;
        if (f->asked->unknown_is_error) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                                "%s was not there in training (data.unknown = ignore leaves it "
                                "out)",
                                name);
        }
    }
    return dps_layout_finish(f, f->known);
}
