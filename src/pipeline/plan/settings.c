/* Task: options to settings of the rooms, and refusing options that do not go together, each by its
 * name and place. What depends on data (radius, sigma, D') is left to planning. */
#include "settings.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "class_weights.h"
#include "model.h"
#include "number.h"
#include "option_value.h"
#include "plan_options.h"
#include "table_settings.h"

const char *const dps_calibration_names[] = {"auto", "platt", "isotonic", NULL};

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool was_set(const dps_options *options, dps_option_id id)
{
    return options->origin[id].set;
}

static dps_status read_data(const dps_options *options, dps_load_options *load, dps_error *err)
{
    load->paths = (const char *const *)options->data_train.item;
    load->path_count = options->data_train.count;
    load->read.format = options->data_format;
    load->read.zero_based = options->data_zero_based;
    load->read.labels = DPS_LABELS_REQUIRED;
    load->read.table = dps_settings_table(options);
    load->weights = options->data_weights;
    load->cache = options->data_cache;
    load->base = options->origin[DPS_OPT_data_weights].file;
    if (load->path_count == 0 &&
        !options->origin[DPS_OPT_data_train].set) { /* set: rows in memory */
        return dps_options_error(options, DPS_OPT_data_train, err,
                                 "no training data: name a file, as in data.train = rows.txt");
    }
    if (!is(options->data_delimiter, "auto") && load->read.table.delimiter == 0) {
        return dps_options_error(
            options, DPS_OPT_data_delimiter, err,
            "expected auto, comma, semicolon, tab, bar, blank or one character "
            "that is no letter, digit or part of a number");
    }
    load->scaling = dps_name_value(dps_scaling_names, options->data_scaling);
    load->normalize = dps_name_value(dps_normalize_names, options->data_normalize);
    return DPS_OK;
}

static bool map_is_linear(const dps_options *options)
{
    return is(options->map_type, "none") || is(options->map_type, "fourier");
}

/* kernel.type = rbf and its like: the short way to write map.type = fourier, map.base = rbf. */
static bool kernel_is_base(const dps_options *options)
{
    unsigned base;
    const char *type = options->kernel_type;
    return dps_name_find(dps_base_names, type, strlen(type), &base);
}

const char *dps_settings_kernel_type(const dps_options *options)
{
    if (was_set(options, DPS_OPT_kernel_type) && !is(options->kernel_type, "auto")) {
        return options->kernel_type;
    }
    return map_is_linear(options) ? "linear" : "polynomial";
}

/* What goes with kernel.type = rbf and its like: the map and the base that it means. */
static dps_status check_base(const dps_options *options, dps_error *err)
{
    const char *type = options->kernel_type;
    if (!is(options->map_type, "auto") && !is(options->map_type, "fourier")) {
        return dps_options_error(options, DPS_OPT_map_type, err,
                                 "kernel.type = %s is approximated by map.type = fourier: leave "
                                 "map.type out%s",
                                 type,
                                 is(options->map_type, "compositional")
                                     ? ", or set map.base to it and kernel.type to the kernel "
                                       "around it"
                                     : "");
    }
    if (was_set(options, DPS_OPT_map_base) && !is(options->map_base, type)) {
        return dps_options_error(options, DPS_OPT_map_base, err,
                                 "%s is another kernel than kernel.type = %s: leave one of the two "
                                 "out",
                                 options->map_base, type);
    }
    if (was_set(options, DPS_OPT_kernel_gamma) && was_set(options, DPS_OPT_map_gamma)) {
        return dps_options_error(options, DPS_OPT_kernel_gamma, err,
                                 "with kernel.type = %s it is the same as map.gamma, which is set "
                                 "too: leave one of the two out",
                                 type);
    }
    return DPS_OK;
}

