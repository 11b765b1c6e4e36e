/* Task: the layout of rows that come one by one: by a header, by the order of the model's columns,
 * or the columns that predict alone. Nothing is guessed from their content: numbers are written as
 * in training. */
#include "layout_names.h"

#include <string.h>

#include "allocation.h"
#include "layout_private.h"

static dps_status take_names(dps_layout_finder *f, int32_t fields, const char *const *names)
{
    dps_layout *layout = f->layout;
    layout->header = names != NULL;
    layout->fields = fields;
    layout->field = dps_alloc((size_t)fields, sizeof *layout->field);
    layout->name = names != NULL ? dps_alloc((size_t)fields, sizeof *layout->name) : NULL;
    if (layout->field == NULL || (names != NULL && layout->name == NULL)) {
        return dps_layout_no_memory(f);
    }
    for (int32_t k = 0; k < fields; k++) {
        layout->field[k] = (dps_field){.role = DPS_COLUMN_NUMBER, .column = -1, .slot = -1};
        if (names != NULL) {
            layout->name[k] = dps_layout_copy_text(names[k], strlen(names[k]));
            if (layout->name[k] == NULL) {
                return dps_layout_no_memory(f);
            }
        }
    }
    return DPS_OK;
}

static void take_forms(dps_layout *layout, const dps_table *table)
{
    const bool words_are_numbers = dps_missing_words_hold_number(&layout->missing_words);
    for (int32_t k = 0; k < layout->fields; k++) {
        dps_field *field = &layout->field[k];
        if (field->role == DPS_COLUMN_NUMBER && field->column >= 0) {
            field->form = table->column[field->column].form;
            field->formed = !dps_number_form_is_plain(&field->form) || words_are_numbers;
        }
    }
}

/* Field k is the k-th column that predicts. */
static dps_status take_features(dps_layout_finder *f)
{
    int32_t k = 0;
    for (int32_t c = 0; c < f->known->count; c++) {
        if (f->known->column[c].role <= DPS_COLUMN_ORDINAL) {
            f->layout->field[k].column = c;
            f->layout->field[k++].role = f->known->column[c].role;
        }
    }
    return dps_layout_finish(f, f->known);
}

static int32_t features_of(const dps_table *table)
{
    int32_t count = 0;
    for (int32_t c = 0; c < table->count; c++) {
        count += table->column[c].role <= DPS_COLUMN_ORDINAL;
    }
    return count;
}

static dps_status make(dps_layout *layout, const dps_table *known, char delimiter, int32_t fields,
                       const char *const *names, bool features, dps_error *err)
{
    const dps_read_options options = {.labels = DPS_LABELS_OPTIONAL};
    dps_layout_finder f = {
        .options = &options, .asked = &options.table, .known = known, .layout = layout, .err = err};
    memset(layout, 0, sizeof *layout);
    layout->label_field = -1;
    layout->delimiter = delimiter;
    dps_status status = dps_missing_words_add(&layout->missing_words, known->missing_words)
                            ? take_names(&f, fields, names)
                            : dps_layout_no_memory(&f);
    DPS_THEN(status, features ? take_features(&f) : dps_layout_for_model(&f));
    if (status == DPS_OK) {
        take_forms(layout, known);
    } else {
        dps_layout_release(layout);
    }
    return status;
}

dps_status dps_layout_of_names(dps_layout *layout, const dps_table *known, char delimiter,
                               int32_t fields, const char *const *names, dps_error *err)
{
    return make(layout, known, delimiter, fields, names, false, err);
}

dps_status dps_layout_of_features(dps_layout *layout, const dps_table *known, char delimiter,
                                  dps_error *err)
{
    return make(layout, known, delimiter, features_of(known), NULL, true, err);
}
