/* CSV and TSV to rows, by a layout that was found before (layout.c).
 *
 *     line = field {delimiter field}, one field for each of layout->fields
 *
 * Blank lines are no rows, nor are those that stand before a file's names or repeat them. Numbers
 * take the exact fast path; whatever it does not know (quotes, long numbers, missing values,
 * faults) goes the slow way. Text columns leave the number of their word in the chunk: while
 * training the code book is made when all rows have been read (raw_table.c), at prediction words
 * are looked up once a chunk. Loops end at line ends, as in libsvm_parser.c. Cost: about 2.5 ns a
 * byte of numbers. */
#include "csv_parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "csv_line.h"
#include "layout_resolve.h"
#include "missing_word.h"
#include "number.h"
#include "row_block.h"

#define SHOWN_TOKEN  40
#define TOKEN_BUFFER (4 * SHOWN_TOKEN + 4)
#define NAME_BUFFER  256

typedef struct parser {
    const dps_read_options *options;
    const dps_layout *layout;
    const char *file;
    dps_row_block *block;
    dps_error *err;
    dps_status status;
    const char *end; /* end[-1] is a line end */
    const char *line_begin;
    int64_t line;
    int64_t entries; /* stored so far */
    int32_t label;   /* of the row */
    char delimiter;
    bool in_head; /* no row of the file yet */
    dps_head_state head;
} parser;

/* ---- errors: each returns NULL, so that the caller can return it ---- */

static const char *no_memory(parser *ps)
{
    ps->status = dps_out_of_memory(ps->err, 1, 1, "rows of the input");
    return NULL;
}

/* A field: TOKEN: why. f < 0: the line. */
static const char *refuse(parser *ps, int32_t f, const char *at, size_t length, const char *why)
{
    char name[NAME_BUFFER] = "", shown[TOKEN_BUFFER];
    if (f >= 0) {
        dps_layout_field_name(ps->layout, f, name, sizeof name - 2);
        strcat(name, ": ");
    }
    dps_quote_token(shown, sizeof shown, at, length, SHOWN_TOKEN);
    ps->status = dps_error_at(ps->err, DPS_ERROR_DATA, ps->file, ps->line, at - ps->line_begin + 1,
                              "%s%s%s%s%s", name, length > 0 ? "\"" : "", length > 0 ? shown : "",
                              length > 0 ? "\": " : "", why);
    return NULL;
}

static const char *refuse_count(parser *ps, int32_t found, const char *at)
{
    char why[200];
    snprintf(why, sizeof why, "this row has %s%ld column%s, %ld were expected as in the first line",
             found > ps->layout->fields ? "more than " : "only ",
             (long)(found > ps->layout->fields ? ps->layout->fields : found), found == 1 ? "" : "s",
             (long)ps->layout->fields);
    return refuse(ps, -1, at, 0, why);
}

