/* Finding table and layout.
 *
 * Training: header or not, the label's column, the columns the user named, and for the rest whether
 * they are numbers or text (one text in the sample makes a column text). Prediction: the fields of
 * this file against the columns of the model's table: by name where both have names, by place where
 * one has none; then a file of one column less is one without the label. */
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "table_sample.h"
#include "text.h"

typedef struct finder {
    const dps_read_options *options;
    const dps_table_options *asked;
    const dps_table *known;
    const dps_table_sample *sample;
    const char *file;
    dps_table *made;
    dps_layout *layout;
    bool label_guessed;
    dps_error *err;
} finder;

static bool is_given(const char *text)
{
    return text != NULL && *text != '\0';
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = dps_alloc(length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

static dps_status no_memory(const finder *f)
{
    return dps_out_of_memory(f->err, (size_t)f->layout->fields, sizeof(dps_field), "columns");
}

/* Number of the field that `text` names, by header or by number; -1: none. */
static int32_t find_field(const finder *f, const char *text, size_t length)
{
    const dps_layout *layout = f->layout;
    int64_t number;
    for (int32_t k = 0; layout->header && k < layout->fields; k++) {
        if (strlen(layout->name[k]) == length && memcmp(layout->name[k], text, length) == 0) {
            return k;
        }
    }
    return dps_text_to_int64(text, length, &number) && number >= 1 && number <= layout->fields
               ? (int32_t)(number - 1)
               : -1;
}

static dps_status no_such_column(const finder *f, const char *option, const char *text,
                                 size_t length)
{
    const dps_layout *layout = f->layout;
    char shown[4 * 40 + 4], near[4 * 40 + 32] = "", word[256];
    snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), text);
    const char *name = layout->header ? dps_nearest_name(word, (const char *const *)layout->name,
                                                         (size_t)layout->fields)
                                      : NULL;
    dps_quote_token(shown, sizeof shown, text, length, 40);
    if (name != NULL) {
        char quoted[4 * 40 + 4];
        dps_quote_token(quoted, sizeof quoted, name, strlen(name), 40);
        snprintf(near, sizeof near, "; did you mean %s?", quoted);
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

/* Field of an option that names one column; *field stays where it is not given. */
static dps_status find_given(const finder *f, const char *option, const char *text, int32_t *field)
{
    if (!is_given(text)) {
        return DPS_OK;
    }
    *field = find_field(f, text, strlen(text));
    return *field >= 0 ? DPS_OK : no_such_column(f, option, text, strlen(text));
}

/* Gives every column of a list the role. */
static dps_status mark_list(finder *f, const char *option, const char *list, dps_column_role role)
{
    for (const char *p = list == NULL ? "" : list; *p != '\0';) {
        size_t length = strcspn(p, ",");
        const char *next = p + length + (p[length] == ',');
        while (length > 0 && (*p == ' ' || *p == '\t')) {
            p++;
            length--;
        }
        while (length > 0 && (p[length - 1] == ' ' || p[length - 1] == '\t')) {
            length--;
        }
        if (length > 0) {
            const int32_t field = find_field(f, p, length);
            if (field < 0) {
                return no_such_column(f, option, p, length);
            }
            f->layout->field[field].role = role;
        }
        p = next;
    }
    return DPS_OK;
}

/* ---- what both share ---- */

static dps_status take_fields(finder *f)
{
    dps_layout *layout = f->layout;
    const size_t fields = (size_t)f->sample->fields;
    layout->fields = f->sample->fields;
    layout->label_field = -1;
    layout->field = dps_alloc(fields, sizeof *layout->field);
    layout->name = layout->header ? dps_alloc(fields, sizeof *layout->name) : NULL;
    if (layout->field == NULL || (layout->header && layout->name == NULL)) {
        return no_memory(f);
    }
    for (size_t k = 0; k < fields; k++) {
        layout->field[k] = (dps_field){DPS_COLUMN_NUMBER, -1, -1};
        if (layout->header) {
            const char *name = f->sample->field[k].first;
            layout->name[k] = copy_text(name, strlen(name));
            if (layout->name[k] == NULL) {
                return no_memory(f);
            }
        }
    }
    return DPS_OK;
}

/* Slots of the table's feature columns, and what the parser wants to know of all fields. */
static dps_status finish_layout(finder *f, const dps_table *table)
{
    dps_layout *layout = f->layout;
    int32_t *slot = dps_alloc((size_t)table->count, sizeof *slot);
    layout->slot_column = dps_alloc((size_t)table->count, sizeof *layout->slot_column);
    if (slot == NULL || layout->slot_column == NULL) {
        dps_free(slot);
        return no_memory(f);
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

/* ---- training ---- */

static dps_status find_label(finder *f, int32_t *label)
{
    const dps_layout *layout = f->layout;
    *label = -1;
    if (is_given(f->asked->label_column)) {
        return strcmp(f->asked->label_column, "none") == 0
                   ? DPS_OK
                   : find_given(f, "label_column", f->asked->label_column, label);
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

static dps_status twice(const finder *f, const char *first, const char *second, int32_t field)
{
    char name[256];
    dps_layout_field_name(f->layout, field, name, sizeof name);
    return dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                        "%s is both data.%s and data.%s; name two columns", name, first, second);
}

static dps_status find_roles(finder *f)
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
        status = find_given(f, "id_column", f->asked->id_column, &id);
    }
    if (status == DPS_OK) {
        status = find_given(f, "weights", f->asked->weight_column, &weight);
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
static dps_status find_texts(finder *f)
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
static dps_status check_names(const finder *f)
{
    const dps_layout *layout = f->layout;
    if (!layout->header) {
        return DPS_OK;
    }
    const char **name = dps_alloc((size_t)layout->fields, sizeof *name);
    size_t count = 0;
    if (name == NULL) {
        return no_memory(f);
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

static dps_status make_table(finder *f)
{
    dps_layout *layout = f->layout;
    dps_table *made = f->made;
    made->header = layout->header;
    made->missing_allowed = f->asked->missing != DPS_MISSING_ERROR;
    made->column = dps_alloc((size_t)layout->fields, sizeof *made->column);
    if (made->column == NULL) {
        return no_memory(f);
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
            column->name = copy_text(layout->name[k], strlen(layout->name[k]));
            if (column->name == NULL) {
                return no_memory(f);
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

static dps_status find_for_training(finder *f)
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
        status = finish_layout(f, f->made);
    }
    if (status == DPS_OK && layout->label_field < 0 && f->options->labels == DPS_LABELS_REQUIRED) {
        status = dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                              "training rows need a label; data.label_column names its column");
    }
    return status;
}

/* ---- prediction ---- */

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

static void take_column(dps_layout *layout, const dps_table *table, int32_t k, int32_t c)
{
    const dps_column_role role = table->column[c].role;
    layout->field[k].column = c;
    layout->field[k].role = role == DPS_COLUMN_WEIGHT ? DPS_COLUMN_IGNORED : role;
}

static dps_status missing_column(const finder *f, const char *name)
{
    char shown[4 * 40 + 4];
    dps_quote_token(shown, sizeof shown, name, strlen(name), 40);
    const char *near =
        dps_nearest_name(name, (const char *const *)f->layout->name, (size_t)f->layout->fields);
    char hint[4 * 40 + 40] = "";
    if (near != NULL && strcmp(near, name) != 0) {
        char quoted[4 * 40 + 4];
        dps_quote_token(quoted, sizeof quoted, near, strlen(near), 40);
        snprintf(hint, sizeof hint, " (it has one called \"%s\")", quoted);
    }
    return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                        "the model needs a column \"%s\", which the file does not have%s", shown,
                        hint);
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
static dps_status match_names(finder *f)
{
    dps_layout *layout = f->layout;
    const dps_table *table = f->known;
    named_field *sorted = dps_alloc((size_t)layout->fields, sizeof *sorted);
    if (sorted == NULL) {
        return no_memory(f);
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
            take_column(layout, table, sorted[low].field, c);
        } else if (column->role <= DPS_COLUMN_ORDINAL) {
            status = missing_column(f, column->name);
        }
    }
    dps_free(sorted);
    return status;
}

/* Fields by place: the table's columns in order, without the label where there is one column less,
 * or with the label where the user says. */
static dps_status match_places(finder *f)
{
    dps_layout *layout = f->layout;
    const dps_table *table = f->known;
    const int32_t trained = column_of(table, DPS_COLUMN_LABEL);
    int32_t label = layout->fields == table->count ? trained : -1;
    dps_status status = DPS_OK;
    if (is_given(f->asked->label_column)) {
        label = -1;
        if (strcmp(f->asked->label_column, "none") != 0) {
            status = find_given(f, "label_column", f->asked->label_column, &label);
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
            take_column(layout, table, k, trained);
            continue;
        }
        c += c == trained;
        take_column(layout, table, k, c++);
    }
    return DPS_OK;
}

/* Label and id that the user names for this file; the field's own use is given up. */
static dps_status use_given(finder *f, const char *option, const char *text, dps_column_role role)
{
    dps_layout *layout = f->layout;
    int32_t given = -1;
    if (!is_given(text)) {
        return DPS_OK;
    }
    const bool none = role == DPS_COLUMN_LABEL && strcmp(text, "none") == 0;
    dps_status status = none ? DPS_OK : find_given(f, option, text, &given);
    for (int32_t k = 0; k < layout->fields && status == DPS_OK; k++) {
        if (k == given && layout->field[k].role <= DPS_COLUMN_ORDINAL &&
            layout->field[k].column >= 0) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            status = dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                                  "data.%s: %s is a feature of the model", option, name);
        } else if (k == given) {
            layout->field[k].role = role;
        } else if (layout->field[k].role == role) {
            layout->field[k].role = DPS_COLUMN_IGNORED;
        }
    }
    return status;
}

static dps_status find_for_model(finder *f)
{
    dps_layout *layout = f->layout;
    const bool names = layout->header && f->known->header;
    for (int32_t k = 0; k < layout->fields; k++) {
        layout->field[k].role = DPS_COLUMN_IGNORED; /* unless it is matched */
    }
    dps_status status = names ? match_names(f) : match_places(f);
    if (status == DPS_OK && names) {
        status = use_given(f, "label_column", f->asked->label_column, DPS_COLUMN_LABEL);
    }
    if (status == DPS_OK) {
        status = use_given(f, "id_column", f->asked->id_column, DPS_COLUMN_ID);
    }
    for (int32_t k = 0; k < layout->fields && status == DPS_OK; k++) {
        const dps_field *field = &layout->field[k];
        if (field->column >= 0 || field->role != DPS_COLUMN_IGNORED) {
            continue;
        }
        layout->extra_columns++;
        if (f->asked->unknown_is_error) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            status = dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                                  "%s was not there in training (data.unknown = ignore leaves it "
                                  "out)",
                                  name);
        }
    }
    return status == DPS_OK ? finish_layout(f, f->known) : status;
}

/* ---- the note ---- */

static void write_note(const finder *f, const char *format, char *note, size_t size)
{
    const dps_layout *layout = f->layout;
    char label[300] = "no label column", more[160] = "";
    char weights[300] = "";
    int32_t text = 0, ignored = 0, numbers = 0;
    for (int32_t k = 0; k < layout->fields; k++) {
        const dps_column_role role = layout->field[k].role;
        numbers += role == DPS_COLUMN_NUMBER;
        text += role == DPS_COLUMN_ONEHOT || role == DPS_COLUMN_ORDINAL;
        ignored += role == DPS_COLUMN_IGNORED;
        if (role == DPS_COLUMN_WEIGHT) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            snprintf(weights, sizeof weights, ", weights in %s", name);
        }
    }
    if (layout->label_field >= 0) {
        char name[256];
        dps_layout_field_name(layout, layout->label_field, name, sizeof name);
        snprintf(label, sizeof label, "label in %s%s", name,
                 f->label_guessed ? " (data.label_column not set)" : "");
    }
    if (text > 0) {
        snprintf(more, sizeof more, ", %ld text column%s", (long)text, text == 1 ? "" : "s");
    }
    if (ignored > 0) {
        snprintf(more + strlen(more), sizeof more - strlen(more), ", %ld ignored", (long)ignored);
    }
    snprintf(note, size, "%s%s, %s, %ld number column%s%s%s", format,
             layout->delimiter == 0 ? ""
             : layout->header       ? " with a header"
                                    : " without a header",
             label, (long)numbers, numbers == 1 ? "" : "s", more, weights);
}

/* The columns of an npy file as a sample. */
static dps_status sample_matrix(finder *f, const dps_chunk *first, dps_table_sample *sample)
{
    dps_npy *npy = &f->layout->npy;
    const char *why = "not an npy file (data.format says csv, tsv or libsvm)";
    memset(sample, 0, sizeof *sample);
    if (!dps_npy_is(first->bytes, first->length) ||
        !dps_npy_read_header(first->bytes, first->length, npy, &why)) {
        return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0, "%s", why);
    }
    sample->field = dps_alloc((size_t)npy->columns, sizeof *sample->field);
    if (sample->field == NULL) {
        return no_memory(f);
    }
    sample->fields = npy->columns;
    for (int32_t k = 0; k < npy->columns; k++) {
        sample->field[k].first_number = true;
    }
    return DPS_OK;
}

