/* Task: kernel, map and degrees in one line of text each, naming only what matters for them. */
#include "explain.h"

#include <math.h>
#include "number.h"

static void add_number(dps_text *out, const char *name, double value)
{
    char number[DPS_NUMBER_MAX];
    dps_format_double(number, value);
    dps_text_format(out, ", %s = %s", name, isnan(value) ? "auto" : number);
}

/* The kernel that a Fourier map stands for. */
static void explain_base(dps_base base, dps_text *out)
{
    static const char *const formula[] = {[DPS_BASE_DOT] = "<x, y>",
                                          [DPS_BASE_RBF] = "exp(-gamma |x - y|^2)",
                                          [DPS_BASE_LAPLACIAN] = "exp(-gamma |x - y|_1)",
                                          [DPS_BASE_INTERSECTION] = "sum_j min(x_j, y_j)",
                                          [DPS_BASE_CHI2] = "sum_j 2 x_j y_j / (x_j + y_j)"};
    dps_text_format(out, "%s, K(x, y) = %s", dps_name_of(dps_base_names, base), formula[base]);
}

void dps_explain_kernel(const dps_map_recipe *recipe, dps_text *out)
{
    const dps_kernel_params *kernel = &recipe->kernel;
    if (recipe->type == DPS_MAP_FOURIER) {
        explain_base(recipe->base, out);
        if (recipe->exact_degree >= 1) { /* the rows beside the cosines */
            dps_text_add(out, " + a <x, y>");
            add_number(out, "a", dps_kernel_coefficient(&recipe->kernel, 1));
        }
        return;
    }
    dps_text_format(out, "%s, f(t) = %s", kernel->kernel->name, kernel->kernel->formula);
    for (int common = 0; common <= 1; common++) {
        for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
            const dps_kernel_param *param = &dps_kernel_param_table[k];
            const double value = dps_kernel_get(kernel, param);
            const bool said = common ? !isnan(value) && value != 1 : true;
            if (param->common == common && dps_kernel_uses(kernel->kernel, param) && said) {
                add_number(out, param->symbol, value);
            }
        }
        if (kernel->kernel->listed && !common) {
            dps_text_format(out, ", %ld coefficients", (long)kernel->coefficient_count);
        }
    }
}

static void explain_draws(const dps_map_recipe *recipe, dps_text *out)
{
    if (recipe->measure == DPS_MEASURE_GEOMETRIC) {
        add_number(out, "geometric measure p", recipe->p);
    } else {
        dps_text_format(out, ", %s measure", dps_name_of(dps_measure_names, recipe->measure));
    }
    dps_text_format(out, ", %s", dps_name_of(dps_allocation_names, recipe->allocation));
    if (recipe->projection != DPS_PROJECTION_RADEMACHER) {
        dps_text_format(out, ", %s projections",
                        dps_name_of(dps_projection_names, recipe->projection));
    }
    if (recipe->exact_degree == DPS_EXACT_NONE) {
        dps_text_add(out, ", no exact degrees");
    } else {
        dps_text_format(out, ", degrees 0..%ld exact", (long)recipe->exact_degree);
    }
    if (recipe->truncate > 0) {
        add_number(out, "truncated at", recipe->truncate);
    }
    if (!recipe->collapse) {
        dps_text_add(out, ", not collapsed");
    }
}

void dps_explain_map(const dps_map_recipe *recipe, dps_text *out)
{
    bool draws = recipe->type == DPS_MAP_MACLAURIN || recipe->type == DPS_MAP_COMPOSITIONAL;
    bool based = recipe->type == DPS_MAP_FOURIER || recipe->type == DPS_MAP_COMPOSITIONAL;
    dps_text_add(out, dps_name_of(dps_map_type_names, recipe->type));
    if (recipe->type == DPS_MAP_NONE) {
        dps_text_add(out, " (the scaled row itself)");
    } else {
        dps_text_format(out, ", D = %ld, seed %llu", (long)recipe->features,
                        (unsigned long long)recipe->seed);
    }
    if (draws) {
        explain_draws(recipe, out);
    }
    if (recipe->craft > 1) {
        dps_text_format(out, ", mixed from %ld times as many", (long)recipe->craft);
    }
    if (based) {
        dps_text_format(out, ", %sbase %s", recipe->orthogonal ? "orthogonal, " : "",
                        dps_name_of(dps_base_names, recipe->base));
    }
    if (dps_recipe_is_shift(recipe)) {
        add_number(out, "gamma", recipe->base_gamma);
    }
    if (recipe->factor != 1) {
        add_number(out, "factor", recipe->factor);
    }
}

void dps_explain_degrees(const dps_map_facts *facts, dps_text *out)
{
    bool first = true;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        if (facts->degree_count[n] > 0) {
            dps_text_format(out, "%s%ld: %lld", first ? "" : ", ", (long)n,
                            (long long)facts->degree_count[n]);
            first = false;
        }
    }
    if (first) {
        dps_text_add(out, "none");
    }
}
