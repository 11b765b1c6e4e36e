/* Looking at the first lines of a table.
 *
 * A first line is one of names if one of these holds:
 *   - it holds a name that the user or the model gave, or one that means the label and is no value
 *     of its column further down;
 *   - some column has text there and only numbers below;
 *   - all its fields are texts, no two alike, and none stands in its column again.
 * What a sample says depends on the first bytes of the input alone. */
#include "table_sample.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "csv_line.h"
#include "number.h"

bool dps_is_label_name(const char *name)
{
    static const char *const known[] = {"label", "target", "class", "y"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        size_t i = 0;
        while (name[i] != '\0' && (name[i] | 32) == known[k][i]) {
            i++;
        }
        if (name[i] == '\0' && known[k][i] == '\0') {
            return true;
        }
    }
    return false;
}

/* ---- semicolons ---- */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Separated by semicolons: no comma, or only commas inside numbers. */
static bool by_semicolons(const char *p, bool *decimal_commas)
{
    bool semicolon = false, quoted = false, comma = false, tab = false;
    for (const char *s = p; *s != '\n'; s++) {
        quoted ^= *s == '"';
        semicolon |= !quoted && *s == ';';
        tab |= !quoted && *s == '\t';
        if (!quoted && *s == ',') {
            if (s == p || !digit(s[-1]) || !digit(s[1])) {
                return false;
            }
            comma = true;
        }
    }
    *decimal_commas |= comma;
    return semicolon && !tab;
}

static const char *after_line(const char *p, const char *end)
{
    return (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
}

/* Every comma-separated field of a semicolon-separated line would start or end inside one of its
 * fields; a line of plain numbers between commas has no semicolon at all. */
static dps_status check_semicolons(const char *line, const char *end, const char *file,
                                   dps_error *err)
{
    bool decimal_commas = false;
    const char *second = after_line(line, end);
    if (!by_semicolons(line, &decimal_commas) ||
        (second < end && *second != '\n' && *second != '\r' &&
         !by_semicolons(second, &decimal_commas))) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_DATA, file, 1, 0,
                        "the delimiter seems to be a semicolon%s; expected commas between columns "
                        "and points in numbers: convert it, as in tr '%s' '%s' < FILE > NEW",
                        decimal_commas ? ", with commas inside numbers" : "",
                        decimal_commas ? ";," : ";", decimal_commas ? ",." : ",");
}

/* ---- sampling ---- */

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

static bool is_number(const dps_csv_field *field)
{
    double number;
    return dps_text_to_double(field->text, field->length, &number);
}

static const char *skip_blank_lines(const char *p, const char *end, char delimiter)
{
    for (;;) {
        const char *q = p;
        while (q < end && dps_csv_blank(*q, delimiter)) {
            q++;
        }
        if (q >= end || !dps_csv_line_end(q)) {
            return q >= end ? end : p;
        }
        p = q + (*q == '\r') + 1;
    }
}

static dps_status first_line(dps_table_sample *sample, const char *p, char delimiter,
                             const char *file, dps_error *err)
{
    const char *begin = p;
    size_t capacity = 0;
    for (;; p++) {
        dps_csv_field field;
        const char *why;
        void *grown = sample->field;
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            return dps_error_at(err, DPS_ERROR_DATA, file, 1, field.text - begin + 1, "%s", why);
        }
        if (!dps_grow(&grown, &capacity, (size_t)sample->fields + 1, sizeof *sample->field)) {
            return dps_out_of_memory(err, (size_t)sample->fields + 1, sizeof *sample->field,
                                     "columns");
        }
        sample->field = grown;
        dps_sample_field *at = &sample->field[sample->fields];
        *at = (dps_sample_field){.first = dps_alloc(field.length + 1, 1),
                                 .first_number = is_number(&field) || dps_csv_is_missing(&field)};
        if (at->first == NULL) {
            return dps_out_of_memory(err, field.length + 1, 1, "columns");
        }
        sample->fields++;
        at->first[dps_csv_unescape(&field, at->first)] = '\0';
        if (dps_csv_line_end(p)) {
            return DPS_OK;
        }
    }
}

/* Counts one more line; NULL: it is not like the first. */
static const char *next_line(dps_table_sample *sample, const char *p, char delimiter)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        dps_sample_field *at = &sample->field[f];
        dps_csv_field field;
        const char *why;
        if (f > 0) {
            if (*p != delimiter) {
                return NULL;
            }
            p++;
        }
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            return NULL;
        }
        if (is_number(&field)) {
            at->numbers++;
        } else if (!dps_csv_is_missing(&field)) {
            at->texts++;
            at->first_returns |= strlen(at->first) == field.length &&
                                 memcmp(at->first, field.text, field.length) == 0;
        }
    }
    return dps_csv_line_end(p) ? p + (*p == '\r') + 1 : NULL;
}

dps_status dps_table_sample_take(dps_table_sample *sample, const dps_chunk *start, char delimiter,
                                 dps_error *err)
{
    memset(sample, 0, sizeof *sample);
    size_t length = 0;
    char *text = copy_lines(start, &length);
    if (text == NULL) {
        return dps_out_of_memory(err, start->length, 1, "the first lines");
    }
    const char *end = text + length;
    const char *p = skip_blank_lines(text, end, delimiter);
    dps_status status = DPS_OK;
    sample->blank_start = p != text;
    if (p < end) {
        status = delimiter == ',' ? check_semicolons(p, end, start->file, err) : DPS_OK;
        if (status == DPS_OK) {
            status = first_line(sample, p, delimiter, start->file, err);
        }
        p = after_line(p, end);
    }
    while (status == DPS_OK && p != NULL && (p = skip_blank_lines(p, end, delimiter)) < end) {
        p = next_line(sample, p, delimiter);
    }
    dps_free(text);
    if (status != DPS_OK) {
        dps_table_sample_release(sample);
    }
    return status;
}

void dps_table_sample_release(dps_table_sample *sample)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        dps_free(sample->field[f].first);
    }
    dps_free(sample->field);
    memset(sample, 0, sizeof *sample);
}

/* ---- names or values? ---- */

static bool is_given_name(const char *text, const dps_table_options *options,
                          const dps_table *known)
{
    const char *const given[] = {options->label_column, options->id_column, options->weight_column};
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) {
        if (given[k] != NULL && *text != '\0' && strcmp(given[k], text) == 0) {
            return true;
        }
    }
    for (int32_t c = 0; known != NULL && c < known->count; c++) {
        const char *name = known->column[c].name;
        if (name != NULL && *name != '\0' && strcmp(name, text) == 0) {
            return true;
        }
    }
    return false;
}

static bool all_distinct_texts(const dps_table_sample *sample)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        if (sample->field[f].first_number || sample->field[f].first_returns) {
            return false;
        }
        for (int32_t g = 0; g < f && sample->fields <= 1000; g++) {
            if (strcmp(sample->field[f].first, sample->field[g].first) == 0) {
                return false;
            }
        }
    }
    return true;
}

bool dps_table_sample_has_header(const dps_table_sample *sample, const dps_table_options *options,
                                 const dps_table *known)
{
    if (options->header != DPS_HEADER_AUTO || sample->blank_start || sample->fields == 0) {
        return options->header == DPS_HEADER_ON;
    }
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        if (at->first_number) {
            continue;
        }
        if (is_given_name(at->first, options, known) ||
            (dps_is_label_name(at->first) && !at->first_returns) ||
            (at->numbers > 0 && at->texts == 0)) {
            return true;
        }
    }
    return all_distinct_texts(sample);
}
