/* LIBSVM / SVMlight text to rows.
 *
 *     line  = [label] {blanks (index ":" value | "qid:" text)} [blanks] ["#" comment]
 *     label = a finite number or a word without : , ; #       index = a whole number
 *
 * (Chang and Lin, LIBSVM, README; Joachims, SVMlight.) One pass over the bytes. Every loop ends at
 * a line end by itself, because the text handed to parse_lines always ends in one: a last line
 * without is parsed from a copy. Room for rows and entries is made before, from the numbers of line
 * ends and colons, so that the loop over pairs never asks for memory. Explicit zeros are dropped;
 * only when a row's indices do not ascend are they kept until the row is sorted, so that duplicates
 * are found. Cost: about 2.5 ns a byte. */
#include "libsvm_parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "number.h"
#include "row_block.h"

/* Largest raw index, counted from 0: the number of columns then fits in 31 bits. */
#define MAX_INDEX    2147483646
#define SHOWN_TOKEN  40
#define TOKEN_BUFFER (4 * SHOWN_TOKEN + 4)

typedef struct parser {
    const dps_read_options *options;
    const char *file;
    dps_row_block *block;
    dps_error *err;
    dps_status status;
    const char *end; /* end[-1] is a line end */
    const char *line_begin;
    int64_t line;
    uint64_t base;    /* what the first index is called: 0 or 1 */
    int64_t entries;  /* stored so far */
    bool keep_zeros;  /* until the row is settled */
    const char *last; /* label of the row before */
    size_t last_length;
    int32_t last_number;
} parser;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool ends_token(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#';
}

static bool is_control(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u < 32 && c != '\t' && c != '\n' && c != '\r') || u == 127;
}

static inline const char *skip_blanks(const char *p)
{
    while (is_blank(*p)) {
        p++;
    }
    return p;
}

static const char *token_end(const char *p)
{
    while (!ends_token(*p)) {
        p++;
    }
    return p;
}

/* ---- errors: each returns NULL, so that the caller can return it ---- */

static const char *no_memory(parser *ps)
{
    ps->status = dps_out_of_memory(ps->err, 1, 1, "rows of the input");
    return NULL;
}

