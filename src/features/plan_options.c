/* Task: refuse combinations of map options that mean nothing, each with the reason and the option
 * to change. What depends on the rows is in plan.c. */
#include "plan_options.h"
#include <math.h>
#include "exact.h"
#include "map_layout.h"

dps_status dps_refuse_map(dps_error *err, const char *text)
{
    return dps_error_set(err, DPS_ERROR_CONFIG, "%s", text);
}

static bool is_linear_kernel(const dps_map_recipe *recipe)
{
    return recipe->kernel.kernel == &dps_kernel_linear;
}

static dps_status check_fourier(const dps_map_recipe *recipe, dps_error *err)
{
    if (!is_linear_kernel(recipe)) {
        return dps_error_set(
            err, DPS_ERROR_CONFIG,
            "map.type = fourier is the kernel of map.base alone, found kernel.type = %s; "
            "leave kernel.type out, or take map.type = compositional for f(base)",
            recipe->kernel.kernel->name);
    }
    if (recipe->kernel.gamma != 1.0) {
        return dps_refuse_map(err,
                              "map.type = fourier takes the gamma of its kernel from map.gamma; "
                              "leave kernel.gamma at 1");
    }
    const bool linear = recipe->refine != DPS_REFINE_NONE && recipe->exact_degree == 1;
    if (recipe->exact_degree >= 0 && !linear) {
        return dps_refuse_map(
            err, "map.type = fourier has no degrees: leave map.h01 and map.exact_degree "
                 "out");
    }
    if (recipe->base == DPS_BASE_DOT) {
        return dps_refuse_map(err,
                              "map.type = fourier with map.base = dot is the linear kernel; take "
                              "map.type = none");
    }
    if (recipe->features % 2 != 0 || recipe->features == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.features: map.type = fourier makes pairs of a cosine and a sine "
                             "and needs an even number above 0, found %d",
                             recipe->features);
    }
    return DPS_OK;
}

static dps_status check_none(const dps_map_recipe *recipe, dps_error *err)
{
    if (!is_linear_kernel(recipe)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.type = none keeps the rows as they are: it goes with kernel.type "
                             "= linear, found %s; leave map.type at auto",
                             recipe->kernel.kernel->name);
    }
    if (recipe->exact_degree < 1 && recipe->exact_degree != DPS_EXACT_AUTO) {
        return dps_refuse_map(err,
                              "map.type = none carries degree 1 exactly; leave map.h01 and "
                              "map.exact_degree out, or take map.type = maclaurin to estimate it");
    }
    return DPS_OK;
}

static dps_status check_exact_degree(const dps_map_recipe *recipe, dps_error *err)
{
    if (recipe->exact_degree > DPS_MAX_EXACT_DEGREE) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.exact_degree: expected at most %d, found %d",
                             DPS_MAX_EXACT_DEGREE, recipe->exact_degree);
    }
    if (recipe->type == DPS_MAP_COMPOSITIONAL && recipe->base != DPS_BASE_DOT &&
        recipe->exact_degree >= 1) {
        return dps_refuse_map(
            err, "map.h01 = on and map.exact_degree >= 1 go with map.base = dot only: "
                 "sqrt(a_1) x carries a_1 <x, y>, not a_1 k(x, y); only degree 0 can be "
                 "exact");
    }
    return DPS_OK;
}

