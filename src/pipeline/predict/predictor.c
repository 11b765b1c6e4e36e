/* Task: scores of mapped rows under a model, u = <w, z> (order of summation: tile_kernels.h);
 * without a map from the rows themselves (plain_weights.c). */
#include "predictor.h"

#include <string.h>
#include "allocation.h"
#include "plain_weights.h"
#include "random.h"
#include "tile_kernels.h"

void dps_weights_to_model(const double *w, size_t length, size_t stride, dps_model *model)
{
    const size_t width = (size_t)model->width, sparse = (size_t)model->sparse_columns;
    for (int32_t k = 0; k < model->models; k++) {
        const double *from = w + (size_t)k * length;
        double *to = model->weight + (size_t)k * model->weights_per_model;
        memcpy(to, from, width * sizeof *to);
        memcpy(to + width, from + stride, sparse * sizeof *to);
        if (model->bias != 0) {
            to[width + sparse] = from[width];
        }
    }
}

void dps_weights_from_model(const dps_model *model, size_t length, size_t stride, double *w)
{
    const size_t width = (size_t)model->width, sparse = (size_t)model->sparse_columns;
    memset(w, 0, (size_t)model->models * length * sizeof *w);
    for (int32_t k = 0; k < model->models; k++) {
        const double *from = model->weight + (size_t)k * model->weights_per_model;
        double *to = w + (size_t)k * length;
        memcpy(to, from, width * sizeof *to);
        memcpy(to + stride, from + width, sparse * sizeof *to);
        if (model->bias != 0) {
            to[width] = from[width + sparse];
        }
    }
}

static dps_status prepare(dps_predictor *predictor, const dps_run *run, dps_error *err)
{
    const dps_model *model = predictor->model;
    const size_t models = (size_t)model->models;
    dps_z_builder *builder = &predictor->builder;
    if (model->random_scheme != DPS_RANDOM_SCHEME) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "the model's map was drawn with random scheme %ld, this dpsvm has "
                             "scheme %d: predict with the version that trained it",
                             (long)model->random_scheme, DPS_RANDOM_SCHEME);
    }
    const dps_map_widths widths = {model->width, model->sparse_columns};
    DPS_TRY(
        dps_map_new_as(&predictor->map, &model->recipe, model->scaler.columns, &widths, run, err));
    *builder = dps_z_builder_of(predictor->map, model->bias, run->simd);
    builder->rows = dps_batch_rows(builder->stride);
    predictor->length = dps_round_up(builder->stride + (size_t)model->sparse_columns, DPS_PAD);
    DPS_NEED(predictor->w, models * predictor->length, "the weights", err);
    dps_weights_from_model(model, predictor->length, builder->stride, predictor->w);
    if (dps_has_plain_weights(model)) {
        const size_t lines = (size_t)model->scaler.columns + 1;
        DPS_NEED(predictor->plain, lines * models, "the weights", err);
        dps_plain_weights(model, predictor->plain);
    }
    return DPS_OK;
}

dps_status dps_predictor_init(dps_predictor *predictor, const dps_model *model, const dps_run *run,
                              dps_error *err)
{
    *predictor = (dps_predictor){.model = model};
    const dps_status status = prepare(predictor, run, err);
    if (status != DPS_OK) {
        dps_predictor_release(predictor);
    }
    return status;
}

void dps_predictor_release(dps_predictor *predictor)
{
    dps_map_free(predictor->map);
    dps_free(predictor->w);
    dps_free(predictor->plain);
    memset(predictor, 0, sizeof *predictor);
}

void dps_predictor_scores(const dps_predictor *predictor, const dps_z_tile *z, double *scores)
{
    for (int32_t k = 0; k < predictor->model->models; k++) {
        dps_tile_scores(predictor->builder.simd, z, predictor->w + (size_t)k * predictor->length,
                        NULL, z->rows, scores + (size_t)k * DPS_TILE_ROWS);
    }
}

void dps_predictor_block_scores(const dps_predictor *predictor, const dps_z_tile *z,
                                const dps_row_block *block, int64_t first, double *scores)
{
    if (predictor->plain != NULL) {
        dps_plain_scores(predictor->model, predictor->plain, block, first, z->rows, scores);
    } else {
        dps_predictor_scores(predictor, z, scores);
    }
}

int32_t dps_predicted_class(int32_t classes, double threshold, const double *scores, int32_t i)
{
    if (classes == 2) {
        return scores[i] > threshold ? 1 : 0;
    }
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++) {
        if (scores[(size_t)k * DPS_TILE_ROWS + (size_t)i] >
            scores[(size_t)best * DPS_TILE_ROWS + (size_t)i]) {
            best = k;
        }
    }
    return best;
}
