/* Rows of text through a model, in input order and bounded memory: the loop that predict,
 * transform, evaluate and the files that train measures share. They differ only in the sink: output
 * text, or labelled rows with what the model says of them. */
#ifndef DPS_ROW_STREAM_H
#define DPS_ROW_STREAM_H

#include "decision.h"
#include "metrics.h"
#include "output_file.h"
#include "prediction.h"
#include "predictor.h"
#include "row_parser.h"

/* What becomes text: up to DPS_TILE_ROWS rows. */
typedef struct dps_stream_rows {
    const dps_model *model;
    const dps_row_block *block; /* labels of row i: block->label[first + i] */
    int64_t first;              /* number of the tile's first row within the block */
    const dps_z_tile *z;
    const double *scores; /* as dps_predictor_scores fills it; NULL unless asked for */
    dps_decision decision;
    double *chances; /* room for a number a class */
    /* What is rendered once it was told to stop is not written: rows of millions may end early. */
    const dps_run *run;
} dps_stream_rows;

/* Takes labelled rows: on rank 0, a tile's at a time, in input order. */
typedef dps_status (*dps_row_taker)(void *context, const dps_scored *row, int32_t rows,
                                    dps_error *err);

typedef struct dps_stream_sink {
    bool wants_scores;
    bool wants_losses; /* of the rows that `take` gets, where the model has probabilities */
    bool count_only;   /* parses and counts; maps, scores and renders nothing */
    /* Appends what stands before the first row; ids: rows have one. NULL: nothing. */
    void (*head)(const dps_model *model, const dps_predict_request *request, bool ids,
                 dps_text *out);
    /* Appends the tile's output; called from several threads, one tile each. NULL: none. */
    void (*render)(const dps_stream_rows *rows, dps_text *out);
    dps_output_file *file; /* where the texts go, in input order; NULL: nowhere */
    dps_row_taker take;    /* with wants_scores; NULL: none */
    void *taker;           /* its context */
} dps_stream_sink;

/* The label of row i of the tile as the input spells it; *length = 0: it has none. */
const char *dps_stream_label(const dps_stream_rows *rows, int32_t i, size_t *length);

/* The class that is predicted for row i. */
static inline int32_t dps_stream_class(const dps_stream_rows *rows, int32_t i)
{
    return dps_decided_class(rows->model, &rows->decision, rows->scores, i, rows->chances);
}

/* What row i weighs: 1 where the input has no weights. */
static inline double dps_stream_weight(const dps_stream_rows *rows, int32_t i)
{
    return dps_weight_of(rows->block->weight, rows->first + i);
}

/* The id of row i, where the input has a column of ids (data.id_column); else NULL. */
const char *dps_stream_id(const dps_stream_rows *rows, int32_t i, size_t *length);

/* All ranks of run->comm; rank 0 reads and writes (the others have no sink->file, and their
 * sink->take gets nothing), and all have the counts. Adds to *result. Counts labels and, where
 * scores are wanted, correct predictions, or residuals for regression, where a label that is not a
 * finite number is an error with its place. What comes before the first faulty row's tile has been
 * written to the sink when an error is returned, whatever the number of threads. */
DPS_MUST_USE dps_status dps_row_stream_run(const dps_predict_request *request,
                                           const dps_predictor *predictor,
                                           const dps_stream_sink *sink, const dps_run *run,
                                           dps_predict_result *result, dps_error *err);

#endif
