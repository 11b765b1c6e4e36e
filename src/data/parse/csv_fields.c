/* Fields of CSV by what their column is: numbers that are not written as C does or are missing,
 * texts, labels, weights, ids, and what is refused. */
#include "csv_parser_private.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "missing_word.h"

#define SHOWN_TOKEN 40
#define NAME_BUFFER 256

/* ---- errors ---- */

const char *dps_csv_no_memory(dps_csv_parser *ps)
{
    ps->status = dps_out_of_memory(ps->err, 1, 1, "rows of the input");
    return NULL;
}

const char *dps_csv_refuse(dps_csv_parser *ps, int32_t f, const char *at, size_t length,
                           const char *why)
{
    char name[NAME_BUFFER] = "";
    if (f >= 0) {
        dps_layout_field_name(ps->layout, f, name, sizeof name - 2);
        strcat(name, ": ");
    }
    ps->status = dps_error_at(ps->err, DPS_ERROR_DATA, ps->file, ps->line, at - ps->line_begin + 1,
                              "%s%s%s%s%s", name, length > 0 ? "\"" : "",
                              length > 0 ? DPS_QUOTE(at, length, SHOWN_TOKEN) : "",
                              length > 0 ? "\": " : "", why);
    return NULL;
}

const char *dps_csv_refuse_count(dps_csv_parser *ps, int32_t found, const char *at)
{
    char why[200];
    snprintf(why, sizeof why, "this row has %s%ld column%s, %ld were expected as in the first line",
             found > ps->layout->fields ? "more than " : "only ",
             (long)(found > ps->layout->fields ? ps->layout->fields : found), found == 1 ? "" : "s",
             (long)ps->layout->fields);
    return dps_csv_refuse(ps, -1, at, 0, why);
}

static const char *refuse_missing(dps_csv_parser *ps, int32_t f, const dps_csv_field *field)
{
    const bool training = ps->layout->training;
    return dps_csv_refuse(
        ps, f, field->text, field->length,
        training ? "a value is missing; data.missing = mean or zero fills missing values"
                 : "a value is missing, and the model was trained with data.missing = "
                   "error; train it with data.missing = mean or zero");
}

static bool has_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char u = (unsigned char)text[i];
        if ((u < 32 && u != '\t') || u == 127) {
            return true;
        }
    }
    return false;
}

static const char *refuse_number(dps_csv_parser *ps, int32_t f, const dps_csv_field *field)
{
    double number;
    if (has_control(field->text, field->length)) {
        return dps_csv_refuse(
            ps, f, field->text, field->length,
            "control bytes in a field; is the file binary, compressed or damaged?");
    }
    if (dps_text_to_double(field->text, field->length, &number)) {
        return dps_csv_refuse(ps, f, field->text, field->length,
                              "not a finite number of double precision");
    }
    if (ps->layout->field[f].unclear != NULL) {
        return dps_csv_refuse(ps, f, field->text, field->length, ps->layout->field[f].unclear);
    }
    if (ps->layout->training) {
        return dps_csv_refuse(
            ps, f, field->text, field->length,
            "not a number, but the column is one of numbers; mend the value, name it in "
            "data.missing_words if it stands for a missing one, or the column in "
            "data.text_columns or data.ignore_columns");
    }
    return dps_csv_refuse(ps, f, field->text, field->length,
                          "not a number, but the column held numbers in training");
}

/* ---- fields ---- */

static bool is_missing(const dps_csv_parser *ps, const dps_csv_field *field)
{
    return dps_csv_is_missing(field) ||
           dps_is_listed_word(&ps->layout->missing_words, field->text, field->length);
}

const char *dps_csv_take_field(dps_csv_parser *ps, int32_t f, const char *p, dps_csv_field *field)
{
    const char *why;
    const char *after = ps->layout->arff != NULL
                            ? dps_arff_read_field(p, ps->delimiter, field, &why)
                            : dps_csv_read_field(p, ps->delimiter, field, &why);
    return after != NULL ? after : dps_csv_refuse(ps, f, field->text, 0, why);
}

