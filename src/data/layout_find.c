/* Finding table and layout: header or not, the fields, then training (layout_training.c) or
 * prediction (layout_prediction.c), and the note that says what was found. */
#include "layout_finder.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"

static dps_status take_fields(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    const size_t fields = (size_t)f->sample->fields;
    layout->fields = f->sample->fields;
    layout->label_field = -1;
    layout->field = dps_alloc(fields, sizeof *layout->field);
    layout->name = layout->header ? dps_alloc(fields, sizeof *layout->name) : NULL;
    if (layout->field == NULL || (layout->header && layout->name == NULL)) {
        return dps_layout_no_memory(f);
    }
    for (size_t k = 0; k < fields; k++) {
        layout->field[k] = (dps_field){DPS_COLUMN_NUMBER, -1, -1};
        if (layout->header) {
            const char *name = f->sample->field[k].first;
            layout->name[k] = dps_layout_copy_text(name, strlen(name));
            if (layout->name[k] == NULL) {
                return dps_layout_no_memory(f);
            }
        }
    }
    return DPS_OK;
}

static void write_note(const dps_layout_finder *f, const char *format, char *note, size_t size)
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
static dps_status sample_matrix(dps_layout_finder *f, const dps_chunk *first,
                                dps_table_sample *sample)
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
        return dps_layout_no_memory(f);
    }
    sample->fields = npy->columns;
    for (int32_t k = 0; k < npy->columns; k++) {
        sample->field[k].first_number = true;
    }
    return DPS_OK;
}

/* Texts cannot stand in a matrix. */
static dps_status check_matrix(const dps_layout_finder *f)
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
    dps_layout_finder f = {.options = options,
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
        status = known != NULL && known->count > 0 ? dps_layout_for_model(&f)
                                                   : dps_layout_for_training(&f);
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
