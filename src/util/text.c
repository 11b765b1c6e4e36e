/* A growing byte buffer, and the nearest name for a slip of the keyboard. */
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "allocation.h"

/* Room for `more` bytes and the terminator. */
static bool reserve(dps_text *text, size_t more)
{
    size_t needed;
    if (!text->failed && dps_size_add(text->length + 1, more, &needed) &&
        DPS_GROW(text->data, text->capacity, needed < 64 ? 64 : needed)) {
        return true;
    }
    text->failed = true;
    return false;
}

void dps_text_append(dps_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length)) {
        return;
    }
    if (length > 0) {
        memcpy(text->data + text->length, bytes, length);
    }
    text->length += length;
    text->data[text->length] = '\0';
}

void dps_text_add(dps_text *text, const char *string)
{
    dps_text_append(text, string, strlen(string));
}

void dps_text_format(dps_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void dps_text_release(dps_text *text)
{
    dps_free(text->data);
    memset(text, 0, sizeof *text);
}

bool dps_text_is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncasecmp(word, text, length) == 0;
}

#define NAME_LIMIT 64

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits (insert, delete, replace, swap neighbours) that turn a into b; both shorter than
 * NAME_LIMIT. */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t rows[3][NAME_LIMIT]; /* rows i-2, i-1 and i of the table, by i modulo 3 */
    for (size_t j = 0; j <= length_b; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            const size_t replace = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            row[j] = least(replace, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1])) {
                row[j] = least(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[length_a % 3][length_b];
}

const char *dps_nearest_name(const char *name, const char *const *candidates, size_t count)
{
    const size_t length = strlen(name);
    const char *nearest = NULL;
    size_t best = 2 + length / 3;
    if (length >= NAME_LIMIT) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(candidates[i]);
        if (other >= NAME_LIMIT) {
            continue;
        }
        const size_t distance = edit_distance(name, length, candidates[i], other);
        if (distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

size_t dps_text_trim(const char **text, const char *end)
{
    while (*text < end && dps_is_blank(**text)) {
        (*text)++;
    }
    while (end > *text && dps_is_blank(end[-1])) {
        end--;
    }
    return (size_t)(end - *text);
}

/* The comma or line end that ends an item; those in quotes that open after a blank do not. */
static const char *item_end(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == ',' || *c == '\n') {
            return c;
        }
        const bool opens = (*c == '"' || *c == '\'') && c > text && dps_is_blank(c[-1]);
        const char *close = opens ? strchr(c + 1, *c) : NULL;
        c = close != NULL ? close : c;
    }
    return text + strlen(text);
}

bool dps_list_next(const char **at, dps_list_item *item)
{
    const char *p = *at;
    while (dps_is_blank(*p) || *p == ',') {
        p++;
    }
    const char *close = *p == '"' || *p == '\'' ? strchr(p + 1, *p) : NULL;
    const char *rest = close == NULL ? p : close + 1;
    const char *end = item_end(rest);
    *item = (dps_list_item){.text = p, .rest = rest, .quoted = close != NULL};
    if (item->quoted) {
        item->text = p + 1;
        item->length = (size_t)(close - p) - 1;
        item->rest_length = dps_text_trim(&item->rest, end);
    } else {
        item->length = dps_text_trim(&item->text, end);
        item->rest = item->text + item->length;
    }
    *at = end;
    return item->quoted || item->length > 0;
}

void dps_text_csv(dps_text *text, const char *bytes, size_t length)
{
    bool quote = false;
    for (size_t k = 0; k < length; k++) {
        quote = quote || strchr(",\"\r\n", bytes[k]) != NULL;
    }
    dps_text_append(text, "\"", quote ? 1 : 0);
    for (size_t k = 0; k < length; k++) {
        dps_text_append(text, "\"\"", quote && bytes[k] == '"' ? 1 : 0);
        dps_text_append(text, bytes + k, 1);
    }
    dps_text_append(text, "\"", quote ? 1 : 0);
}
