/* Columns of a table (CSV, TSV, npy): what each one is, and how a file's fields map to them. A
 * dps_table describes the training file and is stored in the model; a dps_layout says how the
 * fields of one input stand to it. Features count from 0 in the order of the training file's
 * columns, label, id, weight and ignored columns left out: the same numbers as the LIBSVM form of
 * the same rows. A one-hot column takes a feature a value. */
#ifndef DPS_TABLE_H
#define DPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "labels.h"
#include "npy.h"
#include "status.h"

/* In the order of their names in a model file. */
typedef enum dps_column_role {
    DPS_COLUMN_NUMBER,
    DPS_COLUMN_ONEHOT,  /* value k of the code book: feature first + k is 1 */
    DPS_COLUMN_ORDINAL, /* value k: k + 1; 0 is a value that training did not see */
    DPS_COLUMN_LABEL,
    DPS_COLUMN_ID,
    DPS_COLUMN_WEIGHT,
    DPS_COLUMN_IGNORED
} dps_column_role;

typedef struct dps_column {
    char *name; /* of the header; NULL: the table has none */
    dps_column_role role;
    int32_t first;         /* feature number of a feature column */
    dps_class_table value; /* code book of text columns, in the order of classes */
    double fill;           /* of a number column: what stands for a missing value; NAN: refused */
} dps_column;

typedef struct dps_table {
    int32_t count; /* 0: rows did not come from a table */
    dps_column *column;
    bool header;
    bool missing_allowed; /* a missing text is no value of the code book: all zeros */
} dps_table;

typedef enum dps_header { DPS_HEADER_AUTO, DPS_HEADER_ON, DPS_HEADER_OFF } dps_header;
typedef enum dps_missing { DPS_MISSING_ERROR, DPS_MISSING_MEAN, DPS_MISSING_ZERO } dps_missing;
typedef enum dps_categorical {
    DPS_CATEGORICAL_ONEHOT,
    DPS_CATEGORICAL_ORDINAL,
    DPS_CATEGORICAL_ERROR
} dps_categorical;

/* What the user asks for. A column is named by its header or by its number from 1; lists are
 * separated by commas; NULL and "" mean the default. */
typedef struct dps_table_options {
    dps_header header;
    const char *label_column; /* "none": the rows have no label */
    const char *id_column;
    const char *weight_column;
    const char *ignore_columns;
    const char *text_columns; /* text even where every value looks like a number */
    dps_categorical categorical;
    dps_missing missing;
    bool unknown_is_error; /* columns that the table does not have */
} dps_table_options;

/* One field of a line. */
typedef struct dps_field {
    dps_column_role role;
    int32_t column; /* of the table; -1: it has no such column */
    int32_t slot;   /* number among the table's feature columns, or -1 */
} dps_field;

typedef struct dps_layout {
    const dps_table *table;
    char delimiter; /* 0: npy */
    dps_npy npy;    /* of the first npy file */
    bool header;    /* each file starts with the line of names */
    bool training;  /* code books are being collected: the parser leaves local numbers */
    bool ascending; /* slots ascend with the fields */
    bool has_text, has_weight, has_id;
    dps_missing missing; /* in training */
    int32_t fields;
    dps_field *field;
    int32_t label_field;   /* -1: none */
    int32_t slots;         /* feature columns of the table */
    int32_t *slot_column;  /* table column of each slot */
    char **name;           /* of each field, with a header; else NULL */
    int64_t extra_columns; /* fields that the table does not have */
} dps_layout;

void dps_table_release(dps_table *table);
void dps_layout_release(dps_layout *layout);
/* Numbers the features of the columns from their roles and code books; returns how many, or -1 when
 * there are more than 2^31 - 2. */
int64_t dps_table_number(dps_table *table);
/* "column 3" or "column 3 (\"x1\")" of the field, escaped. */
void dps_layout_field_name(const dps_layout *layout, int32_t field, char *buffer, size_t size);

#endif
