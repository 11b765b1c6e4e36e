/* Parsed rows of a whole input, in the order of the input, before scaling: values stay double until
 * the scaler is fitted. Kept as the blocks that the parser made, in slabs that are given back one
 * after the other while the rows are scaled. */
#ifndef DPS_RAW_ROWS_H
#define DPS_RAW_ROWS_H

#include "input.h"
#include "run.h"

/* One chunk's rows. */
typedef struct dps_raw_block {
    int64_t first_row;   /* of the block, in the whole input */
    int64_t first_entry; /* the same, counted in entries */
    int64_t rows;
    int64_t lines;
    int64_t first_line; /* lines of the file before the block; set when all are read */
    const char *file;
    int32_t file_index;
    int32_t label_count;
    double *value;        /* non-zero */
    int32_t *index;       /* raw index; after dps_raw_rows_number the column */
    int32_t *label;       /* per row: number of the spelling in the block, or -1 */
    uint32_t *start;      /* rows + 1, within the block */
    int32_t *label_begin; /* label_count + 1, into label_bytes */
    char *label_bytes;
    double *weight;       /* per row; NULL: none */
    size_t scratch_bytes; /* of all arrays, which lie in a scratch file; 0: in memory */
    /* Words of text columns, until dps_raw_rows_make_table. */
    int32_t word_count;
    int32_t *word_slot;
    int32_t *word_begin; /* word_count + 1, into word_bytes */
    char *word_bytes;
    int64_t *word_line; /* where each stands first: line within the block, byte within the line */
    int32_t *word_place;
} dps_raw_block;

/* Memory, or a scratch file, that several blocks share. */
typedef struct dps_raw_slab {
    char *bytes;
    size_t size, used;
    int64_t last_block;
    bool scratch;
} dps_raw_slab;

typedef struct dps_raw_rows {
    dps_input input; /* owner of the file names, of the layout and, in training, of the table */
    dps_raw_block *block;
    int64_t blocks;
    dps_raw_slab *slab;
    size_t slabs;
    size_t block_capacity, slab_capacity;
    size_t slab_bytes;    /* of the slabs in memory */
    size_t scratch_bytes; /* of those in files */
    bool out_of_core;     /* new slabs lie in scratch files */
    int64_t rows, entries, qid_seen, bytes;
    double *file_weight; /* of each row, from the file of weights or the caller; NULL: not read, or
                            none */
    int64_t repeats;     /* lines that repeat the names of the columns */
    /* Over ranks: of this rank's first row, and of all. Set by dps_raw_rows_count_all. */
    int64_t first_row, total_rows, total_entries;
    int64_t unknown;       /* entries that dps_raw_rows_number left out */
    int64_t unknown_texts; /* texts that the code book does not have */
} dps_raw_rows;

/* Reads all files with all threads; over ranks this rank's part of them. known: as for
 * dps_input_open. In training the table is complete afterwards, and every index is the raw
 * feature's. chunk_bytes: 0 = the source's own (tests set it). */
DPS_MUST_USE dps_status dps_raw_rows_read(dps_raw_rows *raw, const char *const *paths,
                                          size_t path_count, const dps_read_options *options,
                                          const dps_table *known, size_t chunk_bytes,
                                          const dps_run *run, dps_error *err);

/* Code books and means of a table's columns from all rows, in means a row of weight w being w rows;
 * then slots become features. weights_file: NULL or "": none. Read where there are means. */
DPS_MUST_USE dps_status dps_raw_rows_make_table(dps_raw_rows *raw, const char *weights_file,
                                                const dps_run *run, dps_error *err);

/* Sets the rows and entries before each block and in all. */
void dps_raw_rows_count(dps_raw_rows *raw);

/* All: distinct raw indices of all ranks, ascending (from dps_alloc). */
DPS_MUST_USE dps_status dps_raw_rows_distinct(const dps_raw_rows *raw, const dps_run *run,
                                              int32_t **index, int32_t *count, dps_error *err);
/* Turns every raw index into its place in index[count]; entries without one are left out. */
void dps_raw_rows_number(dps_raw_rows *raw, const int32_t *index, int32_t count,
                         const dps_run *run);

/* The block that holds a row. */
int64_t dps_raw_rows_block_of(const dps_raw_rows *raw, int64_t row);
/* Out of core: gives the pages of a block back, to be called by whoever has gone through it; and of
 * the blocks that end within rows [first, end). Their content stays. */
void dps_raw_block_rest(const dps_raw_block *block);
void dps_raw_rows_rest(const dps_raw_rows *raw, int64_t first, int64_t end);
/* Gives back the memory of rows before `row`; they are not touched again. */
void dps_raw_rows_forget(dps_raw_rows *raw, int64_t row);
/* File and line of a row, where the lines before it in its chunk are rows all; else line 0. */
const char *dps_raw_rows_place(const dps_raw_rows *raw, int64_t row, int64_t *line);
void dps_raw_rows_release(dps_raw_rows *raw);

#endif
