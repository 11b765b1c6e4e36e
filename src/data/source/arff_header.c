/* The header of an ARFF file (Weka's manual, "ARFF"):
 *
 *     @relation NAME {@attribute NAME TYPE} @data, one a line
 *     TYPE = numeric | real | integer | string | date [FORMAT] | '{' LEVEL {',' LEVEL} '}'
 *
 * Keywords and types are in letters of any case, names and levels bare or in quotes of either kind,
 * where a backslash takes the next letter as it is; lines of % are comments. Only the header is
 * read here: the rows are CSV but for their quotes and comments (csv_line.h). Cost: one pass. */
#include "arff_header.h"

#include <string.h>
#include <strings.h>

#include "allocation.h"

typedef struct header_reader {
    dps_arff_header *header;
    const char *file;
    const char *line_begin;
    int64_t line;
    dps_error *err;
} header_reader;

static const char *past_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    return p;
}

/* Whether the word is at p, in letters of any case, and ends there. */
static bool is_word(const char *p, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - p) >= length && strncasecmp(p, word, length) == 0 &&
           (p + length == end || strchr(" \t\r%", p[length]) != NULL);
}

/* The next line that is not blank and no comment, past its blanks, and its end; false: there is
 * none. *p moves behind it. */
static bool next_line(const char **p, const char *end, const char **begin, const char **line_end,
                      int64_t *line)
{
    while (*p < end) {
        const char *found = memchr(*p, '\n', (size_t)(end - *p));
        *line_end = found != NULL ? found : end;
        *begin = past_blanks(*p, *line_end);
        *p = found != NULL ? found + 1 : end;
        (*line)++;
        if (*begin < *line_end && **begin != '%') {
            return true;
        }
    }
    return false;
}

bool dps_arff_is(const char *bytes, size_t length)
{
    const char *p = bytes, *begin, *end;
    int64_t line = 0;
    return next_line(&p, bytes + length, &begin, &end, &line) &&
           (is_word(begin, end, "@relation") || is_word(begin, end, "@attribute"));
}

size_t dps_arff_header_bytes(const char *bytes, size_t length)
{
    const char *p = bytes, *begin, *end;
    int64_t line = 0;
    while (next_line(&p, bytes + length, &begin, &end, &line)) {
        if (is_word(begin, end, "@data")) {
            return (size_t)(p - bytes);
        }
    }
    return 0;
}

static dps_status refuse(const header_reader *r, const char *at, const char *why)
{
    return dps_error_at(r->err, DPS_ERROR_DATA, r->file, r->line, at - r->line_begin + 1, "%s",
                        why);
}

/* A name or a level: in quotes, or bare up to one of `stops`, blanks at its end left out. `to` has
 * room for the line. Returns the place behind it; NULL: the quote is not closed. */
static const char *read_word(const char *p, const char *end, const char *stops, char *to,
                             size_t *length)
{
    *length = 0;
    if (p < end && (*p == '\'' || *p == '"')) {
        const char quote = *p++;
        for (; p < end && *p != quote; p++) {
            const bool escape = *p == '\\' && p + 1 < end;
            p += escape;
            to[(*length)++] = escape ? dps_arff_escaped(*p) : *p;
        }
        return p < end ? p + 1 : NULL;
    }
    while (p < end && strchr(stops, *p) == NULL) {
        to[(*length)++] = *p++;
    }
    while (*length > 0 && strchr(" \t\r", to[*length - 1]) != NULL) {
        (*length)--;
    }
    return p;
}

/* The levels in braces; p is behind the first brace. */
static dps_status read_levels(const header_reader *r, dps_arff_attribute *attribute, const char *p,
                              const char *end)
{
    DPS_NEED(attribute->levels, (size_t)(end - p) + 1, "values of columns", r->err);
    for (;;) {
        size_t length;
        p = past_blanks(p, end);
        const char *begin = p;
        p = read_word(p, end, ",}", attribute->levels + attribute->levels_length, &length);
        if (p == NULL) {
            return refuse(r, begin, "the quote is not closed");
        }
        if (p > begin) { /* "{a,b,}" has two */
            attribute->levels_length += length + 1;
            attribute->levels[attribute->levels_length - 1] = '\0';
        }
        p = past_blanks(p, end);
        if (p < end && *p == '}') {
            return DPS_OK;
        }
        if (p == end || *p != ',') {
            return refuse(r, p, "expected a comma or } behind a value of the attribute");
        }
        p++;
    }
}

