/* Error records. Text is escaped when it enters a record, so that whatever prints it later cannot
 * be led by control characters in a file name or a data file. */
#include "status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Length of the printable character at s (ASCII, or well-formed UTF-8 above U+009F), 0 if none. */
static size_t printable_length(const unsigned char *s, size_t length)
{
    const unsigned char c = s[0];
    if (c < 0x80) {
        return c >= 0x20 && c != 0x7F;
    }
    const size_t need = c >= 0xF0 && c <= 0xF4  ? 4
                        : c >= 0xE0 && c < 0xF0 ? 3
                        : c >= 0xC2 && c < 0xE0 ? 2
                                                : 0;
    if (need == 0 || need > length) {
        return 0;
    }
    for (size_t i = 1; i < need; i++) {
        if (!is_continuation(s[i])) {
            return 0;
        }
    }
    /* C1 controls, overlong forms, surrogates, beyond U+10FFFF */
    if ((c == 0xC2 && s[1] < 0xA0) || (c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] > 0x9F) ||
        (c == 0xF0 && s[1] < 0x90) || (c == 0xF4 && s[1] > 0x8F)) {
        return 0;
    }
    return need;
}

/* Escapes in[0..length) into out (size > 3); ends in "..." when not all of it fits or `cut`. */
static void escape(char *out, size_t size, const char *in, size_t length, bool cut)
{
    const size_t room = size - 4; /* "..." and the terminator always fit */
    size_t used = 0;
    size_t at = 0;
    while (at < length) {
        const unsigned char *s = (const unsigned char *)in + at;
        char piece[8];
        size_t n = printable_length(s, length - at);
        size_t taken = n;
        if (n > 0) {
            memcpy(piece, s, n);
        } else {
            taken = 1;
            n = (size_t)snprintf(piece, sizeof piece, "\\x%02X", (unsigned)*s);
        }
        if (used + n > room) {
            cut = true;
            break;
        }
        memcpy(out + used, piece, n);
        used += n;
        at += taken;
    }
    memcpy(out + used, cut ? "..." : "", cut ? 4 : 1);
}

DPS_PRINTF(6, 0)
static void fill(dps_error *err, dps_status status, const char *file, int64_t line, int64_t column,
                 const char *format, va_list arguments)
{
    char raw[sizeof err->text];
    memset(err, 0, sizeof *err);
    err->status = status;
    err->line = line;
    err->column = column;
    if (file != NULL) {
        escape(err->file, sizeof err->file, file, strlen(file), false);
    }
    const int length = vsnprintf(raw, sizeof raw, format, arguments);
    const bool cut = length < 0 || (size_t)length >= sizeof raw;
    escape(err->text, sizeof err->text, raw, strlen(raw), cut);
}

dps_status dps_error_set(dps_error *err, dps_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, status, NULL, 0, 0, format, arguments);
        va_end(arguments);
    }
    return status;
}

dps_status dps_error_at(dps_error *err, dps_status status, const char *file, int64_t line,
                        int64_t column, const char *format, ...)
{
    if (err != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, status, file, line, column, format, arguments);
        va_end(arguments);
    }
    return status;
}

void dps_error_format(const dps_error *err, char *buffer, size_t size)
{
    char place[48] = "";
    if (err->line > 0 && err->column > 0) {
        snprintf(place, sizeof place, ":%lld:%lld", (long long)err->line, (long long)err->column);
    } else if (err->line > 0) {
        snprintf(place, sizeof place, ":%lld", (long long)err->line);
    }
    if (err->file[0] != '\0') {
        snprintf(buffer, size, "%s%s: %s", err->file, place, err->text);
    } else if (err->line > 0) {
        snprintf(buffer, size, "line %s: %s", place + 1, err->text);
    } else {
        snprintf(buffer, size, "%s", err->text);
    }
}

char *dps_quote_token(char *out, size_t size, const char *token, size_t length, size_t max)
{
    assert(size >= 4);
    escape(out, size, token, length < max ? length : max, length > max);
    return out;
}