static dps_status check_estimates(const dps_map_recipe *recipe, dps_error *err)
{
    if (recipe->truncate > 0.0 &&
        (recipe->type == DPS_MAP_NONE || recipe->type == DPS_MAP_FOURIER)) {
        return dps_refuse_map(err,
                              "map.truncate drops degrees, and map.type = none and fourier have "
                              "none to drop; leave map.truncate at 0");
    }
    if (recipe->orthogonal && !(recipe->type == DPS_MAP_FOURIER && recipe->base == DPS_BASE_RBF)) {
        return dps_refuse_map(err,
                              "map.orthogonal = on goes with map.type = fourier and map.base = "
                              "rbf: only Gaussian frequencies may be turned");
    }
    if (recipe->projection == DPS_PROJECTION_RADEMACHER) {
        return DPS_OK;
    }
    if (recipe->type == DPS_MAP_NONE) {
        return dps_refuse_map(err,
                              "map.projection has no use with map.type = none, which keeps the "
                              "rows as they are; leave map.projection out");
    }
    if (!dps_recipe_is_dot(recipe)) {
        return dps_refuse_map(err,
                              "map.projection says how <w, x> is drawn for kernels of <x, y>; "
                              "map.type = fourier and map.base other than dot draw frequencies "
                              "of their own: leave map.projection out");
    }
    if (dps_projects_pairs(recipe) && recipe->features % 2 != 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.features: map.projection = complex makes pairs of a real and an "
                             "imaginary part and needs an even number, found %d",
                             recipe->features);
    }
    return DPS_OK;
}

/* What cannot move, or would be moved in vain. */
static dps_status check_refine(const dps_map_recipe *recipe, dps_error *err)
{
    if (recipe->refine == DPS_REFINE_NONE) {
        return DPS_OK;
    }
    if (recipe->type == DPS_MAP_NONE) {
        return dps_refuse_map(err, "map.refine moves random projections, and map.type = none has "
                                   "none; leave map.refine out");
    }
    if (dps_recipe_is_additive(recipe)) {
        return dps_refuse_map(err, "map.refine moves projections of whole rows; map.base = "
                                   "intersection and chi2 look at single coordinates: take rbf, "
                                   "laplacian or dot");
    }
    if (recipe->projection != DPS_PROJECTION_RADEMACHER &&
        recipe->projection != DPS_PROJECTION_GAUSSIAN) {
        return dps_refuse_map(err, "map.refine needs projections that move one by one: "
                                   "map.projection = rademacher or gaussian");
    }
    if (recipe->refine == DPS_REFINE_METRIC &&
        (recipe->exact_degree > 1 || recipe->exact_degree == DPS_EXACT_WIDEST)) {
        return dps_refuse_map(err, "map.refine = metric moves what is carried exactly up to degree "
                                   "1; leave map.exact_degree out or take projections");
    }
    if (recipe->craft > 1 || recipe->orthogonal) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.%s says how the features are drawn together, and map.refine "
                             "moves each by itself: leave one of them out",
                             recipe->orthogonal ? "orthogonal" : "craft");
    }
    return DPS_OK;
}

dps_status dps_check_map_options(const dps_map_recipe *recipe, dps_error *err)
{
    DPS_TRY(dps_kernel_check(&recipe->kernel, err));
    if (!(recipe->p > 1.0 && isfinite(recipe->p))) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "map.p: expected a number above 1, found %g",
                             recipe->p);
    }
    if (recipe->craft > 1 && recipe->type == DPS_MAP_NONE) {
        return dps_refuse_map(err, "map.craft mixes random features, and map.type = none has none; "
                                   "leave map.craft at 1");
    }
    if (dps_recipe_drawn(recipe) > INT32_MAX) {
        return dps_error_set(
            err, DPS_ERROR_CONFIG,
            "map.craft: %d times %d features are more than 2^31; lower one of them", recipe->craft,
            recipe->features);
    }
    if (!(recipe->truncate >= 0.0 && isfinite(recipe->truncate))) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.truncate: expected a number of 0 or more, found %g",
                             recipe->truncate);
    }
    if (!(isnan(recipe->base_gamma) ||
          (recipe->base_gamma > 0.0 && isfinite(recipe->base_gamma)))) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.gamma: expected auto, scale or a number above 0, found %g",
                             recipe->base_gamma);
    }
    DPS_TRY(check_estimates(recipe, err));
    DPS_TRY(check_refine(recipe, err));
    if (recipe->type == DPS_MAP_FOURIER) {
        DPS_TRY(check_fourier(recipe, err));
    } else if (recipe->type == DPS_MAP_NONE) {
        DPS_TRY(check_none(recipe, err));
    }
    return check_exact_degree(recipe, err);
}
