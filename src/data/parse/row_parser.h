/* Text rows to numbers: one chunk to one block of rows, no state between chunks, so that any number
 * of threads may parse at once and give the same rows and the same first error as one. */
#ifndef DPS_ROW_PARSER_H
#define DPS_ROW_PARSER_H

#include <stdbool.h>
#include <stdint.h>
#include "source.h"
#include "table.h"
#include "word_list.h"

typedef enum dps_labels { DPS_LABELS_REQUIRED, DPS_LABELS_OPTIONAL } dps_labels;

typedef struct dps_read_options {
    const char *format; /* "auto" or a name of the format table ("libsvm") */
    bool zero_based;    /* data.zero_based: indices start at 0 */
    dps_labels labels;
    bool eager; /* rows are handed on as their lines come in (dps_source_set_eager) */
    const struct dps_row_arrays *arrays; /* rows in memory (row_arrays.h); NULL: of files */
    const char *weights_file; /* of training rows, for means of columns; NULL or "": none */
    dps_table_options table;  /* what the user says about columns */
    const dps_layout *layout; /* how the fields are read; set by dps_input_open, tables only */
} dps_read_options;

/* Rows of one chunk, compressed. Buffers are kept between calls. */
typedef struct dps_row_block {
    int64_t rows;
    int64_t lines;        /* lines the chunk had, also blank ones */
    int64_t *start;       /* rows + 1 offsets */
    int32_t *index;       /* raw feature index, from 0, ascending within a row, no duplicates */
    double *value;        /* finite, non-zero */
    int32_t *label;       /* per row: number in label_text, or -1: row without a label */
    int32_t label_count;  /* distinct spellings in the chunk, in order of appearance */
    int32_t *label_begin; /* label_count + 1 offsets into label_bytes */
    char *label_bytes;
    int64_t *label_line; /* line (from 1, within the chunk) where each spelling appears first */
    int64_t repeats;     /* lines that repeat the names of the columns */
    int64_t qid_seen;    /* qid: pairs passed over */
    /* Tables only. While training, index is the feature column's slot, and value of a text column
     * the number of its word, NAN of a number column a missing value, until the layout is resolved;
     * then words are no longer needed. */
    dps_word_list words;
    int64_t unknown;   /* texts that the code book does not have */
    double *weight;    /* per row, where the layout has weights */
    int64_t *id_begin; /* rows + 1 offsets into id_bytes, where the layout has an id */
    char *id_bytes;
    size_t weight_capacity, id_capacity, id_byte_capacity;
    size_t row_capacity, entry_capacity, label_capacity, byte_capacity;
    void *scratch; /* the parser's own */
} dps_row_block;

/* One row of the table of formats. `parse` returns lines within the chunk in err->line; the caller
 * adds the lines before the chunk. */
typedef struct dps_format {
    const char *name;
    char delimiter; /* of tables; 0: none */
    bool columns;   /* a table: parse needs options->layout */
    dps_status (*parse)(const dps_read_options *options, const dps_chunk *chunk,
                        dps_row_block *block, dps_error *err);
} dps_format;

/* NULL if there is no such format. "auto" is resolved by dps_format_detect. */
const dps_format *dps_format_find(const char *name);
/* The format `name` itself, or for "auto" what the start of the input (NULL: empty input) looks
 * like: a header of @ lines means arff, pairs index:value libsvm, else commas, semicolons, bars or
 * words csv, tabs tsv. NULL if there is no such format. */
const dps_format *dps_format_detect(const char *name, const dps_chunk *first);
/* The names of all formats, NULL-terminated. */
extern const char *const dps_format_names[];

void dps_row_block_release(dps_row_block *block); /* accepts a zeroed struct */

#endif
