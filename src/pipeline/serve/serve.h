/* What is behind the public types of dpsvm/score.h, for this room and api. */
#ifndef DPS_SERVE_H
#define DPS_SERVE_H

#include <dpsvm/score.h>

#include "block_scores.h"
#include "decision.h"
#include "model.h"
#include "row_parser.h"

struct dpsvm_model {
    dps_model model;
    dps_predictor predictor;
};

/* How text rows are read. */
typedef struct dps_text_rows {
    const dps_format *format; /* NULL: nobody said */
    dps_read_options read;
    dps_layout layout;
    bool laid_out, by_header;
    char delimiter;
} dps_text_rows;

struct dpsvm_scorer {
    const dpsvm_model *model;
    dps_decision decision;
    dps_block_work work;
    dps_row_block block; /* numbers on their way to the scaler */
    double *scores;      /* models x DPS_TILE_ROWS */
    double *chances;     /* a class each */
    int64_t unknown;
    dps_text_rows lines;  /* of dpsvm_score_text */
    dps_text_rows values; /* of dpsvm_score_values */
    dps_row_block parsed;
    dps_text text; /* a line that is made or lacks its end */
};

/* The public form of a status. row: of the call, from 0; -1: none. Cheap where all went well. */
int dps_serve_told(dps_status status, const dps_error *err, int64_t row, dpsvm_error *error);

/* Readies a model whose `model` is there: predictor. */
DPS_MUST_USE dps_status dps_serve_ready(dpsvm_model *model, dps_error *err);

/* Refuses answers that the model cannot give. */
DPS_MUST_USE dps_status dps_serve_check(const dpsvm_scorer *scorer, const dpsvm_answers *answers,
                                        dps_error *err);
/* Scores the block, of at most DPS_TILE_ROWS rows, as rows `first` on of the call. *row: the one at
 * fault. */
DPS_MUST_USE dps_status dps_serve_block(dpsvm_scorer *scorer, const dps_row_block *block,
                                        int64_t first, const dpsvm_answers *answers, int64_t *row,
                                        dps_error *err);
/* Scores rows first .. first + count - 1 of `rows`, to their places in answers; as above. */
DPS_MUST_USE dps_status dps_serve_rows(dpsvm_scorer *scorer, const dpsvm_rows *rows,
                                       const dpsvm_answers *answers, int64_t first, int64_t count,
                                       int64_t *row, dps_error *err);
void dps_serve_text_release(dps_text_rows *rows);

#endif
