/* Rows of text through a model, in input order and bounded memory: the loop that predict and
 * transform share. They differ only in the sink that turns a tile into output text. */
#ifndef DPS_ROW_STREAM_H
#define DPS_ROW_STREAM_H

#include "output_file.h"
#include "prediction.h"
#include "predictor.h"
#include "row_parser.h"

/* What a sink sees: up to DPS_TILE_ROWS rows. */
typedef struct dps_stream_rows {
    const dps_row_block *block; /* labels of row i: block->label[first + i] */
    int64_t first;              /* number of the tile's first row within the block */
    const dps_z_tile *z;
    const double *scores; /* as dps_predictor_scores fills it; NULL unless asked for */
    double threshold;     /* of the request: for dps_predicted_class */
} dps_stream_rows;

typedef struct dps_stream_sink {
    bool wants_scores;
    /* Appends the tile's output; called from several threads, one tile each. NULL: none. */
    void (*render)(const void *context, const dps_stream_rows *rows, dps_text *out);
    const void *context;
    bool count_only;       /* parses and counts; maps, scores and renders nothing */
    dps_output_file *file; /* where the texts go, in input order; NULL: nowhere */
    dps_text *collect;     /* where they go as well; NULL: nowhere */
} dps_stream_sink;

/* The label of row i of the tile as the input spells it; *length = 0: it has none. */
const char *dps_stream_label(const dps_stream_rows *rows, int32_t i, size_t *length);

/* What row i weighs: 1 where the input has no weights. */
static inline double dps_stream_weight(const dps_stream_rows *rows, int32_t i)
{
    const double *weight = rows->block->weight;
    return weight == NULL ? 1.0 : weight[rows->first + i];
}

/* The id of row i, where the input has a column of ids (data.id_column); else NULL. */
const char *dps_stream_id(const dps_stream_rows *rows, int32_t i, size_t *length);

/* All ranks of run->comm; rank 0 reads and writes (the others have no sink->file, and nothing comes
 * into their sink->collect), and all have the counts. Adds to *result. Counts labels and, where
 * scores are wanted, correct predictions, or residuals for regression, where a label that is not a
 * finite number is an error with its place. What comes before the first faulty row's tile has been
 * written to the sink when an error is returned, whatever the number of threads. */
DPS_MUST_USE dps_status dps_row_stream_run(const dps_predict_request *request,
                                           const dps_predictor *predictor,
                                           const dps_stream_sink *sink, const dps_run *run,
                                           dps_predict_result *result, dps_error *err);

#endif
