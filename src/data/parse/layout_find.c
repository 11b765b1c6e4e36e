/* Finding table and layout: header or not, the fields, then training (layout_training.c) or
 * prediction (layout_prediction.c), and the note that says what was found. */
#include "layout_private.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "csv_line.h"
#include "row_arrays.h"

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
        layout->field[k] = (dps_field){.role = DPS_COLUMN_NUMBER, .column = -1, .slot = -1};
        if (layout->header) {
            const char *name = f->sample->field[k].first;
            if (k == 0 && layout->arff == NULL && name[0] == '#' &&
                name[1] != '\0') { /* "# x,y" of numpy */
                name += 1 + strspn(name + 1, " \t");
            }
            layout->name[k] = dps_layout_copy_text(name, strlen(name));
            if (layout->name[k] == NULL) {
                return dps_layout_no_memory(f);
            }
        }
    }
    return DPS_OK;
}

/* "csv separated by semicolons with decimal commas with a header in line 3" */
static void say_format(const dps_layout_finder *f, const char *format, dps_text *out)
{
    const dps_layout *layout = f->layout;
    bool commas = false;
    for (int32_t k = 0; k < layout->fields; k++) {
        commas |= layout->field[k].form.decimal == ',';
    }
    dps_text_add(out, format);
    if (layout->delimiter == 0) {
        return;
    }
    if (layout->delimiter != f->usual_delimiter) {
        dps_text_format(out, " separated by %s", dps_delimiter_plural(layout->delimiter));
    }
    dps_text_add(out, commas ? " with decimal commas" : "");
    if (layout->arff != NULL) {
        return;
    }
    dps_text_add(out, layout->header ? " with a header" : " without a header");
    if (layout->header && f->sample->head.line > 1) {
        dps_text_format(out, " in line %lld", (long long)f->sample->head.line);
    }
}

static void say_label(const dps_layout_finder *f, dps_text *out)
{
    char name[256];
    if (f->layout->label_field < 0) {
        dps_text_add(out, "no label column");
        return;
    }
    dps_layout_field_name(f->layout, f->layout->label_field, name, sizeof name);
    dps_text_format(out, "label in %s", name);
    if (f->layout->label_guessed && f->label_hint.length > 0) {
        dps_text_format(out, " (data.label_column not set; it could also be %s)",
                        f->label_hint.data);
    } else if (f->layout->label_guessed) {
        dps_text_add(out, " (data.label_column not set)");
    }
}

static dps_status write_note(const dps_layout_finder *f, const char *format, char *note,
                             size_t size)
{
    const dps_layout *layout = f->layout;
    dps_text out = {0};
    int32_t text = 0, ignored = 0, numbers = 0;
    say_format(f, format, &out);
    dps_text_add(&out, ", ");
    say_label(f, &out);
    for (int32_t k = 0; k < layout->fields; k++) {
        const dps_column_role role = layout->field[k].role;
        numbers += role == DPS_COLUMN_NUMBER;
        text += role == DPS_COLUMN_ONEHOT || role == DPS_COLUMN_ORDINAL;
        ignored += role == DPS_COLUMN_IGNORED;
    }
    dps_text_format(&out, ", %ld number column%s", (long)numbers, numbers == 1 ? "" : "s");
    if (text > 0) {
        dps_text_format(&out, ", %ld text column%s", (long)text, text == 1 ? "" : "s");
    }
    if (ignored > 0) {
        dps_text_format(&out, ", %ld ignored", (long)ignored);
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        if (layout->field[k].role == DPS_COLUMN_WEIGHT) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            dps_text_format(&out, ", weights in %s", name);
        }
    }
    snprintf(note, size, "%s", out.failed ? format : out.data);
    const bool failed = out.failed;
    dps_text_release(&out);
    return failed ? dps_layout_no_memory(f) : DPS_OK;
}

/* What stood in the first lines and is no row. */
static void note_lines(const dps_layout_finder *f)
{
    const dps_table_sample *sample = f->sample;
    char shown[4 * 60 + 4];
    if (sample->head.title_line > 0) {
        dps_quote_token(shown, sizeof shown, sample->title, strlen(sample->title), 60);
        const int64_t last = sample->head.line - 1;
        if (sample->head.title_line < last) {
            dps_text_format(f->notes,
                            "warning: %s: lines %lld to %lld are no rows and were left "
                            "out; the first is: %s\n",
                            f->file, (long long)sample->head.title_line, (long long)last, shown);
        } else {
            dps_text_format(f->notes, "warning: %s: line %lld is no row and was left out: %s\n",
                            f->file, (long long)sample->head.title_line, shown);
        }
    }
    if (sample->has_units) {
        dps_quote_token(shown, sizeof shown, sample->units, strlen(sample->units), 60);
        dps_text_format(
            f->notes,
            "warning: %s: line %lld holds units of the columns, not a row, and was left "
            "out: %s\n",
            f->file, (long long)sample->second_line, shown);
    }
    const bool numbered = sample->header && f->asked->header == DPS_SWITCH_AUTO &&
                          sample->field[0].first_number && sample->fields > 1 &&
                          sample->field[sample->fields - 1].first_number;
    if (numbered) {
        dps_text_format(f->notes,
                        "note: %s: line %lld holds the columns' numbers and was taken as names; "
                        "data.header = off makes it a row\n",
                        f->file, (long long)sample->head.line);
    }
}

