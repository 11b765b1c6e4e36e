/* What every column of a training file is: the label's column, the columns the user named, and for
 * the rest whether they are numbers or text (one text in the sample makes a column text). */
#include "layout_finder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "text.h"

/* Gives the columns that blanks separate the role; false: one of them does not exist. */
static bool mark_words(dps_layout_finder *f, const dps_list_item *item, dps_column_role role)
{
    size_t at = 0;
    bool found = !item->quoted;
    while (found && at < item->length) {
        const char *word = item->text + at;
        size_t length = 0;
        while (at + length < item->length && word[length] != ' ' && word[length] != '\t') {
            length++;
        }
        const int32_t field = length > 0 ? dps_layout_find_field(f, word, length) : -1;
        if (field >= 0) {
            f->layout->field[field].role = role;
        }
        found = field >= 0 || length == 0;
        at += length + 1;
    }
    return found;
}

/* Gives every column of a list the role. A name may hold blanks; where there is no such column,
 * blanks separate names. */
static dps_status mark_list(dps_layout_finder *f, const char *option, const char *list,
                            dps_column_role role)
{
    const char *at = list == NULL ? "" : list;
    for (dps_list_item item; dps_list_next(&at, &item);) {
        const int32_t field =
            item.rest_length == 0 ? dps_layout_find_field(f, item.text, item.length) : -1;
        if (field >= 0) {
            f->layout->field[field].role = role;
        } else if (!mark_words(f, &item, role)) {
            return dps_layout_no_such_column(f, option, item.text,
                                             (size_t)(item.rest - item.text) + item.rest_length);
        }
    }
    return DPS_OK;
}

static dps_status find_label(dps_layout_finder *f, int32_t *label)
{
    const dps_layout *layout = f->layout;
    *label = -1;
    if (dps_layout_is_given(f->asked->label_column)) {
        return strcmp(f->asked->label_column, "none") == 0
                   ? DPS_OK
                   : dps_layout_find_given(f, "label_column", f->asked->label_column, label);
    }
    f->label_guessed = true;
    for (int32_t k = 0; layout->header && k < layout->fields; k++) {
        if (dps_is_label_name(layout->name[k])) {
            *label = k;
            return DPS_OK;
        }
    }
    for (int32_t k = 0; k < layout->fields && *label < 0;
         k++) { /* the first that is nothing else */
        *label = layout->field[k].role == DPS_COLUMN_NUMBER ? k : -1;
    }
    return DPS_OK;
}

static dps_status twice(const dps_layout_finder *f, const char *first, const char *second,
                        int32_t field)
{
    char name[256];
    dps_layout_field_name(f->layout, field, name, sizeof name);
    return dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                        "%s is both data.%s and data.%s; name two columns", name, first, second);
}

static dps_status find_roles(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    int32_t label = -1, id = -1, weight = -1;
    const dps_column_role text =
        f->asked->categorical == DPS_CATEGORICAL_ORDINAL ? DPS_COLUMN_ORDINAL : DPS_COLUMN_ONEHOT;
    dps_status status = mark_list(f, "text_columns", f->asked->text_columns, text);
    if (status == DPS_OK) {
        status = mark_list(f, "ignore_columns", f->asked->ignore_columns, DPS_COLUMN_IGNORED);
    }
    if (status == DPS_OK) {
        status = dps_layout_find_given(f, "id_column", f->asked->id_column, &id);
    }
    if (status == DPS_OK) {
        status = dps_layout_find_given(f, "weights", f->asked->weight_column, &weight);
    }
    if (status == DPS_OK && id >= 0) {
        layout->field[id].role = DPS_COLUMN_ID;
    }
    if (status == DPS_OK && weight >= 0) {
        if (weight == id) {
            return twice(f, "id_column", "weights", id);
        }
        layout->field[weight].role = DPS_COLUMN_WEIGHT;
    }
    if (status == DPS_OK) {
        status = find_label(f, &label);
    }
    if (status == DPS_OK && label >= 0) {
        if (label == id || label == weight) {
            return twice(f, "label_column", label == id ? "id_column" : "weights", label);
        }
        layout->field[label].role = DPS_COLUMN_LABEL;
    }
    return status;
}

