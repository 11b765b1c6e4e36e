/* Task: `dpsvm export`: load, check, write. */
#include "export.h"

#include <string.h>
#include "allocation.h"
#include "map_view.h"
#include "number.h"
#include "output_file.h"
#include "prediction_steps.h"
#include "score_c.h"

/* A name of C that no word of the language or name of its library is: letters, digits and _. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t length = strlen(name);
    return length > 0 && length < DPS_EXPORT_NAME && strspn(name, letters) == length &&
           !(*name >= '0' && *name <= '9') && *name != '_';
}

/* Numbers of map, weights and columns together. */
static double numbers_of(const dps_predictor *predictor)
{
    const dps_model *model = predictor->model;
    const dps_map_view view = dps_map_view_of(predictor->map);
    const double map = predictor->plain != NULL ? 0 : (double)view.layout->map_bytes / 4;
    return map + (double)model->models * (double)model->weights_per_model +
           4.0 * model->scaler.columns + 2.0 * model->scaler.knots;
}

static dps_status check_size(const dps_export_request *request, const dps_predictor *predictor,
                             dps_error *err)
{
    const double numbers = numbers_of(predictor);
    if (request->force || numbers <= DPS_EXPORT_NUMBERS) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                        "the model has %.3g numbers, map and weights together, which is more than "
                        "compilers and other programs like to read (%d): train it with fewer "
                        "map.features or map.projection = hadamard, or give --force",
                        numbers, DPS_EXPORT_NUMBERS);
}

static dps_status write_files(const dps_export_request *request, const dps_predictor *predictor,
                              const dps_row_columns *rows, dps_error *err)
{
    const char *name = request->name == NULL ? "model" : request->name;
    dps_text text = {0};
    dps_score_c(predictor, rows, name, &text);
    return dps_output_text(&text, request->c_path, "the C file", err);
}

dps_status dps_export(const dps_export_request *request, const dps_run *run, dps_error *err)
{
    dps_model model;
    dps_predictor predictor;
    dps_row_columns rows = {0};
    if (request->name != NULL && !is_name(request->name)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--name %s: expected a name of C (letters, digits and _, at most %d, "
                             "a letter first)",
                             DPS_QUOTE(request->name, strlen(request->name), 40),
                             DPS_EXPORT_NAME - 1);
    }
    DPS_TRY(dps_prediction_load(request->model_path, run, &model, &predictor, err));
    dps_status status = check_size(request, &predictor, err);
    DPS_THEN(status, dps_row_columns_init(&rows, &model, err));
    DPS_THEN(status, write_files(request, &predictor, &rows, err));
    dps_row_columns_release(&rows);
    dps_predictor_release(&predictor);
    dps_model_release(&model);
    return status;
}
