/* Task: the JSON reports of train and predict: one object with everything that was printed, so that
 * scripts never parse prose. A figure that does not apply is null. */
#include "report.h"

#include <math.h>
#include <string.h>
#include "auto_report.h"
#include "json_report.h"

static void add_classes(cJSON *root, const dps_class_table *classes)
{
    cJSON *array = dps_json_array(root, "classes", true);
    for (int32_t k = 0; k < classes->count; k++) {
        cJSON *object = dps_json_row(array);
        dps_json_string(object, "label", classes->text[k]);
        dps_json_number(object, "rows", (double)classes->rows[k]);
    }
}

static void add_solver(cJSON *root, const dps_model *model, const dps_train_ending *ending)
{
    cJSON *solver = dps_json_object(root, "solver", true);
    dps_json_string(solver, "type", model->solver);
    dps_json_string(solver, "first_type", ending->first_solver);
    dps_json_string(solver, "task", dps_name_of(dps_task_names, model->task));
    dps_json_string(solver, "loss", model->loss);
    dps_json_number(solver, "epsilon", model->task == DPS_TASK_REGRESSION ? model->epsilon : NAN);
    dps_json_number(solver, "C", model->C);
    dps_json_number(solver, "bias", model->bias);
    dps_json_number(solver, "tolerance", model->tolerance);
    dps_json_number(solver, "objective", model->objective);
    dps_json_number(solver, "dual", ending->dual);
    dps_json_number(solver, "gap", model->gap);
    dps_json_number(solver, "iterations", (double)model->iterations);
    dps_json_string(solver, "outcome", dps_name_of(dps_outcome_names, model->outcome));
    dps_json_flag(solver, "converged", model->outcome == DPS_CONVERGED);
}

/* Of solver.C, or of maps. */
static void add_search(cJSON *root, const char *name, const dps_ladder *search, bool of_C)
{
    cJSON *object = dps_json_object(root, name, search->count > 0);
    if (object == NULL) {
        return;
    }
    dps_json_string(object, "metric", dps_name_of(dps_metric_names, search->metric));
    if (of_C) {
        dps_json_number(object, "folds", search->folds);
        dps_json_number(object, "seconds", search->seconds);
    } else {
        dps_json_number(object, "rows", (double)search->rows);
    }
    cJSON *array = dps_json_array(object, "tried", true);
    for (int32_t j = 0; j < search->count; j++) {
        const dps_rung *tried = &search->rung[j];
        cJSON *row = dps_json_row(array);
        if (of_C) {
            dps_json_number(row, "C", tried->C);
            dps_json_number(row, "deviation", tried->spread.deviation);
            dps_json_numbers(row, "folds", tried->score, search->folds);
        } else {
            dps_json_string(row, "measure", tried->name);
            dps_json_number(row, "features", tried->features);
            dps_json_number(row, "width", tried->width);
        }
        dps_json_number(row, "mean", tried->spread.mean);
        dps_json_number(row, "standard_error", tried->spread.error);
        dps_json_flag(row, "best", tried->best);
        dps_json_flag(row, "chosen", tried->chosen);
    }
}

/* "refinement": null, or what map.refine did: of the rows that moved the map and those held out. */
static void add_refinement(cJSON *root, const dps_refinement *r)
{
    cJSON *object = dps_json_object(root, "refinement", r->rows > 0);
    if (object == NULL) {
        return;
    }
    const bool held = r->held > 0;
    dps_json_number(object, "steps", (double)r->steps);
    dps_json_number(object, "chosen_step", (double)r->chosen); /* 0: as drawn */
    dps_json_number(object, "evaluations", (double)r->evaluations);
    dps_json_number(object, "numbers_moved", (double)r->count);
    dps_json_number(object, "rows", (double)r->rows);
    dps_json_number(object, "held_out_rows", (double)r->held);
    dps_json_number(object, "drawn_objective", r->drawn);
    dps_json_number(object, "reached_objective", r->reached);
    dps_json_string(object, "metric", held ? dps_name_of(dps_metric_names, r->metric) : NULL);
    dps_json_number(object, "drawn_score", held ? r->record[0][0] : NAN);
    dps_json_number(object, "reached_score", held ? r->record[r->chosen > 0][0] : NAN);
    dps_json_number(object, "seconds", r->seconds);
}

