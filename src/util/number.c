/* Numbers as text.
 *
 * Reading: decimals of at most 19 digits whose mantissa is at most 2^53 and whose power of ten is
 * at most 22 are one exact multiplication or division (W. D. Clinger, How to Read Floating Point
 * Numbers Accurately, 1990); everything else is copied, so that it is terminated, and left to
 * strtod_l with the C locale. Writing: the shortest precision that reads back. */
#define _GNU_SOURCE /* strtod_l */
#include "number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made once and kept for the life of the process (glibc hands out a static object). */
static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Bytes a number could consist of: digits, letters (hex, inf, nan, exponents), signs, dot,
 * nan(...). */
static bool may_belong(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u >= '0' && u <= '9') || ((u | 32) >= 'a' && (u | 32) <= 'z') || u == '.' || u == '+' ||
           u == '-' || u == '_' || u == '(' || u == ')';
}

static const char *parse_slowly(const char *s, const char *end, double *value)
{
    char small[128];
    size_t length = 0;
    while (s + length < end && may_belong(s[length])) {
        length++;
    }
    char *copy = length < sizeof small ? small : malloc(length + 1);
    if (length == 0 || copy == NULL) {
        return NULL;
    }
    memcpy(copy, s, length);
    copy[length] = '\0';
    pthread_once(&c_locale_once, make_c_locale);
    char *after;
    const double read = strtod_l(copy, &after, c_locale);
    const size_t used = (size_t)(after - copy);
    if (copy != small) {
        free(copy);
    }
    if (used == 0) {
        return NULL;
    }
    *value = read;
    return s + used;
}

const char *dps_parse_double(const char *s, const char *end, double *value)
{
    const char *after = dps_parse_short(s, end, value);
    return after != NULL ? after : parse_slowly(s, end, value);
}

bool dps_text_to_double(const char *s, size_t length, double *value)
{
    double read;
    if (length == 0 || dps_parse_double(s, s + length, &read) != s + length) {
        return false;
    }
    *value = read;
    return true;
}

bool dps_text_to_int64(const char *s, size_t length, int64_t *value)
{
    const bool negative = length > 0 && s[0] == '-';
    size_t at = negative || (length > 0 && s[0] == '+');
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t sum = 0;
    if (at == length) {
        return false;
    }
    for (; at < length; at++) {
        const unsigned digit = (unsigned char)(s[at] - '0');
        if (digit > 9 || sum > (limit - digit) / 10) {
            return false;
        }
        sum = 10 * sum + digit;
    }
    *value = negative ? -(int64_t)(sum - (sum > 0)) - (sum > 0) : (int64_t)sum;
    return true;
}

/* Whatever bytes the host's locale put for the decimal mark become a dot. Returns the length. */
static size_t use_dot(char *text)
{
    size_t to = 0;
    for (size_t from = 0; text[from] != '\0'; from++) {
        const char c = text[from];
        const bool own = (c >= '0' && c <= '9') || c == 'e' || c == '+' || c == '-';
        if (own) {
            text[to++] = c;
        } else if (to == 0 || text[to - 1] != '.') {
            text[to++] = '.';
        }
    }
    text[to] = '\0';
    return to;
}

static size_t format_special(char *buffer, double value)
{
    return (size_t)snprintf(buffer, DPS_NUMBER_MAX, "%s",
                            isnan(value)  ? "nan"
                            : value > 0.0 ? "inf"
                                          : "-inf");
}

size_t dps_format_double(char buffer[DPS_NUMBER_MAX], double value)
{
    if (!isfinite(value)) {
        return format_special(buffer, value);
    }
    size_t length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        double back = 0.0;
        snprintf(buffer, DPS_NUMBER_MAX, "%.*g", precision, value);
        length = use_dot(buffer);
        if (dps_text_to_double(buffer, length, &back) && back == value) {
            break;
        }
    }
    return length;
}

void dps_text_number(dps_text *text, double value)
{
    char number[DPS_NUMBER_MAX];
    dps_text_append(text, number, dps_format_double(number, value));
}

void dps_text_field(dps_text *text, double value)
{
    dps_text_add(text, ",");
    if (isfinite(value)) {
        dps_text_number(text, value);
    }
}

size_t dps_format_float(char buffer[DPS_NUMBER_MAX], float value)
{
    if (!isfinite(value)) {
        return format_special(buffer, (double)value);
    }
    size_t length = 0;
    for (int precision = 6; precision <= 9; precision++) {
        double back = 0.0;
        snprintf(buffer, DPS_NUMBER_MAX, "%.*g", precision, (double)value);
        length = use_dot(buffer);
        if (dps_text_to_double(buffer, length, &back) && (float)back == value) {
            break;
        }
    }
    return length;
}

void dps_format_bytes(char buffer[DPS_NUMBER_MAX], double bytes)
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t at = 0;
    while (bytes >= 999.5 && at + 1 < sizeof unit / sizeof unit[0]) {
        bytes /= 1000.0;
        at++;
    }
    const int decimals = at > 0 && bytes < 9.95 ? 1 : 0;
    char number[DPS_NUMBER_MAX];
    snprintf(number, sizeof number, "%.*f", decimals, bytes);
    use_dot(number);
    snprintf(buffer, DPS_NUMBER_MAX, "%.20s %s", number, unit[at]);
}
