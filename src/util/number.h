/* Numbers as text, the same in every locale. */
#ifndef DPS_NUMBER_H
#define DPS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the longest number at s (s < end; nothing at or beyond `end` is touched), exactly as strtod
 * would in the C locale (decimal, hexadecimal, inf, nan; correctly rounded), without leading
 * blanks. Returns the place after it, or NULL if there is none. Short decimals (mantissa below
 * 2^53, power of ten within 22: Clinger 1990) take an exact fast path; the rest goes through
 * strtod_l. */
const char *dps_parse_double(const char *s, const char *end, double *value);

/* Whole text s..s+length as a number: false if anything is left over or it is empty. */
bool dps_text_to_double(const char *s, size_t length, double *value);
/* The same for a decimal integer with optional sign; false also when it does not fit. */
bool dps_text_to_int64(const char *s, size_t length, int64_t *value);

#define DPS_NUMBER_MAX 32
/* Shortest of %.15g, %.16g, %.17g that reads back as the same value, always with a dot. Returns the
 * length. */
size_t dps_format_double(char buffer[DPS_NUMBER_MAX], double value);
/* The same for a float value: shortest of %.6g .. %.9g. */
size_t dps_format_float(char buffer[DPS_NUMBER_MAX], float value);
/* "3.2 GB" with decimal prefixes, for people. */
void dps_format_bytes(char buffer[DPS_NUMBER_MAX], double bytes);

#endif
