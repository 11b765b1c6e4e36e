/* Task: a trained model in memory. */
#include <string.h>
#include "allocation.h"
#include "model_fields.h"

const char *const dps_probability_names[] = {"none", "sigmoid", "isotonic", NULL};
const char *const dps_task_names[] = {"classification", "regression", NULL};

void dps_model_shape(dps_model *model)
{
    const int32_t classes = model->classes.count;
    model->models = model->task == DPS_TASK_REGRESSION || classes == 2 ? 1 : classes;
    model->weights_per_model =
        (size_t)model->width + (size_t)model->sparse_columns + (model->bias != 0 ? 1 : 0);
}

void dps_model_release(dps_model *model)
{
    if (model == NULL) {
        return;
    }
    dps_scaler_release(&model->scaler);
    if (model->classes.text == NULL) {
        model->classes.count = 0; /* a header that was refused before its labels */
    }
    dps_class_table_release(&model->classes);
    dps_table_release(&model->table);
    dps_free(model->weight);
    dps_free(model->moved);
    dps_free(model->sigmoid);
    dps_free(model->isotonic);
    dps_free(model->knot);
    dps_free(model->self_test);
    memset(model, 0, sizeof *model);
}
