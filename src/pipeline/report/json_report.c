/* Task: the parts that JSON reports are made of, and the file. */
#include "json_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "job_limits.h"
#include "number.h"
#include "output_file.h"

/* What could not be added, for want of memory, spoils the object or array that it belongs in: cJSON
 * prints nothing that holds an item without a type. */
static void spoil(cJSON *parent, const void *added)
{
    if (parent != NULL && added == NULL) {
        parent->type = cJSON_Invalid;
    }
}

/* In digits that read back as the same number: cJSON's own may be one unit of the last place off.
 */
void dps_json_number(cJSON *object, const char *name, double value)
{
    char number[DPS_NUMBER_MAX];
    if (isfinite(value)) {
        dps_format_double(number, value);
        spoil(object, cJSON_AddRawToObject(object, name, number));
    } else {
        spoil(object, cJSON_AddNullToObject(object, name));
    }
}

void dps_json_string(cJSON *object, const char *name, const char *value)
{
    spoil(object, value == NULL ? cJSON_AddNullToObject(object, name)
                                : cJSON_AddStringToObject(object, name, value));
}

void dps_json_flag(cJSON *object, const char *name, bool value)
{
    spoil(object, cJSON_AddBoolToObject(object, name, value));
}

cJSON *dps_json_put(cJSON *object, const char *name, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, name, item)) {
        cJSON_Delete(item);
        item = NULL;
    }
    spoil(object, item);
    return item;
}

cJSON *dps_json_append(cJSON *array, cJSON *item)
{
    if (!cJSON_AddItemToArray(array, item)) {
        cJSON_Delete(item);
        item = NULL;
    }
    spoil(array, item);
    return item;
}

void dps_json_numbers(cJSON *object, const char *name, const double *value, int count)
{
    dps_json_put(object, name, cJSON_CreateDoubleArray(value, count));
}

cJSON *dps_json_report(const char *command)
{
    cJSON *root = cJSON_CreateObject();
    dps_json_string(root, "command", command);
    dps_json_string(root, "version", DPSVM_VERSION);
    return root;
}

cJSON *dps_json_row(cJSON *array)
{
    return dps_json_append(array, cJSON_CreateObject());
}

cJSON *dps_json_array(cJSON *root, const char *name, bool applies)
{
    cJSON *array = dps_json_put(root, name, applies ? cJSON_CreateArray() : cJSON_CreateNull());
    return applies ? array : NULL;
}

cJSON *dps_json_object(cJSON *root, const char *name, bool applies)
{
    cJSON *object = dps_json_put(root, name, applies ? cJSON_CreateObject() : cJSON_CreateNull());
    return applies ? object : NULL;
}

void dps_json_option(cJSON *object, const dps_options *options, dps_option_id id)
{
    dps_text value = {0};
    dps_options_value_text(options, id, &value);
    if (value.failed) {
        spoil(object, NULL);
    } else {
        dps_json_string(object, dps_option_table()[id].name, value.data == NULL ? "" : value.data);
    }
    dps_text_release(&value);
}

void dps_json_kernel(cJSON *root, const dps_kernel_params *kernel)
{
    cJSON *object = dps_json_object(root, "kernel", true);
    dps_json_string(object, "type", kernel->kernel->name);
    dps_json_string(object, "formula", kernel->kernel->formula);
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        dps_json_number(object, param->key, dps_kernel_get(kernel, param));
    }
    dps_json_numbers(object, "coefficients", kernel->coefficient, kernel->coefficient_count);
}

void dps_json_degrees(cJSON *root, const char *name, const int64_t *count)
{
    cJSON *degrees = dps_json_object(root, name, true);
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        if (count[n] > 0) {
            char degree[16];
            snprintf(degree, sizeof degree, "%ld", (long)n);
            dps_json_number(degrees, degree, (double)count[n]);
        }
    }
}

