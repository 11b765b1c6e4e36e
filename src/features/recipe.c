/* The names of what a recipe chooses among, as options, model files and reports have them; and what
 * recipe and request have alike. */
#include "recipe.h"

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
