/* Looking at the first lines of a table, all of them together.
 *
 * Which of them are names or units: table_names.c. What a sample says depends on the first bytes of
 * the input alone; where later rows are otherwise, the parser says so (csv_parser.c, raw_text.c).
 */
#include "table_sample.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "csv_line.h"
#include "missing_word.h"
#include "number.h"

/* The text with whole lines only, ended by a line end; NULL: no memory. */
static char *copy_lines(const dps_chunk *start, size_t *length)
{
    size_t whole = start->length;
    while (whole > 0 && start->bytes[whole - 1] != '\n') {
        whole--;
    }
    whole = whole > 0 ? whole : start->length;
    char *text = dps_alloc(whole + 2, 1);
    if (text != NULL) {
        memcpy(text, start->bytes, whole);
        text[whole] = '\n'; /* a blank line where there was one already */
        *length = whole + 1;
    }
    return text;
}

/* The next line that may be a row, or `end`; *line counts along. */
static const char *skip_blank_lines(const dps_table_sample *sample, const char *p, const char *end,
                                    int64_t *line)
{
    const char *next = p;
    while (p < end && (dps_csv_is_blank_line(p, sample->head.delimiter, &next) ||
                       (sample->arff != NULL && dps_arff_is_comment(p)))) {
        p = next > p ? next : dps_csv_after_line(p, end);
        (*line)++;
    }
    return p;
}

/* ---- fields ---- */

typedef enum kind { NUMBER, MISSING, WORD, TEXT } kind; /* WORD: missing among numbers only */

/* The many numbers that are written as C writes them. */
static bool is_short_number(const dps_csv_field *field, dps_number_signs *signs, double *number)
{
    const char *end = field->text + field->length;
    if (field->length == 0 || dps_parse_short(field->text, end, number) != end) {
        return false;
    }
    const char *point = memchr(field->text, '.', field->length);
    if (point != NULL) {
        const bool either = end - point == 4 && point - field->text <= 4 && *field->text != '0';
        signs->point_either |= either;
        signs->point_decimal |= !either;
    }
    signs->bare |= *number != 0.0;
    return true;
}

static kind kind_of(const dps_csv_field *field, const dps_missing_words *words,
                    dps_number_signs *signs, double *number)
{
    const dps_number_form plain = {0};
    if (dps_is_listed_word(words, field->text, field->length)) {
        return MISSING;
    }
    if (is_short_number(field, signs, number)) {
        return NUMBER;
    }
    *number = NAN;
    if (dps_csv_is_missing(field)) {
        return MISSING;
    }
    if (dps_is_missing_word(field->text, field->length)) {
        return WORD;
    }
    if (dps_number_look(field->text, field->length, signs)) {
        (void)dps_number_read(field->text, field->length, &plain, number); /* if it is plain */
        return NUMBER;
    }
    return dps_text_to_double(field->text, field->length, number) ? NUMBER : TEXT;
}

static char *copy_field(const dps_csv_field *field)
{
    char *copy = dps_alloc(field->length + 1, 1);
    if (copy != NULL) {
        copy[dps_csv_unescape(field, copy)] = '\0';
    }
    return copy;
}

static dps_status no_memory(const dps_table_sample *sample, dps_error *err)
{
    return dps_out_of_memory(err, (size_t)sample->fields + 1, sizeof *sample->field, "columns");
}

/* The first line that may be names. With one field less than the rows, they are those of all
 * columns but the first. */
