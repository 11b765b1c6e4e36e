/* What is asked of a map, and what a map is. Planning makes a recipe of a request and the rows; the
 * recipe is all of the map besides the width d of its input: what a model stores, and what the map
 * is rebuilt from. */
#ifndef DPS_RECIPE_H
#define DPS_RECIPE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel.h"
#include "names.h"
#include "row_tile.h"
#include "run.h"

typedef enum dps_map_type {
    DPS_MAP_NONE,          /* the row itself: kernel linear */
    DPS_MAP_MACLAURIN,     /* Kar & Karnick 2012, Algorithm 1 */
    DPS_MAP_COMPOSITIONAL, /* Algorithm 2 over a base kernel */
    DPS_MAP_FOURIER        /* Rahimi & Recht 2007, cos/sin pairs */
} dps_map_type;
extern const char *const dps_map_type_names[];

typedef enum dps_measure {
    DPS_MEASURE_GEOMETRIC,
    DPS_MEASURE_COEFFICIENT,
    DPS_MEASURE_VARIANCE
} dps_measure;
extern const char *const dps_measure_names[];
typedef enum dps_truncate_mode { DPS_TRUNCATE_PREFIX, DPS_TRUNCATE_SUBSET } dps_truncate_mode;
extern const char *const dps_truncate_mode_names[];
typedef enum dps_allocation { DPS_ALLOCATION_STRATIFIED, DPS_ALLOCATION_IID } dps_allocation;
extern const char *const dps_allocation_names[];
typedef enum dps_projection { /* of a dot-product kernel (docs/algorithms.md, section 9) */
                              DPS_PROJECTION_RADEMACHER,
                              DPS_PROJECTION_GAUSSIAN,
                              DPS_PROJECTION_HADAMARD,
                              DPS_PROJECTION_COMPLEX,
                              DPS_PROJECTION_COMPLEX_HADAMARD
} dps_projection;
extern const char *const dps_projection_names[];
typedef enum dps_base {
    DPS_BASE_DOT,
    DPS_BASE_RBF,
    DPS_BASE_LAPLACIAN,    /* exp(-gamma |x - y|_1) */
    DPS_BASE_INTERSECTION, /* sum min(x_j, y_j) */
    DPS_BASE_CHI2          /* sum 2 x_j y_j / (x_j + y_j) */
} dps_base;
extern const char *const dps_base_names[];
typedef enum dps_map_scale { DPS_MAP_SCALE_UNIT, DPS_MAP_SCALE_NONE } dps_map_scale;
extern const char *const dps_map_scale_names[];

/* What moves before the last training (docs/algorithms.md, section 14). */
typedef enum dps_refine {
    DPS_REFINE_NONE,
    DPS_REFINE_PROJECTIONS, /* every projection by itself */
    DPS_REFINE_METRIC       /* the rows, x -> x T, in front of the map as drawn */
} dps_refine;
extern const char *const dps_refine_names[];
#define DPS_REFINE_COLUMNS 2048 /* widest rows that it is for */

/* exact_degree */
#define DPS_EXACT_WIDEST (-3) /* asked: auto, the largest k with no more than D exact columns */
#define DPS_EXACT_AUTO   (-2) /* asked: h01 = auto, where the kernel has degrees 0 and 1 */
#define DPS_EXACT_NONE   (-1) /* paper's RF: every degree is estimated */

typedef double dps_degree_weights[DPS_MAX_DEGREE + 1];

typedef struct dps_map_request {
    dps_kernel_params kernel; /* NAN where planning is to find a parameter */
#define ASKED(key, member, type, kind, low, high, names) type member;
#define FOUND(key, member, type, kind, low, high, names)
#include "map_fields.def"
#undef FOUND
    dps_refine refine;
    bool base_gamma_scale; /* base_gamma of NAN is to be 1 / (d var), else of the median distance */
} dps_map_request;

typedef struct dps_map_recipe {
    dps_kernel_params kernel;
    int32_t weight_count;
#define FOUND(key, member, type, kind, low, high, names) type member;
#include "map_fields.def"
#undef FOUND
#undef ASKED
    dps_refine refine;
    const float *moved; /* PROJECTIONS: (d + 1) x F numbers as in map_projections.h; METRIC: T,
                           d x d; borrowed. NULL: as drawn */
    int64_t moved_count;
} dps_map_recipe;