/* Texts cannot stand in a matrix. */
static dps_status check_matrix(const finder *f)
{
    for (int32_t k = 0; f->layout->delimiter == 0 && k < f->layout->fields; k++) {
        const dps_column_role role = f->layout->field[k].role;
        if (role == DPS_COLUMN_ONEHOT || role == DPS_COLUMN_ORDINAL) {
            return dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                                "column %ld is a column of text, which an npy matrix cannot hold",
                                (long)k + 1);
        }
    }
    return DPS_OK;
}

dps_status dps_layout_find(const dps_format *format, const dps_chunk *first,
                           const dps_read_options *options, const dps_table *known, dps_table *made,
                           dps_layout *layout, char *note, size_t note_size, dps_error *err)
{
    dps_table_sample sample;
    finder f = {.options = options,
                .asked = &options->table,
                .known = known,
                .sample = &sample,
                .file = first->file,
                .made = made,
                .layout = layout,
                .err = err};
    memset(made, 0, sizeof *made);
    memset(layout, 0, sizeof *layout);
    layout->delimiter = format->delimiter;
    layout->label_field = -1;
    dps_status status = format->delimiter != 0
                            ? dps_table_sample_take(&sample, first, format->delimiter, err)
                            : sample_matrix(&f, first, &sample);
    if (status != DPS_OK || sample.fields == 0) {
        return status;
    }
    layout->header =
        format->delimiter != 0 && dps_table_sample_has_header(&sample, &options->table, known);
    if (layout->header && sample.blank_start) {
        status = dps_error_at(err, DPS_ERROR_DATA, first->file, 1, 0,
                              "a blank line, but data.header = on says that column names stand "
                              "here");
    } else {
        status = take_fields(&f);
    }
    if (status == DPS_OK) {
        status = known != NULL && known->count > 0 ? find_for_model(&f) : find_for_training(&f);
    }
    if (status == DPS_OK) {
        status = check_matrix(&f);
    }
    if (status == DPS_OK) {
        write_note(&f, format->name, note, note_size);
    } else {
        dps_table_release(made);
        dps_layout_release(layout);
    }
    dps_table_sample_release(&sample);
    return status;
}