static dps_status first_line(dps_table_sample *sample, const char *file, dps_error *err)
{
    const dps_table_head *head = &sample->head;
    const char *p = dps_csv_past_blanks(head->first, head->delimiter);
    size_t capacity = 0;
    for (bool unnamed = head->unnamed == DPS_FIRST_UNNAMED; p != NULL; unnamed = false) {
        dps_csv_field field = {.text = p};
        dps_number_signs signs = {0};
        const char *why;
        double number;
        const char *after = unnamed ? p : dps_csv_read_field(p, head->delimiter, &field, &why);
        if (after == NULL) {
            return dps_error_at(err, DPS_ERROR_DATA, file, head->line, field.text - head->first + 1,
                                "%s", why);
        }
        DPS_NEED_MORE(sample->field, capacity, (size_t)sample->fields + 1, "columns", err);
        dps_sample_field *at = &sample->field[sample->fields];
        const kind found = kind_of(&field, sample->words, &signs, &number);
        *at = (dps_sample_field){.first = copy_field(&field),
                                 .first_number = found != TEXT,
                                 .first_quoted = field.quoted,
                                 .counts = true,
                                 .all_different = true,
                                 .low = INFINITY,
                                 .high = -INFINITY};
        at->first_whole =
            dps_text_to_int64(at->first == NULL ? "" : at->first,
                              at->first == NULL ? 0 : strlen(at->first), &at->first_value);
        if (at->first == NULL) {
            return no_memory(sample, err);
        }
        sample->fields++;
        p = unnamed ? p : dps_csv_next(after, head->delimiter);
    }
    return DPS_OK;
}

/* The fields of the line at p, one after the other; false: it is not like the first. */
static bool split_line(const dps_table_sample *sample, const char *p, dps_csv_field *fields)
{
    const char delimiter = sample->head.delimiter;
    p = dps_csv_past_blanks(p, delimiter);
    for (int32_t f = 0; f < sample->fields; f++) {
        const char *why;
        p = p == NULL              ? NULL
            : sample->arff != NULL ? dps_arff_read_field(p, delimiter, &fields[f], &why)
                                   : dps_csv_read_field(p, delimiter, &fields[f], &why);
        if (p == NULL) {
            return false;
        }
        p = dps_csv_next(p, delimiter);
    }
    return p == NULL;
}

static dps_status second_line(dps_table_sample *sample, const dps_csv_field *fields, dps_error *err)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        dps_sample_field *at = &sample->field[f];
        dps_number_signs signs = {0};
        double number;
        const kind found = kind_of(&fields[f], sample->words, &signs, &number);
        at->second = copy_field(&fields[f]);
        at->second_number = found == NUMBER;
        at->second_missing = found == MISSING || found == WORD;
        if (at->second == NULL) {
            return no_memory(sample, err);
        }
    }
    return DPS_OK;
}

/* ---- counting ---- */

static void count_value(dps_sample_field *at, const dps_csv_field *field,
                        const dps_missing_words *words)
{
    double number;
    switch (kind_of(field, words, &at->signs, &number)) {
    case NUMBER:
        at->numbers++;
        at->quoted += field->quoted;
        at->whole += number == floor(number);
        at->low = fmin(at->low, number);
        at->high = fmax(at->high, number);
        break;
    case WORD:
        at->words++;
        at->missing++;
        break;
    case MISSING:
        at->missing++;
        break;
    case TEXT:
        at->texts++;
        at->first_returns |= strlen(at->first) == field->length &&
                             memcmp(at->first, field->text, field->length) == 0;
        break;
    }
}

/* Distinct values, and whether they go up by one. False: no memory. */
static bool note_value(dps_sample_field *at, const dps_csv_field *field)
{
    int64_t value;
    const int64_t before = at->values.count;
    const bool whole = dps_text_to_int64(field->text, field->length, &value);
    at->counts = at->counts && whole &&
                 (before == 0 ? value == 0 || value == 1 : dps_follows(at->last_value, value));
    at->last_value = whole ? value : 0;
    if (field->length == 0 || before >= DPS_SAMPLE_VALUES) {
        return true;
    }
    if (dps_class_builder_add(&at->values, field->text, field->length) < 0) {
        return false;
    }
    at->all_different &= at->values.count > before;
    return true;
}