/* Columns that a model says its map has. */
typedef struct dps_map_widths {
    int32_t dense, sparse; /* D' without bias; d or 0 */
} dps_map_widths;

/* Features 2k and 2k + 1 are real and imaginary part of one complex feature. */
static inline bool dps_projects_pairs(const dps_map_recipe *recipe)
{
    return recipe->projection == DPS_PROJECTION_COMPLEX ||
           recipe->projection == DPS_PROJECTION_COMPLEX_HADAMARD;
}

/* Projections come from Walsh-Hadamard blocks. */
static inline bool dps_projects_hadamard(const dps_map_recipe *recipe)
{
    return recipe->projection == DPS_PROJECTION_HADAMARD ||
           recipe->projection == DPS_PROJECTION_COMPLEX_HADAMARD;
}

/* The kernel of the recipe is a kernel of <x, y>, not of an RBF. */
static inline bool dps_recipe_is_dot(const dps_map_recipe *recipe)
{
    return recipe->type == DPS_MAP_NONE || recipe->type == DPS_MAP_MACLAURIN ||
           (recipe->type == DPS_MAP_COMPOSITIONAL && recipe->base == DPS_BASE_DOT);
}

/* The base kernel is a sum over coordinates of homogeneous kernels of non-negative numbers. */
static inline bool dps_recipe_is_additive(const dps_map_recipe *recipe)
{
    return !dps_recipe_is_dot(recipe) &&
           (recipe->base == DPS_BASE_INTERSECTION || recipe->base == DPS_BASE_CHI2);
}

/* The kernel is one of x - y, of width base_gamma, with k(x, x) = 1. */
static inline bool dps_recipe_is_shift(const dps_map_recipe *recipe)
{
    return (recipe->type == DPS_MAP_FOURIER || recipe->type == DPS_MAP_COMPOSITIONAL) &&
           (recipe->base == DPS_BASE_RBF || recipe->base == DPS_BASE_LAPLACIAN);
}

/* Random features drawn; recipe->features of them without map.craft. */
static inline int64_t dps_recipe_drawn(const dps_map_recipe *recipe)
{
    return (int64_t)recipe->features * (recipe->craft > 1 ? recipe->craft : 1);
}

/* What planning found, for `check`, the log and the report. */
typedef struct dps_map_facts {
    double mean_norm2, radius1, radius2;
    double mean_diagonal;     /* mean f(|x|^2) over training rows */
    double coverage;          /* share of f(R2^2) in degrees that are exact or have D q(n) >= 1 */
    double residual;          /* sum of a_n t^n of dropped degrees at largest_argument */
    int32_t max_degree_drawn; /* -1: none */
    int64_t degree_count[DPS_MAX_DEGREE + 1]; /* random features drawn of each degree */
    int32_t exact_columns;                    /* columns in use */
    int32_t random_columns;                   /* after collapse */
    int32_t width; /* D' = exact + random (dense panel), without the solver's bias */
    int32_t sparse_columns;
    double flops_per_row;
    size_t map_bytes; /* memory of the built map */
} dps_map_facts;

/* Refuses, as DPS_ERROR_DATA, a recipe that no planning made for rows of so many columns. A recipe
 * may come from a file. */
DPS_MUST_USE dps_status dps_map_check_recipe(const dps_map_recipe *recipe, int32_t columns,
                                             dps_error *err);

/* The recipe as far as it is asked for: what planning begins with. Automatic values are open. */
dps_map_recipe dps_recipe_asked(const dps_map_request *request);

/* Finds every automatic value from the rows and fills recipe and facts. Refuses what does not go
 * together, with the reason and the option's name; D' = 0 is an error. Warns through run->log below
 * 90 % coverage. Heuristics use 2,000 rows sampled with the request's seed. `radius1`, `radius2`:
 * of the scaler. */
DPS_MUST_USE dps_status dps_map_plan(const dps_map_request *request, const dps_row_source *rows,
                                     double radius1, double radius2, bool dense_rows,
                                     const dps_run *run, dps_map_recipe *recipe,
                                     dps_map_facts *facts, dps_error *err);

/* The facts of a model's recipe: mean_norm2 and mean_diagonal as the recipe holds them
 * (mean_diagonal is 1 with map.scale = none). */
DPS_MUST_USE dps_status dps_map_facts_of(const dps_map_recipe *recipe, double radius1,
                                         double radius2, int32_t columns, const dps_run *run,
                                         dps_map_facts *facts, dps_error *err);

#endif
