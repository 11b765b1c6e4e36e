/* Task: go on from a model. Weights mean something only with the features they were found for, so
 * the model brings all that features are made of: columns and code books, scaling, the
 * recipe of the map, classes, bias. New rows are read as `predict` reads them: features that the
 * model has not seen are left out. Options that were set must agree with the model; of those that
 * were not, the model's task, loss, epsilon and C are taken too. The solver then minimises its
 * objective on the new rows alone: newton and sgd begin at the weights. dcd cannot: it moves
 * multipliers of rows, and weights alone do not tell them. */
#include "warm_start.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "checksum.h"
#include "model_fields.h"
#include "number.h"
#include "predictor.h"
#include "random.h"

/* Of a key with its section; -1: none. */
static int find_option(const char *key)
{
    int id = DPS_OPTION_COUNT - 1;
    while (id >= 0 && strcmp(dps_option_table()[id].name, key) != 0) {
        id--;
    }
    return id;
}

dps_status dps_warm_start_new(dps_warm_start **warm, const dps_options *options, dps_error *err)
{
    const char *path = options->solver_warm_start;
    *warm = NULL;
    if (path[0] == '\0') {
        return DPS_OK;
    }
    dps_warm_start *w;
    DPS_NEED(w, 1, "the model to start from", err);
    w->options = options;
    dps_status status = dps_model_load(&w->model, path, err);
    if (status != DPS_OK) {
        dps_free(w);
        return status;
    }
    if (w->model.random_scheme != DPS_RANDOM_SCHEME) {
        status = dps_error_at(err, DPS_ERROR_DATA, path, 0, 0,
                              "the model's map was drawn with random scheme %ld, this dpsvm has "
                              "scheme %d: it cannot go on from it",
                              (long)w->model.random_scheme, DPS_RANDOM_SCHEME);
    }
    if (status != DPS_OK) {
        dps_warm_start_free(w);
        return status;
    }
    *warm = w;
    return DPS_OK;
}

void dps_warm_start_free(dps_warm_start *warm)
{
    if (warm != NULL) {
        dps_model_release(&warm->model);
        dps_free(warm);
    }
}

/* ---- agreement ------------------------------------------------------------------------------- */

static dps_status differs(const dps_warm_start *warm, dps_option_id id, const char *has,
                          dps_error *err)
{
    return dps_options_error(warm->options, id, err,
                             "the model of solver.warm_start has %s, and its weights mean nothing "
                             "with other features: leave the option out, or train without "
                             "solver.warm_start",
                             has);
}

/* Whether the option names a value, instead of leaving it to data or program. */
static bool names_value(const dps_options *options, dps_option_id id)
{
    dps_text text = {0};
    dps_options_value_text(options, id, &text);
    const bool automatic = text.failed || strcmp(text.data, "auto") == 0 ||
                           strcmp(text.data, "scale") == 0 || strcmp(text.data, "h01") == 0;
    dps_text_release(&text);
    return !automatic;
}

/* Every field of a model that is an option as well: what the user set against what the model has.
 * asked: a model of the user's map and scaling. */
static dps_status compare_fields(const dps_warm_start *warm, const dps_model *asked, dps_error *err)
{
    const dps_model *has = &warm->model;
    dps_status status = DPS_OK;
    for (size_t f = 0; f < dps_model_field_count && status == DPS_OK; f++) {
        const dps_model_field *field = &dps_model_fields[f];
        const int id = find_option(field->key);
        const bool features =
            strncmp(field->key, "data.", 5) == 0 || strncmp(field->key, "kernel.", 7) == 0 ||
            strncmp(field->key, "map.", 4) == 0 || strcmp(field->key, "solver.bias") == 0;
        const bool none_drawn = id == DPS_OPT_map_features && has->recipe.features == 0;
        if (id < 0 || !features || none_drawn || !warm->options->origin[id].set ||
            !names_value(warm->options, (dps_option_id)id)) {
            continue;
        }
        dps_text mine = {0}, its = {0};
        dps_model_field_write(field, asked, &mine);
        dps_model_field_write(field, has, &its);
        if (mine.failed || its.failed) {
            status = dps_error_set(err, DPS_ERROR_MEMORY, "no memory to compare with the model");
        } else if (strcmp(mine.data, its.data) != 0) {
            status = differs(warm, (dps_option_id)id, its.data, err);
        }
        dps_text_release(&mine);
        dps_text_release(&its);
    }
    return status;
}