static dps_status read_kernel(const dps_options *options, dps_kernel_params *kernel, dps_error *err)
{
    const bool base = kernel_is_base(options);
    const char *type = base ? "linear" : dps_settings_kernel_type(options);
    DPS_TRY(base ? check_base(options, err) : DPS_OK);
    if (map_is_linear(options) && !is(type, "linear")) {
        return dps_options_error(
            options, DPS_OPT_map_type, err,
            "%s has no use for kernel.type = %s: leave kernel.type out, or set "
            "map.type = auto",
            options->map_type, type);
    }
    kernel->kernel = dps_kernel_find(type);
    assert(kernel->kernel != NULL);
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        const int id = dps_option_find("kernel", param->key);
        assert(id >= 0);
        const bool of_map = base && id == DPS_OPT_kernel_gamma; /* read_map takes it */
        dps_kernel_set(kernel, param, of_map ? 1 : dps_options_number(options, (dps_option_id)id));
    }
    if (options->kernel_coefficients.count > DPS_MAX_COEFFICIENTS) {
        return dps_options_error(options, DPS_OPT_kernel_coefficients, err,
                                 "%zu coefficients given, at most %d are allowed",
                                 options->kernel_coefficients.count, DPS_MAX_COEFFICIENTS);
    }
    kernel->coefficient_count = (int32_t)options->kernel_coefficients.count;
    for (int32_t n = 0; n < kernel->coefficient_count; n++) {
        kernel->coefficient[n] = options->kernel_coefficients.item[n];
    }
    if (kernel->kernel->listed && kernel->coefficient_count == 0) {
        return dps_options_error(options, DPS_OPT_kernel_coefficients, err,
                                 "kernel.type = %s needs a_0, a_1, ..., as in 1, 1, 0.5", type);
    }
    return dps_kernel_check(kernel, err);
}

/* h01 is the paper's name for exact_degree = 1, h01 = off for none. */
static dps_status read_exact_degree(const dps_options *options, dps_map_request *request,
                                    dps_error *err)
{
    const dps_choice_int *exact = &options->map_exact_degree;
    const dps_switch h01 = dps_name_value(dps_switch_names, options->map_h01);
    const bool on = h01 == DPS_SWITCH_ON, off = h01 == DPS_SWITCH_OFF;

    request->exact_degree = on ? 1 : off ? DPS_EXACT_NONE : DPS_EXACT_AUTO;
    if (exact->choice != NULL && is(exact->choice, "h01")) {
        return DPS_OK;
    }
    request->exact_degree = exact->choice == NULL       ? (int32_t)exact->number
                            : is(exact->choice, "auto") ? DPS_EXACT_WIDEST
                                                        : DPS_EXACT_NONE;
    if ((on && request->exact_degree != 1) || (off && request->exact_degree != DPS_EXACT_NONE)) {
        return dps_options_error(
            options, DPS_OPT_map_h01, err,
            "%s means map.exact_degree = %s: give one of the two, or let them agree",
            options->map_h01, on ? "1" : "none");
    }
    return DPS_OK;
}

enum { DEFAULT_FEATURES = 500 }; /* stands in for auto */

static dps_status read_map(const dps_options *options, dps_map_request *request, dps_error *err)
{
    const bool linear = request->kernel.kernel == &dps_kernel_linear;
    const bool base = kernel_is_base(options);
    const char *type = options->map_type;
    if (is(type, "auto")) {
        type = base ? "fourier" : linear ? "none" : "maclaurin";
    }
    request->type = dps_name_value(dps_map_type_names, type);
    request->features = options->map_features.choice == NULL ? (int32_t)options->map_features.number
                                                             : DEFAULT_FEATURES;
    request->seed = (uint64_t)options->map_seed.item[0];
    request->measure = is(options->map_measure, "auto")
                           ? DPS_MEASURE_GEOMETRIC
                           : dps_name_value(dps_measure_names, options->map_measure);
    request->truncate = options->map_truncate;
    request->truncate_mode = dps_name_value(dps_truncate_mode_names, options->map_truncate_mode);
    request->p = options->map_p;
    request->allocation = dps_name_value(dps_allocation_names, options->map_allocation);
    request->projection = dps_name_value(dps_projection_names, options->map_projection);
    request->collapse = options->map_collapse;
    request->scale = dps_name_value(dps_map_scale_names, options->map_scale);
    request->base = dps_name_value(dps_base_names, base ? options->kernel_type : options->map_base);
    request->orthogonal = options->map_orthogonal;
    request->craft = (int32_t)options->map_craft;
    const bool short_gamma = base && was_set(options, DPS_OPT_kernel_gamma);
    request->base_gamma =
        dps_options_number(options, short_gamma ? DPS_OPT_kernel_gamma : DPS_OPT_map_gamma);
    request->base_gamma_scale =
        options->map_gamma.choice != NULL && is(options->map_gamma.choice, "scale");
    request->refine = dps_name_value(dps_refine_names, options->map_refine);
    return read_exact_degree(options, request, err);
}