/* Columns with texts among their first values. */
static dps_status find_texts(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_field *field = &layout->field[k];
        const dps_sample_field *seen = &f->sample->field[k];
        const bool text = seen->texts > 0 || (!layout->header && !seen->first_number);
        if (field->role != DPS_COLUMN_NUMBER || !text) {
            continue;
        }
        if (f->asked->categorical == DPS_CATEGORICAL_ERROR ||
            (f->known != NULL && f->known->count == 0)) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0, "%s holds text%s", name,
                                f->known != NULL
                                    ? ", but the model was trained on rows without columns of text"
                                    : "; data.categorical = onehot or ordinal makes features of "
                                      "it, data.ignore_columns leaves it out");
        }
        field->role = f->asked->categorical == DPS_CATEGORICAL_ORDINAL ? DPS_COLUMN_ORDINAL
                                                                       : DPS_COLUMN_ONEHOT;
    }
    return DPS_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Columns are matched by name at prediction: no name may stand twice. */
static dps_status check_names(const dps_layout_finder *f)
{
    const dps_layout *layout = f->layout;
    if (!layout->header) {
        return DPS_OK;
    }
    const char **name = dps_alloc((size_t)layout->fields, sizeof *name);
    size_t count = 0;
    if (name == NULL) {
        return dps_layout_no_memory(f);
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        if (layout->field[k].role != DPS_COLUMN_IGNORED) {
            name[count++] = layout->name[k];
        }
    }
    qsort(name, count, sizeof *name, compare_names);
    dps_status status = DPS_OK;
    for (size_t k = 1; k < count && status == DPS_OK; k++) {
        if (strcmp(name[k - 1], name[k]) == 0) {
            char shown[4 * 40 + 4];
            dps_quote_token(shown, sizeof shown, name[k], strlen(name[k]), 40);
            status = dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                                  "two columns are named \"%s\"; rename one, leave one out by its "
                                  "number (data.ignore_columns), or set data.header = off",
                                  shown);
        }
    }
    dps_free(name);
    return status;
}

static dps_status make_table(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    dps_table *made = f->made;
    made->header = layout->header;
    made->missing_allowed = f->asked->missing != DPS_MISSING_ERROR;
    made->column = dps_alloc((size_t)layout->fields, sizeof *made->column);
    if (made->column == NULL) {
        return dps_layout_no_memory(f);
    }
    made->count = layout->fields;
    int32_t features = 0;
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_column *column = &made->column[k];
        column->role = layout->field[k].role;
        column->fill = f->asked->missing == DPS_MISSING_ERROR ? (double)NAN : 0.0;
        layout->field[k].column = k;
        features += column->role <= DPS_COLUMN_ORDINAL;
        if (layout->header) {
            column->name = dps_layout_copy_text(layout->name[k], strlen(layout->name[k]));
            if (column->name == NULL) {
                return dps_layout_no_memory(f);
            }
        }
    }
    if (dps_table_number(made) < 0) {
        return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0, "too many columns");
    }
    if (features == 0) {
        return dps_error_at(
            f->err, DPS_ERROR_DATA, f->file, 1, 0,
            "found %ld column%s and no feature among them; expected a label and features separated "
            "by %s (data.format says csv, tsv or libsvm)",
            (long)layout->fields, layout->fields == 1 ? "" : "s",
            layout->delimiter == '\t' ? "tabs" : "commas");
    }
    return DPS_OK;
}

dps_status dps_layout_for_training(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    layout->training = f->known == NULL;
    layout->missing = f->asked->missing;
    dps_status status = find_roles(f);
    if (status == DPS_OK) {
        status = find_texts(f);
    }
    if (status == DPS_OK) {
        status = check_names(f);
    }
    if (status == DPS_OK) {
        status = make_table(f);
    }
    if (status == DPS_OK) {
        status = dps_layout_finish(f, f->made);
    }
    if (status == DPS_OK && layout->label_field < 0 && f->options->labels == DPS_LABELS_REQUIRED) {
        status = dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                              "training rows need a label; data.label_column names its column");
    }
    return status;
}
