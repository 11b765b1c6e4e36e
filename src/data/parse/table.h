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
#include <string.h>
#include "arff_header.h"
#include "labels.h"
#include "missing_word.h"
#include "names.h"
#include "npy.h"
#include "number_form.h"
#include "status.h"
#include "table_head.h"

/* Named so in a model file. */
typedef enum dps_column_role {
    DPS_COLUMN_NUMBER,
    DPS_COLUMN_ONEHOT,  /* value k of the code book: feature first + k is 1 */
    DPS_COLUMN_ORDINAL, /* value k: k + 1; 0 is a value that training did not see */
    DPS_COLUMN_LABEL,
    DPS_COLUMN_ID,
    DPS_COLUMN_WEIGHT,
    DPS_COLUMN_IGNORED
} dps_column_role;
extern const char *const dps_column_role_names[];

typedef struct dps_column {
    char *name; /* of the header; NULL: the table has none */
    dps_column_role role;
    int32_t first;         /* feature number of a feature column */
    dps_class_table value; /* code book of text columns, in the order of classes */
    bool rest;             /* of a text column: a text that is not in the code book is one value
                              more, behind the book's last */
    double fill;           /* of a number column: what stands for a missing value; NAN: refused */
    dps_number_form form;  /* of a number column: how it was written */
} dps_column;

/* Features that a column takes. */
static inline int32_t dps_column_features(const dps_column *column)
{
    return column->role == DPS_COLUMN_ONEHOT ? column->value.count + (column->rest ? 1 : 0)
                                             : column->role <= DPS_COLUMN_ORDINAL;
}

/* Code of a text that was looked for in the code book (found: its place, or -1); -1: nothing is
 * stored. */
static inline int32_t dps_column_code(const dps_column *column, int32_t found)
{
    return found < 0 && column->rest ? column->value.count : found;
}

typedef struct dps_table {
    int32_t count; /* 0: rows did not come from a table */
    dps_column *column;
    bool header;
    bool missing_allowed; /* a missing text is no value of the code book: all zeros */
    char *missing_words;  /* list that the user added; NULL: none */
} dps_table;

typedef enum dps_missing { DPS_MISSING_ERROR, DPS_MISSING_MEAN, DPS_MISSING_ZERO } dps_missing;
extern const char *const dps_missing_names[];
typedef enum dps_categorical {
    DPS_CATEGORICAL_ONEHOT,
    DPS_CATEGORICAL_ORDINAL,
    DPS_CATEGORICAL_ERROR
} dps_categorical;
extern const char *const dps_categorical_names[];

/* What the user asks for. A column is named by its header or by its number from 1; lists are
 * separated by commas; NULL and "" mean the default. */
typedef struct dps_table_options {
    dps_switch header;        /* the first line holds names */
    const char *label_column; /* "none": the rows have no label */
    const char *id_column;
    const char *weight_column;
    bool model_weights; /* of a file for a model: take the model's column of weights */
    bool of_input;      /* of a file for a model: said of this file, not of the training file */
    const char *ignore_columns;
    const char *text_columns; /* text even where every value looks like a number */
    const char *keep_columns; /* not left out, whatever they look like */
    const char *missing_words;
    char delimiter;  /* 0: told from the content */
    char decimal;    /* '.' or ','; 0: likewise */
    bool regression; /* the label is a number to predict */
    bool classes;    /* the user said that it is a class */
    dps_categorical categorical;
    dps_missing missing;
    bool unknown_is_error; /* columns that the table does not have */
} dps_table_options;

/* Why a column that nobody named is left out: what its first rows showed, and later ones must. */
typedef enum dps_left_out { DPS_NOT_LEFT_OUT, DPS_LEFT_OUT_EMPTY, DPS_LEFT_OUT_COUNT } dps_left_out;

/* One field of a line. */
typedef struct dps_field {
    dps_column_role role;
    int32_t column; /* of the table; -1: it has no such column */
    int32_t slot;   /* number among the table's feature columns, or -1 */
    dps_left_out left_out;
    bool asked;  /* named by the user */
    bool formed; /* numbers need a look: not written as C does, or missing words */
    dps_number_form form;
    const char *unclear; /* why that cannot be told, or NULL: refused where it matters */
} dps_field;

typedef struct dps_layout {
    const dps_table *table;
    char delimiter;        /* 0: npy */
    dps_npy npy;           /* of the first npy file */
    dps_arff_header *arff; /* of the first ARFF file, which all must have; NULL: not ARFF */
    bool header;           /* each file starts with the line of names */
    /* Where each file starts: up to `lead` other lines, the names, units. */
    int32_t lead;
    dps_unnamed unnamed; /* the column without a field in that line */
    char *header_line;   /* as it was written: where it stands again, it is no row */
    char *units_line;    /* NULL: there is none; the same */
    size_t header_length, units_length;
    bool training;  /* code books are being collected: the parser leaves local numbers */
    bool ascending; /* slots ascend with the fields */
    bool has_text, has_weight, has_id;
    dps_missing missing;             /* in training */
    dps_missing_words missing_words; /* the model's and the user's */
    int32_t fields;
    dps_field *field;
    int32_t label_field;   /* -1: none */
    bool label_guessed;    /* nobody named it */
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
/* The lines at the start of a file, one after the other, a zeroed state first: what the next one
 * is. The line must end in a line end; blank lines are not asked about. */
typedef enum dps_head_kind { DPS_HEAD_SKIP, DPS_HEAD_NAMES, DPS_HEAD_ROW } dps_head_kind;
typedef struct dps_head_state {
    int32_t lead;
    bool named; /* the names have been seen */
} dps_head_state;
dps_head_kind dps_layout_head_line(const dps_layout *layout, dps_head_state *state, const char *p);
/* Whether a field of that line is the column's name. */
bool dps_layout_is_name(const dps_layout *layout, int32_t field, const char *text, size_t length);
/* How many bytes at the start of a file are no rows. For dps_source_set_head; layout: a dps_layout.
 */
size_t dps_layout_head(const void *layout, const char *bytes, size_t length);
/* Whether the line at p repeats the names, or the units. */
static inline bool dps_layout_repeats(const dps_layout *layout, const char *p, const char *end)
{
    const size_t left = (size_t)(end - p);
    const struct {
        const char *line;
        size_t length;
    } known[] = {{layout->header_line, layout->header_length},
                 {layout->units_line, layout->units_length}};
    for (int k = 0; k < 2; k++) {
        const size_t length = known[k].length;
        if (length > 0 && *p == *known[k].line && left > length &&
            memcmp(p, known[k].line, length) == 0 && (p[length] == '\n' || p[length] == '\r')) {
            return true;
        }
    }
    return false;
}
/* "column 3" or "column 3 (\"x1\")" of the field, escaped. */
void dps_layout_field_name(const dps_layout *layout, int32_t field, char *buffer, size_t size);

#endif
