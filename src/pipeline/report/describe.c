/* Task: `dpsvm info`: what is inside a model, for people or as JSON. */
#include <math.h>
#include "explain.h"
#include "json_report.h"
#include "model_fields.h"
#include "allocation.h"
#include "describe.h"
#include "feature_name.h"

/* What bends each column (scaler.h), where something does. */
static void add_columns(cJSON *data, const dps_model *model)
{
    const dps_scaler *scaler = &model->scaler;
    cJSON *columns = dps_json_array(data, "columns", true);
    for (int32_t j = 0; j < scaler->columns; j++) {
        char name[DPS_FEATURE_NAME];
        cJSON *column = dps_json_row(columns);
        dps_feature_name(&model->table, scaler->index[j], name);
        dps_json_string(column, "feature", name);
        if (scaler->unit != NULL) {
            dps_json_number(column, "unit", scaler->unit[j]);
            dps_json_number(column, "factor", scaler->factor[j]);
        } else {
            const int32_t begin = scaler->begin[j], count = scaler->begin[j + 1] - begin;
            dps_json_numbers(column, "knots", scaler->knot + begin, count);
            dps_json_numbers(column, "levels", scaler->level + begin, count);
        }
    }
}

/* A column of the table that the model reads. */
static void add_table_column(cJSON *array, const dps_column *column, int32_t number)
{
    cJSON *row = dps_json_row(array);
    dps_json_number(row, "number", number + 1);
    dps_json_string(row, "name", column->name);
    dps_json_string(row, "role", dps_name_of(dps_column_role_names, column->role));
    if (column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL) {
        cJSON *values = dps_json_array(row, "values", true);
        for (int32_t k = 0; k < column->value.count; k++) {
            dps_json_append(values, cJSON_CreateString(column->value.text[k]));
        }
        dps_json_flag(row, "others_are_a_value", column->rest);
    } else if (column->role == DPS_COLUMN_NUMBER) {
        dps_json_number(row, "fill", column->fill);
    }
}

static void add_table(cJSON *data, const dps_table *table)
{
    cJSON *columns = dps_json_array(data, "table", table->count > 0);
    for (int32_t j = 0; j < table->count; j++) {
        add_table_column(columns, &table->column[j], j);
    }
}

static void add_data(cJSON *root, const dps_model *model)
{
    const dps_scaler *scaler = &model->scaler;
    cJSON *data = dps_json_object(root, "data", true);
    dps_json_number(data, "features", scaler->columns);
    dps_json_string(data, "scaling", dps_name_of(dps_scaling_names, scaler->scaling));
    dps_json_string(data, "normalize", dps_name_of(dps_normalize_names, scaler->normalize));
    dps_json_number(data, "radius1", scaler->radius1);
    dps_json_number(data, "radius2", scaler->radius2);
    dps_json_flag(data, "dense", scaler->dense);
    add_table(data, &model->table);
    if (!dps_scaling_is_affine(scaler->scaling)) {
        add_columns(data, model);
    }
}

static void add_training(cJSON *root, const dps_model *model)
{
    cJSON *solver = dps_json_object(root, "solver", true);
    dps_json_string(solver, "type", model->solver);
    dps_json_string(solver, "loss", model->loss);
    if (model->task == DPS_TASK_REGRESSION) {
        dps_json_number(solver, "epsilon", model->epsilon);
    }
    dps_json_number(solver, "C", model->C);
    dps_json_number(solver, "bias", model->bias);
    dps_json_number(solver, "tolerance", model->tolerance);
    dps_json_flag(root, "probabilities", model->probability != DPS_PROBABILITY_NONE);
    dps_json_string(root, "calibration",
                    model->probability == DPS_PROBABILITY_NONE
                        ? NULL
                        : dps_name_of(dps_probability_names, model->probability));
    cJSON *trained = dps_json_object(root, "trained", true);
    dps_json_number(trained, "rows", (double)model->rows);
    dps_json_number(trained, "iterations", (double)model->iterations);
    dps_json_number(trained, "refine_steps", (double)model->refine_steps);
    dps_json_number(trained, "refine_rows", (double)model->refine_rows);
    dps_json_number(trained, "objective", model->objective);
    dps_json_number(trained, "gap", model->gap);
    dps_json_string(trained, "outcome", dps_name_of(dps_outcome_names, model->outcome));
}

static void describe_json(const dps_model *model, const char *path, dps_text *out)
{
    cJSON *root = cJSON_CreateObject();
    dps_json_string(root, "model", path);
    dps_json_number(root, "format_version", dps_model_version_of(model));
    dps_json_number(root, "random_scheme", model->random_scheme);
    dps_json_string(root, "task", dps_name_of(dps_task_names, model->task));
    cJSON *classes = dps_json_array(root, "classes", true);
    for (int32_t k = 0; k < model->classes.count; k++) {
        dps_json_append(classes, cJSON_CreateString(model->classes.text[k]));
    }
    add_data(root, model);
    dps_json_kernel(root, &model->recipe.kernel);
    cJSON *map = dps_json_map(root, &model->recipe, NULL);
    dps_json_number(map, "width", model->width);
    dps_json_number(map, "sparse_columns", model->sparse_columns);
    add_training(root, model);
    dps_json_text(root, out);
}