/* Options that say how the map moves, where it does not; and what compares maps as they are drawn.
 */
static dps_status check_refine(const dps_options *options, const dps_settings *settings,
                               dps_error *err)
{
    const struct {
        dps_option_id id;
        bool given;
    } how[] = {{DPS_OPT_map_refine_steps, settings->refine.steps >= 0},
               {DPS_OPT_map_refine_rows, settings->refine.rows > 0},
               {DPS_OPT_map_refine_holdout, !isnan(settings->refine.holdout)}};
    if (settings->request.refine == DPS_REFINE_NONE) {
        for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
            if (how[k].given) {
                return dps_options_error(options, how[k].id, err,
                                         "the map is not refined: set map.refine = projections or "
                                         "metric, or leave this out");
            }
        }
        return DPS_OK;
    }
    if (settings->choose_measure || settings->choose_features || options->map_seed.count > 1) {
        const dps_option_id with = settings->choose_measure    ? DPS_OPT_map_measure
                                   : settings->choose_features ? DPS_OPT_map_features
                                                               : DPS_OPT_map_seed;
        return dps_options_error(
            options, with, err,
            "several maps are compared as they are drawn, and map.refine moves "
            "one: give one value, or leave map.refine out");
    }
    return DPS_OK;
}

static dps_refine_settings read_refine(const dps_options *options)
{
    const dps_choice_int *steps = &options->map_refine_steps, *rows = &options->map_refine_rows;
    return (dps_refine_settings){.steps = steps->choice == NULL ? steps->number : -1,
                                 .rows = rows->choice == NULL ? rows->number : 0,
                                 .holdout =
                                     dps_options_number(options, DPS_OPT_map_refine_holdout)};
}

/* map.measure = auto and map.features = auto, where the map has what they choose. */
static dps_status read_auto_map(const dps_options *options, dps_settings *settings, dps_error *err)
{
    const dps_map_type type = settings->request.type;
    settings->choose_measure = is(options->map_measure, "auto");
    settings->choose_features = options->map_features.choice != NULL;
    if (settings->choose_measure && type != DPS_MAP_MACLAURIN && type != DPS_MAP_COMPOSITIONAL) {
        return dps_options_error(options, DPS_OPT_map_measure, err,
                                 "this map draws no degrees: leave map.measure out");
    }
    if (settings->choose_measure && was_set(options, DPS_OPT_map_p)) {
        return dps_options_error(options, DPS_OPT_map_p, err,
                                 "map.measure = auto chooses p too: leave map.p out, or set "
                                 "map.measure = geometric");
    }
    if (settings->choose_features && type == DPS_MAP_NONE) {
        return dps_options_error(options, DPS_OPT_map_features, err,
                                 "a linear kernel has no random features: leave map.features out");
    }
    return DPS_OK;
}

dps_status dps_settings_refuse_of_training(const dps_options *options, const dps_settings *settings,
                                           const char *command, dps_error *err)
{
    if (settings->request.refine != DPS_REFINE_NONE) {
        return dps_options_error(
            options, DPS_OPT_map_refine, err,
            "dpsvm train refines a map by the labels of its rows; dpsvm %s "
            "looks at maps as they are drawn: leave it out (dpsvm kernel MODEL "
            "FILE looks at the map of a model)",
            command);
    }
    if (!settings->choose_measure && !settings->choose_features) {
        return DPS_OK;
    }
    return dps_options_error(
        options, settings->choose_measure ? DPS_OPT_map_measure : DPS_OPT_map_features, err,
        "auto is chosen by dpsvm train; dpsvm %s",
        strcmp(command, "tune") == 0
            ? "tune compares the values that [tune] lists, on all rows: list some there"
            : "kernel measures without labels: name a value, or see all with --compare and "
              "--sizes");
}