static void add_seeds(cJSON *root, const dps_seed_spread *seeds, bool regression)
{
    const char *const name[] = {regression ? "train_rmse" : "train_accuracy",
                                regression ? "validation_rmse" : "validation_accuracy",
                                regression ? "test_rmse" : "test_accuracy"};
    cJSON *array = dps_json_array(root, "seeds", seeds->count > 0);
    for (int32_t k = 0; k < seeds->count; k++) {
        const dps_seed_trial *trial = &seeds->trial[k];
        cJSON *row = dps_json_row(array);
        dps_json_number(row, "seed", (double)trial->seed);
        for (int f = 0; f < 3; f++) {
            dps_json_number(row, name[f], trial->figure[f]);
        }
    }
}

static void add_curve(cJSON *root, const dps_curve *curve)
{
    cJSON *array = dps_json_array(root, "curve", curve->count > 0);
    for (int64_t k = 0; k < curve->count; k++) {
        const dps_curve_point *point = &curve->point[k];
        cJSON *object = dps_json_row(array);
        dps_json_number(object, "pass", (double)point->pass);
        dps_json_string(object, "solver", point->solver);
        dps_json_number(object, "seconds", point->seconds);
        dps_json_number(object, "objective", point->objective);
        dps_json_number(object, "gap", point->gap);
        dps_json_number(object, dps_name_of(dps_metric_names, curve->metric), point->score);
    }
}

static void add_early_stopping(cJSON *root, const dps_curve *curve)
{
    cJSON *object = dps_json_object(root, "early_stopping", curve->best_pass > 0);
    if (object == NULL) {
        return;
    }
    dps_json_number(object, "best_iteration", (double)curve->best_pass);
    dps_json_string(object, "metric", dps_name_of(dps_metric_names, curve->metric));
    dps_json_number(object, "best_score", curve->best_score);
}

static void add_class_fit(cJSON *classes, const char *rows, const dps_fit *fit, int32_t count,
                          char **label)
{
    cJSON *array = dps_json_array(classes, rows, fit->of_class != NULL);
    for (int32_t k = 0; k < count && array != NULL; k++) {
        dps_json_class(array, label[k], &fit->of_class[k]);
    }
}

/* "linear_baseline": null, or rows, accuracy or RMSE on the training rows and those held out. */
static void add_baseline(cJSON *root, const dps_linear_baseline *linear)
{
    cJSON *object = dps_json_object(root, "linear_baseline", linear->rows > 0);
    if (object == NULL) {
        return;
    }
    dps_json_number(object, "rows", (double)linear->rows);
    dps_json_number(object, "train_accuracy", linear->train.accuracy);
    dps_json_number(object, "train_rmse", dps_residuals_rmse(&linear->train.residuals));
    dps_json_number(object, "validation_accuracy",
                    linear->validation.rows > 0 ? linear->validation.accuracy : NAN);
    dps_json_number(object, "validation_rmse", dps_residuals_rmse(&linear->validation.residuals));
    dps_json_number(object, "seconds", linear->seconds);
}

static void add_fits(cJSON *root, const dps_train_result *result)
{
    const dps_class_table *classes = &result->model.classes;
    const dps_fits *fit = &result->fit;
    dps_json_number(root, "train_accuracy", fit->train.accuracy);
    dps_json_number(root, "majority_accuracy", result->data.majority_accuracy);
    add_baseline(root, &result->linear);
    dps_json_number(root, "validation_accuracy", fit->validation.accuracy);
    dps_json_number(root, "validation_rows", (double)fit->validation.rows);
    dps_json_number(root, "test_accuracy", fit->test.accuracy);
    dps_json_number(root, "test_rows", (double)fit->test.rows);
    dps_json_residuals(root, "train_", &fit->train.residuals);
    dps_json_residuals(root, "validation_", &fit->validation.residuals);
    dps_json_residuals(root, "test_", &fit->test.residuals);
    cJSON *table = dps_json_object(root, "class_metrics", true);
    add_class_fit(table, "train", &fit->train, classes->count, classes->text);
    add_class_fit(table, "validation", &fit->validation, classes->count, classes->text);
    cJSON *advice = dps_json_array(root, "advice", true);
    for (int32_t k = 0; k < result->advice.count; k++) {
        dps_json_append(advice, cJSON_CreateString(result->advice.text[k]));
    }
    add_class_fit(table, "test", &fit->test, classes->count, classes->text);
}