static void clear_counts(dps_sample_field *at)
{
    at->numbers = at->texts = at->missing = at->words = at->quoted = at->whole = 0;
    at->low = INFINITY;
    at->high = -INFINITY;
    at->first_returns = false;
    at->signs = (dps_number_signs){0};
}

/* The first line again, as in files that were joined; or a row that is like the first. */
static bool repeats_first(const dps_table_sample *sample, const dps_csv_field *fields)
{
    bool text = false;
    for (int32_t f = 0; f < sample->fields; f++) {
        const char *first = sample->field[f].first;
        if (strlen(first) != fields[f].length ||
            memcmp(first, fields[f].text, fields[f].length) != 0) {
            return false;
        }
        text |= !sample->field[f].first_number;
    }
    return text && sample->may_repeat;
}

/* Counts the lines from p on. values: their distinct values too. */
static dps_status count_lines(dps_table_sample *sample, const char *p, const char *end, bool values,
                              dps_csv_field *fields, dps_error *err)
{
    int64_t line = 0;
    for (int32_t f = 0; f < sample->fields; f++) {
        clear_counts(&sample->field[f]);
    }
    sample->rows = 0;
    sample->repeats = 0;
    while ((p = skip_blank_lines(sample, p, end, &line)) < end && split_line(sample, p, fields)) {
        if (repeats_first(sample, fields)) { /* in its place too, where it is a row */
            sample->repeats++;
            p = dps_csv_after_line(p, end);
            continue;
        }
        for (int32_t f = 0; f < sample->fields; f++) {
            count_value(&sample->field[f], &fields[f], sample->words);
            if (values && !note_value(&sample->field[f], &fields[f])) {
                return no_memory(sample, err);
            }
        }
        sample->rows++;
        p = dps_csv_after_line(p, end);
    }
    return DPS_OK;
}

/* How a line begins, for messages. */
static void shorten(const char *line, char *buffer, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && !dps_csv_line_end(line + length)) {
        buffer[length] = line[length] < ' ' && line[length] > 0 ? ' ' : line[length];
        length++;
    }
    buffer[length] = '\0';
    if (!dps_csv_line_end(line + length)) {
        memcpy(buffer + length - 3, "...", 4);
    }
}

/* Rows that end in a delimiter have a last column without a value, which lacks the name then. */
static void name_last(dps_table_sample *sample)
{
    dps_sample_field *last = &sample->field[sample->fields - 1];
    if (sample->head.unnamed != DPS_FIRST_UNNAMED || sample->rows == 0 ||
        last->missing < sample->rows) {
        return;
    }
    char *empty = sample->field[0].first;
    for (int32_t f = 0; f + 1 < sample->fields; f++) {
        sample->field[f].first = sample->field[f + 1].first;
    }
    last->first = empty;
    sample->head.unnamed = DPS_LAST_UNNAMED;
}

/* What is a row, in the lines start..end; counts them. */
static dps_status understand(dps_table_sample *sample, const char *end,
                             const dps_table_options *options, const dps_table *known,
                             dps_csv_field *fields, dps_error *err)
{
    const char *first = sample->head.first;
    int64_t line = sample->head.line + 1;
    const char *second = skip_blank_lines(sample, dps_csv_after_line(first, end), end, &line);
    const char *third = second;
    dps_status status = DPS_OK;
    if (second < end && split_line(sample, second, fields)) {
        sample->second_line = line;
        shorten(second, sample->units, sizeof sample->units);
        status = second_line(sample, fields, err);
        third = dps_csv_after_line(second, end);
    }
    sample->may_repeat = true;
    if (status == DPS_OK) { /* without the second line, which may hold units */
        status = count_lines(sample, third, end, false, fields, err);
    }
    if (status != DPS_OK) {
        return status;
    }
    const bool guessed = options->header == DPS_SWITCH_AUTO;
    if (third == second || sample->rows == 0) { /* too few lines to tell units */
        status = count_lines(sample, second, end, false, fields, err);
        sample->header = guessed ? dps_table_sample_is_header(sample, options, known)
                                 : options->header == DPS_SWITCH_ON;
    } else {
        sample->header = guessed || options->header == DPS_SWITCH_ON;
        sample->has_units = dps_table_sample_is_units(sample); /* if the first is one of names */
        if (!sample->has_units) {
            status = count_lines(sample, second, end, false, fields, err);
        }
        if (guessed) {
            sample->header = dps_table_sample_is_header(sample, options, known);
        }
        sample->has_units &= sample->header;
    }
    name_last(sample);
    sample->may_repeat = sample->header;
    DPS_THEN(status, count_lines(sample,
                                 !sample->header     ? first
                                 : sample->has_units ? third
                                                     : second,
                                 end, known == NULL, fields, err));
    return status;
}

