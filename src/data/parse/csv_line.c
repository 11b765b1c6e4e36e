/* Fields of CSV text:
 *
 *     field = blanks {any byte but the delimiter, line ends} | blanks '"' {any byte but '"' | '""'}
 * '"' blanks
 *
 * (Shafranovich, RFC 4180, 2005), but a quoted field must end on its line: rows are cut at line
 * ends, so that all threads can parse at once. Blanks around a field are left out. */
#include "csv_line.h"

#include <string.h>

#include "arff_header.h"
#include "text.h"

static const char *past_blanks_around(const char *p, char delimiter)
{
    while (dps_csv_blank(*p, delimiter)) {
        p++;
    }
    return p;
}

/* A field that begins with its quote. */
static const char *read_quoted(const char *p, char delimiter, dps_csv_field *field,
                               const char **why)
{
    field->quoted = true;
    field->quote = *p;
    field->text = p + 1;
    for (p++;; p++) {
        if (*p == '\n') {
            field->text--;
            *why = "the quoted field does not end on this line: close its quote, or replace line "
                   "breaks "
                   "inside fields by blanks (a row is one line)";
            return NULL;
        }
        if (field->escapes && *p == '\\' && p[1] != '\n' && p[1] != '\r') {
            field->doubled = true;
            p++;
        } else if (*p == field->quote) {
            if (p[1] != field->quote) {
                break;
            }
            field->doubled = true;
            p++;
        }
    }
    field->length = (size_t)(p - field->text);
    p = past_blanks_around(p + 1, delimiter);
    if (!dps_csv_delimits(*p, delimiter) && !dps_csv_line_end(p)) {
        field->text = p;
        *why = "text after the closing quote; a quote inside a quoted field is written twice";
        return NULL;
    }
    return p;
}

static const char *read_bare(const char *p, char delimiter, dps_csv_field *field)
{
    field->text = p;
    while (!dps_csv_delimits(*p, delimiter) && !dps_csv_line_end(p)) {
        p++;
    }
    const char *end = p;
    while (end > field->text && dps_csv_blank(end[-1], delimiter)) {
        end--;
    }
    field->length = (size_t)(end - field->text);
    return p;
}

const char *dps_csv_read_field(const char *p, char delimiter, dps_csv_field *field,
                               const char **why)
{
    *field = (dps_csv_field){0};
    p = past_blanks_around(p, delimiter);
    return *p == '"' ? read_quoted(p, delimiter, field, why) : read_bare(p, delimiter, field);
}

const char *dps_arff_read_field(const char *p, char delimiter, dps_csv_field *field,
                                const char **why)
{
    *field = (dps_csv_field){.escapes = true};
    p = past_blanks_around(p, delimiter);
    return *p == '"' || *p == '\'' ? read_quoted(p, delimiter, field, why)
                                   : read_bare(p, delimiter, field);
}

size_t dps_csv_unescape(const dps_csv_field *field, char *to)
{
    size_t length = 0;
    for (size_t i = 0; i < field->length; i++) {
        if (field->doubled && field->escapes && field->text[i] == '\\') {
            to[length++] = dps_arff_escaped(field->text[++i]);
            continue;
        }
        to[length++] = field->text[i];
        i += field->doubled && field->text[i] == field->quote; /* the second of two */
    }
    return length;
}

bool dps_csv_is_missing(const dps_csv_field *field)
{
    const char *t = field->text;
    if (field->length == 0) {
        return true;
    }
    if (field->quoted) {
        return false;
    }
    if (field->escapes) {
        return field->length == 1 && *t == '?'; /* NA may be a value */
    }
    return (field->length == 1 && *t == '?') || (field->length == 2 && memcmp(t, "NA", 2) == 0) ||
           dps_text_is_word("nan", t, field->length);
}
