/* What every column of a training file is: the label's column, the columns the user named, those
 * that only count rows or are empty, and for the rest whether they are numbers or text
 * (column_kind.h). */
#include "layout_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "column_kind.h"
#include "missing_word.h"
#include "text.h"

/* DPS_COLUMN_NUMBER: it stays what it is, and stays. */
static void mark(dps_layout_finder *f, int32_t field, dps_column_role role)
{
    dps_field *at = &f->layout->field[field];
    at->role = role != DPS_COLUMN_NUMBER ? role : at->role;
    at->asked |= role != DPS_COLUMN_IGNORED;
}

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
            mark(f, field, role);
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
            mark(f, field, role);
        } else if (!mark_words(f, &item, role)) {
            return dps_layout_no_such_column(f, option, item.text,
                                             (size_t)(item.rest - item.text) + item.rest_length);
        }
    }
    return DPS_OK;
}

/* Names that programs and people give to the numbers of rows. */
static bool names_rows(const char *name)
{
    static const char *const known[] = {
        "",       "index", "id",  "row", "rows",     "row_id",    "rowid",   "no", "nr",
        "number", "#",     "obs", "rn",  "rownames", "row.names", "rowname", "x1", "...1"};
    if (strncmp(name, "Unnamed:", 8) == 0) {
        return true;
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (dps_text_is_word(known[k], name, strlen(name))) {
            return true;
        }
    }
    return false;
}

/* A column that counts the rows, or names them by whole numbers (nearly) no two alike, as ids and
 * rows that were drawn from a larger table have them, without saying more than that. */
static bool counts_rows(const dps_layout_finder *f, int32_t k)
{
    const dps_layout *layout = f->layout;
    const dps_sample_field *at = &f->sample->field[k];
    const int64_t rows = f->sample->rows;
    if (at->texts > 0 || at->missing > 0 || at->whole != rows || !layout->header) {
        return at->counts && rows >= 20 && k == 0 && !layout->header && layout->fields > 2;
    }
    const bool named = names_rows(layout->name[k]);
    const bool different = at->values.count == DPS_SAMPLE_VALUES ||
                           dps_column_is_all_different(at->values.count, rows);
    return (at->counts && ((named && rows >= 3) || (k == 0 && rows >= 20))) ||
           (named && different) ||
           (at->all_different && rows >= 3 &&
            (*layout->name[k] == '\0' || strncmp(layout->name[k], "Unnamed:", 8) == 0));
}

/* Columns that hold nothing, or nothing but the numbers of the rows. */
static void leave_out(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    for (int32_t k = 0; k < layout->fields && f->sample->rows > 0; k++) {
        dps_field *field = &layout->field[k];
        const dps_sample_field *at = &f->sample->field[k];
        const bool unnamed = !layout->header || *layout->name[k] == '\0';
        const bool outer = layout->header || (k + 1 == layout->fields && k > 0);
        const bool empty =
            unnamed && outer && at->missing == f->sample->rows && at->values.count == 0;
        if (field->role != DPS_COLUMN_NUMBER || field->asked || layout->delimiter == 0 ||
            (!empty && !counts_rows(f, k))) {
            continue;
        }
        char name[256];
        dps_layout_field_name(layout, k, name, sizeof name);
        field->left_out = empty ? DPS_LEFT_OUT_EMPTY : DPS_LEFT_OUT_COUNT;
        dps_text_format(
            f->notes,
            empty ? "note: %s has no name and no value (a delimiter at each line's end?) and was "
                    "left out\n"
                  : "note: %s numbers the rows and was left out; data.keep_columns = %ld "
                    "keeps it\n",
            name, (long)k + 1);
    }
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
    DPS_TRY(mark_list(f, "text_columns", f->asked->text_columns, text));
    DPS_TRY(mark_list(f, "keep_columns", f->asked->keep_columns, DPS_COLUMN_NUMBER));
    DPS_TRY(mark_list(f, "ignore_columns", f->asked->ignore_columns, DPS_COLUMN_IGNORED));
    DPS_TRY(dps_layout_find_given(f, "id_column", f->asked->id_column, &id));
    DPS_TRY(dps_layout_find_given(f, "weights", f->asked->weight_column, &weight));
    if (id >= 0) {
        layout->field[id].role = DPS_COLUMN_ID;
    }
    if (weight >= 0) {
        if (weight == id) {
            return twice(f, "id_column", "weights", id);
        }
        layout->field[weight].role = DPS_COLUMN_WEIGHT;
    }
    leave_out(f);
    DPS_TRY(dps_layout_find_label(f, &label));
    if (label >= 0) {
        if (label == id || label == weight) {
            return twice(f, "label_column", label == id ? "id_column" : "weights", label);
        }
        layout->field[label].role = DPS_COLUMN_LABEL;
        layout->field[label].left_out = DPS_NOT_LEFT_OUT;
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        if (layout->field[k].left_out != DPS_NOT_LEFT_OUT) {
            layout->field[k].role = DPS_COLUMN_IGNORED;
        }
    }
    return DPS_OK;
}

/* Columns of texts: by what an ARFF header says, else by their first values. */
static bool holds_texts(const dps_layout_finder *f, int32_t k)
{
    const dps_arff_header *arff = f->layout->arff;
    const dps_sample_field *seen = &f->sample->field[k];
    if (arff != NULL && arff->attribute[k].kind != DPS_ARFF_TEXT) {
        return arff->attribute[k].kind == DPS_ARFF_NOMINAL;
    }
    int64_t texts = 0;
    for (int32_t v = 0; seen->texts > 0 && v < seen->values.count; v++) {
        const char *value = seen->values.text[v];
        texts += !dps_number_in_some_form(value, seen->values.number[v]) &&
                 !dps_is_missing_word(value, strlen(value));
    }
    const bool only_words = seen->numbers == 0 && seen->texts + seen->words > 0;
    return only_words ||
           !dps_column_is_numbers(seen->numbers, seen->texts, seen->values.count - texts, texts);
}

static dps_status find_texts(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_field *field = &layout->field[k];
        if (field->role != DPS_COLUMN_NUMBER || !holds_texts(f, k)) {
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
            status = dps_error_at(f->err, DPS_ERROR_DATA, f->file, 1, 0,
                                  "two columns are named \"%s\"; rename one, leave one out by its "
                                  "number (data.ignore_columns), or set data.header = off",
                                  DPS_QUOTE(name[k], strlen(name[k]), 40));
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
    if (dps_layout_is_given(f->asked->missing_words)) {
        made->missing_words =
            dps_layout_copy_text(f->asked->missing_words, strlen(f->asked->missing_words));
        if (made->missing_words == NULL) {
            return dps_layout_no_memory(f);
        }
    }
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
            "by %s (data.delimiter says by what; data.format csv, tsv or libsvm)",
            (long)layout->fields, layout->fields == 1 ? "" : "s",
            dps_delimiter_plural(layout->delimiter));
    }
    return DPS_OK;
}

dps_status dps_layout_for_training(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    layout->training = f->known == NULL;
    layout->missing = f->asked->missing;
    DPS_TRY(find_roles(f));
    DPS_TRY(find_texts(f));
    DPS_TRY(check_names(f));
    DPS_TRY(make_table(f));
    DPS_TRY(dps_layout_finish(f, f->made));
    if (layout->label_field < 0 && f->options->labels == DPS_LABELS_REQUIRED) {
        return dps_error_at(f->err, DPS_ERROR_CONFIG, f->file, 1, 0,
                            "training rows need a label; data.label_column names its column");
    }
    return DPS_OK;
}
