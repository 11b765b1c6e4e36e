/* Arrays of a C file, number by number. */
#ifndef DPS_C_ARRAY_H
#define DPS_C_ARRAY_H

#include <stdint.h>
#include "text.h"

typedef struct dps_c_array {
    dps_text *out;
    size_t line; /* where the line begins that is being written */
    size_t count;
} dps_c_array;

/* static const TYPE NAME[] = { */
dps_c_array dps_c_array_begin(dps_text *out, const char *type, const char *name);
/* const TYPE NAME[] = {, for other files as well */
dps_c_array dps_c_array_begin_shared(dps_text *out, const char *type, const char *name);
/* Exactly: hexadecimal; "NAN" where it is none. */
void dps_c_array_double(dps_c_array *array, double value);
void dps_c_array_float(dps_c_array *array, float value);
void dps_c_array_int(dps_c_array *array, int64_t value);
void dps_c_array_word(dps_c_array *array, uint32_t value);
/* As a string; NULL: 0. */
void dps_c_array_string(dps_c_array *array, const char *text);
/* An array without items gets a 0: C has none of length 0. */
void dps_c_array_end(dps_c_array *array);

/* A whole one. */
void dps_c_doubles(dps_text *out, const char *name, const double *value, size_t count);
void dps_c_floats(dps_text *out, const char *name, const float *value, size_t count);
void dps_c_ints(dps_text *out, const char *name, const int32_t *value, size_t count);
void dps_c_words(dps_text *out, const char *name, const uint32_t *value, size_t count);

#endif
