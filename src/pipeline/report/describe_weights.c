/* Task: `dpsvm info --weights`: the weights of a model without a map, in units of the input (of the
 * scaled column, where scaling bends columns, and then the header says so), a line a feature: those
 * that predict multiplies with as well (plain_weights.c). Cost: a look at every weight. */
#include "allocation.h"
#include "feature_name.h"
#include "number.h"
#include "describe_weights.h"
#include "plain_weights.h"

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
    dps_text_format(out, "%s\t%s\t", class_name, feature);
    dps_text_number(out, weight);
    dps_text_add(out, "\n");
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
    DPS_TRY(check_linear(model, path, err));
    const size_t models = (size_t)model->models, lines = (size_t)scaler->columns + 1;
    double *weight;
    DPS_NEED(weight, lines * models, "the weights", err);
    dps_plain_weights(model, weight);
    dps_text_format(out, "class\tfeature\tweight%s\n",
                    dps_scaling_is_affine(scaler->scaling) ? "" : "_of_scaled");
    for (size_t k = 0; k < models; k++) {
        const char *class_name = class_of(model, (int32_t)k);
        for (size_t j = 0; j + 1 < lines; j++) {
            char name[DPS_FEATURE_NAME];
            dps_feature_name(&model->table, scaler->index[j], name);
            add_line(out, class_name, name, weight[j * models + k]);
        }
        add_line(out, class_name, "intercept", weight[(lines - 1) * models + k]);
    }
    dps_free(weight);
    return out->failed ? dps_out_of_memory(err, 1, 1, "the weights") : DPS_OK;
}
