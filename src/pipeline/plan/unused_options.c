/* Task: name the options that a user set and that what was chosen beside them does not use: a
 * degree with a kernel that has none changes nothing, and its user should know. What would be a
 * contradiction is refused elsewhere (settings.c, features/plan_options.c). */
#include "unused_options.h"

#include <string.h>
#include "option_value.h"

/* Set, and not to what it is anyway: a file that lists all defaults is no reason to speak. */
static bool was_changed(const dps_options *options, dps_option_id id)
{
    dps_text value = {0};
    dps_options_value_text(options, id, &value);
    const char *text = value.length == 0 ? "" : value.data;
    const bool changed = options->origin[id].set && !value.failed &&
                         strcmp(text, dps_option_table()[id].default_text) != 0;
    dps_text_release(&value);
    return changed;
}

typedef struct unused_list {
    const dps_options *options;
    bool *unused;  /* by option; NULL: not asked for */
    dps_text text; /* of those that were changed */
} unused_list;

/* why: "kernel.type = rbf", what does not use it. */
static void add(unused_list *list, dps_option_id id, bool used, const char *why, const char *value)
{
    if (!used && list->unused != NULL) {
        list->unused[id] = true;
    }
    if (used || list->unused != NULL || !was_changed(list->options, id)) {
        return;
    }
    dps_text_format(&list->text, "%s%s (%s%s)", list->text.length > 0 ? ", " : "",
                    dps_option_table()[id].name, why, value);
}

static void add_kernel(unused_list *list, const dps_settings *s)
{
    const dps_map_request *request = &s->request;
    const bool fourier = request->type == DPS_MAP_FOURIER;
    const bool shift = request->base == DPS_BASE_RBF || request->base == DPS_BASE_LAPLACIAN;
    const char *name =
        fourier ? dps_name_of(dps_base_names, request->base) : request->kernel.kernel->name;
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        const dps_option_id id = (dps_option_id)dps_option_find("kernel", param->key);
        const bool of_base = id == DPS_OPT_kernel_gamma && shift;
        add(list, id, fourier ? of_base : dps_kernel_uses(request->kernel.kernel, param),
            "kernel.type = ", name);
    }
    add(list, DPS_OPT_kernel_coefficients, !fourier && request->kernel.kernel->listed,
        "kernel.type = ", name);
}

static void add_map(unused_list *list, const dps_settings *s)
{
    const dps_map_request *request = &s->request;
    const char *type = dps_name_of(dps_map_type_names, request->type);
    const bool none = request->type == DPS_MAP_NONE, fourier = request->type == DPS_MAP_FOURIER;
    const bool degrees = !none && !fourier;
    const bool based = fourier || request->type == DPS_MAP_COMPOSITIONAL;
    const bool shift =
        based && (request->base == DPS_BASE_RBF || request->base == DPS_BASE_LAPLACIAN);
    add(list, DPS_OPT_map_features, !none, "map.type = ", type);
    add(list, DPS_OPT_map_seed, !none, "map.type = ", type);
    add(list, DPS_OPT_map_measure, degrees, "map.type = ", type);
    add(list, DPS_OPT_map_allocation, degrees, "map.type = ", type);
    if (degrees) {
        add(list, DPS_OPT_map_p, request->measure == DPS_MEASURE_GEOMETRIC,
            "map.measure = ", dps_name_of(dps_measure_names, request->measure));
    } else {
        add(list, DPS_OPT_map_p, false, "map.type = ", type);
    }
    add(list, DPS_OPT_map_truncate_mode, request->truncate > 0, "map.truncate = ", "0");
    add(list, DPS_OPT_map_base, based, "map.type = ", type);
    add(list, DPS_OPT_map_gamma, shift, based ? "map.base = " : "map.type = ",
        based ? dps_name_of(dps_base_names, request->base) : type);
}

static void add_others(unused_list *list, const dps_settings *s)
{
    const dps_options *options = list->options;
    const bool regression = s->loss->regression, newton = s->solver == &dps_solver_newton;
    add(list, DPS_OPT_solver_epsilon, regression, "solver.task = ", "classification");
    add(list, DPS_OPT_run_shards, !newton, "solver.type = ", "newton");
    add(list, DPS_OPT_solver_batch, !newton, "solver.type = ", "newton");
    add(list, DPS_OPT_run_checkpoint_every, options->run_checkpoint[0] != '\0',
        "run.checkpoint names no file", "");
}

void dps_find_unused(const dps_options *options, const dps_settings *settings,
                     bool unused[DPS_OPTION_COUNT])
{
    unused_list list = {.options = options, .unused = unused};
    memset(unused, 0, DPS_OPTION_COUNT * sizeof *unused);
    add_kernel(&list, settings);
    add_map(&list, settings);
    add_others(&list, settings);
}

void dps_warn_unused(const dps_options *options, const dps_settings *settings, bool searched,
                     const dps_run *run)
{
    unused_list list = {.options = options};
    if (!searched) {
        add_kernel(&list, settings);
        add_map(&list, settings);
    }
    add_others(&list, settings);
    if (list.text.length > 0 && !list.text.failed) {
        dps_log_text(run, DPS_WARNING, "set without effect: %s", list.text.data);
    }
    dps_text_release(&list.text);
}