cJSON *dps_json_map(cJSON *root, const dps_map_recipe *recipe, const dps_map_facts *facts)
{
    cJSON *map = dps_json_object(root, "map", true);
    dps_json_string(map, "type", dps_name_of(dps_map_type_names, recipe->type));
    dps_json_number(map, "features", recipe->features); /* D */
    dps_json_number(map, "seed", (double)recipe->seed);
    dps_json_string(map, "measure", dps_name_of(dps_measure_names, recipe->measure));
    dps_json_number(map, "p", recipe->p);
    dps_json_string(map, "allocation", dps_name_of(dps_allocation_names, recipe->allocation));
    dps_json_string(map, "projection", dps_name_of(dps_projection_names, recipe->projection));
    dps_json_number(map, "exact_degree",
                    recipe->exact_degree == DPS_EXACT_NONE ? (double)NAN : recipe->exact_degree);
    dps_json_flag(map, "collapse", recipe->collapse);
    dps_json_string(map, "scale", dps_name_of(dps_map_scale_names, recipe->scale));
    dps_json_number(map, "factor", recipe->factor);
    dps_json_string(map, "base", dps_name_of(dps_base_names, recipe->base));
    dps_json_number(map, "craft", recipe->craft);
    dps_json_flag(map, "orthogonal", recipe->orthogonal);
    dps_json_number(map, "gamma", recipe->base_gamma);
    dps_json_string(map, "refine", dps_name_of(dps_refine_names, recipe->refine));
    dps_json_number(map, "numbers_moved", (double)recipe->moved_count);
    if (facts == NULL) {
        return map;
    }
    dps_json_number(map, "exact_columns", facts->exact_columns);
    dps_json_number(map, "random_columns", facts->random_columns);
    dps_json_number(map, "width", facts->width); /* D' */
    dps_json_number(map, "sparse_columns", facts->sparse_columns);
    dps_json_number(map, "coverage", facts->coverage);
    dps_json_number(map, "residual", facts->residual);
    dps_json_number(map, "mean_diagonal", facts->mean_diagonal);
    dps_json_number(map, "flops_per_row", facts->flops_per_row);
    dps_json_number(map, "bytes", (double)facts->map_bytes);
    dps_json_degrees(map, "degrees_drawn", facts->degree_count);
    return map;
}

void dps_json_text(cJSON *root, dps_text *out)
{
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    out->failed = out->failed || text == NULL;
    dps_text_add(out, text == NULL ? "" : text);
    dps_text_add(out, "\n");
    cJSON_free(text);
}

dps_status dps_json_write(cJSON *root, const char *path, dps_error *err)
{
    dps_text text = {0};
    dps_json_text(root, &text);
    return dps_output_text(&text, path, "the report", err);
}

void dps_json_class(cJSON *array, const char *label, const dps_class_metrics *c)
{
    cJSON *object = dps_json_row(array);
    dps_json_string(object, "label", label);
    dps_json_number(object, "rows", c->rows);
    dps_json_number(object, "predicted", c->guessed);
    dps_json_number(object, "correct", c->correct);
    dps_json_number(object, "precision", c->precision);
    dps_json_number(object, "recall", c->recall);
    dps_json_number(object, "f1", c->f1);
}

const char *const dps_stage_names[DPS_STAGE_COUNT] = {"parse", "scale", "map", "solve", "write"};

void dps_json_stages(cJSON *root, const dps_stage_cost *stage, double seconds)
{
    cJSON *stages = dps_json_object(root, "stages", true);
    for (int k = 0; k < DPS_STAGE_COUNT; k++) {
        cJSON *object = dps_json_object(stages, dps_stage_names[k], true);
        dps_json_number(object, "seconds", stage[k].seconds);
        dps_json_number(object, "bytes", stage[k].bytes);
    }
    dps_json_number(root, "seconds", seconds);
}

void dps_json_residuals(cJSON *root, const char *prefix, const dps_residuals *residuals)
{
    const struct {
        const char *name;
        double value;
    } figure[] = {{"rmse", dps_residuals_rmse(residuals)},
                  {"mae", dps_residuals_mae(residuals)},
                  {"r2", dps_residuals_r2(residuals)}};
    for (size_t k = 0; k < sizeof figure / sizeof figure[0]; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", prefix, figure[k].name);
        dps_json_number(root, name, figure[k].value);
    }
}

void dps_json_machine(cJSON *root, const dps_run *run)
{
    dps_json_number(root, "threads", run->threads);
    dps_json_string(root, "simd", dps_name_of(dps_simd_names, run->simd));
    dps_json_number(root, "memory_budget", (double)run->memory);
    dps_json_number(root, "peak_memory", (double)dps_peak_memory());
}