/* What map.refine has moved. */
static void describe_refinement(const dps_model *model, dps_text *out)
{
    const dps_map_recipe *recipe = &model->recipe;
    const char *what =
        recipe->refine == DPS_REFINE_METRIC ? "the metric of the rows" : "the projections";
    if (recipe->refine == DPS_REFINE_NONE) {
        return;
    }
    if (recipe->moved_count == 0) {
        dps_text_format(out, "\nrefined     no step taken: %s as drawn", what);
        return;
    }
    dps_text_format(out, "\nrefined     %s, %lld numbers, by %lld steps on %lld rows", what,
                    (long long)recipe->moved_count, (long long)model->refine_steps,
                    (long long)model->refine_rows);
}

enum { LINE_COLUMNS = 60, LINE_VALUES = 8 };

static void describe_column(const dps_column *column, int32_t number, dps_text *out)
{
    const bool text = column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL;
    dps_text_format(out, "column %-4ld %s%s%s", (long)number + 1,
                    column->name == NULL ? "" : column->name, column->name == NULL ? "" : ": ",
                    dps_name_of(dps_column_role_names, column->role));
    for (int32_t k = 0; text && k < column->value.count && k < LINE_VALUES; k++) {
        dps_text_format(out, "%s%s", k == 0 ? " of " : ", ", column->value.text[k]);
    }
    if (text && column->value.count > LINE_VALUES) {
        dps_text_format(out, ", ... (%ld values)", (long)column->value.count);
    }
    dps_text_add(out, text && column->rest ? ", and one for all others" : "");
    if (column->role == DPS_COLUMN_NUMBER && !isnan(column->fill)) {
        dps_text_format(out, ", missing values are %.6g", column->fill);
    }
    dps_text_add(out, "\n");
}

/* What the model reads of a table. */
static void describe_table(const dps_table *table, dps_text *out)
{
    for (int32_t j = 0; j < table->count && j < LINE_COLUMNS; j++) {
        describe_column(&table->column[j], j, out);
    }
    if (table->count > LINE_COLUMNS) {
        dps_text_format(out, "            ... %ld columns, all of them with --json\n",
                        (long)table->count);
    }
}

static void describe_text(const dps_model *model, const char *path, dps_text *out)
{
    const bool regression = model->task == DPS_TASK_REGRESSION;
    dps_text_format(out, "model       %s (format %d, random scheme %ld)\n", path,
                    dps_model_version_of(model), (long)model->random_scheme);
    if (regression) {
        dps_text_format(out, "task        regression, epsilon %.6g\n", model->epsilon);
    } else {
        dps_text_format(out, "classes     %ld:", (long)model->classes.count);
    }
    for (int32_t k = 0; k < model->classes.count && k < 20; k++) {
        /* of a stranger's model: nothing for the terminal to obey */
        const char *label = model->classes.text[k];
        dps_text_format(out, " %s", DPS_QUOTE(label, strlen(label), 40));
    }
    if (!regression) {
        dps_text_add(out, model->classes.count > 20 ? " ...\n" : "\n");
    }
    dps_text_format(
        out, "features    %ld, columns scaled by %s, rows by %s, radius %.4g\n",
        (long)model->scaler.columns, dps_name_of(dps_scaling_names, model->scaler.scaling),
        dps_name_of(dps_normalize_names, model->scaler.normalize), model->scaler.radius2);
    if (model->scaler.scaling == DPS_SCALE_LOG) {
        dps_text_add(out, "scaling     x' = sign(x) log(1 + |x| / unit) factor, back by |x| = unit "
                          "(exp(|x'| / factor) - 1)\n");
    } else if (model->scaler.scaling == DPS_SCALE_RANK) {
        dps_text_format(out,
                        "scaling     lines between %ld knots of the columns and their levels, back "
                        "by the same lines\n",
                        (long)model->scaler.knots);
    }
    describe_table(&model->table, out);
    dps_text_add(out, "kernel      ");
    dps_explain_kernel(&model->recipe, out);
    dps_text_add(out, "\nmap         ");
    dps_explain_map(&model->recipe, out);
    describe_refinement(model, out);
    dps_text_format(out, "\ncolumns     D' = %ld", (long)model->width);
    if (model->sparse_columns > 0) {
        dps_text_format(out, " and the sparse row (%ld)", (long)model->sparse_columns);
    }
    dps_text_format(out, "\nsolver      %s, %s, C = %.6g, bias %.6g\n", model->solver, model->loss,
                    model->C, model->bias);
    dps_text_format(out, "outputs     %s%s\n", regression ? "numbers" : "labels, decision values",
                    model->sigmoid != NULL    ? ", probabilities (a sigmoid of each decision value)"
                    : model->isotonic != NULL ? ", probabilities (isotonic in each decision value)"
                                              : "");
    dps_text_format(out, "trained     %lld rows, %lld iterations, objective %.6g, gap %.3g, %s\n",
                    (long long)model->rows, (long long)model->iterations, model->objective,
                    model->gap, dps_outcome_text(model->outcome));
}

dps_status dps_describe_model(const dps_model *model, const char *path, bool json, dps_text *out,
                              dps_error *err)
{
    if (json) {
        describe_json(model, path, out);
    } else {
        describe_text(model, path, out);
    }
    return out->failed ? dps_out_of_memory(err, 1, 1, "the description") : DPS_OK;
}
