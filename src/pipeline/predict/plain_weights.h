/* Weights of a model without a map, for `info --weights` and for prediction, which therefore agree
 * to the last bits: in units of the input, or of the column that data.scaling = log or rank makes.
 */
#ifndef DPS_PLAIN_WEIGHTS_H
#define DPS_PLAIN_WEIGHTS_H

#include "model.h"
#include "row_parser.h"

/* Whether scores are linear in the features: no map, no rows divided by their own norms, no column
 * bent by its scaling. */
bool dps_has_plain_weights(const dps_model *model);
/* For models without a map whose rows are not divided by their own norms.
 * weight: (columns + 1) x models; line j: column j of the scaler, the last line: intercepts. */
void dps_plain_weights(const dps_model *model, double *weight);
/* Where dps_has_plain_weights: scores of rows first, first + 1, ... of a parsed block: model k, row
 * i at k * DPS_TILE_ROWS + i. Features that the model does not have are left out. */
void dps_plain_scores(const dps_model *model, const double *weight, const dps_row_block *block,
                      int64_t first, int32_t rows, double *scores);

#endif