/* The lines that may stand again between rows. */
static dps_status copy_head(dps_layout_finder *f, const dps_chunk *first)
{
    dps_layout *layout = f->layout;
    const dps_table_sample *sample = f->sample;
    layout->lead = sample->head.lead;
    layout->unnamed = sample->head.unnamed;
    const char *p = first->bytes, *end = p + first->length;
    for (int64_t line = 1; layout->header && layout->arff == NULL && p < end; line++) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((line_end != NULL ? line_end : end) - p);
        length -= length > 0 && p[length - 1] == '\r';
        char **copy = line == sample->head.line                          ? &layout->header_line
                      : sample->has_units && line == sample->second_line ? &layout->units_line
                                                                         : NULL;
        if (copy != NULL) {
            *copy = dps_layout_copy_text(p, length);
            if (*copy == NULL) {
                return dps_layout_no_memory(f);
            }
            *(copy == &layout->header_line ? &layout->header_length : &layout->units_length) =
                length;
        }
        if (line_end == NULL || line > sample->head.line + 100) {
            break;
        }
        p = line_end + 1;
    }
    return DPS_OK;
}

/* '.' or ',' where the option or the whole of the first rows says so; else 0. */
static char decimal_of(const dps_layout_finder *f)
{
    bool commas = false, points = false, either = false;
    if (f->asked->decimal != 0) {
        return f->asked->decimal;
    }
    for (int32_t k = 0; k < f->layout->fields; k++) {
        const dps_number_signs *signs = &f->sample->field[k].signs;
        if (f->layout->field[k].role != DPS_COLUMN_NUMBER) {
            continue;
        }
        commas |= signs->comma_decimal || signs->point_group;
        points |= signs->point_decimal || signs->comma_group;
        either |= signs->comma_either;
        points |= signs->point_either && !signs->comma_decimal && !signs->comma_either;
    }
    if (commas != points) {
        return commas ? ',' : 0;
    }
    return !commas && either && f->layout->delimiter == ';' ? ',' : 0;
}

