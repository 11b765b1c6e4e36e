/* Training data in memory: text files -> parsed blocks -> classes and columns -> scaler -> scaled
 * tiles. */
#ifndef DPS_DATASET_H
#define DPS_DATASET_H

#include "hold_out.h"
#include "labels.h"
#include "run.h"
#include "scaler.h"

typedef struct dps_load_options {
    const char *const *paths;
    size_t path_count;
    dps_read_options read;
    dps_scaling scaling;
    dps_normalize normalize;
    const char *cache;       /* file that keeps parsed rows (cache.h); NULL, "": none */
    const char *weights;     /* a file of weights, else a column of the table; NULL, "": none */
    dps_row_choice hold_out; /* fold 0: held out, -1: not; NULL: all rows train */
    const void *hold_out_context;
    const char *base; /* file in whose folder a relative `weights` lies; NULL: current folder */
    /* Columns and scaling of a model, which rows are read by; NULL: found and fitted here. */
    const dps_table *table_as;
    const dps_scaler *scaler_as;
    bool regression; /* labels are numbers to predict, not classes */
    int64_t units;   /* ranks own whole ones of so many (dps_rank_begin); 0: as many as there are */
} dps_load_options;

typedef struct dps_dataset {
    dps_scaled_rows x;    /* over ranks: this rank's whole tiles of the rows */
    int64_t first_row;    /* of x, in the data */
    int64_t total_rows;   /* of all ranks; 0: x has them all */
    int32_t *label;       /* class of each row, in the class table's order; regression: 0 */
    double *target;       /* regression: the label as a number; else NULL */
    dps_scaled_rows held; /* rows held out: no part of x, label, classes' counts or the scaler's fit
                           */
    int64_t held_first_row, held_total_rows;
    int32_t *held_label;
    double *held_target; /* regression, else NULL */
    double *held_weight; /* as row_weight */
    double *row_weight;  /* c_i of each row, > 0; NULL: all 1 */
    double *class_rows;  /* of each class, rows of weight w counted w times; NULL without weights */
    dps_class_table classes; /* none for regression */
    dps_table table;         /* columns of the training file; count 0: it was no table */
    dps_scaler scaler;
    char note[1024];      /* what was found in the input: "csv with a header, ..." */
    bool label_guessed;   /* nobody named the label's column */
    int64_t nonzeros;     /* values read that are not 0 */
    int64_t bytes;        /* of text read */
    double parse_seconds; /* reading and parsing */
    double scale_seconds;
} dps_dataset;

/* Reads and scales; over ranks (run->comm) each reads a part of the files and then owns some tiles
 * of rows, while classes, table and scaler are those of all rows. All threads parse; errors name
 * file, line and column (of the first fault in the input's order). Rows beyond run->memory lie in
 * scratch files (scratch.h). Refused: labels that alone do not fit, no rows, one class, labels
 * that look like numbers to predict or names of rows, unless the user said that they are classes;
 * for regression labels that are not finite numbers. */
DPS_MUST_USE dps_status dps_dataset_load(const dps_load_options *options, const dps_run *run,
                                         dps_dataset *data, dps_error *err);
/* A second file (data.validation) read by the table, scaled by the scaler and labelled by the
 * classes of `like`; label -1: a class that it has not, or no label. Every rank has all rows. */
DPS_MUST_USE dps_status dps_dataset_load_as(const dps_load_options *options,
                                            const dps_dataset *like, const dps_run *run,
                                            dps_dataset *data, dps_error *err);
/* Rows of all ranks. */
static inline int64_t dps_dataset_count(const dps_dataset *data)
{
    return data->total_rows > 0 ? data->total_rows : data->x.rows;
}

/* Views; the dataset must outlive them. */
dps_row_source dps_dataset_rows(const dps_dataset *data);
dps_row_source dps_dataset_held_rows(const dps_dataset *data);
/* Memory it takes; out of core rows count by what stays resident of them. */
size_t dps_dataset_memory(const dps_dataset *data);
/* The same after dps_dataset_spill, which moves scaled rows from memory to a scratch file. */
size_t dps_dataset_memory_spilled(const dps_dataset *data, const dps_run *run);
DPS_MUST_USE dps_status dps_dataset_spill(dps_dataset *data, const dps_run *run, dps_error *err);
void dps_dataset_release(dps_dataset *data);

#endif
