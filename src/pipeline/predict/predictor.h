/* A model made ready to predict: its map rebuilt from the seed, its weights laid out for the
 * scoring kernel. Training's own accuracy, predict, transform and the C API all go through here. */
#ifndef DPS_PREDICTOR_H
#define DPS_PREDICTOR_H

#include "model.h"
#include "row_parser.h"
#include "z_builder.h"

typedef struct dps_predictor {
    const dps_model *model; /* outlives the predictor */
    dps_map *map;
    dps_z_builder builder;
    size_t length; /* doubles in one weight vector: stride + sparse columns, padded */
    double *w;     /* models x length */
    double *plain; /* plain_weights.h; NULL: the model has a map */
} dps_predictor;

/* Refuses a model drawn with another random scheme, or whose map does not come out as wide as its
 * weights. */
DPS_MUST_USE dps_status dps_predictor_init(dps_predictor *predictor, const dps_model *model,
                                           const dps_run *run, dps_error *err);
void dps_predictor_release(dps_predictor *predictor);

/* scores: models x DPS_TILE_ROWS; score of model k and row i at k * DPS_TILE_ROWS + i. */
void dps_predictor_scores(const dps_predictor *predictor, const dps_z_tile *z, double *scores);
/* The same for rows that came from a parsed block, its row `first` being the tile's first: without
 * a map in double precision throughout, from the values as they were read. */
void dps_predictor_block_scores(const dps_predictor *predictor, const dps_z_tile *z,
                                const dps_row_block *block, int64_t first, double *scores);
/* Class of row i from its scores. Two classes: the second if the score is > threshold; more: the
 * largest score, the first of equals. */
int32_t dps_predicted_class(int32_t classes, double threshold, const double *scores, int32_t i);

/* Weights in the order of a model file (panel, sparse block, bias) from a solver's weight vectors
 * (models x length: panel, bias, padding, sparse block) and back. model: width, sparse_columns,
 * bias, models, weights_per_model set, weight allocated. */
void dps_weights_to_model(const double *w, size_t length, size_t stride, dps_model *model);
void dps_weights_from_model(const dps_model *model, size_t length, size_t stride, double *w);

#endif
