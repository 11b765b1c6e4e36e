/* The table of input formats. To add one: a parser of the same form, a row here, and, where its
 * content can be told, a rule in dps_format_detect. */
#include "row_parser.h"

#include <string.h>

#include "arff_header.h"
#include "csv_parser.h"
#include "libsvm_parser.h"
#include "npy_parser.h"

/* Lines that are looked at to tell the format. */
#define LINES 20

static const dps_format formats[] = {
    {"libsvm", 0, false, dps_libsvm_parse}, {"csv", ',', true, dps_csv_parse},
    {"tsv", '\t', true, dps_csv_parse},     {"arff", ',', true, dps_csv_parse},
    {"npy", 0, true, dps_npy_parse},
};

const char *const dps_format_names[] = {"libsvm", "csv", "tsv", "arff", "npy", NULL};

const dps_format *dps_format_find(const char *name)
{
    unsigned k;
    return dps_name_find(dps_format_names, name, strlen(name), &k) ? &formats[k] : NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* index:value or qid:text; one comma may be a decimal mark, which the parser then refuses. */
static bool is_pair(const char *p, const char *end)
{
    const char *colon = memchr(p, ':', (size_t)(end - p));
    const char *comma = memchr(p, ',', (size_t)(end - p));
    if (colon == NULL || colon == p ||
        (comma != NULL && memchr(comma + 1, ',', (size_t)(end - comma - 1)) != NULL)) {
        return false;
    }
    if (colon - p == 3 && memcmp(p, "qid", 3) == 0) {
        return true;
    }
    while (p < colon && *p >= '0' && *p <= '9') {
        p++;
    }
    return p == colon;
}

/* A line whose words are all pairs, but for the first, which may be a label. */
static bool is_libsvm(const char *p, const char *end)
{
    int words = 0, pairs = 0;
    const char *comment = memchr(p, '#', (size_t)(end - p));
    end = comment != NULL ? comment : end;
    for (;;) {
        while (p < end && is_space(*p)) {
            p++;
        }
        if (p == end) {
            return pairs > 0;
        }
        const char *word = p;
        while (p < end && !is_space(*p)) {
            p++;
        }
        const bool pair = is_pair(word, p);
        if (!pair && words > 0) {
            return false;
        }
        pairs += pair;
        words++;
    }
}

/* Two or more, with blanks between. */
static bool has_words(const char *p, const char *end)
{
    int words = 0;
    while (p < end && words < 2) {
        words += !is_space(*p) && (p + 1 == end || is_space(p[1]));
        p++;
    }
    return words > 1;
}

static const char *detect(const dps_chunk *first)
{
    const char *p = first->bytes, *end = p + first->length;
    if (dps_npy_is(first->bytes, first->length)) {
        return "npy";
    }
    if (dps_arff_is(first->bytes, first->length)) {
        return "arff";
    }
    bool comma = false, tab = false, other = false, pairs = false, words = false;
    for (int line = 0; p < end && line < LINES; line++) {
        const char *next = memchr(p, '\n', (size_t)(end - p));
        next = next != NULL ? next : end;
        const size_t length = (size_t)(next - p);
        if (is_libsvm(p, next)) {
            return "libsvm";
        }
        if (length > 0 && *p != '#') {
            comma |= memchr(p, ',', length) != NULL;
            tab |= memchr(p, '\t', length) != NULL;
            other |= memchr(p, ';', length) != NULL || memchr(p, '|', length) != NULL;
            pairs |= memchr(p, ':', length) != NULL;
            words |= has_words(p, next);
        }
        p = next + 1;
    }
    return tab && !comma && !other ? "tsv" : comma || other || (words && !pairs) ? "csv" : "libsvm";
}

const dps_format *dps_format_detect(const char *name, const dps_chunk *first)
{
    if (strcmp(name, "auto") != 0) {
        return dps_format_find(name);
    }
    return dps_format_find(first == NULL || first->length == 0 ? "libsvm" : detect(first));
}