/* "TOKEN": why. Where the line holds control bytes, those are the real trouble. */
static const char *refuse(parser *ps, const char *token, const char *why)
{
    for (const char *p = ps->line_begin; *p != '\n'; p++) {
        if (is_control(*p)) {
            ps->status = dps_error_at(
                ps->err, DPS_ERROR_DATA, ps->file, ps->line, p - ps->line_begin + 1,
                "not text: control byte 0x%02x; rows of text were expected (is the file binary, "
                "compressed or damaged?)",
                (unsigned)(unsigned char)*p);
            return NULL;
        }
    }
    ps->status = dps_error_at(
        ps->err, DPS_ERROR_DATA, ps->file, ps->line, token - ps->line_begin + 1, "\"%s\": %s",
        DPS_QUOTE(token, (size_t)(token_end(token) - token), SHOWN_TOKEN), why);
    return NULL;
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static const char *bad_index(parser *ps, const char *token)
{
    const char *p = token;
    while (is_digit(*p)) {
        p++;
    }
    if (p == token && *p == ':') {
        return refuse(ps, token, "expected index:value, without blanks around the colon");
    }
    if (p == token || (*p != ':' && !ends_token(*p))) {
        return refuse(ps, token, "expected index:value with a whole number as the index");
    }
    if (*p != ':') {
        return refuse(ps, token, "expected index:value; the value is missing");
    }
    while (*token == '0' && token + 1 < p) {
        token++;
    }
    if (*token == '0') {
        return refuse(ps, token,
                      "index 0, but indices start at 1; set data.zero_based = on if those of this "
                      "file start at 0");
    }
    char why[80];
    snprintf(why, sizeof why, "the index is beyond the largest possible, %llu",
             (unsigned long long)(MAX_INDEX + ps->base));
    return refuse(ps, token, why);
}

static const char *bad_value(parser *ps, const char *token, const char *value)
{
    const size_t length = (size_t)(token_end(value) - value);
    if (length == 0) {
        return refuse(ps, token, "expected index:value; the value is missing");
    }
    const char *fault = "is not a number";
    double number;
    if (dps_text_to_double(value, length, &number)) {
        const char *first = value + (*value == '-' || *value == '+');
        fault = is_digit(*first) || *first == '.' ? "is too large for double precision"
                                                  : "is not finite; every value must be a number";
    }
    char why[128];
    snprintf(why, sizeof why, "feature %.*s: the value %s", (int)(value - token) - 1, token, fault);
    return refuse(ps, token, why);
}

/* ---- labels ---- */

static const char *refuse_label(parser *ps, const char *token, size_t length)
{
    double number;
    if (length >= 3 && memcmp(token, "\xef\xbb\xbf", 3) == 0) {
        return refuse(
            ps, token,
            "a byte order mark in the middle of the file (were files joined?); remove it");
    }
    if (memchr(token, ',', length) != NULL) {
        return refuse(ps, token,
                      "several labels in one row are not supported (and a table separated by "
                      "commas is not LIBSVM text)");
    }
    if (memchr(token, ';', length) != NULL) {
        return refuse(ps, token, "not a label: a table separated by semicolons is not LIBSVM text");
    }
    if (dps_text_to_double(token, length, &number)) {
        return refuse(ps, token, "a label must be a finite number or a word");
    }
    if (token[length] == '#') {
        return refuse(ps, token, "a # inside a label; put a blank before a comment");
    }
    return refuse(ps, token, "not a label");
}

/* A spelling seen for the first time in the chunk. */
static bool is_label(const char *token, size_t length)
{
    double number;
    if (dps_text_to_double(token, length, &number)) {
        return isfinite(number);
    }
    for (size_t i = 0; i < length; i++) {
        if (is_control(token[i]) || token[i] == ',' || token[i] == ';') {
            return false;
        }
    }
    return token[length] != '#' && (length < 3 || memcmp(token, "\xef\xbb\xbf", 3) != 0);
}

static const char *parse_label(parser *ps, const char *p, int32_t *number)
{
    const size_t last = ps->last_length;
    if (last > 0 && (size_t)(ps->end - p) > last && memcmp(p, ps->last, last) == 0 &&
        (is_blank(p[last]) || p[last] == '\n')) {
        *number = ps->last_number;
        return p + last;
    }
    const char *token = p;
    while (!ends_token(*p) && *p != ':') {
        p++;
    }
    const size_t length = (size_t)(p - token);
    if (*p == ':') {
        *number = -1;
        if ((unsigned char)*token == 0xef && !is_label(token, length)) {
            return refuse_label(ps, token, length);
        }
        if (ps->options->labels == DPS_LABELS_REQUIRED) {
            return refuse(ps, token,
                          "missing label: a training row is a label, then index:value pairs");
        }
        return token;
    }
    bool added;
    *number = dps_row_block_label(ps->block, token, length, ps->line, &added);
    if (*number < 0) {
        return no_memory(ps);
    }
    if ((added || *p == '#') && !is_label(token, length)) {
        return refuse_label(ps, token, length);
    }
    ps->last = token;
    ps->last_length = length;
    ps->last_number = *number;
    return p;
}

/* ---- pairs ---- */

/* Behind the last blank: a line end, or a comment and a line end. */
static const char *finish_line(parser *ps, const char *p)
{
    if (*p == '#') {
        while (*p != '\n' && !is_control(*p)) {
            p++;
        }
    }
    while (*p == '\r') {
        p++;
    }
    return *p == '\n' ? p + 1 : refuse(ps, p, "a line end was expected after a carriage return");
}

/* index:value. `previous` is the index before in this row; *sorted turns false when this one is not
 * above it. */
static inline const char *parse_pair(parser *ps, const char *token, int64_t *previous, bool *sorted)
{
    const char *p = token;
    uint64_t index = 0;
    while (is_digit(*p)) {
        index = 10 * index + (uint64_t)(*p - '0');
        p++;
    }
    if (p == token || *p != ':' || p - token > 19 || index < ps->base ||
        index - ps->base > MAX_INDEX) {
        return bad_index(ps, token);
    }
    p++;
    double value;
    const char *after = dps_parse_short(p, ps->end, &value);
    if (after == NULL) {
        after = dps_parse_double(p, ps->end, &value);
        if (after == NULL || !isfinite(value)) {
            return bad_value(ps, token, p);
        }
    }
    if (!ends_token(*after)) {
        return bad_value(ps, token, p);
    }
    const int64_t raw = (int64_t)(index - ps->base);
    *sorted &= raw > *previous;
    *previous = raw;
    ps->block->index[ps->entries] = (int32_t)raw;
    ps->block->value[ps->entries] = value;
    ps->entries += ps->keep_zeros | (value != 0.0);
    return after;
}

/* All pairs of a row; returns the start of the next line. */
static const char *parse_pairs(parser *ps, const char *p, bool *sorted)
{
    int64_t previous = -1;
    *sorted = true;
    for (;;) {
        p = skip_blanks(p);
        if (is_digit(*p)) {
            p = parse_pair(ps, p, &previous, sorted);
        } else if (*p == '\n' || *p == '\r' || *p == '#') {
            return finish_line(ps, p);
        } else if (strncmp(p, "qid:", 4) == 0 && !ends_token(p[4])) {
            ps->block->qid_seen++;
            p = token_end(p);
        } else {
            return bad_index(ps, p);
        }
        if (p == NULL) {
            return NULL;
        }
    }
}

static const char *refuse_twice(parser *ps, const char *p, int32_t raw)
{
    const char *first = NULL;
    for (p = skip_blanks(p);; p = skip_blanks(token_end(p))) {
        uint64_t index = 0;
        for (const char *digit = p; is_digit(*digit); digit++) {
            index = 10 * index + (uint64_t)(*digit - '0');
        }
        if (!is_digit(*p) || index != (uint64_t)raw + ps->base) { /* qid */
            continue;
        }
        if (first != NULL) {
            break;
        }
        first = p;
    }
    char why[TOKEN_BUFFER + 128];
    snprintf(why, sizeof why,
             "feature %lld is given twice in this row, first as \"%s\" (column %lld)",
             (long long)raw + (long long)ps->base,
             DPS_QUOTE(first, (size_t)(token_end(first) - first), SHOWN_TOKEN),
             (long long)(first - ps->line_begin + 1));
    return refuse(ps, p, why);
}

/* Entries from `begin` on in ascending order, without duplicates and zeros. */
static bool settle_row(parser *ps, const char *pairs, int64_t begin, bool sorted)
{
    dps_row_block *block = ps->block;
    if (!sorted) {
        const int32_t twice = dps_row_block_sort(block, begin, ps->entries);
        if (twice == -2) {
            no_memory(ps);
            return false;
        }
        if (twice >= 0) {
            refuse_twice(ps, pairs, twice);
            return false;
        }
    }
    int64_t kept = begin;
    for (int64_t k = begin; k < ps->entries; k++) {
        block->index[kept] = block->index[k];
        block->value[kept] = block->value[k];
        kept += block->value[k] != 0.0;
    }
    ps->entries = kept;
    return true;
}

static const char *parse_row(parser *ps, const char *p)
{
    dps_row_block *block = ps->block;
    int32_t label;
    const char *pairs = parse_label(ps, p, &label);
    if (pairs == NULL) {
        return NULL;
    }
    const int64_t begin = ps->entries, qid_before = block->qid_seen;
    bool sorted;
    const char *next = parse_pairs(ps, pairs, &sorted);
    if (next != NULL && !sorted && !ps->keep_zeros) { /* from here on unsorted rows are expected */
        ps->keep_zeros = true;
        ps->entries = begin;
        block->qid_seen = qid_before;
        next = parse_pairs(ps, pairs, &sorted);
    }
    if (next == NULL || (ps->keep_zeros && !settle_row(ps, pairs, begin, sorted))) {
        return NULL;
    }
    block->label[block->rows] = label;
    block->rows++;
    block->start[block->rows] = ps->entries;
    return next;
}

/* ---- lines ---- */

static void parse_lines(parser *ps, const char *p, size_t length)
{
    ps->end = p + length;
    while (p != NULL && p < ps->end) {
        ps->line++;
        ps->line_begin = p;
        p = skip_blanks(p);
        p = *p == '\n' || *p == '\r' || *p == '#' ? finish_line(ps, p) : parse_row(ps, p);
    }
}

dps_status dps_libsvm_parse(const dps_read_options *options, const dps_chunk *chunk,
                            dps_row_block *block, dps_error *err)
{
    parser ps = {.options = options,
                 .file = chunk->file,
                 .block = block,
                 .err = err,
                 .base = options->zero_based ? 0 : 1};
    const size_t rows = dps_count_byte('\n', chunk->bytes, chunk->length) + 1;
    const size_t entries = dps_count_byte(':', chunk->bytes, chunk->length) + 1;
    dps_line_parts lines;
    if (!dps_row_block_begin(block, rows, entries) || !dps_row_block_lines(block, chunk, &lines)) {
        no_memory(&ps);
        return ps.status;
    }
    for (int k = 0; k < 2 && ps.status == DPS_OK; k++) {
        parse_lines(&ps, lines.part[k], lines.length[k]);
    }
    block->lines = ps.line;
    return ps.status;
}