/* How each column of numbers writes them. */
static void find_forms(dps_layout_finder *f)
{
    dps_layout *layout = f->layout;
    const char decimal = decimal_of(f);
    const bool words_are_numbers = dps_missing_words_hold_number(&layout->missing_words);
    for (int32_t k = 0; k < layout->fields && layout->delimiter != 0; k++) {
        dps_field *field = &layout->field[k];
        const dps_number_signs *signs = &f->sample->field[k].signs;
        const dps_number_form *known =
            f->known != NULL && field->column >= 0 && field->column < f->known->count
                ? &f->known->column[field->column].form
                : NULL;
        if (field->role != DPS_COLUMN_NUMBER &&
            !(field->role == DPS_COLUMN_LABEL && f->asked->regression)) {
            continue;
        }
        const bool told = dps_number_form_of(signs, decimal, &field->form, &field->unclear);
        const bool either = signs->point_either && !signs->point_decimal;
        if (known != NULL && !dps_number_form_is_plain(known) &&
            (!told || (known->decimal == ',' && field->form.decimal == 0 && either))) {
            field->form = *known; /* as in training, where this file alone does not tell */
            field->unclear = NULL;
        }
        if (known != NULL && known->unit == '%') {
            field->form.unit = '%';
        }
        if (!told && f->asked->decimal == ',') {
            field->form.decimal = ',';
        }
        /* a word that is missing may look like a number: -999 */
        field->formed = !dps_number_form_is_plain(&field->form) || words_are_numbers;
    }
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

/* The columns of rows in memory, the label behind them, as a sample. */
static dps_status sample_arrays(dps_layout_finder *f, dps_table_sample *sample)
{
    const dps_row_arrays *arrays = f->options->arrays;
    memset(sample, 0, sizeof *sample);
    sample->field = dps_alloc((size_t)arrays->columns + 1, sizeof *sample->field);
    if (sample->field == NULL) {
        return dps_layout_no_memory(f);
    }
    sample->fields = arrays->columns + 1;
    sample->header = arrays->name != NULL;
    for (int32_t k = 0; sample->header && k < sample->fields; k++) {
        const char *name = k < arrays->columns ? arrays->name[k] : arrays->label_name;
        sample->field[k].first = dps_layout_copy_text(name, strlen(name));
        if (sample->field[k].first == NULL) {
            return dps_layout_no_memory(f);
        }
    }
    return DPS_OK;
}

/* Texts cannot stand in a matrix. */
static dps_status check_matrix(const dps_layout_finder *f)
{
    for (int32_t k = 0; f->layout->delimiter == 0 && k < f->layout->fields; k++) {
        const dps_column_role role = f->layout->field[k].role;
        if (role == DPS_COLUMN_ONEHOT || role == DPS_COLUMN_ORDINAL) {
            return dps_error_at(
                f->err, DPS_ERROR_DATA, f->file, 1, 0,
                "column %ld is a column of text, which a matrix of numbers cannot hold",
                (long)k + 1);
        }
    }
    return DPS_OK;
}

/* What is missing to the model is so to its users, who may name more. */
static dps_status find_missing_words(const dps_layout_finder *f, const dps_table *model)
{
    dps_missing_words *words = &f->layout->missing_words;
    const bool ok = dps_missing_words_add(words, model == NULL ? NULL : model->missing_words) &&
                    dps_missing_words_add(words, f->asked->missing_words);
    return ok ? DPS_OK : dps_layout_no_memory(f);
}

/* The header of the first ARFF file, which the layout keeps. */
static dps_status find_arff(const dps_layout_finder *f, const dps_format *format,
                            const dps_chunk *first)
{
    if (strcmp(format->name, "arff") != 0) {
        return DPS_OK;
    }
    f->layout->arff = dps_alloc(1, sizeof *f->layout->arff);
    return f->layout->arff == NULL ? dps_layout_no_memory(f)
                                   : dps_arff_header_read(f->layout->arff, first->bytes,
                                                          first->length, f->file, f->err);
}

dps_status dps_layout_find(const dps_format *format, const dps_chunk *first,
                           const dps_read_options *options, const dps_table *known, dps_table *made,
                           dps_layout *layout, char *note, size_t note_size, dps_text *notes,
                           dps_error *err)
{
    dps_table_sample sample;
    dps_layout_finder f = {.options = options,
                           .asked = &options->table,
                           .known = known,
                           .sample = &sample,
                           .file = first->file,
                           .made = made,
                           .layout = layout,
                           .usual_delimiter = format->delimiter,
                           .notes = notes,
                           .err = err};
    memset(made, 0, sizeof *made);
    memset(layout, 0, sizeof *layout);
    layout->label_field = -1;
    const char told = options->table.delimiter;
    const char fixed = format->delimiter != '\t' ? told : '\t';
    const dps_table *named = known != NULL && known->count > 0 ? known : NULL;
    memset(&sample, 0, sizeof sample);
    dps_status status = find_missing_words(&f, named);
    DPS_THEN(status, find_arff(&f, format, first));
    DPS_THEN(status, format->delimiter != 0
                         ? dps_table_sample_take(&sample, first, fixed, &options->table,
                                                 &layout->missing_words, named, layout->arff, err)
                     : options->arrays != NULL ? sample_arrays(&f, &sample)
                                               : sample_matrix(&f, first, &sample));
    layout->delimiter = format->delimiter != 0 ? sample.head.delimiter : 0;
    if (status != DPS_OK || sample.fields == 0) {
        dps_layout_release(layout);
        layout->label_field = -1;
        layout->delimiter = format->delimiter;
        return status;
    }
    layout->header = sample.header;
    status = take_fields(&f);
    DPS_THEN(status, copy_head(&f, first));
    if (status == DPS_OK) {
        note_lines(&f);
        status = named != NULL ? dps_layout_for_model(&f) : dps_layout_for_training(&f);
    }
    if (status == DPS_OK) {
        find_forms(&f);
        status = check_matrix(&f);
    }
    DPS_THEN(status, write_note(&f, format->name, note, note_size));
    if (status == DPS_OK && notes->failed) {
        status = dps_layout_no_memory(&f);
    }
    if (status != DPS_OK) {
        dps_table_release(made);
        dps_layout_release(layout);
    }
    for (int32_t k = 0; k < made->count; k++) {
        made->column[k].form = layout->field[k].form;
    }
    dps_text_release(&f.label_hint);
    dps_table_sample_release(&sample);
    return status;
}
