/* Task: the weights of a model without a map, in units of the input.
 *   x'' = (x - shift) factor r,   z = c x'',   score = <w, z> + w_b b
 *       = sum_j weight_j x_j + intercept
 *   weight_j = c r factor_j w_j,   intercept = w_b b - sum_j weight_j shift_j
 * Where the scaling bends columns (log, rank) the line of column j is of the bent x'_j instead,
 * with weight_j = c r w_j and nothing taken from the intercept; scores are then those of tiles.
 * c: the map's factor; r: that of all rows (max_norm); b: the constant feature. Scores are summed
 * in double precision from the intercept on, in the order of the columns; the rows that a solver
 * sees, and its own accuracy, are of single precision: the two differ by about 1e-7 of the largest
 * term. Cost: a pass over weights and values. */
#include "plain_weights.h"

#include "column_lookup.h"

bool dps_has_plain_weights(const dps_model *model)
{
    return model->recipe.type == DPS_MAP_NONE && model->scaler.normalize != DPS_NORMALIZE_UNIT &&
           dps_scaling_is_affine(model->scaler.scaling);
}

void dps_plain_weights(const dps_model *model, double *weight)
{
    const dps_scaler *scaler = &model->scaler;
    const size_t models = (size_t)model->models;
    const bool affine = dps_scaling_is_affine(scaler->scaling);
    double *intercept = weight + (size_t)scaler->columns * models;
    for (size_t k = 0; k < models; k++) {
        const double *w = model->weight + k * model->weights_per_model;
        intercept[k] = model->bias != 0 ? model->bias * w[model->weights_per_model - 1] : 0;
        for (int32_t j = 0; j < scaler->columns; j++) {
            const double in_units = w[j] * model->recipe.factor * scaler->row_factor *
                                    (affine ? scaler->factor[j] : 1.0);
            intercept[k] -= in_units * scaler->shift[j];
            weight[(size_t)j * models + k] = in_units;
        }
    }
}

void dps_plain_scores(const dps_model *model, const double *weight, const dps_row_block *block,
                      int64_t first, int32_t rows, double *scores)
{
    const dps_scaler *scaler = &model->scaler;
    const int32_t models = model->models;
    for (int32_t i = 0; i < rows; i++) {
        const double *line = weight + (size_t)scaler->columns * (size_t)models;
        double *score = scores + i;
        int32_t column = 0;
        for (int32_t k = 0; k < models; k++) {
            score[(size_t)k * DPS_TILE_ROWS] = line[k];
        }
        for (int64_t e = block->start[first + i]; e < block->start[first + i + 1]; e++) {
            column = dps_column_seek(scaler->index, scaler->columns, column, block->index[e]);
            if (column == scaler->columns || scaler->index[column] != block->index[e]) {
                continue;
            }
            line = weight + (size_t)column * (size_t)models;
            for (int32_t k = 0; k < models; k++) {
                score[(size_t)k * DPS_TILE_ROWS] += line[k] * block->value[e];
            }
        }
    }
}