/* Every option as it took effect, "section.key": "value". */
static void add_options(cJSON *root, const dps_options *options)
{
    cJSON *object = dps_json_object(root, "options", true);
    for (int k = 0; k < DPS_OPTION_COUNT; k++) {
        dps_json_option(object, options, (dps_option_id)k);
    }
}

/* Over ranks only. */
static void add_balance(cJSON *root, const dps_balance *balance)
{
    if (balance->ranks < 2) {
        return;
    }
    cJSON *object = dps_json_object(root, "ranks", true);
    dps_json_number(object, "count", balance->ranks);
    dps_json_number(object, "fewest_rows", balance->least[DPS_BALANCE_ROWS]);
    dps_json_number(object, "most_rows", balance->most[DPS_BALANCE_ROWS]);
    for (int k = 0; k <= DPS_STAGE_SOLVE; k++) {
        cJSON *stage = dps_json_object(object, dps_stage_names[k], true);
        dps_json_number(stage, "least_seconds", balance->least[k]);
        dps_json_number(stage, "most_seconds", balance->most[k]);
    }
    dps_json_number(object, "least_seconds_of_sums", balance->least[DPS_BALANCE_SUMS]);
    dps_json_number(object, "most_seconds_of_sums", balance->most[DPS_BALANCE_SUMS]);
}

dps_status dps_report_train(const dps_train_result *result, const dps_options *options,
                            const dps_run *run, const char *path, dps_error *err)
{
    const dps_model *model = &result->model;
    const dps_train_cost *cost = &result->cost;
    cJSON *root = dps_json_report("train");
    dps_json_string(root, "input", result->data.input);
    dps_json_number(root, "rows", (double)model->rows);
    dps_json_number(root, "features", model->scaler.columns);
    dps_json_number(root, "nonzeros", (double)result->data.nonzeros);
    add_classes(root, &model->classes);
    dps_json_kernel(root, &model->recipe.kernel);
    dps_json_map(root, &model->recipe, &result->facts);
    add_solver(root, model, &result->ending);
    add_early_stopping(root, &result->curve);
    add_curve(root, &result->curve);
    dps_auto_search_json(&result->searches.kernel, root);
    add_search(root, "measure_search", &result->searches.measure, false);
    add_search(root, "features_search", &result->searches.features, false);
    add_refinement(root, &result->refinement);
    add_seeds(root, &result->seeds, model->task == DPS_TASK_REGRESSION);
    add_search(root, "C_search", &result->searches.C, true);
    add_fits(root, result);
    dps_json_number(root, "memory_needed", cost->memory_needed);
    dps_json_number(root, "work_flops", cost->work_flops);
    dps_json_flag(root, "tiles_kept", cost->tiles_resident);
    dps_json_stages(root, cost->stage, cost->seconds);
    add_balance(root, &cost->balance);
    dps_json_machine(root, run);
    dps_json_string(root, "model", options->output_model);
    add_options(root, options);
    return dps_json_write(root, path, err);
}

dps_status dps_report_predict(const dps_predict_result *result, const dps_run *run,
                              const char *path, dps_error *err)
{
    cJSON *root = dps_json_report("predict");
    dps_json_string(root, "input", result->input);
    dps_json_number(root, "extra_columns", (double)result->extra_columns);
    dps_json_number(root, "rows", (double)result->rows);
    dps_json_number(root, "classes", result->classes);
    dps_json_number(root, "labelled", (double)result->labelled);
    dps_json_number(root, "weight", result->weight);
    dps_json_number(root, "correct", result->correct);
    dps_json_number(root, "accuracy",
                    result->labelled > 0 && result->classes > 0 ? result->correct / result->weight
                                                                : NAN);
    dps_json_residuals(root, "", &result->residuals);
    dps_json_number(root, "outside_radius", (double)result->outside);
    dps_json_number(root, "unknown_values", (double)result->unknown);
    dps_json_stages(root, result->stage, result->seconds);
    dps_json_machine(root, run);
    return dps_json_write(root, path, err);
}