static const char *missing_number(dps_csv_parser *ps, int32_t f, const dps_csv_field *field)
{
    const dps_layout *layout = ps->layout;
    const dps_field *at = &layout->field[f];
    if (layout->training && layout->missing != DPS_MISSING_ERROR) {
        dps_csv_store(ps, at->slot, layout->missing == DPS_MISSING_MEAN ? (double)NAN : 0.0);
        return field->text;
    }
    const double fill = layout->training ? (double)NAN : layout->table->column[at->column].fill;
    if (isnan(fill)) {
        return refuse_missing(ps, f, field);
    }
    dps_csv_store(ps, at->slot, fill);
    return field->text;
}

/* What the fast path does not know. A word of the long list of missing ones is no finite number:
 * the numbers, which are many, come first. */
const char *dps_csv_slow_number(dps_csv_parser *ps, int32_t f, const char *p, double *number)
{
    dps_csv_field field;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    const dps_field *at = &ps->layout->field[f];
    if (!is_missing(ps, &field)) {
        const bool plain = dps_number_form_is_plain(&at->form);
        const bool read = (plain && dps_text_to_double(field.text, field.length, number)) ||
                          dps_number_read(field.text, field.length, &at->form, number);
        if (read && isfinite(*number)) {
            return after;
        }
        if (!dps_is_missing_word(field.text, field.length)) {
            return refuse_number(ps, f, &field);
        }
    }
    *number = NAN;
    return missing_number(ps, f, &field) != NULL ? after : NULL;
}

/* A number in the column's own form. */
static const char *parse_formed(dps_csv_parser *ps, int32_t f, const char *p)
{
    double value;
    const char *after = dps_csv_slow_number(ps, f, p, &value);
    if (after != NULL && !isnan(value)) {
        dps_csv_store(ps, ps->layout->field[f].slot, value);
    }
    return after;
}

const char *dps_csv_plain_text(dps_csv_parser *ps, int32_t f, const dps_csv_field *field,
                               size_t *length)
{
    *length = field->length;
    if (has_control(field->text, field->length)) {
        return dps_csv_refuse(
            ps, f, field->text, field->length,
            "control bytes in a field; is the file binary, compressed or damaged?");
    }
    if (!field->doubled) {
        return field->text;
    }
    char *to = dps_row_block_text(ps->block, field->length);
    if (to == NULL) {
        return dps_csv_no_memory(ps);
    }
    *length = dps_csv_unescape(field, to);
    return to;
}

/* Of ARFF: whether the header lists the value, where it lists any. */
static bool is_declared(const dps_csv_parser *ps, int32_t f, const char *text, size_t length)
{
    const dps_arff_header *arff = ps->layout->arff;
    return arff == NULL || arff->attribute[f].kind != DPS_ARFF_NOMINAL ||
           dps_arff_has_level(&arff->attribute[f], text, length);
}

static const char *refuse_undeclared(dps_csv_parser *ps, int32_t f, const dps_csv_field *field)
{
    return dps_csv_refuse(ps, f, field->text, field->length,
                          "none of the values that the file's header lists for this attribute; "
                          "add it there, or mend it");
}

static const char *parse_text(dps_csv_parser *ps, int32_t f, const char *p)
{
    const dps_layout *layout = ps->layout;
    const dps_field *at = &layout->field[f];
    dps_csv_field field;
    size_t length;
    bool added;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (is_missing(ps, &field)) {
        const bool allowed = layout->training ? layout->missing != DPS_MISSING_ERROR
                                              : layout->table->missing_allowed;
        return allowed ? after : refuse_missing(ps, f, &field);
    }
    const char *text = dps_csv_plain_text(ps, f, &field, &length);
    if (text == NULL) {
        return NULL;
    }
    dps_word_list *words = &ps->block->words;
    const int32_t word = dps_word_list_add(words, at->slot, text, length, &added);
    if (word < 0) {
        return dps_csv_no_memory(ps);
    }
    if (added && !is_declared(ps, f, text, length)) {
        return refuse_undeclared(ps, f, &field);
    }
    if (added && !layout->training) {
        const dps_column *column = &layout->table->column[at->column];
        words->code[word] = dps_column_code(column, dps_class_find(&column->value, text, length));
    }
    if (added) {
        words->line[word] = ps->line;
        words->place[word] = (int32_t)(field.text - ps->line_begin) + 1;
    }
    if (!layout->training && words->code[word] < 0) {
        if (ps->options->table.unknown_is_error) {
            return dps_csv_refuse(
                ps, f, field.text, field.length,
                "training did not see this value (data.unknown = ignore leaves it out)");
        }
        ps->block->unknown++;
    }
    ps->block->index[ps->entries] = at->slot;
    ps->block->value[ps->entries] = (double)word;
    ps->entries++;
    return after;
}

