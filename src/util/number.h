/* Numbers as text, the same in every locale. */
#ifndef DPS_NUMBER_H
#define DPS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* Reads the longest number at s (s < end; nothing at or beyond `end` is touched), exactly as strtod
 * would in the C locale (decimal, hexadecimal, inf, nan; correctly rounded), without leading
 * blanks. Returns the place after it, or NULL if there is none. Short decimals (mantissa up to
 * 2^53, power of ten within 22: Clinger 1990) take an exact fast path; the rest goes through
 * strtod_l. */
const char *dps_parse_double(const char *s, const char *end, double *value);

/* The fast path alone, for loops that cannot afford the call: NULL when the number (if it is one)
 * needs dps_parse_double; otherwise the same answer. Exact because mantissa and power of ten are
 * both doubles and one rounding happens. */
static inline const char *dps_parse_short(const char *s, const char *end, double *value)
{
    static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool negative = s < end && *s == '-';
    s += negative || (s < end && *s == '+');
    uint64_t mantissa = 0; /* exact while there are at most 19 digits */
    const char *first = s;
    for (; s < end && (unsigned char)(*s - '0') < 10; s++) {
        mantissa = 10 * mantissa + (uint64_t)(*s - '0');
    }
    ptrdiff_t digits = s - first;
    int exponent = 0;
    if (s < end && *s == '.') {
        first = ++s;
        for (; s < end && (unsigned char)(*s - '0') < 10; s++) {
            mantissa = 10 * mantissa + (uint64_t)(*s - '0');
        }
        if (digits + (s - first) > 19) {
            return NULL;
        }
        exponent = (int)(first - s);
        digits += s - first;
    }
    if (digits == 0 || digits > 19 || mantissa > ((uint64_t)1 << 53)) {
        return NULL;
    }
    if (s < end && (*s | 32) == 'x') {
        return NULL; /* hexadecimal */
    }
    if (s < end && (*s | 32) == 'e') {
        const char *e = s + 1;
        const bool down = e < end && *e == '-';
        e += down || (e < end && *e == '+');
        int read = 0;
        const char *first_digit = e;
        for (; e < end && (unsigned char)(*e - '0') < 10 && e - first_digit < 4; e++) {
            read = 10 * read + (*e - '0');
        }
        if (e < end && e - first_digit == 4 && (unsigned char)(*e - '0') < 10) {
            return NULL;
        }
        if (e > first_digit) { /* otherwise the number ends before the e */
            exponent += down ? -read : read;
            s = e;
        }
    }
    if (exponent < -22 || exponent > 22) {
        return NULL;
    }
    const double m = (double)mantissa;
    const double magnitude = exponent < 0 ? m / power[-exponent] : m * power[exponent];
    *value = negative ? -magnitude : magnitude;
    return s;
}

/* Whole text s..s+length as a number: false if anything is left over or it is empty. */
bool dps_text_to_double(const char *s, size_t length, double *value);
/* The same for a decimal integer with optional sign; false also when it does not fit. */
bool dps_text_to_int64(const char *s, size_t length, int64_t *value);

#define DPS_NUMBER_MAX 32
/* Shortest of %.15g, %.16g, %.17g that reads back as the same value, decimal mark always a dot.
 * "nan" and "inf" without a sign of nan. Returns the length. */
size_t dps_format_double(char buffer[DPS_NUMBER_MAX], double value);
/* Adds it to a text. */
void dps_text_number(dps_text *text, double value);
/* Adds a comma and the number as a field of CSV, which is empty where it is not finite. */
void dps_text_field(dps_text *text, double value);
/* dps_format_double for a float value: shortest of %.6g .. %.9g. */
size_t dps_format_float(char buffer[DPS_NUMBER_MAX], float value);
/* "3.2 GB" with decimal prefixes, for people. */
void dps_format_bytes(char buffer[DPS_NUMBER_MAX], double bytes);

#endif
