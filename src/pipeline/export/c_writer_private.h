/* A model on its way into C: score_c.c says which parts there are, c_data.c and c_map.c write the
 * numbers. */
#ifndef DPS_C_WRITER_PRIVATE_H
#define DPS_C_WRITER_PRIVATE_H

#include "map_view.h"
#include "predictor.h"
#include "row_columns.h"

typedef struct dps_c_writer {
    const dps_predictor *predictor;
    const dps_model *model;
    const dps_row_columns *rows;
    const char *name;
    const dps_map *map;
    dps_map_view view;
    const double *plain; /* weights in units of the row (plain_weights.h); NULL: there is a map */
    int32_t features;    /* d */
} dps_c_writer;

/* Columns of the panel, that of the bias included. */
static inline size_t dps_c_panel(const dps_c_writer *w)
{
    return (size_t)w->model->width + (w->predictor->builder.bias != 0 ? 1 : 0);
}

bool dps_c_has_kind(const dps_c_writer *w, dps_block_kind kind);
bool dps_c_has_real(const dps_c_writer *w);

/* Rows, scaling, weights, probabilities and labels as arrays. */
void dps_c_add_data(const dps_c_writer *w, dps_text *out);
/* The words that the model takes for a missing value. */
void dps_c_add_missing_words(const dps_c_writer *w, dps_text *out);
/* The map. */
void dps_c_add_map(const dps_c_writer *w, dps_text *out);

#endif
