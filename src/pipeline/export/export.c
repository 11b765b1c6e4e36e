/* Task: `dpsvm export`: load, check, write. */
#include "export.h"

#include <string.h>
#include "allocation.h"
#include "map_view.h"
#include "number.h"
#include "output_file.h"
#include "prediction_steps.h"
#include "score_c.h"
#include "score_onnx.h"

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

static dps_status check_c(const dps_export_request *request, const dps_predictor *predictor,
                          dps_error *err)
{
    const double numbers = numbers_of(predictor);
    if (request->c_path == NULL || request->force || numbers <= DPS_EXPORT_NUMBERS) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                        "the model has %.3g numbers, map and weights together, which is more than "
                        "compilers like to read (%d): train it with fewer map.features or "
                        "map.projection = hadamard, or give --force",
                        numbers, DPS_EXPORT_NUMBERS);
}

/* Protocol buffers, and with them ONNX files, end at 2 GiB. */
static dps_status check_onnx(const dps_export_request *request, const dps_predictor *predictor,
                             dps_error *err)
{
    const double bytes = dps_score_onnx_bytes(predictor), most = 2.0e9;
    if (request->onnx_path == NULL || bytes <= (request->force ? most : DPS_EXPORT_BYTES)) {
        return DPS_OK;
    }
    char size[DPS_NUMBER_MAX];
    dps_format_bytes(size, bytes);
    return dps_error_at(err, DPS_ERROR_CONFIG, request->model_path, 0, 0,
                        "the graph would have %s, its projections being written out: train the "
                        "model with fewer map.features%s",
                        size, bytes > most ? " (ONNX files end at 2 GB)" : ", or give --force");
}

static dps_status write_c(const dps_export_request *request, const dps_predictor *predictor,
                          const dps_row_columns *rows, const char *name, dps_error *err)
{
    dps_text text = {0};
    if (request->c_path == NULL) {
        return DPS_OK;
    }
    dps_score_c(predictor, rows, name, &text);
    return dps_output_text(&text, request->c_path, "the C file", err);
}

static dps_status write_onnx(const dps_export_request *request, const dps_predictor *predictor,
                             const dps_row_columns *rows, const char *name, dps_error *err)
{
    dps_text text = {0};
    if (request->onnx_path == NULL) {
        return DPS_OK;
    }
    const dps_status status = dps_score_onnx(predictor, rows, name, &text, err);
    if (status != DPS_OK) {
        dps_text_release(&text);
        return status;
    }
    return dps_output_text(&text, request->onnx_path, "the ONNX file", err);
}

dps_status dps_export(const dps_export_request *request, const dps_run *run, dps_error *err)
{
    dps_model model;
    dps_predictor predictor;
    dps_row_columns rows = {0};
    const char *name = request->name == NULL ? "model" : request->name;
    if (request->name != NULL && !is_name(request->name)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--name %s: expected a name of C (letters, digits and _, at most %d, "
                             "a letter first)",
                             DPS_QUOTE(request->name, strlen(request->name), 40),
                             DPS_EXPORT_NAME - 1);
    }
    DPS_TRY(dps_prediction_load(request->model_path, run, &model, &predictor, err));
    dps_status status = check_c(request, &predictor, err);
    DPS_THEN(status, check_onnx(request, &predictor, err));
    DPS_THEN(status, dps_row_columns_init(&rows, &model, err));
    DPS_THEN(status, write_c(request, &predictor, &rows, name, err));
    DPS_THEN(status, write_onnx(request, &predictor, &rows, name, err));
    dps_row_columns_release(&rows);
    dps_predictor_release(&predictor);
    dps_model_release(&model);
    return status;
}