dps_status dps_warm_start_settings(const dps_warm_start *warm, dps_settings *settings,
                                   dps_error *err)
{
    const dps_model *has = &warm->model;
    const dps_options *options = warm->options;
    const bool regression = has->task == DPS_TASK_REGRESSION;
    const dps_model asked = {
        .recipe = dps_recipe_asked(&settings->request),
        .scaler = {.scaling = settings->load.scaling, .normalize = settings->load.normalize},
        .bias = settings->bias};
    if (settings->loss->regression != regression) {
        return dps_options_error(options, DPS_OPT_solver_task, err,
                                 "the model of solver.warm_start is of %s",
                                 dps_name_of(dps_task_names, has->task));
    }
    if (options->map_seed.count > 1) {
        return dps_options_error(options, DPS_OPT_map_seed, err,
                                 "with solver.warm_start the map is the model's, of one seed");
    }
    if (settings->solver == &dps_solver_dcd) {
        return dps_options_error(options, DPS_OPT_solver_type, err,
                                 "dcd moves multipliers of rows, which weights alone do not tell: "
                                 "solver.warm_start is for newton and sgd (auto chooses one)");
    }
    if (dps_name_value(dps_switch_names, options->map_h01) != DPS_SWITCH_AUTO &&
        asked.recipe.exact_degree != has->recipe.exact_degree) {
        return differs(warm, DPS_OPT_map_h01, "other exact degrees", err);
    }
    const dps_status status = compare_fields(warm, &asked, err);
    if (!options->origin[DPS_OPT_solver_C].set) {
        settings->C = has->C;
    }
    settings->choose_measure = settings->choose_features = false;
    settings->bias = has->bias;
    settings->load.scaling = has->scaler.scaling;
    settings->load.normalize = has->scaler.normalize;
    settings->load.table_as = &has->table;
    settings->load.scaler_as = &has->scaler;
    return status;
}

uint64_t dps_warm_start_fingerprint(const dps_warm_start *warm)
{
    const dps_model *model = &warm->model;
    const size_t weights = (size_t)model->models * model->weights_per_model;
    const uint64_t parts[] = {dps_checksum_of(model->weight, weights * sizeof *model->weight),
                              dps_checksum_of(model->loss, strlen(model->loss)),
                              dps_checksum_of(&model->epsilon, sizeof model->epsilon),
                              dps_checksum_of(&model->C, sizeof model->C)};
    return dps_checksum_of(parts, sizeof parts);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static dps_status rename_classes(dps_warm_start *warm, dps_dataset *data, dps_error *err)
{
    dps_class_table *has = &warm->model.classes, *found = &data->classes;
    int32_t *place;
    dps_status status = DPS_OK;
    DPS_NEED(place, (size_t)found->count, "classes", err);
    memset(has->rows, 0, (size_t)has->count * sizeof *has->rows);
    for (int32_t k = 0; k < found->count && status == DPS_OK; k++) {
        place[k] = dps_class_find(has, found->text[k], strlen(found->text[k]));
        if (place[k] >= 0) {
            has->rows[place[k]] = found->rows[k];
            continue;
        }
        status = dps_options_error(warm->options, DPS_OPT_solver_warm_start, err,
                                   "the rows have the label %s, which is no class of the model: "
                                   "train without solver.warm_start",
                                   DPS_QUOTE(found->text[k], strlen(found->text[k]), 40));
    }
    for (int64_t i = 0; i < data->x.rows && status == DPS_OK; i++) {
        data->label[i] = place[data->label[i]];
    }
    for (int64_t i = 0; i < data->held.rows && status == DPS_OK; i++) {
        data->held_label[i] = place[data->held_label[i]];
    }
    dps_free(place);
    if (status == DPS_OK) {
        dps_class_table_release(found);
        *found = *has;
        memset(has, 0, sizeof *has);
    }
    return status;
}

dps_status dps_warm_start_data(dps_warm_start *warm, dps_dataset *data, dps_error *err)
{
    dps_model *model = &warm->model;
    if (warm->options->data_weights[0] != '\0' && data->row_weight == NULL) {
        return dps_options_error(warm->options, DPS_OPT_data_weights, err,
                                 "with solver.warm_start weights come from a file of one number a "
                                 "line");
    }
    data->scaler.radius1 = fmax(data->scaler.radius1, model->scaler.radius1);
    data->scaler.radius2 = fmax(data->scaler.radius2, model->scaler.radius2);
    dps_table_release(&data->table);
    data->table = model->table;
    memset(&model->table, 0, sizeof model->table);
    return model->task == DPS_TASK_REGRESSION ? DPS_OK : rename_classes(warm, data, err);
}

dps_status dps_warm_start_weights(const dps_warm_start *warm, int32_t width, size_t stride,
                                  const dps_run *run, dps_solution *solution, dps_error *err)
{
    const dps_model *model = &warm->model;
    if (model->width != width || model->models != solution->models) {
        return dps_options_error(warm->options, DPS_OPT_solver_warm_start, err,
                                 "the model has weights for %ld columns of %ld models, its map "
                                 "makes %ld of %ld: the file is damaged",
                                 (long)model->width, (long)model->models, (long)width,
                                 (long)solution->models);
    }
    dps_weights_from_model(model, solution->length, stride, solution->w);
    dps_log_text(run, DPS_NORMAL,
                 "warm start: from %s, of %lld rows; features, scaling and classes are its own",
                 warm->options->solver_warm_start, (long long)model->rows);
    return DPS_OK;
}