/* The columns are declared: all lines are rows. */
static dps_status take_declared(dps_table_sample *sample, const char *text, const char *end,
                                char delimiter, const dps_table *known, dps_error *err)
{
    const dps_arff_header *arff = sample->arff;
    sample->head = (dps_table_head){.delimiter = delimiter != 0 ? delimiter : ',', .line = 1};
    sample->header = true;
    sample->field = dps_alloc((size_t)arff->count, sizeof *sample->field);
    dps_csv_field *fields = dps_alloc((size_t)arff->count, sizeof *fields);
    bool ok = sample->field != NULL && fields != NULL;
    for (int32_t f = 0; f < arff->count && ok; f++) {
        const char *name = arff->attribute[f].name;
        const dps_csv_field copied = {.text = name, .length = strlen(name)};
        sample->field[f] =
            (dps_sample_field){.first = copy_field(&copied), .counts = true, .all_different = true};
        ok = sample->field[f].first != NULL;
        sample->fields++;
    }
    const dps_status status =
        ok ? count_lines(sample, text, end, known == NULL, fields, err) : no_memory(sample, err);
    dps_free(fields);
    return status;
}

dps_status dps_table_sample_take(dps_table_sample *sample, const dps_chunk *start, char delimiter,
                                 const dps_table_options *options, const dps_missing_words *words,
                                 const dps_table *known, const dps_arff_header *arff,
                                 dps_error *err)
{
    memset(sample, 0, sizeof *sample);
    sample->words = words;
    sample->arff = arff;
    size_t length = 0;
    const size_t skip = arff != NULL ? arff->bytes : 0;
    const dps_chunk rows = {.bytes = start->bytes + skip, .length = start->length - skip};
    char *text = copy_lines(&rows, &length);
    if (text == NULL) {
        return dps_out_of_memory(err, start->length, 1, "the first lines");
    }
    const char *end = text + length;
    dps_csv_field *fields = NULL;
    dps_status status = DPS_OK;
    if (arff != NULL) {
        status = take_declared(sample, text, end, delimiter, known, err);
    } else {
        dps_table_head_find(text, end, delimiter, &sample->head);
    }
    if (sample->head.title != NULL) {
        shorten(sample->head.title, sample->title, sizeof sample->title);
    }
    if (sample->head.first != NULL) {
        status = first_line(sample, start->file, err);
    }
    if (status == DPS_OK && arff == NULL && sample->fields > 0) {
        fields = dps_alloc((size_t)sample->fields, sizeof *fields);
        status = fields != NULL ? understand(sample, end, options, known, fields, err)
                                : no_memory(sample, err);
    }
    dps_free(fields);
    dps_free(text);
    sample->head.first = sample->head.title = NULL;
    if (status != DPS_OK) {
        dps_table_sample_release(sample);
    }
    return status;
}

void dps_table_sample_release(dps_table_sample *sample)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        dps_free(sample->field[f].first);
        dps_free(sample->field[f].second);
        dps_class_builder_release(&sample->field[f].values);
    }
    dps_free(sample->field);
    memset(sample, 0, sizeof *sample);
}