static const char *parse_label(dps_csv_parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    size_t length;
    bool added;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (is_missing(ps, &field)) {
        return ps->options->labels == DPS_LABELS_OPTIONAL
                   ? after
                   : dps_csv_refuse(ps, f, field.text, field.length, "the label is missing");
    }
    const char *text = dps_csv_plain_text(ps, f, &field, &length);
    if (text == NULL) {
        return NULL;
    }
    const dps_field *at = &ps->layout->field[f];
    char target[DPS_NUMBER_MAX];
    double value;
    if (at->formed && dps_number_read(text, length, &at->form, &value)) { /* to predict */
        length = dps_format_double(target, value);
        text = target;
    }
    ps->label = dps_row_block_label(ps->block, text, length, ps->line, &added);
    if (ps->label < 0) {
        return dps_csv_no_memory(ps);
    }
    if (added && !at->formed && !is_declared(ps, f, text, length)) {
        return refuse_undeclared(ps, f, &field);
    }
    double number;
    if (added && dps_text_to_double(text, length, &number) && !isfinite(number)) {
        return dps_csv_refuse(ps, f, field.text, field.length,
                              "a label must be a finite number or text");
    }
    return after;
}

static const char *parse_weight(dps_csv_parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    double weight;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (!dps_text_to_double(field.text, field.length, &weight) || !isfinite(weight) ||
        !(weight > 0.0)) {
        return dps_csv_refuse(ps, f, field.text, field.length, "a weight must be a number above 0");
    }
    ps->block->weight[ps->block->rows] = weight;
    return after;
}

static const char *parse_id(dps_csv_parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    size_t length;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    const char *text = after == NULL ? NULL : dps_csv_plain_text(ps, f, &field, &length);
    if (text == NULL) {
        return NULL;
    }
    return dps_row_block_id(ps->block, text, length) ? after : dps_csv_no_memory(ps);
}

/* A column that was left out by its first rows must go on like them. */
static const char *parse_left_out(dps_csv_parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    int64_t number;
    const char *after = dps_csv_take_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (ps->layout->field[f].left_out == DPS_LEFT_OUT_EMPTY) {
        return is_missing(ps, &field)
                   ? after
                   : dps_csv_refuse(ps, f, field.text, field.length,
                                    "the column was empty up to here; give it a name, "
                                    "or leave it out (data.ignore_columns)");
    }
    return dps_text_to_int64(field.text, field.length, &number)
               ? after
               : dps_csv_refuse(
                     ps, f, field.text, field.length,
                     "the column numbered the rows up to here; name it in data.ignore_columns "
                     "or data.text_columns");
}

const char *dps_csv_parse_other(dps_csv_parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    switch (ps->layout->field[f].role) {
    case DPS_COLUMN_ONEHOT:
    case DPS_COLUMN_ORDINAL:
        return parse_text(ps, f, p);
    case DPS_COLUMN_LABEL:
        return parse_label(ps, f, p);
    case DPS_COLUMN_WEIGHT:
        return parse_weight(ps, f, p);
    case DPS_COLUMN_ID:
        if (ps->layout->has_id) {
            return parse_id(ps, f, p);
        }
        break;
    case DPS_COLUMN_NUMBER:
        return parse_formed(ps, f, p);
    case DPS_COLUMN_IGNORED:
        if (ps->layout->field[f].left_out != DPS_NOT_LEFT_OUT) {
            return parse_left_out(ps, f, p);
        }
        break;
    }
    return dps_csv_take_field(ps, f, p, &field);
}