static const char *refuse_missing(parser *ps, int32_t f, const dps_csv_field *field)
{
    const bool training = ps->layout->training;
    return refuse(ps, f, field->text, field->length,
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

static const char *refuse_number(parser *ps, int32_t f, const dps_csv_field *field)
{
    double number;
    if (has_control(field->text, field->length)) {
        return refuse(ps, f, field->text, field->length,
                      "control bytes in a field; is the file binary, compressed or damaged?");
    }
    if (dps_text_to_double(field->text, field->length, &number)) {
        return refuse(ps, f, field->text, field->length, "not a finite number of double precision");
    }
    if (ps->layout->field[f].unclear != NULL) {
        return refuse(ps, f, field->text, field->length, ps->layout->field[f].unclear);
    }
    if (ps->layout->training) {
        return refuse(ps, f, field->text, field->length,
                      "not a number, but the column is one of numbers; mend the value, name it in "
                      "data.missing_words if it stands for a missing one, or the column in "
                      "data.text_columns or data.ignore_columns");
    }
    return refuse(ps, f, field->text, field->length,
                  "not a number, but the column held numbers in training");
}

/* ---- fields ---- */

static inline bool ends_field(const parser *ps, const char *p)
{
    return dps_csv_delimits(*p, ps->delimiter) || dps_csv_line_end(p);
}

static bool is_missing(const parser *ps, const dps_csv_field *field)
{
    return dps_csv_is_missing(field) ||
           dps_is_listed_word(&ps->layout->missing_words, field->text, field->length);
}

static const char *read_field(parser *ps, int32_t f, const char *p, dps_csv_field *field)
{
    const char *why;
    const char *after = dps_csv_read_field(p, ps->delimiter, field, &why);
    return after != NULL ? after : refuse(ps, f, field->text, 0, why);
}

static inline void store(parser *ps, int32_t slot, double value)
{
    ps->block->index[ps->entries] = slot;
    ps->block->value[ps->entries] = value;
    ps->entries += value != 0.0;
}

static const char *missing_number(parser *ps, int32_t f, const dps_csv_field *field)
{
    const dps_layout *layout = ps->layout;
    const dps_field *at = &layout->field[f];
    if (layout->training && layout->missing != DPS_MISSING_ERROR) {
        store(ps, at->slot, layout->missing == DPS_MISSING_MEAN ? (double)NAN : 0.0);
        return field->text;
    }
    const double fill = layout->training ? (double)NAN : layout->table->column[at->column].fill;
    if (isnan(fill)) {
        return refuse_missing(ps, f, field);
    }
    store(ps, at->slot, fill);
    return field->text;
}

/* What the fast path does not know. A word of the long list of missing ones is no finite number:
 * the numbers, which are many, come first. */
static const char *slow_number(parser *ps, int32_t f, const char *p, double *number)
{
    dps_csv_field field;
    const char *after = read_field(ps, f, p, &field);
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

static inline const char *parse_number(parser *ps, int32_t f, int32_t slot, const char *p)
{
    double value;
    while (dps_csv_blank(*p, ps->delimiter)) {
        p++;
    }
    const char *after = dps_parse_short(p, ps->end, &value);
    if (after != NULL && !ends_field(ps, after)) {
        while (dps_csv_blank(*after, ps->delimiter)) {
            after++;
        }
        after = ends_field(ps, after) ? after : NULL;
    }
    if (after == NULL) {
        after = slow_number(ps, f, p, &value);
        if (after == NULL || isnan(value)) {
            return after;
        }
    }
    store(ps, slot, value);
    return after;
}

/* A number in the column's own form. */
static const char *parse_formed(parser *ps, int32_t f, const char *p)
{
    double value;
    const char *after = slow_number(ps, f, p, &value);
    if (after != NULL && !isnan(value)) {
        store(ps, ps->layout->field[f].slot, value);
    }
    return after;
}

/* The field's text, unescaped; NULL: refused. */
static const char *plain_text(parser *ps, int32_t f, const dps_csv_field *field, size_t *length)
{
    *length = field->length;
    if (has_control(field->text, field->length)) {
        return refuse(ps, f, field->text, field->length,
                      "control bytes in a field; is the file binary, compressed or damaged?");
    }
    if (!field->doubled) {
        return field->text;
    }
    char *to = dps_row_block_text(ps->block, field->length);
    if (to == NULL) {
        return no_memory(ps);
    }
    *length = dps_csv_unescape(field, to);
    return to;
}

static const char *parse_text(parser *ps, int32_t f, const char *p)
{
    const dps_layout *layout = ps->layout;
    const dps_field *at = &layout->field[f];
    dps_csv_field field;
    size_t length;
    bool added;
    const char *after = read_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (is_missing(ps, &field)) {
        const bool allowed = layout->training ? layout->missing != DPS_MISSING_ERROR
                                              : layout->table->missing_allowed;
        return allowed ? after : refuse_missing(ps, f, &field);
    }
    const char *text = plain_text(ps, f, &field, &length);
    if (text == NULL) {
        return NULL;
    }
    dps_word_list *words = &ps->block->words;
    const int32_t word = dps_word_list_add(words, at->slot, text, length, &added);
    if (word < 0) {
        return no_memory(ps);
    }
    if (added && !layout->training) {
        const dps_column *column = &layout->table->column[at->column];
        const int32_t found = dps_class_find(&column->value, text, length);
        words->code[word] = found < 0 && column->rest ? column->value.count : found;
    }
    if (added) {
        words->line[word] = ps->line;
        words->place[word] = (int32_t)(field.text - ps->line_begin) + 1;
    }
    if (!layout->training && words->code[word] < 0) {
        if (ps->options->table.unknown_is_error) {
            return refuse(ps, f, field.text, field.length,
                          "training did not see this value (data.unknown = ignore leaves it out)");
        }
        ps->block->unknown++;
    }
    ps->block->index[ps->entries] = at->slot;
    ps->block->value[ps->entries] = (double)word;
    ps->entries++;
    return after;
}

static const char *parse_label(parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    size_t length;
    bool added;
    const char *after = read_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (is_missing(ps, &field)) {
        return ps->options->labels == DPS_LABELS_OPTIONAL
                   ? after
                   : refuse(ps, f, field.text, field.length, "the label is missing");
    }
    const char *text = plain_text(ps, f, &field, &length);
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
        return no_memory(ps);
    }
    double number;
    if (added && dps_text_to_double(text, length, &number) && !isfinite(number)) {
        return refuse(ps, f, field.text, field.length, "a label must be a finite number or text");
    }
    return after;
}

static const char *parse_weight(parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    double weight;
    const char *after = read_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (!dps_text_to_double(field.text, field.length, &weight) || !isfinite(weight) ||
        !(weight > 0.0)) {
        return refuse(ps, f, field.text, field.length, "a weight must be a number above 0");
    }
    ps->block->weight[ps->block->rows] = weight;
    return after;
}

static const char *parse_id(parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    size_t length;
    const char *after = read_field(ps, f, p, &field);
    const char *text = after == NULL ? NULL : plain_text(ps, f, &field, &length);
    if (text == NULL) {
        return NULL;
    }
    return dps_row_block_id(ps->block, text, length) ? after : no_memory(ps);
}

/* A column that was left out by its first rows must go on like them. */
static const char *parse_left_out(parser *ps, int32_t f, const char *p)
{
    dps_csv_field field;
    int64_t number;
    const char *after = read_field(ps, f, p, &field);
    if (after == NULL) {
        return NULL;
    }
    if (ps->layout->field[f].left_out == DPS_LEFT_OUT_EMPTY) {
        return is_missing(ps, &field) ? after
                                      : refuse(ps, f, field.text, field.length,
                                               "the column was empty up to here; give it a name, "
                                               "or leave it out (data.ignore_columns)");
    }
    return dps_text_to_int64(field.text, field.length, &number)
               ? after
               : refuse(ps, f, field.text, field.length,
                        "the column numbered the rows up to here; name it in data.ignore_columns "
                        "or data.text_columns");
}

static const char *parse_other(parser *ps, int32_t f, const char *p)
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
    return read_field(ps, f, p, &field);
}

/* ---- rows ---- */

/* Entries of the row from `begin` on: by feature number, ascending. False: no memory. */
static bool settle_row(parser *ps, int64_t begin)
{
    dps_row_block *block = ps->block;
    if (!ps->layout->ascending && dps_row_block_sort(block, begin, ps->entries) == -2) {
        no_memory(ps);
        return false;
    }
    if (ps->layout->training || !ps->layout->has_text) {
        return true;
    }
    int64_t kept = begin;
    for (int64_t k = begin; k < ps->entries; k++) {
        int32_t index = block->index[k];
        double value = block->value[k];
        if (dps_layout_resolve(ps->layout, block->words.code, &index, &value)) {
            block->index[kept] = index;
            block->value[kept] = value;
            kept++;
        }
    }
    ps->entries = kept;
    return true;
}

static const char *parse_row(parser *ps, const char *p)
{
    const dps_layout *layout = ps->layout;
    dps_row_block *block = ps->block;
    const int32_t fields = layout->fields;
    const int64_t begin = ps->entries;
    ps->label = -1;
    if (fields == 0) {
        return refuse(ps, -1, p, 0,
                      "too many blank lines before this row, the first one; remove them");
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    for (int32_t f = 0; f < fields; f++) {
        const dps_field *field = &layout->field[f];
        if (f > 0) {
            /* the common case apart: 2 % of the time a row takes */
            const char *next = *p == ps->delimiter && ps->delimiter != DPS_BLANKS
                                   ? p + 1
                                   : dps_csv_next(p, ps->delimiter);
            if (next == NULL) {
                return refuse_count(ps, f, p);
            }
            p = next;
        }
        p = field->role == DPS_COLUMN_NUMBER && !field->formed ? parse_number(ps, f, field->slot, p)
                                                               : parse_other(ps, f, p);
        if (p == NULL) {
            return NULL;
        }
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    if (!dps_csv_line_end(p)) {
        return refuse_count(ps, fields + 1, p);
    }
    if (!settle_row(ps, begin)) {
        return NULL;
    }
    block->label[block->rows] = ps->label;
    block->rows++;
    block->start[block->rows] = ps->entries;
    return p + (*p == '\r') + 1;
}

/* The line of names, which must be the first file's. */
static const char *parse_header(parser *ps, const char *p)
{
    const dps_layout *layout = ps->layout;
    const int32_t begin = layout->unnamed == DPS_FIRST_UNNAMED ? 1 : 0;
    const int32_t end = layout->fields - (layout->unnamed == DPS_LAST_UNNAMED);
    p = dps_csv_past_blanks(p, ps->delimiter);
    for (int32_t f = begin; f < end; f++) {
        dps_csv_field field;
        size_t length;
        if (f > begin) {
            const char *next = dps_csv_next(p, ps->delimiter);
            if (next == NULL) {
                return refuse_count(ps, f, p);
            }
            p = next;
        }
        p = read_field(ps, f, p, &field);
        const char *text = p == NULL ? NULL : plain_text(ps, f, &field, &length);
        if (text == NULL) {
            return NULL;
        }
        if (!dps_layout_is_name(layout, f, text, length)) {
            return refuse(ps, f, field.text, field.length,
                          "every file must start with the same line of column names as the first");
        }
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    if (!dps_csv_line_end(p)) {
        return refuse_count(ps, layout->fields + 1, p);
    }
    return p + (*p == '\r') + 1;
}

/* A line that is not blank. */
static const char *parse_line(parser *ps, const char *p)
{
    if (ps->in_head) {
        switch (dps_layout_head_line(ps->layout, &ps->head, p)) {
        case DPS_HEAD_SKIP:
            return dps_csv_after_line(p, ps->end);
        case DPS_HEAD_NAMES:
            return parse_header(ps, p);
        case DPS_HEAD_ROW:
            ps->in_head = false;
        }
    }
    if (ps->layout->header_line != NULL && dps_layout_repeats(ps->layout, p, ps->end)) {
        ps->block->repeats++;
        return dps_csv_after_line(p, ps->end);
    }
    return parse_row(ps, p);
}

static void parse_lines(parser *ps, const char *p, size_t length)
{
    ps->end = p + length;
    while (p != NULL && p < ps->end) {
        const char *next;
        ps->line++;
        ps->line_begin = p;
        p = dps_csv_is_blank_line(p, ps->delimiter, &next) ? next : parse_line(ps, p);
    }
}

dps_status dps_csv_parse(const dps_read_options *options, const dps_chunk *chunk,
                         dps_row_block *block, dps_error *err)
{
    const dps_layout *layout = options->layout;
    parser ps = {.options = options,
                 .layout = layout,
                 .file = chunk->file,
                 .block = block,
                 .err = err,
                 .delimiter = layout->delimiter};
    const size_t rows = dps_count_byte('\n', chunk->bytes, chunk->length) + 1;
    size_t fields = dps_count_byte(ps.delimiter, chunk->bytes, chunk->length) + rows;
    if (ps.delimiter == DPS_BLANKS) {
        fields += dps_count_byte('\t', chunk->bytes, chunk->length);
    }
    ps.in_head = chunk->first_of_file && layout->fields > 0;
    dps_line_parts lines;
    if (!dps_row_block_begin(block, rows, fields) || !dps_row_block_lines(block, chunk, &lines) ||
        (layout->has_weight && !dps_row_block_grow_weights(block, rows)) ||
        (layout->has_id && !dps_row_block_grow_ids(block, rows))) {
        no_memory(&ps);
        return ps.status;
    }
    for (int k = 0; k < 2 && ps.status == DPS_OK; k++) {
        parse_lines(&ps, lines.part[k], lines.length[k]);
    }
    block->lines = ps.line;
    return ps.status;
}
