/* Task: say what makes a model bad without any step having failed.
 *   columns   largest |x| of the columns more than a factor 1000 apart, and no scaling: the small
 *             ones hardly count
 *   gamma     typical exp(-gamma |x - y|^2) (Laplacian: |x - y|_1) below e^-200, every row is
 *             alone, or above e^-0.001, all rows are alike
 *   units     a gamma of the user, no scaling of columns, but rows divided by the largest norm,
 *             10 or more, or 0.1 or less: the kernel of the input's own units has another gamma
 * The bounds are generous: within them wide and narrow kernels can be right.
 * Cost: a pass over the values; 1000 distances. */
#include "scale_warnings.h"

#include <math.h>
#include "allocation.h"
#include "comm.h"
#include "feature_name.h"
#include "row_sample.h"

#define SIZES_APART      1000.0
#define GAMMA_TOO_MUCH   200.0
#define GAMMA_TOO_LITTLE 0.001
#define UNITS_APART      10.0

static void take_sizes(const dps_row_tile *tile, double *size)
{
    for (int32_t i = 0; i < tile->rows; i++) {
        const bool dense = tile->dense != NULL;
        const float *x =
            dense ? tile->dense + (size_t)i * tile->stride : tile->value + tile->start[i];
        const int32_t *column = dense ? NULL : tile->column + tile->start[i];
        const int64_t count = dense ? tile->columns : tile->start[i + 1] - tile->start[i];
        for (int64_t k = 0; k < count; k++) {
            const int64_t j = dense ? k : column[k];
            size[j] = fmax(size[j], fabs((double)x[k]));
        }
    }
}

dps_status dps_warn_column_sizes(const dps_dataset *data, const dps_run *run, bool *warned,
                                 dps_error *err)
{
    const dps_scaler *scaler = &data->scaler;
    const dps_row_source rows = dps_dataset_rows(data);
    *warned = false;
    if (scaler->scaling != DPS_SCALE_NONE || scaler->columns < 2) {
        return DPS_OK;
    }
    double *size;
    DPS_NEED(size, (size_t)scaler->columns, "sizes of columns", err);
    dps_status status = DPS_OK;
    for (int64_t t = 0; t < dps_tile_count(rows.rows) && status == DPS_OK; t++) {
        dps_row_tile tile;
        status = rows.get(rows.context, t, &tile, err);
        if (status == DPS_OK) {
            take_sizes(&tile, size);
        }
    }
    if (status == DPS_OK && rows.total_rows > 0) {
        dps_comm_max_all(run->comm, size, (size_t)scaler->columns);
    }
    int32_t least = -1, most = -1; /* columns of zeros (underflow) have no size */
    for (int32_t j = 0; j < scaler->columns; j++) {
        if (size[j] > 0) {
            least = least < 0 || size[j] < size[least] ? j : least;
            most = most < 0 || size[j] > size[most] ? j : most;
        }
    }
    if (status == DPS_OK && least >= 0 && size[most] > SIZES_APART * size[least]) {
        char small[DPS_FEATURE_NAME], large[DPS_FEATURE_NAME];
        *warned = true;
        dps_feature_name(&data->table, scaler->index[least], small);
        dps_feature_name(&data->table, scaler->index[most], large);
        dps_log_text(run, DPS_WARNING,
                     "data.scaling = none, but the largest values of the columns range from %.3g "
                     "(%s) to %.3g (%s): small columns hardly count; data.scaling = max_abs or "
                     "standard gives all of them the same size",
                     size[least] / scaler->row_factor, small, size[most] / scaler->row_factor,
                     large);
    }
    dps_free(size);
    return status;
}

static void warn_units(const dps_map_recipe *recipe, const dps_scaler *scaler, bool laplacian,
                       const dps_run *run)
{
    const double factor = scaler->row_factor;
    if (scaler->scaling != DPS_SCALE_NONE || scaler->normalize != DPS_NORMALIZE_MAX_NORM ||
        (factor * UNITS_APART > 1 && factor < UNITS_APART)) {
        return;
    }
    dps_log_text(run, DPS_WARNING,
                 "map.gamma = %.4g is taken on rows divided by %.4g, their largest norm "
                 "(data.normalize = max_norm): it is %.4g in units of the input; for a gamma in "
                 "these units set data.normalize = none",
                 recipe->base_gamma, 1 / factor,
                 recipe->base_gamma * (laplacian ? factor : factor * factor));
}

dps_status dps_warn_gamma(const dps_map_request *request, const dps_scaler *scaler,
                          const dps_row_source *rows, const dps_run *run, dps_error *err)
{
    const dps_map_recipe recipe = dps_recipe_asked(request);
    const bool laplacian = recipe.base == DPS_BASE_LAPLACIAN;
    if (!dps_recipe_is_shift(&recipe) || isnan(recipe.base_gamma)) {
        return DPS_OK;
    }
    warn_units(&recipe, scaler, laplacian, run);
    dps_row_sample sample;
    DPS_TRY(dps_row_sample_init(&sample, rows, recipe.seed, DPS_SAMPLE_ROWS, run, err));
    const double typical = dps_row_sample_typical(&sample, laplacian);
    const double argument = recipe.base_gamma * typical;
    dps_row_sample_release(&sample);
    if (typical > 0 && (argument > GAMMA_TOO_MUCH || argument < GAMMA_TOO_LITTLE)) {
        dps_log_text(run, DPS_WARNING,
                     "map.gamma = %.4g does not fit the rows: gamma times a typical distance%s is "
                     "%.2g, so that the kernel takes %s; map.gamma = auto, or data.scaling and "
                     "data.normalize, bring it near 1",
                     recipe.base_gamma, laplacian ? "" : " squared", argument,
                     argument > 1 ? "no two rows to be alike" : "all rows to be alike");
    }
    return DPS_OK;
}