static dps_status read_type(const header_reader *r, dps_arff_attribute *attribute, const char *p,
                            const char *end)
{
    static const struct {
        const char *word;
        dps_arff_kind kind;
    } types[] = {{"numeric", DPS_ARFF_NUMBER},
                 {"real", DPS_ARFF_NUMBER},
                 {"integer", DPS_ARFF_NUMBER},
                 {"string", DPS_ARFF_TEXT},
                 {"date", DPS_ARFF_TEXT}};
    if (p < end && *p == '{') {
        attribute->kind = DPS_ARFF_NOMINAL;
        return read_levels(r, attribute, p + 1, end);
    }
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        if (is_word(p, end, types[k].word)) {
            attribute->kind = types[k].kind;
            return DPS_OK;
        }
    }
    return refuse(r, p,
                  is_word(p, end, "relational")
                      ? "attributes that hold tables (relational) are not read; Weka's filter "
                        "MultiInstanceToPropositional makes rows of them"
                      : "expected numeric, real, integer, string, date or {value, ...} behind the "
                        "attribute's name");
}

/* p is behind the keyword. */
static dps_status read_attribute(const header_reader *r, const char *p, const char *end)
{
    dps_arff_header *header = r->header;
    size_t length;
    p = past_blanks(p, end);
    char *name = dps_alloc((size_t)(end - p) + 1, 1);
    if (name == NULL || !DPS_GROW(header->attribute, header->capacity, (size_t)header->count + 1)) {
        dps_free(name);
        return dps_out_of_memory(r->err, (size_t)header->count + 1, sizeof *header->attribute,
                                 "columns");
    }
    dps_arff_attribute *attribute = &header->attribute[header->count++];
    *attribute = (dps_arff_attribute){.name = name, .line = r->line};
    const char *after = read_word(p, end, " \t{", name, &length);
    if (after == NULL || after == p) {
        return refuse(r, p,
                      after == NULL ? "the quote is not closed"
                                    : "expected the attribute's name behind @attribute");
    }
    name[length] = '\0';
    return read_type(r, attribute, past_blanks(after, end), end);
}

dps_status dps_arff_header_read(dps_arff_header *header, const char *bytes, size_t length,
                                const char *file, dps_error *err)
{
    header_reader r = {.header = header, .file = file, .line_begin = bytes, .err = err};
    const char *p = bytes, *begin, *end;
    memset(header, 0, sizeof *header);
    while (next_line(&p, bytes + length, &begin, &end, &r.line)) {
        dps_status status = DPS_OK;
        for (r.line_begin = begin; r.line_begin > bytes && r.line_begin[-1] != '\n';) {
            r.line_begin--;
        }
        if (is_word(begin, end, "@data")) {
            header->bytes = (size_t)(p - bytes);
            header->lines = r.line;
            return header->count > 0 ? DPS_OK : refuse(&r, begin, "no @attribute before @data");
        }
        if (is_word(begin, end, "@attribute")) {
            status = read_attribute(&r, begin + strlen("@attribute"), end);
        } else if (!is_word(begin, end, "@relation")) {
            status = refuse(&r, begin,
                            "expected @relation, @attribute or @data, as every ARFF file begins");
        }
        if (status != DPS_OK) {
            return status;
        }
    }
    return dps_error_at(err, DPS_ERROR_DATA, file, r.line > 0 ? r.line : 1, 0,
                        "the header of an ARFF file does not end: expected a line @data");
}

int32_t dps_arff_header_compare(const dps_arff_header *a, const dps_arff_header *b)
{
    const int32_t both = a->count < b->count ? a->count : b->count;
    for (int32_t k = 0; k < both; k++) {
        const dps_arff_attribute *x = &a->attribute[k], *y = &b->attribute[k];
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind ||
            x->levels_length != y->levels_length ||
            (x->levels_length > 0 && memcmp(x->levels, y->levels, x->levels_length) != 0)) {
            return k;
        }
    }
    return a->count == b->count ? -1 : both;
}

bool dps_arff_has_level(const dps_arff_attribute *attribute, const char *text, size_t length)
{
    const char *level = attribute->levels, *end = level + attribute->levels_length;
    while (level < end) {
        const size_t size = strlen(level);
        if (size == length && memcmp(level, text, length) == 0) {
            return true;
        }
        level += size + 1;
    }
    return false;
}

void dps_arff_header_release(dps_arff_header *header)
{
    for (int32_t k = 0; k < header->count; k++) {
        dps_free(header->attribute[k].name);
        dps_free(header->attribute[k].levels);
    }
    dps_free(header->attribute);
    memset(header, 0, sizeof *header);
}