/* A fraction of the rows, or a file, beside the INI where it is relative. */
static dps_status read_validation(const dps_options *options, dps_settings *settings,
                                  dps_error *err)
{
    const char *text = options->data_validation;
    double share;
    dps_text path = {0};
    if (dps_text_to_double(text, strlen(text), &share)) {
        settings->held_out = share;
        return share > 0 && share < 1
                   ? DPS_OK
                   : dps_options_error(options, DPS_OPT_data_validation, err,
                                       "expected a fraction between 0 and 1, or a file");
    }
    if (*text == '\0') {
        return DPS_OK;
    }
    dps_options_beside(options, DPS_OPT_data_validation, text, &path);
    const bool fits = !path.failed && path.length < sizeof settings->validation_file;
    if (fits) {
        memcpy(settings->validation_file, path.data, path.length + 1);
    }
    dps_text_release(&path);
    return fits ? DPS_OK
                : dps_options_error(options, DPS_OPT_data_validation, err, "the name is too long");
}

/* solver.task and solver.loss, and what is for classes only. */
static dps_status read_task(const dps_options *options, const dps_model *from,
                            dps_settings *settings, dps_error *err)
{
    const bool task_open = from != NULL && !was_set(options, DPS_OPT_solver_task);
    const dps_task task =
        task_open ? from->task : dps_name_value(dps_task_names, options->solver_task);
    const bool regression = task == DPS_TASK_REGRESSION, alike = from != NULL && from->task == task;
    const char *loss = options->solver_loss;
    settings->epsilon = options->solver_epsilon;
    if (alike && !was_set(options, DPS_OPT_solver_loss)) {
        loss = from->loss;
        settings->epsilon = was_set(options, DPS_OPT_solver_epsilon) || !regression
                                ? options->solver_epsilon
                                : from->epsilon;
    }
    settings->loss = is(loss, "auto") ? dps_loss_default(regression) : dps_loss_find(loss);
    settings->load.regression = regression;
    settings->load.read.table.regression = regression;
    settings->load.read.table.classes =
        !regression && (task_open || was_set(options, DPS_OPT_solver_task));
    if (settings->loss == NULL) { /* the options' are in the table */
        return dps_error_set(err, DPS_ERROR_DATA, "%s: the model has the unknown loss %s",
                             options->solver_warm_start, loss);
    }
    if (settings->loss->regression != regression) {
        return dps_options_error(
            options, DPS_OPT_solver_loss, err,
            "%s is a loss of %s, but solver.task is %s: leave solver.loss out, "
            "or set solver.task = %s",
            loss, regression ? "classes" : "regression", dps_name_of(dps_task_names, task),
            dps_name_of(dps_task_names, !regression));
    }
    if (regression && !is(options->solver_class_weight, "none")) {
        return dps_options_error(options, DPS_OPT_solver_class_weight, err,
                                 "regression has no classes to weight: leave solver.class_weight "
                                 "out");
    }
    const bool fitted = options->solver_probability && settings->loss != &dps_loss_logistic;
    if (!fitted && !is(options->solver_calibration, "auto")) {
        return dps_options_error(options, DPS_OPT_solver_calibration, err,
                                 options->solver_probability
                                     ? "the logistic loss has probabilities of its own: leave "
                                       "solver.calibration out"
                                     : "there is nothing to calibrate without solver.probability = "
                                       "on");
    }
    if (regression && options->solver_probability) {
        return dps_options_error(options, DPS_OPT_solver_probability, err,
                                 "regression predicts numbers, not probabilities: leave "
                                 "solver.probability out");
    }
    return DPS_OK;
}

/* tune.metric; unset it is accuracy, or rmse for regression. */
static dps_status read_metric(const dps_options *options, bool regression, dps_metric *metric,
                              dps_error *err)
{
    const bool given = was_set(options, DPS_OPT_tune_metric);
    *metric = regression && !given ? DPS_METRIC_RMSE
                                   : dps_name_value(dps_metric_names, options->tune_metric);
    if ((*metric == DPS_METRIC_RMSE) != regression) {
        return dps_options_error(options, DPS_OPT_tune_metric, err, "%s is a metric of %s",
                                 options->tune_metric, regression ? "classes" : "regression");
    }
    return DPS_OK;
}

