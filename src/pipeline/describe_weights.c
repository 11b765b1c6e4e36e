/* Task: `dpsvm info --weights`: the weights of a model without a map, in units of the input.
 *   x'' = (x - shift) factor r,   z = c x'',   score = <w, z> + w_b b
 *       = sum_j weight_j x_j + intercept
 *   weight_j = c r factor_j w_j,   intercept = w_b b - sum_j weight_j shift_j
 * c: the map's factor; r: that of all rows (max_norm); b: the constant feature. predict rounds z to
 * float, these weights do not: scores agree to about 1e-7 of their largest term.
 * Cost: a look at every weight. */
#include <math.h>
#include <string.h>
#include "feature_name.h"
#include "memory.h"
#include "number.h"
#include "pipeline.h"

static dps_status check_linear(const dps_model *model, const char *path, dps_error *err)
{
    if (model->recipe.type != DPS_MAP_NONE) {
        return dps_error_at(err, DPS_ERROR_CONFIG, path, 0, 0,
                            "--weights: the model has a map, so that its weights belong to mapped "
                            "columns, not to features; kernel.type = linear with map.type = auto "
                            "has weights of features");
    }
    if (model->scaler.normalize == DPS_NORMALIZE_UNIT) {
        return dps_error_at(err, DPS_ERROR_CONFIG, path, 0, 0,
                            "--weights: data.normalize = unit divides every row by its own norm, "
                            "so that scores are not linear in the features; train with max_norm or "
                            "none");
    }
    return DPS_OK;
}

static void add_line(dps_text *out, const char *class_name, const char *feature, double weight)
{
    char number[DPS_NUMBER_MAX];
    dps_format_double(number, weight);
    dps_text_format(out, "%s\t%s\t%s\n", class_name, feature, number);
}

/* The scores of model k grow towards this class. */
static const char *class_of(const dps_model *model, int32_t k)
{
    if (model->task == DPS_TASK_REGRESSION) {
        return "value";
    }
    return model->classes.text[model->models == 1 ? 1 : k];
}

dps_status dps_describe_weights(const dps_model *model, const char *path, dps_text *out,
                                dps_error *err)
{
    const dps_scaler *scaler = &model->scaler;
    const dps_status status = check_linear(model, path, err);
    if (status != DPS_OK) {
        return status;
    }
    dps_text_add(out, "class\tfeature\tweight\n");
    for (int32_t k = 0; k < model->models; k++) {
        const double *w = model->weight + (size_t)k * model->weights_per_model;
        double intercept = model->bias != 0 ? model->bias * w[model->weights_per_model - 1] : 0;
        for (int32_t j = 0; j < scaler->columns; j++) {
            char name[DPS_FEATURE_NAME];
            const double weight =
                w[j] * model->recipe.factor * scaler->row_factor * scaler->factor[j];
            intercept -= weight * scaler->shift[j];
            dps_feature_name(&model->table, scaler->index[j], name);
            add_line(out, class_of(model, k), name, weight);
        }
        add_line(out, class_of(model, k), "intercept", intercept);
    }
    return out->failed ? dps_out_of_memory(err, 1, 1, "the weights") : DPS_OK;
}
