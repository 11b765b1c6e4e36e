/* The names of what a recipe chooses among, as options, model files and reports have them; and what
 * recipe and request have alike. */
#include "recipe.h"

#include "exact.h"

const char *const dps_map_type_names[] = {"none", "maclaurin", "compositional", "fourier", NULL};
const char *const dps_measure_names[] = {"geometric", "coefficient", "variance", NULL};
const char *const dps_truncate_mode_names[] = {"prefix", "subset", NULL};
const char *const dps_allocation_names[] = {"stratified", "iid", NULL};
const char *const dps_projection_names[] = {"rademacher", "gaussian",         "hadamard",
                                            "complex",    "complex_hadamard", NULL};
const char *const dps_base_names[] = {"dot", "rbf", "laplacian", "intersection", "chi2", NULL};
const char *const dps_refine_names[] = {"none", "projections", "metric", NULL};
const char *const dps_map_scale_names[] = {"unit", "none", NULL};

dps_map_recipe dps_recipe_asked(const dps_map_request *request)
{
    return (dps_map_recipe){
        .kernel = request->kernel,
        .refine = request->refine,
#define ASKED(key, member, type, kind, low, high, names) .member = request->member,
#define FOUND(key, member, type, kind, low, high, names)
#include "map_fields.def"
    };
}

/* A recipe may come from a file. Numbers beyond float's range show up later, in the weights. */
static bool in_range(const dps_map_recipe *recipe, int32_t columns)
{
    const bool projection =
        recipe->projection == DPS_PROJECTION_RADEMACHER || dps_recipe_is_dot(recipe);
    const bool in_pairs = recipe->type == DPS_MAP_FOURIER || dps_projects_pairs(recipe);
    const bool pairs = !in_pairs || recipe->features % 2 == 0;
    const bool rotated = !recipe->orthogonal ||
                         (recipe->type == DPS_MAP_FOURIER && recipe->base != DPS_BASE_LAPLACIAN &&
                          !dps_recipe_is_additive(recipe));
    const bool moves =
        recipe->refine == DPS_REFINE_NONE ||
        (columns <= DPS_REFINE_COLUMNS && recipe->craft <= 1 && !recipe->orthogonal &&
         !dps_projects_hadamard(recipe) && !dps_projects_pairs(recipe) &&
         !dps_recipe_is_additive(recipe) && recipe->type != DPS_MAP_NONE);
    const bool few = recipe->craft >= 0 && dps_recipe_drawn(recipe) <= INT32_MAX;
    return columns > 0 && rotated && few && moves && recipe->features >= 0 && pairs && projection &&
           recipe->exact_degree >= DPS_EXACT_NONE && recipe->exact_degree <= DPS_MAX_EXACT_DEGREE &&
           recipe->input_scale > 0.0 && recipe->weight_count >= 0 &&
           recipe->weight_count <= DPS_MAX_DEGREE + 1 && recipe->p > 1.0 &&
           (dps_recipe_is_dot(recipe) || recipe->base_gamma > 0.0);
}

dps_status dps_map_check_recipe(const dps_map_recipe *recipe, int32_t columns, dps_error *err)
{
    DPS_TRY(dps_kernel_check(&recipe->kernel, err));
    if (!in_range(recipe, columns)) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "the map's recipe has a value out of range (D = %d, d = %d, "
                             "exact_degree = %d)",
                             recipe->features, columns, recipe->exact_degree);
    }
    return DPS_OK;
}