static dps_status read_shards(const dps_options *options, dps_settings *settings, dps_error *err)
{
    const int64_t K = options->run_shards.choice != NULL ? 0 : options->run_shards.number;
    if ((K & (K - 1)) != 0) {
        return dps_options_error(options, DPS_OPT_run_shards, err,
                                 "%lld is not a power of two: 1, 2, 4, 8, ... or auto",
                                 (long long)K);
    }
    settings->solver_settings.shards = (int32_t)K;
    settings->solver_settings.batch =
        options->solver_batch.choice != NULL ? 0 : (int32_t)options->solver_batch.number;
    return DPS_OK;
}

static dps_status check_early_stopping(const dps_options *options, const dps_settings *settings,
                                       dps_error *err)
{
    if (settings->early_stopping == 0) {
        return DPS_OK;
    }
    if (settings->solver != &dps_solver_sgd) {
        return dps_options_error(options, DPS_OPT_solver_early_stopping, err,
                                 "early stopping is for solver.type = sgd; dcd and newton end "
                                 "where their duality gap says so (solver.tolerance)");
    }
    if (options->map_seed.count > 1) {
        return dps_options_error(
            options, DPS_OPT_map_seed, err,
            "with solver.early_stopping the seeds would not be compared alike: "
            "give one seed, or no early stopping");
    }
    if (settings->held_out == 0 && settings->validation_file[0] == '\0') {
        return dps_options_error(options, DPS_OPT_solver_early_stopping, err,
                                 "early stopping needs rows that are not trained on: set "
                                 "data.validation = 0.1, or a file");
    }
    return DPS_OK;
}

dps_status dps_settings_read(const dps_options *options, dps_settings *settings, dps_error *err)
{
    return dps_settings_read_from(options, NULL, settings, err);
}

/* What the map is asked for must go together; a warm start has the map of its model. */
static dps_status check_map(const dps_options *options, const dps_settings *settings,
                            dps_error *err)
{
    const dps_map_recipe asked = dps_recipe_asked(&settings->request);
    const dps_status status = dps_check_map_options(&asked, err);
    if (status != DPS_OK) {
        dps_options_place_error(options, err);
    }
    return status;
}

dps_status dps_settings_read_from(const dps_options *options, const dps_model *from,
                                  dps_settings *settings, dps_error *err)
{
    memset(settings, 0, sizeof *settings);
    DPS_TRY(read_data(options, &settings->load, err));
    DPS_TRY(read_validation(options, settings, err));
    DPS_TRY(read_kernel(options, &settings->request.kernel, err));
    DPS_TRY(read_map(options, &settings->request, err));
    settings->refine = read_refine(options);
    DPS_TRY(read_auto_map(options, settings, err));
    DPS_TRY(check_refine(options, settings, err));
    DPS_TRY(from == NULL ? check_map(options, settings, err) : DPS_OK);
    DPS_TRY(dps_class_weights_read(options, NULL, NULL, NULL, err));
    DPS_TRY(read_task(options, from, settings, err));
    dps_metric metric = DPS_METRIC_ACCURACY;
    DPS_TRY(read_metric(options, settings->loss->regression, &metric, err));
    settings->choose_C = options->solver_C.choice != NULL;
    settings->C = settings->choose_C ? 1 : options->solver_C.number;
    settings->probability = options->solver_probability;
    settings->calibration = dps_name_value(dps_calibration_names, options->solver_calibration);
    settings->validation =
        (dps_validation){.folds = options->tune_holdout > 0 ? 1 : (int32_t)options->tune_folds,
                         .holdout = options->tune_holdout,
                         .metric = metric,
                         .seed = (uint64_t)options->solver_seed};
    settings->bias = (float)options->solver_bias; /* as the panel holds it */
    settings->solver = dps_solver_find(options->solver_type);
    assert(settings->solver != NULL || is(options->solver_type, "auto"));
    settings->solver_settings.tolerance = options->solver_tolerance;
    settings->solver_settings.max_iterations = options->solver_max_iterations;
    settings->solver_settings.seed = (uint64_t)options->solver_seed;
    DPS_TRY(read_shards(options, settings, err));
    settings->early_stopping =
        options->solver_early_stopping.choice == NULL ? options->solver_early_stopping.number : 0;
    return check_early_stopping(options, settings, err);
}
