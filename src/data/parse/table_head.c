/* Cutting lines into fields.
 *
 * Delimiter: of comma, tab, semicolon and bar the one that cuts at least half of the first lines
 * into the same number of fields, two or more; of several the one that makes most fields, of
 * equals the one that cuts most lines so, then the first. Commas that stand inside numbers only
 * (1,5;2,5) do not count beside another. Blanks are the delimiter where nothing else is.
 *
 * First line: lines before the first one of as many fields as the rows have are titles, comments or
 * counts, if they hold a text or one field alone; a first row that is too short is none of these.
 */
#include "table_head.h"

#include <string.h>

#include "csv_line.h"
#include "number.h"
#include "number_form.h"

#define LINES    100 /* that tell the delimiter */
#define MOST     64  /* different numbers of fields among them */
#define LEAD_MAX 100

/* Of the line at p, or -1: a quote is not closed. */
static int32_t count_fields(const char *p, char delimiter)
{
    int32_t fields = 1;
    for (p = dps_csv_past_blanks(p, delimiter);; fields++) {
        dps_csv_field field;
        const char *why;
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            return -1;
        }
        p = dps_csv_next(p, delimiter);
        if (p == NULL) {
            return fields;
        }
    }
}

char dps_table_sep_line(const char *p)
{
    const bool quoted = *p == '"';
    p += quoted;
    if (strncasecmp(p, "sep=", 4) != 0) {
        return 0;
    }
    p += 4;
    const char delimiter = *p;
    p += delimiter != '\n' && delimiter != '\r';
    p += quoted && *p == '"';
    return delimiter != '\n' && dps_csv_line_end(p) ? delimiter : 0;
}

static const struct {
    const char *name, *plural;
    char delimiter;
} delimiters[] = {{"comma", "commas", ','},
                  {"tab", "tabs", '\t'},
                  {"semicolon", "semicolons", ';'},
                  {"bar", "bars (|)", '|'},
                  {"blank", "blanks", DPS_BLANKS}};

#define DELIMITERS (sizeof delimiters / sizeof delimiters[0])

char dps_delimiter_of(const char *name)
{
    for (size_t k = 0; k < DELIMITERS; k++) {
        if (strcmp(name, delimiters[k].name) == 0) {
            return delimiters[k].delimiter;
        }
    }
    if (strcmp(name, "\\t") == 0) {
        return '\t';
    }
    const char c = name[0];
    const bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    return c > ' ' && c < 127 && name[1] == '\0' && !letter && strchr("\"'.+-", c) == NULL ? c : 0;
}

const char *dps_delimiter_plural(char delimiter)
{
    for (size_t k = 0; k < DELIMITERS; k++) {
        if (delimiters[k].delimiter == delimiter) {
            return delimiters[k].plural;
        }
    }
    return "the delimiter";
}

/* ---- which delimiter ---- */

typedef struct profile {
    int32_t fields;  /* most frequent number of two or more; 0: none */
    int64_t lines;   /* that have it */
    int64_t all;     /* lines */
    bool in_numbers; /* every field with a comma is a number */
    bool has_comma;
} profile;

/* What the fields of a line say about commas in it. */
static void look_for_commas(const char *p, char delimiter, profile *out)
{
    for (p = dps_csv_past_blanks(p, delimiter); p != NULL;) {
        dps_csv_field field;
        dps_number_signs signs = {0};
        const char *why;
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            out->in_numbers = false;
            return;
        }
        if (!field.quoted && memchr(field.text, ',', field.length) != NULL) {
            out->has_comma = true;
            out->in_numbers &= dps_number_look(field.text, field.length, &signs);
        }
        p = dps_csv_next(p, delimiter);
    }
}

static profile profile_of(const char *p, const char *end, char delimiter)
{
    int32_t fields[MOST];
    int64_t lines[MOST];
    int kinds = 0;
    profile out = {.in_numbers = true};
    while (p < end && out.all < LINES) {
        const char *next;
        if (dps_csv_is_blank_line(p, delimiter, &next)) {
            p = next;
            continue;
        }
        const int32_t count = count_fields(p, delimiter);
        int k = 0;
        while (k < kinds && fields[k] != count) {
            k++;
        }
        if (k == kinds && kinds < MOST) {
            fields[kinds] = count;
            lines[kinds++] = 0;
        }
        lines[k < MOST ? k : MOST - 1]++;
        out.all++;
        if (delimiter != ',') {
            look_for_commas(p, delimiter, &out);
        }
        p = dps_csv_after_line(p, end);
    }
    for (int k = 0; k < kinds; k++) {
        if (fields[k] >= 2 && lines[k] > out.lines) {
            out.fields = fields[k];
            out.lines = lines[k];
        }
    }
    return out;
}

/* Tabs behind commas are blanks around fields. */
static bool tabs_follow_commas(const char *p, const char *end)
{
    for (const char *s = p; s < end; s++) {
        if (*s == '\t' && (s == p || (s[-1] != ',' && s[-1] != '\t'))) {
            return false;
        }
    }
    return true;
}

