/* The header of a model file as a table: one row a line, used by the writer and the reader alike.
 * A new field is one row (and a new DPS_MODEL_VERSION). */
#ifndef DPS_MODEL_FIELDS_H
#define DPS_MODEL_FIELDS_H

#include <stddef.h>
#include "model.h"
#include "text.h"

#define DPS_MODEL_MAGIC "dpsvm model "
/* Bytes of the checksum that ends the file. */
#define DPS_MODEL_SEAL 8

typedef enum dps_field_kind {
    DPS_KIND_INT32,
    DPS_KIND_INT64, /* also uint64_t below 2^63 */
    DPS_KIND_REAL,  /* finite; "none" (NAN) where names has it */
    DPS_KIND_FLAG,
    DPS_KIND_CHOICE, /* an enum counted from 0, by its name in `names` */
    DPS_KIND_WORD,   /* char array of size `high`, not empty: a to z and _, so that it is no path */
    DPS_KIND_KERNEL,
    DPS_KIND_COEFFICIENTS,
    DPS_KIND_WEIGHTS /* of degrees, map.measure = variance */
} dps_field_kind;

typedef struct dps_model_field {
    const char *key;
    dps_field_kind kind;
    size_t offset; /* into dps_model */
    double low, high;
    const char *const *names;
    int since; /* the format version that brought it; 0: the first */
} dps_model_field;

extern const dps_model_field dps_model_fields[];
extern const size_t dps_model_field_count;

/* The format version of the model's file: the oldest that can say what it holds. */
int dps_model_version_of(const dps_model *model);
/* "comma point none": what stands before decimals, between thousands, and the sign beside. */
void dps_model_form_write(const dps_number_form *form, dps_text *out);
bool dps_model_form_read(const char *text, size_t length, dps_number_form *form);

/* Appends the value as text. */
void dps_model_field_write(const dps_model_field *field, const dps_model *model, dps_text *out);
/* All that the model's file has, a line "key = value" each, behind `before`. No text of the user's
 * is among them. */
void dps_model_fields_write(const dps_model *model, const char *before, dps_text *out);
/* Reads the value from value..value+length; false: not of this kind or out of range. */
DPS_MUST_USE bool dps_model_field_read(const dps_model_field *field, const char *value,
                                       size_t length, dps_model *model);
/* What the value should have been, for an error. */
void dps_model_field_expected(const dps_model_field *field, char *buffer, size_t size);

/* Labels may hold any byte: control characters, backslash and bytes that are not ASCII are written
 * as \xNN. */
void dps_model_escape(const char *label, dps_text *out);
/* DPS_ERROR_DATA: not well formed, DPS_ERROR_MEMORY; *label is NULL then. Free with dps_free. */
DPS_MUST_USE dps_status dps_model_unescape(const char *text, size_t length, char **label);

/* Sets models and weights_per_model from classes, width, sparse_columns and bias. */
void dps_model_shape(dps_model *model);

#endif