static char find_delimiter(const char *p, const char *end)
{
    profile found[DELIMITERS];
    char best = 0;
    int32_t fields = 0;
    int64_t lines = 0;
    bool commas_inside = false;
    for (size_t k = 0; k < DELIMITERS; k++) {
        found[k] = profile_of(p, end, delimiters[k].delimiter);
        if (found[k].fields < 2 || 2 * found[k].lines < found[k].all ||
            (delimiters[k].delimiter == '\t' && tabs_follow_commas(p, end))) {
            found[k].fields = 0;
        }
        commas_inside |= found[k].fields > 0 && found[k].has_comma && found[k].in_numbers;
    }
    for (size_t k = 0; k < DELIMITERS; k++) {
        const char delimiter = delimiters[k].delimiter;
        if (delimiter == ',' && commas_inside) {
            continue;
        }
        const bool better = found[k].fields > fields ||
                            (fields > 0 && found[k].fields == fields && found[k].lines > lines);
        if (better && (delimiter != DPS_BLANKS || best == 0)) {
            best = delimiter;
            fields = found[k].fields;
            lines = found[k].lines;
        }
    }
    return best;
}

/* ---- which line is the first ---- */

typedef struct line_shape {
    int32_t fields, empty, numbers;
    bool second_is_width; /* the first two are whole numbers, the second one less than `width` */
} line_shape;

static line_shape shape_of(const char *p, char delimiter, int32_t width)
{
    line_shape out = {0};
    bool whole = false;
    for (p = dps_csv_past_blanks(p, delimiter); p != NULL;) {
        dps_csv_field field;
        const char *why;
        double number;
        int64_t integer;
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            out.fields = -1;
            return out;
        }
        out.empty += field.length == 0;
        out.numbers += dps_text_to_double(field.text, field.length, &number);
        const bool is_whole = dps_text_to_int64(field.text, field.length, &integer);
        out.second_is_width |= out.fields == 1 && whole && is_whole && integer == width - 1;
        whole = is_whole;
        out.fields++;
        p = dps_csv_next(p, delimiter);
    }
    return out;
}

bool dps_table_is_lead(const char *p, char delimiter, int32_t width)
{
    const line_shape shape = shape_of(p, delimiter, width);
    if (shape.fields < 0) {
        return false;
    }
    if (shape.fields == width) {
        return shape.empty == width || (width >= 3 && shape.empty == width - 1) ||
               (width >= 4 && shape.numbers == 2 && shape.second_is_width &&
                (shape.empty == 0 || shape.empty == width - 2));
    }
    return shape.fields == 1 || *p == '#' ||
           (shape.fields > width && shape.numbers == 2 && shape.empty == 0 &&
            shape.second_is_width) ||
           (shape.fields < width && shape.numbers + shape.empty < shape.fields);
}

/* Names for all columns but one: texts, or the numbers that pandas counts by. */
static bool is_short(const char *p, char delimiter, int32_t width)
{
    const line_shape shape = shape_of(p, delimiter, width);
    return width >= 2 && *p != '#' && shape.fields == width - 1 && shape.numbers == 0 &&
           shape.empty == 0;
}

/* Whether the line after p is a row of `width` fields, with a number among them: no names. */
static bool row_follows(const char *p, const char *end, char delimiter, int32_t width)
{
    for (p = dps_csv_after_line(p, end); p < end;) {
        const char *next;
        if (!dps_csv_is_blank_line(p, delimiter, &next)) {
            const line_shape shape = shape_of(p, delimiter, width);
            return shape.fields == width && shape.numbers > 0;
        }
        p = next;
    }
    return false;
}

void dps_table_head_find(const char *text, const char *end, char delimiter, dps_table_head *head)
{
    const char *p = text, *next;
    *head = (dps_table_head){.delimiter = delimiter, .line = 1};
    while (p < end && dps_csv_is_blank_line(p, delimiter, &next)) {
        p = next;
        head->line++;
    }
    const char sep = p < end ? dps_table_sep_line(p) : 0;
    if (sep != 0) {
        head->delimiter = delimiter != 0 ? delimiter : sep;
        head->lead = 1;
        head->line++;
        p = dps_csv_after_line(p, end);
    }
    if (head->delimiter == 0) {
        const char found = find_delimiter(p, end);
        head->delimiter = found != 0 ? found : ',';
    }
    const int32_t width = profile_of(p, end, head->delimiter).fields;
    for (; p < end; p = next, head->line++) {
        if (dps_csv_is_blank_line(p, head->delimiter, &next)) {
            continue;
        }
        next = dps_csv_after_line(p, end);
        head->first = p;
        head->fields = count_fields(p, head->delimiter);
        if (is_short(p, head->delimiter, width) && row_follows(p, end, head->delimiter, width)) {
            head->unnamed = DPS_FIRST_UNNAMED; /* or the last, which its values tell */
            head->fields = width;
            return;
        }
        if (width < 2 || head->lead > LEAD_MAX || !dps_table_is_lead(p, head->delimiter, width)) {
            return;
        }
        if (head->title == NULL) {
            head->title = p;
            head->title_line = head->line;
        }
        head->first = NULL;
        head->lead++;
    }
}
